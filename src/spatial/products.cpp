#include "products.hpp"

namespace Eigen::internal {
GOUGH_PRODUCTS()
}  // namespace Eigen::internal
