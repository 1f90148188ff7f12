#include "gough/io/identification_report.hpp"

#include <fmt/format.h>

#include <cmath>
#include <filesystem>

#include "gough/error.hpp"
#include "gough/io/csv.hpp"
#include "report_parts.hpp"

namespace gough {
namespace {

using namespace io;

std::string unit_of(const Mechanism<double>& m, const Identification& r, Eigen::Index i) {
  return parameter_unit(m, r.base.space.entry[at(r.base.columns()[at(i)])]);
}

std::string force_name(const Mechanism<double>& m, const Fit& fit, Eigen::Index i) {
  if (at(fit.measured.size()) != m.actuator.size()) return fmt::format("combination {}", i + 1);
  return m.coordinate[at(m.actuator[at(i)])].name;
}
std::string force_unit(const Mechanism<double>& m, const Fit& fit, Eigen::Index i) {
  if (at(fit.measured.size()) != m.actuator.size()) return "";
  return m.coordinate[at(m.actuator[at(i)])].is_length ? "N" : "N m";
}

/// Why a value is what it is, where it is not an estimate.
std::string remark(const Identification& r, Eigen::Index i) {
  if (r.insignificant[at(i)]) return "as in the file: its effect drowns in the noise";
  if (r.what == Identified::friction && i < r.base.rank()) return "found beside friction, not kept";
  return r.estimated[at(i)] ? "" : "as in the file";
}

std::string percent(double share) { return fmt::format("{:.3g} %", 100 * share); }

std::string fit_text(const Mechanism<double>& m, const Fit& fit, const std::string& title) {
  std::string out = fmt::format("\n{}: {} of the forces left, {} with the file's parameters\n", title,
                                percent(fit.relative()), percent(fit.relative_before()));
  out += fmt::format("  {:<24} {:>12} {:>12} {:>12}\n", "rms", "measured", "left", "file's");
  for (Eigen::Index i = 0; i < fit.measured.size(); ++i)
    out += fmt::format("  {:<24} {:>12.4g} {:>12.4g} {:>12.4g} {}\n", force_name(m, fit, i), fit.measured[i],
                       fit.after[i], fit.before[i], force_unit(m, fit, i));
  return out;
}

json fit_json(const Mechanism<double>& m, const Fit& fit) {
  json forces = json::array();
  for (Eigen::Index i = 0; i < fit.measured.size(); ++i)
    forces.push_back({{"name", force_name(m, fit, i)},
                      {"measured", fit.measured[i]},
                      {"left", fit.after[i]},
                      {"left_with_file", fit.before[i]}});
  return {{"relative", fit.relative()}, {"relative_with_file", fit.relative_before()}, {"forces", forces}};
}

}  // namespace

std::string identification_text(const Mechanism<double>& m, const Identification& r) {
  std::string out = fmt::format("{}: {} base parameters and {} friction coefficients from {}\n{}; condition {:.3g}\n\n",
                                m.name, r.base.rank(), r.base.space.friction(), r.data_name, r.rates, r.condition);
  out += fmt::format("{:>4}  {:>13} {:>11} {:>13}  {:<9} {}\n", "", "identified", "deviation", "file", "unit", "name");
  for (Eigen::Index i = 0; i < r.size(); ++i) {
    const std::string why = remark(r, i);
    out += fmt::format("{:>4}  {:>13.6g} {:>11} {:>13.6g}  {:<9} {}{}\n", i + 1, r.value[i],
                       r.sigma[i] > 0 ? fmt::format("{:.2g}", r.sigma[i]) : "-", r.file[i], unit_of(m, r, i),
                       r.name[at(i)], why.empty() ? "" : " (" + why + ")");
  }
  if (r.left_out > 0)
    out += fmt::format(
        "\n{} times are left out: a joint with dry friction moves too slowly for its direction to be known.\n",
        r.left_out);
  if (r.outliers > 0) out += fmt::format("\n{} forces are outliers and weigh less than half.\n", r.outliers);
  if (r.moved > 1)
    out += fmt::format(
        "\nNo bodies can have these values: the nearest ones that exist, which the robot file gets, are up to {:.2g} "
        "deviations away.\n",
        r.moved);
  out += fit_text(m, r.fit, "data");
  if (r.validation) out += fit_text(m, *r.validation, "validation");
  return out;
}

std::string identification_json(const Mechanism<double>& m, const Identification& r) {
  json parameters = json::array();
  for (Eigen::Index i = 0; i < r.size(); ++i)
    parameters.push_back({{"name", r.name[at(i)]},
                          {"value", r.value[i]},
                          {"deviation", r.sigma[i] > 0 ? json(r.sigma[i]) : json()},
                          {"file", r.file[i]},
                          {"unit", unit_of(m, r, i)},
                          {"estimated", bool(r.estimated[at(i)])},
                          {"insignificant", bool(r.insignificant[at(i)])}});
  json standard = json::object();
  for (int i = 0; i < r.base.space.size(); ++i) standard[r.base.space.name[at(i)]] = r.full[i];
  json out = {{"robot", m.name},          {"data", r.data_name},    {"rates", r.rates},
              {"condition", r.condition}, {"rank", r.base.rank()},  {"friction", r.base.space.friction()},
              {"parameters", parameters}, {"standard", standard},   {"moved_to_exist", r.moved},
              {"left_out", r.left_out},   {"outliers", r.outliers}, {"fit", fit_json(m, r.fit)}};
  if (r.validation) out["validation"] = fit_json(m, *r.validation);
  return out.dump(2, ' ', false, json::error_handler_t::replace) + "\n";
}

// ------------------------------------------------------------------------------------------------ files

namespace {

Table residual_table(const Mechanism<double>& m, const Fit& fit) {
  Table table{{"t"}, {}, {}};
  for (const std::string prefix : {"tau.", "predicted."})
    for (Eigen::Index i = 0; i < fit.measured.size(); ++i) table.columns.push_back(prefix + force_name(m, fit, i));
  for (std::size_t k = 0; k < fit.t.size(); ++k) {
    std::vector<double> row = {fit.t[k]};
    for (const MatX<double>& x : {fit.force, fit.predicted})
      for (Eigen::Index i = 0; i < x.cols(); ++i) row.push_back(x(static_cast<Eigen::Index>(k), i));
    table.rows.push_back(std::move(row));
  }
  return table;
}

std::vector<double> fit_column(const MatX<double>& x, Eigen::Index c) { return {x.col(c).begin(), x.col(c).end()}; }

/// Forces, predicted ones and what is left, each on an abscissa of its own.
void add_plots(const Mechanism<double>& m, const Fit& fit, const std::string& id, const std::string& title,
               json& plots) {
  const auto plot = [&](const std::string& suffix, const std::string& what, bool measured, bool predicted, bool left) {
    json series = json::array();
    for (Eigen::Index i = 0; i < fit.measured.size(); ++i) {
      const auto add = [&](const std::string& name, const std::vector<double>& values) {
        series.push_back({{"name", name}, {"by", ""}, {"values", packed(values, true)}});
      };
      const std::string name = force_name(m, fit, i);
      if (measured) add(name, fit_column(fit.force, i));
      if (predicted) add(name + " predicted", fit_column(fit.predicted, i));
      if (left) add(name, fit_column(fit.force - fit.predicted, i));
    }
    plots.push_back({{"id", id + suffix},
                     {"title", title + what},
                     {"unit", force_unit(m, fit, 0)},
                     {"note", ""},
                     {"log", false},
                     {"x", packed(fit.t, false)},
                     {"axis", "time [s]"},
                     {"log_x", false},
                     {"series", series}});
  };
  plot("_forces", ": forces, measured and predicted", true, true, false);
  plot("_left", ": what is left of them", false, false, true);
}

json parameter_table(const Mechanism<double>& m, const Identification& r) {
  json rows = json::array();
  for (Eigen::Index i = 0; i < r.size(); ++i)
    rows.push_back({r.name[at(i)], fmt::format("{:.6g}", r.value[i]),
                    r.sigma[i] > 0 ? fmt::format("{:.2g}", r.sigma[i]) : "", fmt::format("{:.6g}", r.file[i]),
                    r.sigma[i] > 0 ? fmt::format("{:.1f}", (r.value[i] - r.file[i]) / r.sigma[i]) : "",
                    unit_of(m, r, i), remark(r, i)});
  return report_table("parameters", "Parameters",
                      {"parameter", "#identified", "#deviation", "#file", "#apart by deviations", "unit", "remark"},
                      rows);
}

json fit_table(const Mechanism<double>& m, const Fit& fit, const std::string& id, const std::string& title) {
  json rows = json::array();
  for (Eigen::Index i = 0; i < fit.measured.size(); ++i)
    rows.push_back({force_name(m, fit, i), fmt::format("{:.4g}", fit.measured[i]), fmt::format("{:.4g}", fit.after[i]),
                    fit.measured[i] > 0 ? percent(fit.after[i] / fit.measured[i]) : "-",
                    fmt::format("{:.4g}", fit.before[i]), force_unit(m, fit, i)});
  return report_table(id, title, {"force", "#measured, rms", "#left", "#share", "#left with the file's", "unit"}, rows);
}

}  // namespace

std::vector<std::string> write_identification(const Mechanism<double>& m, const Identification& r,
                                              const std::string& robot, const std::string& folder,
                                              const std::string& name) {
  make_folder(folder);
  write_text((std::filesystem::path(folder) / (name + ".yaml")).string(), robot);
  write_text((std::filesystem::path(folder) / "residuals.csv").string(), table_text(residual_table(m, r.fit)));
  write_text((std::filesystem::path(folder) / "identification.json").string(), identification_json(m, r));
  json out = report_head(m.name + ": identification", "Parameters from " + r.data_name + ". " + r.rates + ".");
  json plots = json::array();
  json tables = json::array({parameter_table(m, r), fit_table(m, r.fit, "fit", "Forces of the data")});
  json notes = json::array();
  add_plots(m, r.fit, "data", "Data", plots);
  if (r.validation) {
    add_plots(m, *r.validation, "validation", "Validation", plots);
    tables.push_back(fit_table(m, *r.validation, "validation_fit", "Forces of the validation"));
  }
  if (r.moved > 1)
    notes.push_back(
        {{"severity", "warning"},
         {"text", fmt::format("Bodies that exist are up to {:.2g} deviations away from the estimates.", r.moved)}});
  if (r.outliers > 0) notes.push_back({{"severity", "info"}, {"text", fmt::format("{} outliers.", r.outliers)}});
  const std::vector<double> none;
  out.update({{"facts", json::array({json::array({"robot", m.name}), json::array({"data", r.data_name}),
                                     json::array({"condition", fmt::format("{:.3g}", r.condition)}),
                                     json::array({"left of the forces", percent(r.fit.relative())})})},
              {"notes", notes},
              {"frames", {{"x", packed(none, false)}}},
              {"plots", plots},
              {"tables", tables}});
  std::vector<std::string> files = {name + ".yaml", "residuals.csv", "identification.json"};
  for (std::string& file : write_report_files(folder, report_text(out))) files.push_back(std::move(file));
  return files;
}

}  // namespace gough
