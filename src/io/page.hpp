#pragma once
/// The page made from viewer/ by the build, in pieces; none where gough is built without it.
#include <span>
#include <string_view>

namespace gough::io {

std::span<const std::string_view> page_parts();

}  // namespace gough::io
