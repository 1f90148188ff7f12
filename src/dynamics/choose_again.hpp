#pragma once

namespace gough {

/// Share of the pivot where coordinates were chosen, below which they are chosen anew.
inline constexpr double choose_again = 0.05;

}  // namespace gough
