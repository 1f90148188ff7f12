#include "gough/kinematics/task_motion.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "gough/error.hpp"
#include "gough/kinematics/jacobian.hpp"

namespace gough {

MasterForm<double> make_master_form(const Mechanism<double>& m, Workspace<double>& w, Master master) {
  tree_positions(m, w);
  closure(m, w);
  const bool platform = master == Master::platform;
  if (platform && !m.platform.exists())
    throw Error(fmt::format("{}: has no platform whose motion could be given", m.name));
  MasterForm<double> f(m, master, platform ? select_platform(m, w, m.rank) : select_driven(m, w, m.rank));
  if (platform) {
    for (int c = 0; c < 6; ++c)
      if (m.platform.coordinates[static_cast<std::size_t>(c)]) f.task.push_back(c);
    f.elastic = m.standing();
  } else {  // redundant drives: those that the selection found independent
    for (const int c : f.s.independent) {
      const auto drives = m.driven();
      if (contains(drives, c)) f.elastic.push_back(c);
    }
  }
  f.size(m);
  const std::size_t masters = f.task.size() + f.elastic.size(), freedoms = f.s.independent.size();
  if (masters != freedoms)
    throw Error(fmt::format("{}: the motion of {} coordinates ({}) cannot be followed: the mechanism has {} freedoms",
                            m.name, masters, platform ? "of the platform and of elastic joints" : "of drives",
                            freedoms));
  explicit_form(w, f.s, f.form);
  if (platform) {
    platform_jacobian(m, w, f.J);
    for (std::size_t i = 0; i < f.task.size(); ++i)
      f.EG.row(static_cast<Eigen::Index>(i)) = f.J.row(f.task[i] < 3 ? f.task[i] + 3 : f.task[i] - 3) * f.form.G;
  }
  for (std::size_t i = 0; i < f.elastic.size(); ++i)
    f.EG.row(static_cast<Eigen::Index>(f.task.size() + i)) = f.form.G.row(f.elastic[i]);
  const Pivots p = find_pivots(f.EG, std::vector<int>(freedoms, 0), static_cast<int>(freedoms));
  if (p.rows.size() < freedoms)
    throw Error(fmt::format("{}: the given coordinates do not determine the motion here (singular position)", m.name));
  f.rows = p.rows;
  f.columns = p.columns;
  return f;
}

}  // namespace gough
