/// Operation counts as text and JSON, published ones beside.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "gough/io/generate.hpp"

namespace gough {
namespace {

using Json = nlohmann::ordered_json;

Json json_of(const Count& c) {
  return {{"add", c.add},
          {"mul", c.mul},
          {"div", c.div},
          {"total", c.total()},
          {"special", {{"sqrt", c.sqrt}, {"sin", c.sin}, {"cos", c.cos}, {"atan2", c.atan2}}},
          {"fma_total", c.fma_total()}};
}

std::string row(const std::string& name, const Count& c) {
  return fmt::format("{:<12} {:>6} {:>6} {:>6} {:>7} {:>7} {:>6} {:>5} {:>5} {:>6}", name, c.add, c.mul, c.div,
                     c.total(), c.fma_total(), c.sqrt, c.sin, c.cos, c.atan2);
}

const std::vector<PublishedCount> published = {
    {"palida_inverse", "platform", "paper 003, Table II", "struts", 528, 906},
    {"palida_inverse", "platform", "paper 003, Table II", "platform", 100, 116},
    {"palida_inverse", "platform", "paper 003, Table II", "solve", 137, 110},
    {"palida_inverse", "platform", "paper 003, Table II", "friction", 36, 54},
    {"palida_inverse", "platform", "paper 003, Table II", "", 801, 1186},
    {"five_bar_forward", "actuators", "paper 000, Table 2, SCDD", "", 272, 470},
    {"five_bar_forward", "actuators", "paper 000, Table 2, L-D'A", "", 972, 2518},
};

std::string beside(const std::vector<PublishedCount>& all) {
  std::string text;
  for (const PublishedCount& x : all)
    text += fmt::format("{} {}: {} + {} = {}", text.empty() ? "  " : ";", x.source, x.add, x.mul, x.add + x.mul);
  return text;
}

}  // namespace

std::vector<PublishedCount> published_counts(const Program& p, const std::string& section) {
  std::vector<PublishedCount> all;
  for (const PublishedCount& x : published)
    if (x.program == p.name && x.from == p.from && x.section == section) all.push_back(x);
  return all;
}

std::string count_json(const Program& p, const GenerateWish& wish) {
  const CountTable table = count(p);
  Json counts = json_of(table.call);
  counts["setup"] = json_of(table.setup);
  counts["sections"] = Json::object();
  for (const auto& [name, c] : table.sections)
    if (!name.empty()) counts["sections"][name] = json_of(c);
  for (const PublishedCount& x : published_counts(p))
    counts["published"].push_back({{"source", x.source}, {"add", x.add}, {"mul", x.mul}, {"total", x.add + x.mul}});
  return Json{{wish.what, counts}}.dump(2) + "\n";
}

std::string count_text(const Program& p, const GenerateWish& wish) {
  const CountTable table = count(p);
  std::string out = fmt::format("{}: {} from {}, operations\n\n", p.name, wish.what, wish.from);
  out += fmt::format("{:<12} {:>6} {:>6} {:>6} {:>7} {:>7} {:>6} {:>5} {:>5} {:>6}\n", "", "add", "mul", "div", "total",
                     "fused", "sqrt", "sin", "cos", "atan2");
  if (table.sections.size() > 1)
    for (const auto& [name, c] : table.sections) out += row(name, c) + beside(published_counts(p, name)) + "\n";
  out += row("a call", table.call) + beside(published_counts(p)) + "\n";
  return out + row("set-up", table.setup) + "\n";
}

}  // namespace gough
