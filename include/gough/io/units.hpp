#pragma once
/// Numbers with units, as people write them: `15 deg`, `20 mm`, `25 N s/m`, `2e-5 kg m^2`. A bare number is SI.
#include <optional>
#include <string>
#include <string_view>

namespace gough {

/// Powers of kg, m and s. Angles have none: a radian is 1.
struct Dimension {
  int kg = 0, m = 0, s = 0;
  friend bool operator==(const Dimension&, const Dimension&) = default;
};

namespace dimension {
inline constexpr Dimension none{}, angle{}, mass{1, 0, 0}, length{0, 1, 0}, time{0, 0, 1}, inertia{1, 2, 0},
    speed{0, 1, -1}, rate{0, 0, -1}, acceleration{0, 1, -2}, force{1, 1, -2}, moment{1, 2, -2},
    force_per_length{1, 0, -2}, force_per_speed{1, 0, -1}, moment_per_rate{1, 2, -1}, pressure{1, -1, -2},
    density{1, -3, 0};
}  // namespace dimension

/// A number as read: its value in SI, and its dimension if a unit was given.
struct Quantity {
  double value = 0;
  std::optional<Dimension> dimension;
};

/// Numbers beyond this are mistakes, and their squares must not overflow.
inline constexpr double largest_number = 1e15;

/// Reads `text`; on failure returns nothing and says in `why` what was read and expected.
std::optional<Quantity> parse_quantity(std::string_view text, std::string& why);

/// "m/s", "kg m^2", "rad": the SI unit of a dimension, for messages and headers.
std::string unit_of(const Dimension& d);

}  // namespace gough
