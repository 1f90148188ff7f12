#include "gough/io/report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "drawing.hpp"
#include "gough/error.hpp"
#include "gough/io/files.hpp"
#include "page.hpp"
#include "readers.hpp"
#include "report_parts.hpp"

namespace gough {
namespace {

using namespace io;
namespace fs = std::filesystem;

constexpr std::string_view data_mark = "GOUGH-REPORT-DATA";
constexpr std::string_view format_name = "gough-report";
constexpr int format_version = 1;

std::vector<double> at_frames(const std::vector<double>& x, const RunRecord& r) {
  std::vector<double> some;
  for (const std::size_t i : r.frame) some.push_back(x[i]);
  return some;
}

/// The abscissa: times, or numbers of rows where times do not increase.
std::vector<double> abscissa(const RunRecord& r) {
  if (r.in_time) return r.t;
  std::vector<double> x(r.t.size());
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<double>(i);
  return x;
}

/// Forces of the actuators along or about z of their bodies, and the wrench on the platform.
json arrows(const Mechanism<double>& m, const RunRecord& r) {
  json all = json::array();
  const std::size_t n = m.actuator.size();
  for (std::size_t k = 0; k < n; ++k) {
    const int c = m.actuator[k];
    std::size_t body = 0;
    while (c < m.joint[body].v || c >= m.joint[body].v + velocity_size(m.joint[body])) ++body;
    std::vector<float> values;
    for (std::size_t f = 0; f < r.frame.size(); ++f) values.push_back(static_cast<float>(r.tau[f * n + k]));
    const Coordinate& coordinate = m.coordinate[static_cast<std::size_t>(c)];
    all.push_back({{"kind", coordinate.is_length ? "force" : "torque"},
                   {"name", coordinate.name},
                   {"body", body + 1},
                   {"values", packed(values)}});
  }
  if (std::any_of(r.wrench.begin(), r.wrench.end(), [](double x) { return x != 0; }))
    all.push_back({{"kind", "wrench"}, {"name", "external load"}, {"values", packed(r.wrench, true)}});
  return all;
}

json facts(const Study& study, const StudyResult& result) {
  const InverseReport& r = result.inverse;
  json all = json::array();
  all.push_back({"robot", fmt::format("{} ({})", study.robot.name, study.robot_file)});
  all.push_back({"motion", study.motion_file});
  all.push_back({"states", r.in_time ? fmt::format("{}, t = {:g} to {:g} s", r.answer.rows, r.start, r.end)
                                     : std::to_string(r.answer.rows)});
  std::vector<std::string_view> by;
  for (const StudyFormulation& f : result.formulations) by.push_back(name(f.by));
  all.push_back({"forces by", fmt::format("{}", fmt::join(by, ", "))});
  if (r.elastic) all.push_back({"elastic joints", std::string(name(*r.elastic))});
  return all;
}

/// JSON in which no character can end a script element or a line of one.
std::string escaped(const std::string& data) {
  std::string out;
  out.reserve(data.size() + data.size() / 64);
  for (std::size_t i = 0; i < data.size(); ++i) {
    if (data[i] == '<') out += "\\u003c";
    else if (data[i] == '>') out += "\\u003e";
    else if (data[i] == '&') out += "\\u0026";
    else if (data.compare(i, 3, "\u2028") == 0) out += "\\u2028", i += 2;
    else if (data.compare(i, 3, "\u2029") == 0) out += "\\u2029", i += 2;
    else out += data[i];
  }
  return out;
}

}  // namespace

namespace io {

void make_folder(const std::string& folder) {
  std::error_code failed;
  std::filesystem::create_directories(folder, failed);
  if (failed) throw Error({folder, 0}, "cannot be made, expected a place for a folder");
}

void write_text(const std::string& path, const std::string& text) { write_file(path, text); }

std::string report_text(const json& data) { return data.dump(-1, ' ', false, json::error_handler_t::replace) + "\n"; }

json report_head(const std::string& title, const std::string& description) {
  return {{"format", format_name},
          {"version", format_version},
          {"made_by", std::string("gough ") + GOUGH_VERSION},
          {"title", title},
          {"description", description}};
}

json report_motion(const Mechanism<double>& m, const RunRecord& record) {
  const std::vector<double> x = abscissa(record);
  return {{"axis", record.in_time ? "time" : "row"},
          {"samples", {{"x", packed(x, false)}}},
          {"frames", {{"x", packed(at_frames(x, record), false)}, {"poses", packed(record.pose)}}},
          {"mechanism", drawing(m, record)},
          {"arrows", arrows(m, record)}};
}

std::vector<std::string> write_report_files(const std::string& folder, const std::string& data) {
  std::vector<std::string> files = {std::string(report_data_file)};
  write_text((fs::path(folder) / report_data_file).string(), data);
  if (!has_report_page()) return files;
  write_text((fs::path(folder) / report_page_file).string(), report_page(data));
  files.emplace_back(report_page_file);
  return files;
}

}  // namespace io

std::string report_data(const Study& study, const StudyResult& result, const RunRecord& record) {
  json out = report_head(study.name, study.description);
  out.update({{"facts", facts(study, result)}, {"notes", report_notes(study, result)}});
  out.update(report_motion(study.robot, record));
  out.update({{"plots", report_plots(study, result, record)}, {"tables", report_tables(study, result)}});
  return report_text(out);
}

bool has_report_page() { return !page_parts().empty(); }

std::string report_page(const std::string& data) {
  std::string page;
  for (const std::string_view part : page_parts()) page += part;
  if (page.empty()) throw Error("gough was built without the report's page (GOUGH_VIEWER=OFF)");
  const std::size_t mark = page.find(data_mark);
  if (mark == std::string::npos) throw Error("the report's page has no place for data");
  return page.replace(mark, data_mark.size(), escaped(data));
}

std::vector<std::string> write_report(const Study& study, const StudyResult& result, const RunRecord& record) {
  return write_report_files(result.folder, report_data(study, result, record));
}

std::string page_of_result(const std::string& result_file) {
  const json result = json::parse(read_text(result_file, largest_report_file), nullptr, false);
  if (!result.is_object() || !result.contains("study"))
    throw Error({result_file, 0}, "read something else, expected result.json of `gough run`");
  const std::string path = (fs::path(result_file).parent_path() / report_data_file).string();
  const std::string data = read_text(path, largest_report_file);
  const json read = json::parse(data, nullptr, false);
  if (!read.is_object() || !read.contains("format") || read["format"] != format_name || !read.contains("version"))
    throw Error({path, 0}, fmt::format("read something else, expected the {} of `gough run`", report_data_file));
  if (read["version"] != format_version)
    throw Error({path, 0}, fmt::format("read version {}, expected {}: run the study again", read["version"].dump(),
                                       format_version));
  return report_page(data);
}

}  // namespace gough
