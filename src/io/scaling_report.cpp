#include "gough/io/scaling_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "gough/error.hpp"
#include "gough/io/csv.hpp"
#include "report_parts.hpp"

namespace gough {
namespace {

using namespace io;

// ------------------------------------------------------------------------------------------------ tables

/// A row of variants as a table: what grows at the head, a line for each formulation, its slope at the end.
struct Sheet {
  std::string id, title;
  std::vector<std::string> head;  ///< with the name of what grows
  std::vector<std::vector<std::string>> rows;
  std::string note = {};
};

std::string scaled_number(double x) {
  if (!std::isfinite(x)) return "-";
  if (x >= 1e7) return fmt::format("{:.2e}", x);
  return x >= 1000 ? fmt::format("{:.0f}", x) : fmt::format("{:.3g}", x);
}
std::string whole_percent(double share) { return fmt::format("{:.0f} %", 100 * share); }
std::string grows(const std::optional<double>& slope) { return slope ? fmt::format("n^{:.1f}", *slope) : "-"; }

Sheet times_sheet(const Growth& g, const std::string& what, const std::string& id, bool forward) {
  Sheet s{id, fmt::format("{} dynamics [us] over {}", forward ? "Forward" : "Inverse", what), {"n"}, {}};
  for (const double n : g.numbers) s.head.push_back(fmt::format("{:g}", n));
  s.head.emplace_back("grows with");
  for (const Formulation by : all_formulations) {
    s.rows.push_back({std::string(name(by))});
    for (const double t : g.times(by, forward)) s.rows.back().push_back(scaled_number(t));
    s.rows.back().push_back(grows(g.slope(by, forward)));
  }
  return s;
}

/// (S6), (S7) for the measured variants.
Sheet formula_sheet(const Growth& g) {
  const ChainCounts& first = g.steps.front().counts;
  Sheet s{
      "formulas",
      fmt::format("The formulas of 5.2 for this robot, n_a = {}, n_pk = {} in its opened tree", first.n_a, first.n_pk),
      {"n_ek"},
      {{"SCDD"}, {"L-D'A"}, {"reduction"}}};
  for (const ScalingStep& step : g.steps) {
    s.head.push_back(std::to_string(step.counts.n_ek));
    s.rows[0].push_back(scaled_number(step.counts.scdd()));
    s.rows[1].push_back(scaled_number(step.counts.dalembert()));
    s.rows[2].push_back(whole_percent(step.counts.reduction()));
  }
  return s;
}

Sheet printed_sheet() {
  Sheet s{
      "table1", "Paper 000, Table 1: complexity of the matrix inversion, printed and by the formulas of 5.2", {}, {}};
  s.head = {"robot", "n_a", "n_pk", "n_ek", "SCDD", "L-D'A", "reduction", "formula SCDD", "formula L-D'A", "reduction"};
  s.note = "* erratum: the printed numbers of the Triglide do not follow from the formulas";
  for (const PrintedComplexity& p : printed_complexities)
    s.rows.push_back({std::string(p.robot) + (p.follows() ? "" : " *"), std::to_string(p.counts.n_a),
                      std::to_string(p.counts.n_pk), std::to_string(p.counts.n_ek), std::to_string(p.scdd),
                      std::to_string(p.dalembert), fmt::format("{} %", p.reduction), scaled_number(p.counts.scdd()),
                      scaled_number(p.counts.dalembert()), whole_percent(p.counts.reduction())});
  return s;
}

std::vector<Sheet> sheets(const Scaling& x) {
  std::vector<Sheet> all = {printed_sheet()};
  if (!x.elastic.steps.empty()) {
    all.push_back(formula_sheet(x.elastic));
    all.push_back(times_sheet(x.elastic, "elastic freedoms per chain", "forward_elastic", true));
    all.push_back(times_sheet(x.elastic, "elastic freedoms per chain", "inverse_elastic", false));
  }
  if (!x.legs.steps.empty()) {
    const std::string what = x.in_legs == 1 ? "legs, one elastic freedom in each"
                                            : fmt::format("legs, {} elastic freedoms in each", x.in_legs);
    all.push_back(times_sheet(x.legs, what, "forward_legs", true));
    all.push_back(times_sheet(x.legs, what, "inverse_legs", false));
  }
  return all;
}

/// Columns as wide as their widest cell, the first one to the left.
std::string sheet_text(const Sheet& s) {
  std::vector<std::vector<std::string>> lines = {s.head};
  lines.insert(lines.end(), s.rows.begin(), s.rows.end());
  std::vector<std::size_t> width(s.head.size(), 0);
  for (const auto& line : lines)
    for (std::size_t c = 0; c < line.size(); ++c) width[c] = std::max(width[c], line[c].size());
  std::string text = s.title + "\n";
  for (const auto& line : lines) {
    std::string row = fmt::format("  {:<{}}", line[0], width[0]);
    for (std::size_t c = 1; c < line.size(); ++c) row += fmt::format("  {:>{}}", line[c], width[c]);
    text += row + "\n";
  }
  return s.note.empty() ? text : text + "  " + s.note + "\n";
}

// ------------------------------------------------------------------------------------------------ remarks

std::vector<const ScalingStep*> steps_of(const Scaling& x) {
  std::vector<const ScalingStep*> all;
  for (const Growth* g : {&x.elastic, &x.legs})
    for (const ScalingStep& s : g->steps) all.push_back(&s);
  return all;
}

/// Largest disagreement of all formulations at all steps, as a share of what rounding explains.
double worst_share(const Scaling& x) {
  double worst = 0;
  for (const ScalingStep* s : steps_of(x))
    for (const Compared& c : s->compared.formulations) worst = std::max({worst, c.inverse_share, c.forward_share});
  return worst;
}

std::vector<std::string> remarks(const Scaling& x) {
  std::vector<std::string> all = x.skipped;
  if (!x.no_legs.empty()) all.push_back("legs are not varied: " + x.no_legs);
  for (const ScalingStep* s : steps_of(x))
    for (const Compared& c : s->compared.formulations) {
      const std::string where =
          fmt::format("{} with {} legs, {} elastic freedoms each", name(c.by), s->legs, s->counts.n_ek);
      if (!c.not_applicable.empty()) all.push_back(where + ": not applicable: " + c.not_applicable);
      else if (!c.failure.empty()) all.push_back(where + ": " + c.failure);
      else if (!c.agrees()) all.push_back(where + ": disagrees with the first formulation beyond rounding");
    }
  return all;
}

std::string agreement(const Scaling& x) {
  return x.agrees() ? fmt::format(
                          "All formulations agree on every variant; the largest difference is {:.1e} of what "
                          "rounding explains.",
                          worst_share(x))
                    : "Formulations disagree beyond rounding.";
}

}  // namespace

std::string scaling_text(const Scaling& x) {
  std::string text = fmt::format("{}: cost of one evaluation as the robot grows\n", x.robot);
  for (const Sheet& s : sheets(x)) text += "\n" + sheet_text(s);
  text += "\n" + agreement(x) + "\n";
  for (const std::string& remark : remarks(x)) text += remark + "\n";
  return text;
}

// ------------------------------------------------------------------------------------------------ JSON and files

namespace {

json counts_json(const ChainCounts& c) {
  return {{"n_a", c.n_a},
          {"n_pk", c.n_pk},
          {"n_ek", c.n_ek},
          {"formula", {{"scdd", c.scdd()}, {"dalembert", c.dalembert()}, {"reduction", c.reduction()}}}};
}

json optional_json(const std::optional<double>& x) { return x ? json(*x) : json(nullptr); }

json growth_json(const Growth& g) {
  json steps = json::array(), slopes = json::object();
  for (const ScalingStep& s : g.steps) {
    json step = counts_json(s.counts), formulations = json::array();
    step.update({{"legs", s.legs}, {"coordinates", s.coordinates}, {"freedoms", s.freedoms}});
    for (const Compared& c : s.compared.formulations) {
      json one = {{"name", name(c.by)}};
      if (!c.not_applicable.empty()) one["not_applicable"] = c.not_applicable;
      one["inverse_us"] = c.inverse ? json(c.inverse_us) : json(nullptr);
      one["forward_us"] = c.forward ? json(c.forward_us) : json(nullptr);
      one["inverse_disagreement"] = optional_json(c.inverse);
      one["forward_disagreement"] = optional_json(c.forward);
      if (!c.failure.empty()) one["failure"] = c.failure;
      formulations.push_back(std::move(one));
    }
    step["formulations"] = formulations;
    steps.push_back(std::move(step));
  }
  for (const Formulation by : all_formulations)
    slopes[std::string(name(by))] = {{"forward", optional_json(g.slope(by, true))},
                                     {"inverse", optional_json(g.slope(by, false))}};
  return {{"steps", steps}, {"slopes", slopes}};
}

json printed_json() {
  json all = json::array();
  for (const PrintedComplexity& p : printed_complexities) {
    json row = {{"robot", p.robot}};
    row.update(counts_json(p.counts));
    row["printed"] = {{"scdd", p.scdd}, {"dalembert", p.dalembert}, {"reduction", p.reduction / 100.0}};
    row["erratum"] = !p.follows();
    all.push_back(std::move(row));
  }
  return all;
}

Table scaling_table(const Scaling& x) {
  Table t;
  t.columns = {"legs", "n_a", "n_pk", "n_ek", "coordinates", "freedoms", "formula_scdd", "formula_dalembert"};
  for (const std::string_view what : {"forward_us", "inverse_us"})
    for (const Formulation by : all_formulations) t.columns.push_back(fmt::format("{}.{}", what, name(by)));
  for (const Growth* g : {&x.elastic, &x.legs})
    for (std::size_t i = 0; i < g->steps.size(); ++i) {
      const ScalingStep& s = g->steps[i];
      std::vector<double> row;
      for (const int n : {s.legs, s.counts.n_a, s.counts.n_pk, s.counts.n_ek, s.coordinates, s.freedoms})
        row.push_back(n);
      row.push_back(s.counts.scdd());
      row.push_back(s.counts.dalembert());
      for (const bool forward : {true, false})
        for (const Formulation by : all_formulations) row.push_back(g->times(by, forward)[i]);
      t.rows.push_back(std::move(row));
    }
  return t;
}

json plot(const Growth& g, const std::string& what, const std::string& id, bool forward) {
  json series = json::array();
  const auto drawn = [&](const std::vector<double>& x) {  // nothing that is zero stands on a logarithmic axis
    std::vector<double> some;
    for (std::size_t i = 0; i < x.size(); ++i)
      if (g.numbers[i] > 0) some.push_back(x[i]);
    return some;
  };
  for (const Formulation by : all_formulations)
    series.push_back({{"name", fmt::format("{}  {}", name(by), grows(g.slope(by, forward)))},
                      {"values", packed(drawn(g.times(by, forward)), false)}});
  return {{"id", id},
          {"title", fmt::format("{} dynamics over {}", forward ? "Forward" : "Inverse", what)},
          {"unit", "µs"},
          {"note", "Median time of one evaluation; numbers at the cursor. Powers are fitted to the upper half."},
          {"x", packed(drawn(g.numbers), false)},
          {"axis", what},
          {"log_x", true},
          {"log", true},
          {"series", series}};
}

std::string replaced(std::string text, std::string_view from, std::string_view to) {
  for (std::size_t i = text.find(from); i != std::string::npos; i = text.find(from, i + to.size()))
    text.replace(i, from.size(), to);
  return text;
}

/// For the page: real micros, and names that stay on one line.
json sheet_json(const Sheet& s) {
  json numeric = json::array(), rows = s.rows;
  for (std::size_t c = 0; c < s.head.size(); ++c) numeric.push_back(c > 0);
  for (json& row : rows) row[0] = replaced(replaced(row[0].get<std::string>(), "-", "\u2011"), " ", "\u00a0");
  return {{"id", s.id},        {"title", replaced(s.title, "[us]", "[µs]")},
          {"columns", s.head}, {"numeric", numeric},
          {"rows", rows},      {"note", s.note}};
}

}  // namespace

std::string scaling_json(const Scaling& x) {
  const json out = {{"robot", x.robot},
                    {"agrees", x.agrees()},
                    {"stopped", x.stopped},
                    {"table1", printed_json()},
                    {"elastic", growth_json(x.elastic)},
                    {"legs", growth_json(x.legs)},
                    {"remarks", remarks(x)}};
  return out.dump(2, ' ', false, json::error_handler_t::replace) + "\n";
}

std::string scaling_data(const Scaling& x) {
  json out = report_head(x.robot + ": cost as it grows",
                         "What one evaluation costs with more elastic freedoms in each chain, and with more legs.");
  json plots = json::array(), tables = json::array(), notes = json::array();
  for (const bool forward : {true, false}) {
    const std::string way = forward ? "forward" : "inverse";
    if (!x.elastic.steps.empty())
      plots.push_back(plot(x.elastic, "elastic freedoms per chain", way + "_elastic", forward));
    if (!x.legs.steps.empty()) plots.push_back(plot(x.legs, "legs", way + "_legs", forward));
  }
  for (const Sheet& s : sheets(x)) tables.push_back(sheet_json(s));
  notes.push_back({{"severity", x.agrees() ? "info" : "warning"}, {"text", agreement(x)}});
  for (const std::string& remark : remarks(x)) notes.push_back({{"severity", "info"}, {"text", remark + "."}});
  const std::vector<double> none;
  out.update({{"facts", json::array({json::array({"robot", x.robot})})},
              {"notes", notes},
              {"frames", {{"x", packed(none, false)}}},
              {"plots", plots},
              {"tables", tables}});
  return report_text(out);
}

std::vector<std::string> write_scaling(const Scaling& x, const std::string& folder) {
  make_folder(folder);
  write_text((std::filesystem::path(folder) / scaling_table_file).string(), table_text(scaling_table(x)));
  std::vector<std::string> files = {std::string(scaling_table_file)};
  for (std::string& file : write_report_files(folder, scaling_data(x))) files.push_back(std::move(file));
  return files;
}

}  // namespace gough
