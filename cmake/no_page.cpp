/// For builds with GOUGH_VIEWER=OFF.
#include "page.hpp"

namespace gough::io {

std::span<const std::string_view> page_parts() { return {}; }

}  // namespace gough::io
