#include "gough/io/parameters_report.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

namespace gough {
namespace {

using Json = nlohmann::ordered_json;
const std::string& name_of(const BaseParameters& b, int p) { return b.space.name[static_cast<std::size_t>(p)]; }

double value_of(const BaseParameters& b, const BaseParameter& p) {
  double sum = 0;
  for (const BaseParameter::Term& t : p.terms) sum += t.coefficient * b.space.value[t.parameter];
  return sum;
}

std::string_view unit_of(const std::string& name) {
  const std::string entry = name.substr(name.rfind('.') + 1);
  if (entry == "m") return "kg";
  return entry[0] == 's' ? "kg m" : "kg m^2";
}

}  // namespace

std::string parameters_text(const Mechanism<double>& m, const BaseParameters& b) {
  const auto friction = b.space.name.size() - static_cast<std::size_t>(b.space.inertial);
  std::string out = fmt::format(
      "{}: {} inertial parameters, of which motions show {} combinations; {} friction coefficients\n\n"
      "spectral gap {:.1e} (singular values {:.1e} and below it), condition {:.3g}, with friction {:.3g}\n"
      "by the rules of regrouping: {} combinations left, H p changed by {:.0e}\n\n",
      m.name, b.space.inertial, b.rank(), friction, b.gap,
      b.rank() > 0 ? b.singular_values[static_cast<std::size_t>(b.rank() - 1)] : 0.0, b.condition, b.friction_condition,
      b.rules_rank, b.rules_error);
  for (std::size_t i = 0; i < b.base.size(); ++i)
    out += fmt::format("{:>4}  {:>12.6g} {:<7} {}\n", i + 1, value_of(b, b.base[i]),
                       unit_of(name_of(b, b.base[i].terms[0].parameter)), b.base[i].name);
  for (std::size_t i = static_cast<std::size_t>(b.space.inertial); i < b.space.name.size(); ++i)
    out += fmt::format("      {:>12.6g} {:<7} {}\n", b.space.value[static_cast<Eigen::Index>(i)], "SI", b.space.name[i]);
  if (!b.without_effect.empty()) {
    out += "\nwithout effect on any motion:";
    for (const int p : b.without_effect) out += " " + name_of(b, p);
    out += "\n";
  }
  return out;
}

std::string parameters_json(const BaseParameters& b) {
  Json groups = Json::array();
  for (const BaseParameter& p : b.base) {
    Json terms = Json::object();
    for (const BaseParameter::Term& t : p.terms) terms[name_of(b, t.parameter)] = t.coefficient;
    groups.push_back({{"name", p.name}, {"value", value_of(b, p)}, {"terms", terms}});
  }
  Json without = Json::array();
  for (const int p : b.without_effect) without.push_back(name_of(b, p));
  return Json{{"parameters", b.space.inertial},
              {"rank", b.rank()},
              {"friction", static_cast<int>(b.space.name.size()) - b.space.inertial},
              {"base", groups},
              {"without_effect", without},
              {"gap", b.gap},
              {"condition", b.condition},
              {"condition_with_friction", b.friction_condition},
              {"singular_values", b.singular_values},
              {"rules", {{"rank", b.rules_rank}, {"error", b.rules_error}}}}
             .dump(2) +
         "\n";
}

}  // namespace gough
