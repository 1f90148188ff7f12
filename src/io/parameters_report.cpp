#include "gough/io/parameters_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

namespace gough {
namespace {

using Json = nlohmann::ordered_json;
const std::string& name_of(const BaseParameters& b, int p) { return b.space.name[static_cast<std::size_t>(p)]; }

std::string unit_of(const Mechanism<double>& m, const BaseParameters& b, int p) {
  return parameter_unit(m, b.space.entry[static_cast<std::size_t>(p)]);
}

/// Parameters that are not found by themselves, together where they are part of the same base parameters.
std::vector<std::pair<std::vector<int>, std::vector<std::string>>> not_alone(const BaseParameters& b) {
  std::vector<std::pair<std::vector<int>, std::vector<std::string>>> all;
  for (int p = 0; p < b.space.inertial; ++p) {
    if (is_alone(b, p)) continue;
    const std::vector<int> groups = groups_of(b, p);
    const auto known = std::find_if(all.begin(), all.end(), [&](const auto& x) { return x.first == groups; });
    if (known != all.end()) known->second.push_back(name_of(b, p));
    else all.push_back({groups, {name_of(b, p)}});
  }
  return all;
}

std::string rules_text(const BaseParameters& b) {
  if (b.agree())
    return fmt::format("The rules of regrouping leave as many; they change forces by {:.0e}.\n", b.rules_error);
  return fmt::format(
      "The rules of regrouping leave {} (they change forces by {:.0e}): {} dependences come from this geometry "
      "alone.\n",
      b.rules_rank, b.rules_error, b.rules_rank - b.rank());
}

}  // namespace

std::string parameters_text(const Mechanism<double>& m, const BaseParameters& b) {
  std::string out =
      fmt::format("{}: {} inertial parameters, of which motions show {} combinations; {} friction coefficients\n",
                  m.name, b.space.inertial, b.rank(), b.space.friction());
  out += b.gap > 0 ? fmt::format("Spectral gap {:.1e}: the smallest singular value that counts is {:.1e}.\n", b.gap,
                                 b.singular_values[static_cast<std::size_t>(b.rank() - 1)])
                   : "Every parameter that has an effect has one of its own.\n";
  out += rules_text(b);
  out += fmt::format("Condition number {:.3g}, with friction {:.3g} (columns scaled to one).\n\n", b.condition,
                     b.friction_condition);
  for (std::size_t i = 0; i < b.base.size(); ++i)
    out += fmt::format("{:>4}  {:>12.6g} {:<9} {}\n", i + 1, value_of(b, b.base[i]),
                       unit_of(m, b, b.base[i].terms[0].parameter), b.base[i].name);
  for (int i = b.space.inertial; i < b.space.size(); ++i)
    out += fmt::format("{:>4}  {:>12.6g} {:<9} {}\n", b.rank() + i - b.space.inertial + 1, b.space.value[i],
                       unit_of(m, b, i), name_of(b, i));
  const auto hidden = not_alone(b);
  if (!hidden.empty()) out += "\nnot found by themselves\n";
  for (auto [groups, names] : hidden) {
    for (int& g : groups) ++g;
    out +=
        fmt::format("  {}: {}\n", fmt::join(names, " "),
                    groups.empty() ? "no effect on any motion" : fmt::format("grouped in {}", fmt::join(groups, ", ")));
  }
  return out;
}

std::string parameters_json(const BaseParameters& b) {
  Json combinations = Json::array();
  for (const BaseParameter& p : b.base) {
    Json terms = Json::object();
    for (const BaseParameter::Term& t : p.terms) terms[name_of(b, t.parameter)] = t.coefficient;
    combinations.push_back({{"name", p.name}, {"value", value_of(b, p)}, {"terms", terms}});
  }
  Json without = Json::array();
  for (const int p : b.without_effect) without.push_back(name_of(b, p));
  Json hidden = Json::array();
  for (const auto& [groups, names] : not_alone(b)) {
    Json members = Json::array();
    for (const int g : groups) members.push_back(b.base[static_cast<std::size_t>(g)].name);
    hidden.push_back(
        {{"parameters", names}, {"why", groups.empty() ? "no effect on any motion" : "grouped"}, {"in", members}});
  }
  return Json{{"parameters", b.space.inertial},
              {"rank", b.rank()},
              {"friction", b.space.friction()},
              {"base", combinations},
              {"without_effect", without},
              {"not_alone", hidden},
              {"gap", b.gap},
              {"condition", b.condition},
              {"condition_with_friction", b.friction_condition},
              {"singular_values", b.singular_values},
              {"rules", {{"rank", b.rules_rank}, {"error", b.rules_error}, {"agree", b.agree()}}}}
             .dump(2, ' ', false, Json::error_handler_t::replace) +
         "\n";
}

}  // namespace gough
