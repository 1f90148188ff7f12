#include "gough/dynamics/leg_lanes.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "gough/kinematics/tree.hpp"
#include "gough/spatial/linalg.hpp"

namespace gough {

extern const LaneKernels lane_kernels_plain;
#ifdef GOUGH_X86
extern const LaneKernels lane_kernels_avx2, lane_kernels_avx512;
#endif

const LaneKernels* lane_kernels(std::string_view instructions) {
  if (instructions == "plain") return &lane_kernels_plain;
#ifdef GOUGH_X86
  const bool avx2 = __builtin_cpu_supports("avx2") > 0 && __builtin_cpu_supports("fma") > 0;
  const bool avx512 = avx2 && __builtin_cpu_supports("avx512f") > 0 && __builtin_cpu_supports("avx512dq") > 0 &&
                      __builtin_cpu_supports("avx512vl") > 0;
  if (instructions == "avx2" && avx2) return &lane_kernels_avx2;
  if (instructions == "avx512" && avx512) return &lane_kernels_avx512;
#endif
  return nullptr;
}

const LaneKernels& lane_kernels() {
  static const LaneKernels* best = [] {
    for (const char* wanted : {"avx512", "avx2"})
      if (const LaneKernels* k = lane_kernels(wanted)) return k;
    return &lane_kernels_plain;
  }();
  return *best;
}

namespace {

/// Friction of a joint that lanes know: viscous and dry. None where there is more.
std::optional<std::array<double, 2>> lane_friction(const Mechanism<double>& m, const LoadPlan& plan, int coordinate) {
  std::array<double, 2> sum{m.damping[at(coordinate)], 0};
  for (const LoadPlan::Coordinate& c : plan.tree) {
    if (c.index != coordinate) continue;
    if (c.spring) return std::nullopt;
    for (const LoadPlan::Term& term : c.friction) {
      if (term.function != FrictionFunction::viscous && term.function != FrictionFunction::coulomb) return std::nullopt;
      sum[term.function == FrictionFunction::viscous ? 0 : 1] += m.coefficient[at(term.coefficient)];
    }
  }
  return sum;
}

/// The drive of a leg of three one-axis joints; -1 where there is none or more than one.
int drive_of(const Mechanism<double>& m, const Leg& leg) {
  int drive = -1;
  for (int j = 0; j < 3; ++j)
    if (m.coordinate[at(leg.first_v + j)].actuated) drive = drive < 0 ? j : 3;
  return drive < 3 ? drive : -1;
}

bool fits(const Mechanism<double>& m, std::size_t i) {
  const LegKind kind = m.leg_form[i].kind;
  const Leg& leg = m.leg[i];
  return (kind == LegKind::ups || kind == LegKind::rus || kind == LegKind::pus) && leg.bodies == 3 &&
         leg.coordinates == 3 && leg.cuts.size() == 1 && drive_of(m, leg) >= 0;
}

void set(std::array<Lane, 3>& to, std::size_t lane, const Vec3<double>& x) {
  for (int i = 0; i < 3; ++i) to[at(i)][lane] = x[i];
}
void set(std::array<Lane, 9>& to, std::size_t lane, const Mat3<double>& R) {
  for (int i = 0; i < 9; ++i) to[at(i)][lane] = R(i % 3, i / 3);
}

bool set_body(const Mechanism<double>& m, const LoadPlan& plan, int body, std::size_t lane, LaneBlock::Body& to) {
  const auto k = at(body);
  const Inertia<double>& I = m.inertia[k];
  set(to.R, lane, m.placement[k].R);
  set(to.p, lane, m.placement[k].p);
  set(to.first, lane, I.first);
  const std::array<double, 6> second = {I.second(0, 0), I.second(0, 1), I.second(0, 2),
                                        I.second(1, 1), I.second(1, 2), I.second(2, 2)};
  for (std::size_t i = 0; i < 6; ++i) to.second[i][lane] = second[i];
  const int v = m.joint[k].v;
  to.mass[lane] = I.mass;
  to.rotor[lane] = m.rotor_inertia[at(v)] * m.ratio[at(v)] * m.ratio[at(v)];
  const auto friction = lane_friction(m, plan, v);
  to.viscous[lane] = friction ? (*friction)[0] : 0;
  to.coulomb[lane] = friction ? (*friction)[1] : 0;
  return friction.has_value();
}

/// Leg i as a lane of a block; false where it carries loads that lanes do not know.
bool set_leg(const Mechanism<double>& m, const LoadPlan& plan, std::size_t i, std::size_t lane, LaneBlock& b) {
  const Leg& leg = m.leg[i];
  const LegForm& form = m.leg_form[i];
  const Rod& rod = form.rods[0];
  const auto c = at(leg.cuts[0]);
  const bool platform_is_a = m.cut[c].a == m.platform.body;
  for (int j = 0; j < 3; ++j)
    if (!set_body(m, plan, leg.first_body + j, lane, b.body[at(j)])) return false;
  set(b.tip, lane, (platform_is_a ? m.cut_b[c] : m.cut_a[c]).p);
  set(b.ball, lane, (platform_is_a ? m.cut_a[c] : m.cut_b[c]).p);
  set(b.axes, lane, m.cut_a[c].R);
  set(b.pivot, lane, rod.pivot);
  b.cos_aim[lane] = std::cos(rod.aim2_azimuth);
  b.sin_aim[lane] = std::sin(rod.aim2_azimuth);
  b.cos_tip[lane] = std::cos(rod.tip_azimuth);
  b.sin_tip[lane] = std::sin(rod.tip_azimuth);
  b.length[lane] = rod.length;
  b.flip[lane] = rod.flipped ? -1 : 1;
  b.root_sign[lane] = form.root_sign;
  return true;
}

bool alike(const Mechanism<double>& m, std::size_t i) {
  const Leg &a = m.leg[0], &b = m.leg[i];
  for (int j = 0; j < 3; ++j)
    if (m.joint[at(a.first_body + j)].type != m.joint[at(b.first_body + j)].type) return false;
  const auto on_platform = [&](const Leg& leg) { return m.cut[at(leg.cuts[0])].a == m.platform.body; };
  return drive_of(m, a) == drive_of(m, b) && on_platform(a) == on_platform(b);
}

}  // namespace

LegLanes make_lanes(const Mechanism<double>& m, const LoadPlan& plan) {
  LegLanes lanes;
  const std::size_t n = m.leg.size();
  if (!m.platform.floats || n != 6 || m.leg_form.size() != n || plan.applied || m.rank != m.equations) return lanes;
  // six legs of three bodies and the platform, nothing else: what hangs anywhere is a body or a cut joint more
  if (m.tree_size() != 19 || m.nv != 24 || m.cut.size() != n || m.actuator.size() != n || !m.elastic.empty())
    return lanes;
  for (std::size_t i = 0; i < n; ++i)
    if (!fits(m, i) || !alike(m, i)) return lanes;
  LaneBlock b{};
  b.legs = static_cast<int>(n);
  for (int j = 0; j < 3; ++j) b.joint[at(j)] = m.joint[at(m.leg[0].first_body + j)].type;
  b.drive = drive_of(m, m.leg[0]);
  b.root = m.leg_form[0].root >= 0 ? 0 : -1;
  b.on_platform_axes = m.cut[at(m.leg[0].cuts[0])].a == m.platform.body;
  for (std::size_t lane = 0; lane < lane_width; ++lane)
    if (!set_leg(m, plan, lane < n ? lane : 0, lane, b)) return lanes;
  lanes.block.push_back(b);
  lanes.state.push_back(LaneState{});
  for (const Leg& leg : m.leg) {
    lanes.coordinate.push_back(leg.first_v);
    lanes.row.push_back(m.cut[at(leg.cuts[0])].first_row);
  }
  lanes.kernels = &lane_kernels();
  return lanes;
}

namespace {

using Mat6d = Eigen::Matrix<double, 6, 6>;

LaneMotion lane_motion(const Mechanism<double>& m, const BodyMotion& b) {
  LaneMotion out;
  const auto copy = [](const Vec3<double>& x) { return std::array<double, 3>{x[0], x[1], x[2]}; };
  for (int i = 0; i < 9; ++i) out.R[at(i)] = b.X.R(i % 3, i / 3);
  out.p = copy(b.X.p);
  out.v = copy(b.v);
  out.w = copy(b.w);
  out.a = copy(b.a);
  out.dw = copy(b.dw);
  out.g = copy(m.gravity);
  return out;
}

/// What the platform's body needs for its motion, less the external wrench: moment about its origin, force; base axes.
Vec6<double> platform_wrench(const Mechanism<double>& m, const BodyMotion& b, const Force<double>& external) {
  const Inertia<double>& I = m.inertia[at(m.platform.body)];
  const Vec3<double> s = b.X.R * I.first, a = b.a - m.gravity;
  const Vec3<double> w = b.X.R.transpose() * b.w, dw = b.X.R.transpose() * b.dw;
  const Vec3<double> own = I.second * dw + cross<double>(w, I.second * w);
  Vec6<double> W;
  W.head<3>() = b.X.R * own + cross(s, a) - external.moment;
  W.tail<3>() = a * I.mass + cross(b.dw, s) + cross<double>(b.w, cross(b.w, s)) - external.force;
  return W;
}

void read_joints(const Mechanism<double>& m, const Workspace<double>& w, const LegLanes& lanes, LaneState& s) {
  for (std::size_t lane = 0; lane < lane_width; ++lane) {
    const auto leg = lane < lanes.coordinate.size() ? lane : 0;
    for (int j = 0; j < 3; ++j) {
      const TreeJoint& joint = m.joint[at(m.leg[leg].first_body + j)];
      const double q = w.q[joint.q];
      if (joint.type == Elementary::prismatic) {
        s.d[at(j)][lane] = q;
      } else {
        s.c[at(j)][lane] = std::cos(q);
        s.s[at(j)][lane] = std::sin(q);
      }
      s.rate[at(j)][lane] = w.v[joint.v];
      s.acceleration[at(j)][lane] = w.a[joint.v];
    }
  }
}

void write_lambda(const LegLanes& lanes, Workspace<double>& w) {
  for (std::size_t leg = 0; leg < lanes.row.size(); ++leg)
    for (int i = 0; i < 3; ++i) w.lambda[lanes.row[leg] + i] = lanes.state[0].lambda[at(i)][leg];
}

/// A x = f by rows with partial pivoting; f is column 6, column 7 is padding. Returns the smallest pivot over the
/// largest. (Eigen's LU with a separate solve takes twice as long at this size.)
double solve_rows(std::array<std::array<double, 8>, 6>& A, Vec6<double>& x) {
  double smallest = std::numeric_limits<double>::infinity(), largest = 0;
  for (std::size_t j = 0; j < 6; ++j) {
    std::size_t best = j;
    for (std::size_t i = j + 1; i < 6; ++i) best = std::abs(A[i][j]) > std::abs(A[best][j]) ? i : best;
    if (best != j) std::swap(A[best], A[j]);
    const double pivot = A[j][j], over = 1 / pivot;
    smallest = std::min(smallest, std::abs(pivot));
    largest = std::max(largest, std::abs(pivot));
    for (std::size_t i = j + 1; i < 6; ++i) {
      const double l = A[i][j] * over;
      for (std::size_t k = j / 2 * 2; k < 8; ++k) A[i][k] -= l * A[j][k];
    }
  }
  for (std::size_t j = 6; j-- > 0;) {
    double sum = A[j][6];
    for (std::size_t k = j + 1; k < 6; ++k) sum -= A[j][k] * x[static_cast<Eigen::Index>(k)];
    x[static_cast<Eigen::Index>(j)] = sum / A[j][j];
  }
  return smallest / largest;
}

double pivot_ratio(const Vec6<double>& pivots) {
  const Vec6<double> size = pivots.cwiseAbs();
  return size.minCoeff() / size.maxCoeff();
}

}  // namespace

BodyMotion platform_body(const Mechanism<double>& m, const Workspace<double>& w) {
  const auto P = at(m.platform.body);
  const TreeJoint& joint = m.joint[P];
  const Mat3<double>& R = m.placement[P].R;
  BodyMotion b;
  b.X = joint_pose(m.placement[P], joint.type, w.q.data() + joint.q);
  b.v = R * w.v.segment<3>(joint.v);
  b.w = b.X.R * w.v.segment<3>(joint.v + 3);
  b.a = R * w.a.segment<3>(joint.v);
  b.dw = b.X.R * w.a.segment<3>(joint.v + 3);
  return b;
}

double inverse_by_lanes(const Mechanism<double>& m, const BodyMotion& platform, bool joints,
                        const Force<double>& wrench, LegLanes& lanes, Workspace<double>& w) {
  const LaneBlock& b = lanes.block[0];
  LaneState& s = lanes.state[0];
  const LaneMotion motion = lane_motion(m, platform);
  if (joints) {
    read_joints(m, w, lanes, s);
    lanes.kernels->inverse_from_joints(b, motion, w.coulomb, s);
  } else {
    lanes.kernels->inverse_from_platform(b, motion, w.coulomb, s);
  }
  const Vec6<double> W = platform_wrench(m, platform, wrench);
  std::array<std::array<double, 8>, 6> A;
  for (int i = 0; i < 6; ++i) {
    const Lane &u = i < 3 ? s.mu[at(i)] : s.u[at(i - 3)], &h = i < 3 ? s.mh[at(i)] : s.h[at(i - 3)];
    double f = W[i];
    for (int leg = 0; leg < 6; ++leg) {
      A[at(i)][at(leg)] = u[at(leg)];
      f += h[at(leg)];
    }
    A[at(i)][6] = f;
    A[at(i)][7] = 0;
  }
  Vec6<double> tau;
  const double pivot = solve_rows(A, tau);
  for (int leg = 0; leg < b.legs; ++leg) s.tau[at(leg)] = tau[leg];
  lanes.kernels->inverse_loops(b, s);
  for (std::size_t a = 0; a < m.actuator.size(); ++a)
    for (std::size_t leg = 0; leg < lanes.coordinate.size(); ++leg)
      if (m.actuator[a] == lanes.coordinate[leg] + b.drive)
        w.tau[static_cast<Eigen::Index>(a)] = tau[static_cast<Eigen::Index>(leg)];
  write_lambda(lanes, w);
  return pivot;
}

double forward_by_lanes(const Mechanism<double>& m, BodyMotion platform, const Force<double>& wrench, LegLanes& lanes,
                        Workspace<double>& w) {
  const LaneBlock& b = lanes.block[0];
  LaneState& s = lanes.state[0];
  platform.a.setZero();
  platform.dw.setZero();
  read_joints(m, w, lanes, s);
  for (std::size_t a = 0; a < m.actuator.size(); ++a)
    for (std::size_t leg = 0; leg < lanes.coordinate.size(); ++leg)
      if (m.actuator[a] == lanes.coordinate[leg] + b.drive) s.tau[leg] = w.tau[static_cast<Eigen::Index>(a)];
  LaneMotion motion = lane_motion(m, platform);
  lanes.kernels->forward_forces(b, motion, w.coulomb, s);

  Vec6<double> x = -platform_wrench(m, platform, wrench);
  for (int leg = 0; leg < b.legs; ++leg)
    for (int i = 0; i < 3; ++i) {
      x[i] -= s.mh[at(i)][at(leg)];
      x[3 + i] -= s.h[at(i)][at(leg)];
    }
  const Inertia<double>& I = m.inertia[at(m.platform.body)];
  const Mat3<double> J = platform.X.R * I.second * platform.X.R.transpose();
  const Vec3<double> c = platform.X.R * I.first;
  Mat6d M;
  for (int i = 0; i < 6; ++i)
    for (int k = 0; k <= i; ++k) M(i, k) = s.mass[at(i * (i + 1) / 2 + k)];
  for (int i = 0; i < 3; ++i)
    for (int k = 0; k <= i; ++k) M(i, k) += J(i, k);
  for (int i = 3; i < 6; ++i) M(i, i) += I.mass;
  M(3, 1) += c.z(), M(3, 2) -= c.y();  // (force, w'): -s~
  M(4, 0) -= c.z(), M(4, 2) += c.x();
  M(5, 0) += c.y(), M(5, 1) -= c.x();
  ldlt_factor(M);
  ldlt_solve(M, x);

  const TreeJoint& joint = m.joint[at(m.platform.body)];
  const Vec3<double> dw = x.head<3>(), a = x.tail<3>();
  w.a.segment<3>(joint.v) = m.placement[at(m.platform.body)].R.transpose() * a;
  w.a.segment<3>(joint.v + 3) = platform.X.R.transpose() * dw;
  for (int i = 0; i < 3; ++i) motion.a[at(i)] = a[i], motion.dw[at(i)] = dw[i];
  lanes.kernels->forward_loops(b, motion, s);
  for (std::size_t leg = 0; leg < lanes.coordinate.size(); ++leg)
    for (int j = 0; j < 3; ++j) w.a[lanes.coordinate[leg] + j] = s.acceleration[at(j)][leg];
  write_lambda(lanes, w);
  return pivot_ratio(M.diagonal());
}

}  // namespace gough
