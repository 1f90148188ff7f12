#include "state_columns.hpp"

#include <array>

#include "gough/kinematics/answer.hpp"
#include "gough/kinematics/assemble.hpp"
#include "gough/kinematics/task_motion.hpp"

namespace gough::io {
namespace {
constexpr std::array<std::string_view, 18> names_of_platform = {
    "x", "y", "z", "rx", "ry", "rz", "vx", "vy", "vz", "wx", "wy", "wz", "ax", "ay", "az", "dwx", "dwy", "dwz"};
}  // namespace

bool is_of_platform(const Structure& m, int c) {
  if (!m.platform.floats) return false;
  const int first = m.joint[at(m.platform.body)].v;
  return c >= first && c < first + 6;
}

void add_platform_columns(const Structure& m, std::vector<std::string>& columns) {
  if (m.platform.exists()) columns.insert(columns.end(), names_of_platform.begin(), names_of_platform.end());
}

void add_platform(const Mechanism<double>& m, const Workspace<double>& w, std::vector<double>& row) {
  if (!m.platform.exists()) return;
  const Vec6<double> x = pose_vector(platform_pose(m, w));
  const PlatformRates<double> r = platform_rates(m, w);
  row.insert(row.end(), x.begin(), x.end());
  for (const Vec3<double>* v : {&r.v, &r.w, &r.a, &r.dw}) row.insert(row.end(), v->begin(), v->end());
}

json table_json(const Table& table) {
  json all = json::object();
  for (std::size_t c = 0; c < table.columns.size(); ++c) {
    json column = json::array();
    for (const auto& row : table.rows) column.push_back(row[c]);
    all[table.columns[c]] = std::move(column);
  }
  return all;
}

std::string dumped(const json& j) { return j.dump(2, ' ', false, json::error_handler_t::replace) + "\n"; }

}  // namespace gough::io
