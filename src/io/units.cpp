#include "gough/io/units.hpp"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cmath>
#include <numbers>

namespace gough {
namespace {

struct Unit {
  std::string_view name;
  double factor;
  Dimension dimension;
};

using std::numbers::pi;
using namespace dimension;

constexpr std::array units = {
    Unit{"m", 1, length},        Unit{"mm", 1e-3, length},   Unit{"cm", 1e-2, length},
    Unit{"um", 1e-6, length},    Unit{"km", 1e3, length},    Unit{"in", 0.0254, length},
    Unit{"kg", 1, mass},         Unit{"g", 1e-3, mass},      Unit{"t", 1e3, mass},
    Unit{"s", 1, time},          Unit{"ms", 1e-3, time},     Unit{"us", 1e-6, time},
    Unit{"min", 60, time},       Unit{"rad", 1, none},       Unit{"mrad", 1e-3, none},
    Unit{"deg", pi / 180, none}, Unit{"rev", 2 * pi, none},  Unit{"N", 1, force},
    Unit{"mN", 1e-3, force},     Unit{"kN", 1e3, force},     Unit{"MN", 1e6, force},
    Unit{"Nm", 1, moment},       Unit{"mNm", 1e-3, moment},  Unit{"kNm", 1e3, moment},
    Unit{"Pa", 1, pressure},     Unit{"kPa", 1e3, pressure}, Unit{"MPa", 1e6, pressure},
    Unit{"GPa", 1e9, pressure},  Unit{"Hz", 2 * pi, rate},   Unit{"rpm", pi / 30, rate},
    Unit{"J", 1, moment},        Unit{"W", 1, {1, 2, -3}},   Unit{"g0", 9.80665, acceleration}};

/// Reads "N s/m^2", "kg m^2", "N*m": factors, then after the first '/' divisors (a second '/' divides again).
class UnitReader {
 public:
  UnitReader(std::string_view text, std::string& why) : text_(text), why_(why) {}

  bool read(Quantity& q) {
    Dimension sum;
    int sign = 1;
    skip();
    if (at_end()) return true;
    while (!at_end()) {
      if (!factor(q, sum, sign)) return false;
      skip();
      if (at_end()) break;
      sign = text_[i_] == '/' ? -1 : text_[i_] == '*' ? 1 : sign;
      if (text_[i_] == '/' || text_[i_] == '*') ++i_;
      skip();
      if (at_end()) return fail("a unit after '/' or '*'");
    }
    q.dimension = sum;
    return true;
  }

 private:
  bool at_end() const { return i_ >= text_.size(); }
  void skip() {
    while (!at_end() && (text_[i_] == ' ' || text_[i_] == '\t')) ++i_;
  }
  bool fail(const std::string& expected) {
    why_ = fmt::format("read '{}', expected {}", text_, expected);
    return false;
  }
  bool factor(Quantity& q, Dimension& sum, int sign) {
    const std::size_t start = i_;
    while (!at_end() && (std::isalpha(static_cast<unsigned char>(text_[i_])) != 0 || (i_ > start && text_[i_] == '0')))
      ++i_;
    const std::string_view word = text_.substr(start, i_ - start);
    const Unit* unit = nullptr;
    for (const Unit& u : units)
      if (u.name == word) unit = &u;
    if (unit == nullptr) return fail("a unit such as mm, deg, kg, N, N m, N s/m, kg m^2");
    int power = 1;
    if (!at_end() && text_[i_] == '^') {
      ++i_;
      if (at_end() || text_[i_] < '1' || text_[i_] > '4') return fail("a power of 1 to 4 after '^'");
      power = text_[i_++] - '0';
    }
    power *= sign;
    q.value *= std::pow(unit->factor, power);
    sum.kg += power * unit->dimension.kg;
    sum.m += power * unit->dimension.m;
    sum.s += power * unit->dimension.s;
    return true;
  }

  std::string_view text_;
  std::string& why_;
  std::size_t i_ = 0;
};

}  // namespace

std::optional<Quantity> parse_quantity(std::string_view text, std::string& why) {
  Quantity q;
  if (text.size() > 80) {
    why = fmt::format("read a text of {} characters, expected a number, with a unit if need be", text.size());
    return std::nullopt;
  }
  const bool plus = text.starts_with('+') && !text.starts_with("+-");
  const char* begin = text.data() + (plus ? 1 : 0);
  const char* end = text.data() + text.size();
  const auto [after, error] = std::from_chars(begin, end, q.value);
  if (error == std::errc::result_out_of_range || (error == std::errc() && !std::isfinite(q.value))) {
    why = fmt::format("read '{}', expected a finite number", text);
    return std::nullopt;
  }
  if (error != std::errc()) {
    const bool special = text == ".nan" || text == ".inf" || text == "-.inf" || text == ".NaN" || text == ".Inf";
    why = fmt::format("read '{}', expected a {}number, with a unit if need be", text, special ? "finite " : "");
    return std::nullopt;
  }
  if (!UnitReader(std::string_view(after, static_cast<std::size_t>(end - after)), why).read(q)) {
    why += fmt::format(" (in '{}')", text);
    return std::nullopt;
  }
  if (!(std::abs(q.value) <= largest_number)) {
    why = fmt::format("read '{}', expected a number between -{:g} and {:g} in SI units", text, largest_number,
                      largest_number);
    return std::nullopt;
  }
  return q;
}

std::string unit_of(const Dimension& d) {
  const std::array<std::pair<Dimension, std::string_view>, 10> known = {{{none, "1 or rad"},
                                                                         {force, "N"},
                                                                         {moment, "N m"},
                                                                         {force_per_length, "N/m"},
                                                                         {force_per_speed, "N s/m"},
                                                                         {moment_per_rate, "N m s"},
                                                                         {pressure, "Pa"},
                                                                         {inertia, "kg m^2"},
                                                                         {speed, "m/s"},
                                                                         {rate, "rad/s"}}};
  for (const auto& [dimension, name] : known)
    if (dimension == d) return std::string(name);
  std::string above, below;
  const auto factor = [&](const char* name, int power) {
    std::string& text = power > 0 ? above : below;
    if (power == 0) return;
    if (!text.empty()) text += power > 0 ? " " : "/";
    text += std::abs(power) == 1 ? name : fmt::format("{}^{}", name, std::abs(power));
  };
  factor("kg", d.kg);
  factor("m", d.m);
  factor("s", d.s);
  return (above.empty() ? "1" : above) + (below.empty() ? "" : "/" + below);
}

}  // namespace gough
