#include "gough/spatial/linalg.hpp"

namespace gough {
GOUGH_LINALG()
}  // namespace gough
