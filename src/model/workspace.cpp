#include "gough/model/workspace.hpp"

namespace gough {

template struct ModalState<double>;
template struct ModalState<Dual<double>>;
template struct Workspace<double>;
template struct Workspace<Dual<double>>;

}  // namespace gough
