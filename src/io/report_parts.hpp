#pragma once
/// The parts of a report's data (docs/report_data.md).
#include <nlohmann/json.hpp>
#include <span>

#include "gough/io/report.hpp"
#include "gough/kinematics/mobility.hpp"

namespace gough::io {

using json = nlohmann::ordered_json;

/// Numbers as base64 of little-endian IEEE 754.
json packed(std::span<const double> values, bool single);
json packed(std::span<const float> values);

/// The numbers of a column.
std::vector<double> column(const gough::Table& table, std::size_t c);

struct Series {
  std::string name;
  std::string by;  ///< formulation; empty: does not matter
  std::vector<double> values;
  std::vector<double> x = {};  ///< abscissae of a curve in a plane; empty: the plot's
};
struct Plot {
  std::string id, title, unit, note;
  bool at_frames = false, log = false;
  std::vector<Series> series;
  std::vector<double> x = {};  ///< an abscissa of its own
  std::string axis = {};       ///< its name, or that of curves in a plane
  bool log_x = false;
  std::string part = {};  ///< heading of the plots that it stands with
  bool check = false;     ///< shows numerical noise: stands after all results
};
/// Plots that show something, checks last. Series by others than `first` are kept in single precision.
json packed_plots(std::vector<Plot> plots, const std::string& first);

/// A table of texts; columns that start with '#' are numbers and set right. Columns without content are left out.
json report_table(const std::string& id, const std::string& title, const std::vector<std::string>& columns,
                  const json& rows, const std::string& note = "");
/// The check of a mechanism whose home is assembled already.
MobilityReport checked(const Mechanism<double>& m);
/// Animation: "axis", "samples", "frames", "mechanism" and "arrows" of a report.
json report_motion(const Mechanism<double>& m, const RunRecord& record);

/// What every document of data begins with.
json report_head(const std::string& title, const std::string& description);
/// Writes the data, and the page where there is one, into a folder. Returns the names of the files. Throws Error.
std::vector<std::string> write_report_files(const std::string& folder, const std::string& data);
void write_text(const std::string& path, const std::string& text);
/// Makes a folder for results, if need be. Throws Error.
void make_folder(const std::string& folder);
std::string report_text(const json& data);

json report_plots(const Study& study, const StudyResult& result, const RunRecord& record);
json report_tables(const Study& study, const StudyResult& result);
/// What the check found.
json mobility_table(const MobilityReport& r);
/// Warnings and remarks of the check and of the run: severity, text.
json report_notes(const Study& study, const StudyResult& result);

}  // namespace gough::io
