#include "gough/flexible/flex_equations.hpp"

#include <cmath>
#include <tuple>

namespace gough {
namespace {

/// The coordinates of a node among x y z rx ry rz.
const std::vector<int>& kept(bool planar) {
  static const std::vector<int> three = {0, 1, 5}, six = {0, 1, 2, 3, 4, 5};
  return planar ? three : six;
}

Mat3<double> centripetal(const ElasticAxes& b) {
  const Mat3<double> w = cross_matrix(b.w);
  return w * w + cross_matrix(b.dw);
}
Vec3<double> acceleration(const ElasticAxes& b, const Vec3<double>& r) { return b.a + centripetal(b) * r; }

/// N^T X N with N = [1, -c~], times the mass.
MatX<double> moved(double mass, const Vec3<double>& c, const Mat3<double>& X) {
  const Mat3<double> arm = cross_matrix(c);
  MatX<double> A(6, 6);
  A << X, -X * arm, arm * X, -arm * X * arm;
  return A * mass;
}

}  // namespace

FlexEquations::FlexEquations(const FlexibleModel& f, Options options) : f_(&f), options_(std::move(options)) {
  make_pattern();
  mass();
  tension.resize(f.element.size());
  element_load.resize(f.element.size());
}

void FlexEquations::make_pattern() {
  std::vector<std::pair<int, int>> entries;
  const auto block = [&](const std::vector<int>& c) {
    for (const int j : c)
      for (const int i : c) entries.emplace_back(i, j);
  };
  std::vector<std::vector<int>> of_node;
  for (const FlexNode& n : f_->node) {
    of_node.emplace_back();
    for (int k = 0; k < f_->per_node(); ++k) of_node.back().push_back(n.first + k);
    block(of_node.back());
  }
  for (const FlexElement& e : f_->element) block(e.coordinate);
  for (const FlexJoint& j : f_->joint) {
    joint_coordinates_.emplace_back();
    if (!couples(j)) continue;
    for (const int node : {j.a, j.b})
      if (node >= 0)
        joint_coordinates_.back().insert(joint_coordinates_.back().end(), of_node[at(node)].begin(),
                                         of_node[at(node)].end());
    block(joint_coordinates_.back());
  }
  for (int r = 0; r < f_->rows(); ++r) {
    const FlexJoint& j = f_->joint[at(f_->row[at(r)].joint)];
    for (const int node : {j.a, j.b}) {
      if (node < 0) continue;
      for (const int c : of_node[at(node)]) {
        entries.emplace_back(f_->size + r, c);
        entries.emplace_back(c, f_->size + r);
      }
    }
  }
  pattern_ = sparse_pattern(all(), entries);
  const auto places = [&](const std::vector<int>& c) {
    std::vector<int> p;
    for (const int j : c)
      for (const int i : c) p.push_back(pattern_.place(i, j));
    return p;
  };
  for (const auto& c : of_node) node_place_.push_back(places(c));
  for (const FlexElement& e : f_->element) element_place_.push_back(places(e.coordinate));
  for (const auto& c : joint_coordinates_) joint_place_.push_back(places(c));
  for (int r = 0; r < f_->rows(); ++r) {
    const FlexJoint& j = f_->joint[at(f_->row[at(r)].joint)];
    std::array<std::vector<int>, 2> both;
    for (std::size_t side = 0; side < 2; ++side) {
      const int node = side == 0 ? j.a : j.b;
      if (node < 0) continue;
      for (const int c : of_node[at(node)]) both[side].push_back(pattern_.place(f_->size + r, c));
      for (const int c : of_node[at(node)]) both[side].push_back(pattern_.place(c, f_->size + r));
    }
    row_place_.push_back(both);
  }
  M.assign(pattern_.row.size(), 0);
  C = K = J = damping_ = M;
}

void FlexEquations::add(std::vector<double>& to, const std::vector<int>& places, const MatX<double>& A) const {
  for (std::size_t i = 0; i < places.size(); ++i) to[at(places[i])] += A.data()[i];
}

void FlexEquations::mass() {
  for (std::size_t i = 0; i < f_->element.size(); ++i) {
    const FlexElement& e = f_->element[i];
    add(M, element_place_[i], e.e.m);
    add(damping_, element_place_[i], e.e.k * (options_.damping ? options_.damping->stiffness : e.section.damping));
  }
  const std::vector<int>& c = kept(f_->planar);
  for (const Lump& l : f_->lump) {
    MatX<double> A = moved(l.mass, l.c, Mat3<double>::Identity());
    A.bottomRightCorner<3, 3>() += l.inertia;
    add(M, node_place_[at(l.node)], A(c, c));
  }
  if (options_.damping)
    for (std::size_t k = 0; k < M.size(); ++k) damping_[k] += options_.damping->mass * M[k];
}

void FlexEquations::write(const RigidState& s) {
  C = damping_;
  std::fill(K.begin(), K.end(), 0);
  P = VecX<double>::Zero(f_->size);
  find_tension(s);
  for (std::size_t i = 0; i < f_->element.size(); ++i) add_element(s, i);
  for (std::size_t i = 0; i < f_->lump.size(); ++i) add_lump(s, i);
  if (f_->platform.node >= 0) {
    add_force(f_->platform, s, s.wrench.force);
    const FlexNode& n = f_->node[at(f_->platform.node)];
    const Vec3<double> moment = s.body[at(n.body)].R.transpose() * s.wrench.moment;
    if (f_->planar) P[n.first + 2] += moment.z();
    else P.segment<3>(n.first + 3) += moment;
  }
  for (const FlexForce& x : options_.forces) add_force(x.at, s, x.force);
  if (options_.geometric)
    for (std::size_t i = 0; i < f_->joint.size(); ++i) add_joint(s, i);
  write_rows(s);
}

void FlexEquations::add_element(const RigidState& s, std::size_t i) {
  const FlexElement& x = f_->element[i];
  const BeamElement& e = x.e;
  const ElasticAxes& b = s.body[at(x.body)];
  const Mat3<double> w = cross_matrix(b.w), W = centripetal(b);
  std::vector<double>& c = C;
  const std::vector<int>& place = element_place_[i];
  const double* k = e.k.data();
  const double *g1 = e.g_first.data(), *g2 = e.g_second.data();
  const double n1 = options_.geometric ? tension[i][0] : 0, n2 = options_.geometric ? tension[i][1] : 0;
  for (std::size_t p = 0; p < place.size(); ++p) K[at(place[p])] += k[p] + n1 * g1[p] + n2 * g2[p];
  for (int a = 0; a < 3; ++a)
    for (int d = 0; d < 3; ++d) {
      if (W(a, d) == 0 && w(a, d) == 0) continue;
      const double* S = e.S[at(3 * a + d)].data();
      for (std::size_t p = 0; p < place.size(); ++p) {
        K[at(place[p])] += W(a, d) * S[p];
        c[at(place[p])] += 2 * w(a, d) * S[p];
      }
    }
  const Vec3<double> first = acceleration(b, f_->node[at(x.a)].r), second = acceleration(b, f_->node[at(x.b)].r);
  VecX<double>& load = element_load[i];
  load.noalias() = -(e.load_first * first);
  load.noalias() -= e.load_second * second;
  const Vec3<double> spin = x.section_inertia * b.w;
  load.noalias() -= e.turn * (x.section_inertia * b.dw + cross<double>(b.w, spin));
  for (std::size_t p = 0; p < x.coordinate.size(); ++p) P[x.coordinate[p]] += load[static_cast<Eigen::Index>(p)];
}

void FlexEquations::add_lump(const RigidState& s, std::size_t i) {
  const Lump& l = f_->lump[i];
  const FlexNode& n = f_->node[at(l.node)];
  const ElasticAxes& b = s.body[at(n.body)];
  const Mat3<double>& I = l.inertia;
  const Mat3<double> w = cross_matrix(b.w);
  const Vec3<double> spin = I * b.w, moment = I * b.dw + cross<double>(b.w, spin);
  const Vec3<double> force = acceleration(b, n.r + l.c) * l.mass;
  const Mat3<double> gyro = w * I - cross_matrix(spin);
  MatX<double> c = moved(l.mass, l.c, 2 * w), k = moved(l.mass, l.c, centripetal(b));
  c.bottomRightCorner<3, 3>() += I * w + gyro;
  k.bottomRightCorner<3, 3>() += I * cross_matrix(b.dw) + gyro * w - cross_matrix(moment);
  const std::vector<int>& kept_ones = kept(f_->planar);
  add(C, node_place_[at(l.node)], c(kept_ones, kept_ones));
  add(K, node_place_[at(l.node)], k(kept_ones, kept_ones));
  if (options_.geometric) add_arm(l.node, l.c, -force);
  const Vec3<double> turn = moment + cross<double>(l.c, force);
  if (f_->planar) P.segment<3>(n.first) -= Vec3<double>(force.x(), force.y(), turn.z());
  else P.segment<6>(n.first) -= (Vec6<double>() << force, turn).finished();
}

/// (F4)
void FlexEquations::add_arm(int node, const Vec3<double>& arm, const Vec3<double>& force) {
  if (arm.squaredNorm() == 0) return;
  const Mat3<double> k = -cross_matrix(force) * cross_matrix(arm);
  const std::vector<int>& place = node_place_[at(node)];
  if (f_->planar) {
    K[at(place[8])] += k(2, 2);
    return;
  }
  for (int j = 0; j < 3; ++j)
    for (int i = 0; i < 3; ++i) K[at(place[at(6 * (3 + j) + 3 + i)])] += k(i, j);
}

/// Whether a joint's force or moment couples its two nodes beyond its rows.
bool FlexEquations::couples(const FlexJoint& j) const {
  return options_.geometric && (j.rod || (j.a >= 0 && (j.slides || (j.turns && !f_->planar))));
}

/// The arms of a joint's force, (F4), and what changes its direction, (F4b).
void FlexEquations::add_joint(const RigidState& s, std::size_t i) {
  const FlexJoint& j = f_->joint[i];
  const JointLoad& l = s.joint[i];
  const auto arm = [&](int node, const Vec3<double>& point) -> Vec3<double> {  // base axes
    const FlexNode& n = f_->node[at(node)];
    const ElasticAxes& b = s.body[at(n.body)];
    return point - b.p - b.R * n.r;
  };
  for (const auto& [node, point, sign] : {std::tuple(j.b, l.at_b, 1.0), {j.a, l.at_a, -1.0}})
    if (node >= 0) {
      const Mat3<double>& R = s.body[at(f_->node[at(node)].body)].R;
      add_arm(node, R.transpose() * arm(node, point), R.transpose() * l.force * sign);
    }
  if (joint_coordinates_[i].empty()) return;
  Eigen::Matrix<double, 3, 12> D = Eigen::Matrix<double, 3, 12>::Zero(), turn_a = D,
                               turn = D;  // of u_a phi_a u_b phi_b
  Eigen::Matrix<double, 12, 12> axes = Eigen::Matrix<double, 12, 12>::Zero();
  for (const auto& [node, point, first, sign] : {std::tuple(j.a, l.at_a, 0, -1.0), {j.b, l.at_b, 6, 1.0}}) {
    if (node < 0) continue;
    D.block<3, 3>(0, first) = Mat3<double>::Identity() * sign;
    D.block<3, 3>(0, first + 3) = -cross_matrix(arm(node, point)) * sign;
    turn.block<3, 3>(0, first + 3) = Mat3<double>::Identity() * sign;
    for (const int k : {first, first + 3}) axes.block<3, 3>(k, k) = s.body[at(f_->node[at(node)].body)].R;
  }
  if (j.a >= 0) turn_a.block<3, 3>(0, 3).setIdentity();
  Eigen::Matrix<double, 12, 12> k = Eigen::Matrix<double, 12, 12>::Zero();
  if (j.slides) {
    const Mat3<double> F = cross_matrix(l.force);
    k += D.transpose() * F * turn_a + turn_a.transpose() * F.transpose() * D;
  }
  if (j.turns) k += turn.transpose() * cross_matrix(l.moment) * turn_a;
  if (j.rod) {
    const Vec3<double> way = l.at_b - l.at_a, n = way.normalized();
    k -= l.force.dot(n) / way.norm() * D.transpose() * (Mat3<double>::Identity() - n * n.transpose()) * D;
  }
  k = (axes.transpose() * k * axes).eval();
  std::vector<int> some;
  for (const auto& [node, first] : {std::pair(j.a, 0), {j.b, 6}})
    if (node >= 0)
      for (const int c : kept(f_->planar)) some.push_back(first + c);
  add(K, joint_place_[i], k(some, some));
}

void FlexEquations::add_force(const Held& held, const RigidState& s, const Vec3<double>& force) {
  if (force.squaredNorm() == 0) return;
  const FlexNode& n = f_->node[at(held.node)];
  const Vec3<double> inside = s.body[at(n.body)].R.transpose() * force, turn = cross<double>(held.arm, inside);
  if (f_->planar) P.segment<3>(n.first) += Vec3<double>(inside.x(), inside.y(), turn.z());
  else P.segment<6>(n.first) += (Vec6<double>() << inside, turn).finished();
  if (options_.geometric) add_arm(held.node, held.arm, inside);
}

void FlexEquations::write_rows(const RigidState& s) {
  std::fill(J.begin(), J.end(), 0);
  const std::size_t n = at(f_->per_node());
  for (std::size_t r = 0; r < f_->row.size(); ++r) {
    const FlexJoint& j = f_->joint[at(f_->row[r].joint)];
    for (std::size_t side = 0; side < 2; ++side) {
      const int node = side == 0 ? j.a : j.b;
      if (node < 0) continue;
      const FlexNode& x = f_->node[at(node)];
      const ElasticAxes& b = s.body[at(x.body)];
      const double sign = side == 0 ? -1 : 1;
      const Vec3<double> force = b.R.transpose() * s.row[r].force * sign,
                         moment = b.R.transpose() * (s.row[r].moment - cross<double>(b.p + b.R * x.r, s.row[r].force)) *
                                  sign;
      const std::array<double, 6> six = {force.x(), force.y(), force.z(), moment.x(), moment.y(), moment.z()};
      for (std::size_t k = 0; k < n; ++k) {
        const double value = six[at(kept(f_->planar)[k])];
        J[at(row_place_[r][side][k])] += value;
        J[at(row_place_[r][side][n + k])] += value;
      }
    }
  }
}

/// (F6): from the free end of each beam to its clamped one.
void FlexEquations::find_tension(const RigidState& s) {
  std::vector<Vec3<double>> on_node(f_->node.size(), Vec3<double>::Zero());  // needed from inside, elastic axes
  for (const Lump& l : f_->lump) {
    const FlexNode& n = f_->node[at(l.node)];
    on_node[at(l.node)] += acceleration(s.body[at(n.body)], n.r + l.c) * l.mass;
  }
  const auto felt = [&](int node, const Vec3<double>& force) {
    if (node >= 0) on_node[at(node)] -= s.body[at(f_->node[at(node)].body)].R.transpose() * force;
  };
  for (std::size_t i = 0; i < f_->joint.size(); ++i) {
    felt(f_->joint[i].b, s.joint[i].force);
    felt(f_->joint[i].a, -s.joint[i].force);
  }
  felt(f_->platform.node, s.wrench.force);
  for (const FlexForce& x : options_.forces) felt(x.at.node, x.force);
  for (std::size_t i = f_->element.size(); i-- > 0;) {
    const FlexElement& e = f_->element[i];
    const ElasticAxes& b = s.body[at(e.body)];
    const double mass = e.section.rho * e.section.A * e.e.length;
    const Vec3<double> first = acceleration(b, f_->node[at(e.a)].r), second = acceleration(b, f_->node[at(e.b)].r);
    const Vec3<double> inertia = (first + second) * (mass / 2), outer_half = (first + 3 * second) * (mass / 8);
    const Vec3<double>& beyond = on_node[at(e.b)];
    on_node[at(e.a)] += beyond + inertia;
    const double at_a = -e.along.dot(beyond + inertia), at_b = -e.along.dot(beyond),
                 middle = -e.along.dot(beyond + outer_half);
    const double bulge = (middle - (at_a + at_b) / 2) * 2 / 3;  // the line with the parabola's mean
    tension[i] = {at_a + bulge, at_b + bulge};
  }
}

void FlexEquations::combine(double a, double b, double c, std::vector<double>& values) const {
  values.resize(M.size());
  for (std::size_t k = 0; k < values.size(); ++k) values[k] = a * M[k] + b * C[k] + c * K[k] + J[k];
}

MatX<double> FlexEquations::full(const std::vector<double>& which) const {
  MatX<double> A = MatX<double>::Zero(f_->size, f_->size);
  for (int j = 0; j < f_->size; ++j)
    for (int k = pattern_.start[at(j)]; k < pattern_.start[at(j) + 1]; ++k)
      if (pattern_.row[at(k)] < f_->size) A(pattern_.row[at(k)], j) = which[at(k)];
  return A;
}

MatX<double> FlexEquations::full_rows() const {
  MatX<double> A = MatX<double>::Zero(f_->rows(), f_->size);
  for (int j = 0; j < f_->size; ++j)
    for (int k = pattern_.start[at(j)]; k < pattern_.start[at(j) + 1]; ++k)
      if (pattern_.row[at(k)] >= f_->size) A(pattern_.row[at(k)] - f_->size, j) = J[at(k)];
  return A;
}

double FlexEquations::strain_energy(const VecX<double>& U) const {
  double sum = 0;
  for (const FlexElement& e : f_->element) {
    const VecX<double> u = e.of(U);
    sum += 0.5 * u.dot(e.e.k * u);
  }
  return sum;
}

double FlexEquations::kinetic_energy(const VecX<double>& dU) const {
  VecX<double> p = VecX<double>::Zero(f_->size);
  pattern_.add_product(M, 1, dU, p);
  return 0.5 * dU.dot(p);
}

}  // namespace gough
