#include "gough/io/run_record.hpp"

#include <algorithm>
#include <cmath>

#include "gough/kinematics/assemble.hpp"
#include "gough/kinematics/singularity.hpp"

namespace gough {

void RunRecord::Extent::take(double x) {
  lowest = std::min(lowest, x);
  highest = std::max(highest, x);
}

RunRecord::RunRecord(const Mechanism<double>& m, std::size_t states, bool timed)
    : in_time(timed),
      q(static_cast<std::size_t>(m.nq)),
      cq(static_cast<std::size_t>(m.cut_coordinates())),
      m_(m),
      w_(m) {
  const std::size_t bytes = std::max<std::size_t>(1, m.parent.size()) * 7 * sizeof(float);
  const std::size_t most = std::clamp<std::size_t>(most_pose_bytes / bytes, 2, most_frames);
  stride_ = std::max<std::size_t>(1, (states + most - 1) / most);
}

void RunRecord::add(const AlongRow& row) {
  w_ = row.w;
  const EnergyBalance e = energy_balance(m_, w_);
  in_time = in_time && (t.empty() || row.t > t.back());
  t.push_back(row.t);
  kinetic.push_back(e.kinetic);
  potential.push_back(e.potential);
  actuators.push_back(e.actuators);
  losses.push_back(e.losses);
  external.push_back(e.external);
  residual.push_back(w_.phi.size() > 0 ? w_.phi.cwiseAbs().maxCoeff() : 0.0);
  for (std::size_t i = 0; i < q.size(); ++i) q[i].take(w_.q[static_cast<Eigen::Index>(i)]);
  for (std::size_t i = 0; i < cq.size(); ++i) cq[i].take(w_.cq[static_cast<Eigen::Index>(i)]);
  if ((t.size() - 1) % stride_ == 0) add_frame();
}

void RunRecord::finish() {
  if (!t.empty() && frame.back() != t.size() - 1) add_frame();
}

void RunRecord::add_frame() {
  frame.push_back(t.size() - 1);
  for (const Transform<double>& X : w_.X0) {
    const Eigen::Vector4d u = quaternion_from_rotation(X.R);
    for (const double x : {X.p.x(), X.p.y(), X.p.z(), u[1], u[2], u[3], u[0]}) pose.push_back(static_cast<float>(x));
  }
  const double none = std::numeric_limits<double>::quiet_NaN();
  const SingularityIndices s = singularity_indices(m_, w_);
  type1.push_back(s.type1.value_or(none));
  type2.push_back(s.type2.value_or(none));
  constraint.push_back(s.constraint.value_or(none));
  tau.insert(tau.end(), w_.tau.begin(), w_.tau.end());
  if (!m_.platform.exists()) return;
  const Force<double>& f = w_.external[static_cast<std::size_t>(m_.platform.body)];
  const Vec3<double> moment = f.moment - cross<double>(platform_pose(m_, w_).p, f.force);
  wrench.insert(wrench.end(), f.force.begin(), f.force.end());
  wrench.insert(wrench.end(), moment.begin(), moment.end());
}

}  // namespace gough
