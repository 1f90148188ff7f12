/// The library's kernels for the tracing scalar.
#include "trace_general.hpp"

namespace gough {

template struct Mechanism<Expr>;
template Mechanism<Expr> Mechanism<double>::cast() const;
template struct Workspace<Expr>;
GOUGH_KINEMATIC_STAGES(Expr, )
GOUGH_TASK_MOTION(Expr, )
GOUGH_DYNAMIC_STAGES(Expr, )
GOUGH_DYNAMICS(Expr, )
GOUGH_INVERSE_DYNAMICS(Expr, )
GOUGH_FORWARD_DYNAMICS(Expr, )

}  // namespace gough
