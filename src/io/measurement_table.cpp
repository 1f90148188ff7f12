#include "gough/io/measurement_table.hpp"

#include <fmt/format.h>

#include "gough/error.hpp"
#include "motion_columns.hpp"

namespace gough {
namespace {

using io::refuse_missing;
using io::table_value;

std::vector<std::string> names(const Mechanism<double>& m, const std::string& prefix) {
  std::vector<std::string> all;
  for (const int a : m.actuator) all.push_back(prefix + "." + m.coordinate[static_cast<std::size_t>(a)].name);
  return all;
}

class Reader {
 public:
  Reader(const Table& table, const std::string& file, const Mechanism<double>& m) : table_(table), file_(file), m_(m) {}

  bool has(const std::string& prefix) const {
    for (const std::string& name : names(m_, prefix))
      if (table_.find(name) >= 0) return true;
    return false;
  }
  MatX<double> read(const std::string& prefix, const std::string& expected) const {
    std::vector<std::string> missing;
    for (const std::string& name : names(m_, prefix))
      if (table_.find(name) < 0) missing.push_back(name);
    if (!missing.empty()) refuse_missing(file_, missing, expected);
    MatX<double> x(static_cast<Eigen::Index>(table_.rows.size()), static_cast<Eigen::Index>(m_.actuator.size()));
    Eigen::Index c = 0;
    for (const std::string& name : names(m_, prefix)) {
      for (std::size_t r = 0; r < table_.rows.size(); ++r)
        x(static_cast<Eigen::Index>(r), c) = table_value(table_, file_, r, table_.find(name));
      ++c;
    }
    return x;
  }

 private:
  const Table& table_;
  const std::string& file_;
  const Mechanism<double>& m_;
};

}  // namespace

Measurement measurement_from_table(const Table& table, const std::string& path, const Mechanism<double>& m,
                                   const std::vector<double>& constants) {
  if (m.actuator.empty())
    throw Error(m.name + ": read a robot without actuators, expected some whose forces were measured");
  const Reader reader(table, path, m);
  Measurement d;
  d.name = path;
  d.line = table.line;
  const int time = table.find("t");
  if (time < 0) refuse_missing(path, {"t"}, "the time of every row");
  for (std::size_t r = 0; r < table.rows.size(); ++r) d.t.push_back(table_value(table, path, r, time));
  d.q = reader.read("q", "q.NAME of every actuator");
  if (reader.has("v") || reader.has("a")) {
    d.v = reader.read("v", "v.NAME and a.NAME of every actuator, or of none");
    d.a = reader.read("a", "v.NAME and a.NAME of every actuator, or of none");
  }
  if (constants.empty()) {
    const bool currents = !reader.has("tau") && reader.has("current");
    if (currents)
      throw Error({path, 1},
                  "read current.NAME, expected --constant with the force per current [N/A or N m/A] as well");
    d.tau = reader.read("tau", "tau.NAME of every actuator, or current.NAME and --constant");
    return d;
  }
  d.tau = reader.read("current", "current.NAME of every actuator with --constant");
  const std::size_t n = m.actuator.size();
  if (constants.size() != 1 && constants.size() != n)
    throw Error(fmt::format("--constant: read {} numbers, expected one, or {}", constants.size(), n));
  for (std::size_t i = 0; i < n; ++i)
    d.tau.col(static_cast<Eigen::Index>(i)) *= constants[constants.size() == 1 ? 0 : i];
  return d;
}

Measurement read_measurement(const std::string& path, const Mechanism<double>& m,
                             const std::vector<double>& constants) {
  return measurement_from_table(read_table(path), path, m, constants);
}

std::vector<std::string> measurement_columns(const Mechanism<double>& m) {
  std::vector<std::string> all = {"t"};
  for (const std::string& name : names(m, "q")) all.push_back(name);
  for (const std::string& name : names(m, "tau")) all.push_back(name);
  return all;
}

}  // namespace gough
