/// The page of a run that no study describes.
#include <fmt/format.h>

#include "gough/error.hpp"
#include "gough/io/report.hpp"
#include "report_parts.hpp"

namespace gough {
namespace {

using namespace io;

/// Plots of the table's columns, those of one quantity in one plot.
class RunPlots {
 public:
  RunPlots(const Mechanism<double>& m, const Table& table) : m_(m), table_(table) {}

  std::vector<Plot> made() {
    of_names("position", "Platform position", "m", {"x", "y", "z"});
    of_names("rotation", "Platform rotation vector", "rad", {"rx", "ry", "rz"});
    of_names("velocity", "Platform velocity", "m/s", {"vx", "vy", "vz"});
    of_drives("forces", "Actuator forces", "tau.", "N", "N m");
    of_drives("positions", "Actuator positions", "q.", "m", "rad");
    of_drives("rates", "Actuator rates", "v.", "m/s", "rad/s");
    of_names("energy", "Energies", "J", {"kinetic", "potential"});
    of_names("residual", "Loops, largest residual", "", {"residual"}, true);
    return std::move(plots_);
  }

 private:
  void of_names(const std::string& id, const std::string& title, const std::string& unit,
                const std::vector<std::string>& names, bool log = false) {
    Plot plot{id, title, unit, "", false, log, {}};
    for (const std::string& name : names)
      if (const int c = table_.find(name); c >= 0)
        plot.series.push_back({name, "", column(table_, static_cast<std::size_t>(c))});
    if (!plot.series.empty()) plots_.push_back(std::move(plot));
  }
  /// Slides and hinges have units of their own, and plots too.
  void of_drives(const std::string& id, const std::string& title, const std::string& level,
                 const std::string& of_slides, const std::string& of_hinges) {
    for (const bool length : {true, false}) {
      Plot plot{id + (length ? "_slides" : "_hinges"), title, length ? of_slides : of_hinges, "", false, false, {}};
      for (const int a : m_.actuator) {
        const Coordinate& coordinate = m_.coordinate[static_cast<std::size_t>(a)];
        const int c = table_.find(level + coordinate.name);
        if (coordinate.is_length == length && c >= 0)
          plot.series.push_back({coordinate.name, "", column(table_, static_cast<std::size_t>(c))});
      }
      if (!plot.series.empty()) plots_.push_back(std::move(plot));
    }
  }

  const Mechanism<double>& m_;
  const Table& table_;
  std::vector<Plot> plots_;
};

}  // namespace

std::string run_data(const Mechanism<double>& m, const std::string& title, const std::string& description,
                     const RunRecord& record, const Table& table) {
  if (table.rows.size() != record.t.size())
    throw Error(fmt::format("read a table of {} rows for a run of {} states, expected as many", table.rows.size(),
                            record.t.size()));
  json out = report_head(title, description);
  out.update({{"facts",
               json::array({json::array({"robot", m.name}), json::array({"states", std::to_string(record.t.size())})})},
              {"notes", json::array()}});
  out.update(report_motion(m, record));
  out.update(
      {{"plots", packed_plots(RunPlots(m, table).made(), "")}, {"tables", json::array({mobility_table(checked(m))})}});
  return report_text(out);
}

}  // namespace gough
