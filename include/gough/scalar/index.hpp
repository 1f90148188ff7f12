#pragma once
/// Signed indices into standard containers, x[at(i)], and lists of them.
#include <algorithm>
#include <cstddef>
#include <vector>

namespace gough {

constexpr std::size_t at(std::ptrdiff_t i) { return static_cast<std::size_t>(i); }
inline bool contains(const std::vector<int>& all, int i) { return std::find(all.begin(), all.end(), i) != all.end(); }

}  // namespace gough
