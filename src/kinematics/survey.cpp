#include "gough/kinematics/survey.hpp"

#include <Eigen/Geometry>
#include <cmath>

#include "gough/kinematics/forward.hpp"
#include "gough/kinematics/jacobian.hpp"

namespace gough {
namespace {

double cosine(const Vec3<double>& a, const Vec3<double>& b) {
  const double n = a.norm() * b.norm();
  return n > 1e-300 ? std::min(1.0, std::abs(a.dot(b)) / n) : 0.0;
}

/// Where a leg holds the platform: the mean of its cut joints there.
Vec3<double> end_of_leg(const Mechanism<double>& m, const Workspace<double>& w, const Leg& leg) {
  Vec3<double> sum = Vec3<double>::Zero();
  for (const int c : leg.cuts)
    sum += (m.cut[at(c)].a == m.platform.body ? cut_frame_b(m, w, at(c)).p : cut_frame_a(m, w, at(c)).p);
  return sum / static_cast<double>(leg.cuts.size());
}

/// The drive's motion of the leg's end with all passive joints of the leg held, about the base's origin.
Motion<double> drive_motion(const Mechanism<double>& m, const Workspace<double>& w, int v) {
  for (int j = 0; j < m.tree_size(); ++j)
    for (int c = 0; c < velocity_size(m.joint[at(j)]); ++c)
      if (m.joint[at(j)].v + c == v) return joint_column(m, w, j, c);
  return {};
}

}  // namespace

std::vector<LegTransmissionIndex> transmission_indices(const Mechanism<double>& m, const Workspace<double>& w) {
  std::vector<LegTransmissionIndex> all;
  if (!m.platform.floats || m.actuator.empty() || !has_separate_legs(m)) return all;
  const Selection s = select_driven(m, w, m.rank);
  if (!s.complete || s.independent.size() < m.actuator.size()) return all;
  ExplicitForm<double> e(m, s);
  explicit_form(w, s, e);
  const MatX<double> G = platform_jacobian(m, w) * e.G;
  const Vec3<double> origin = platform_pose(m, w).p;
  for (int i = 0; i < static_cast<int>(m.leg.size()); ++i) {
    const Leg& leg = m.leg[at(i)];
    const LegStatics statics = leg_statics(m, w, i);
    if (statics.actuation != 1 || leg.cuts.empty()) continue;
    Eigen::Index drive = 0;
    statics.torque.col(0).cwiseAbs().maxCoeff(&drive);
    const int v = leg.first_v + static_cast<int>(drive);
    Eigen::Index column = 0;
    while (column < G.cols() && s.independent[static_cast<std::size_t>(column)] != v) ++column;
    if (column == G.cols()) continue;
    const Vec3<double> end = end_of_leg(m, w, leg), force = statics.wrench.col(0).tail<3>();
    const Vec3<double> moment = statics.wrench.col(0).head<3>() - (end - origin).cross(force);  // about the end
    const Motion<double> input = drive_motion(m, w, v);
    const Vec3<double> turn = G.col(column).head<3>();
    const bool by_force = force.norm() > 1e-9 * std::max(1e-300, moment.norm());
    LegTransmissionIndex t{leg.name, 0, 0};
    if (by_force) {
      t.input = cosine(force, input.linear + input.angular.cross(end));
      t.output = cosine(force, G.col(column).tail<3>() + turn.cross(end - origin));
    } else {
      t.input = cosine(moment, input.angular);
      t.output = cosine(moment, turn);
    }
    all.push_back(t);
  }
  return all;
}

namespace {

/// Calls go(i, w) for each of `count` positions, which moves w from the one before.
template <class Go>
Survey survey_all(const Mechanism<double>& m, std::size_t count, const std::function<bool()>& go_on, Go&& go) {
  Survey survey;
  Workspace<double> w(m);
  VecX<double> last = m.home;
  for (std::size_t i = 0; i < count && (i == 0 || !go_on || go_on()); ++i) {
    w.q = last;
    const Answer answer = go(i, w);
    ++survey.poses;
    if (!answer.ok()) survey.failures.emplace_back(i, answer);
    if (!answer.ok() && answer.status != Status::out_of_limits) {
      survey.reached.emplace_back(Vec6<double>::Constant(std::numeric_limits<double>::quiet_NaN()));
      continue;
    }
    last = w.q;
    survey.reached.push_back(pose_vector(platform_pose(m, w)));
    const SingularityIndices s = singularity_indices(m, w);
    if (s.type1) survey.type1.take(*s.type1, i, s.type1_leg);
    if (s.type2) survey.type2.take(*s.type2, i, "");
    if (s.constraint) survey.constraint.take(*s.constraint, i, "");
    for (const LegTransmissionIndex& t : transmission_indices(m, w)) survey.transmission.take(t.index(), i, t.leg);
  }
  return survey;
}

}  // namespace

Survey survey_poses(const Mechanism<double>& m, const std::vector<Transform<double>>& poses) {
  return survey_all(m, poses.size(), {},
                    [&](std::size_t i, Workspace<double>& w) { return inverse_kinematics(m, poses[i], w); });
}

Survey survey_motion(const Mechanism<double>& m, const std::vector<MotionState>& states,
                     const std::function<bool()>& go_on) {
  return survey_all(m, states.size(), go_on, [&](std::size_t i, Workspace<double>& w) {
    const MotionState& s = states[i];
    return s.of_platform() ? inverse_kinematics(m, s.platform().pose, w) : forward_kinematics(m, s.actuators().q, w);
  });
}

}  // namespace gough
