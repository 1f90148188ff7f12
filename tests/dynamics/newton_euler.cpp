#include "dynamics/newton_euler.hpp"

namespace gough::newton_euler {

Body<D> drifting(const Body<double>& body) {
  Body<D> next{body.X.cast<D>(), body.w.cast<D>(), body.v.cast<D>()};
  for (int i = 0; i < 3; ++i) {
    const Vec3<double> turning = cross<double>(body.w, body.X.R.col(i));
    for (int k = 0; k < 3; ++k) next.X.R(k, i).d[0] = turning[k];
    next.X.p[i].d[0] = body.v[i];
  }
  return next;
}

std::vector<Joint> joints(const Mechanism<double>& m) {
  constexpr std::array kinds = {JointKind::fixed, JointKind::revolute, JointKind::prismatic, JointKind::spherical,
                                JointKind::free};  // in the order of Elementary
  std::vector<Joint> all;
  for (std::size_t j = 0; j < m.parent.size(); ++j)
    all.push_back({kinds[static_cast<std::size_t>(m.joint[j].type)],
                   m.parent[j],
                   static_cast<int>(j),
                   m.placement[j],
                   {},
                   m.joint[j].v});
  for (std::size_t c = 0; c < m.cut.size(); ++c)
    all.push_back({m.cut[c].kind, m.cut[c].a, m.cut[c].b, m.cut_a[c], m.cut_b[c], m.cut[c].first_coordinate});
  return all;
}

Vec3<double> rotation_vector_of(const Mat3<double>& R) {
  const Eigen::AngleAxisd turn(R);
  return turn.angle() * turn.axis();
}

Vec6<double> positions(const Joint& joint, const Body<double>& parent, const Body<double>& child) {
  const Transform<double> X = (parent.X * joint.A).inverse() * (child.X * joint.B);
  const Vec3<double>& r = X.p;
  const double about_z = std::atan2(X.R(1, 0), X.R(0, 0));
  Vec6<double> q = Vec6<double>::Zero();
  switch (joint.kind) {
    case JointKind::fixed:
    case JointKind::modal: break;
    case JointKind::revolute: q[0] = about_z; break;
    case JointKind::prismatic: q[0] = r.z(); break;
    case JointKind::universal: q.head<2>() << about_z, std::atan2(X.R(2, 1), X.R(2, 2)); break;
    case JointKind::cylindrical: q.head<2>() << about_z, r.z(); break;
    case JointKind::spherical: q.head<3>() = rotation_vector_of(X.R); break;
    case JointKind::planar: q.head<3>() << r.x(), r.y(), about_z; break;
    case JointKind::point_on_line: q.head<4>() << r.z(), rotation_vector_of(X.R); break;
    case JointKind::point_on_plane: q.head<5>() << r.x(), r.y(), rotation_vector_of(X.R); break;
    case JointKind::free: q << r, rotation_vector_of(X.R); break;
    case JointKind::distance: {
      const double q1 = std::atan2(-r.y(), r.z()), q2 = std::asin(r.x() / r.norm());
      const Mat3<double> rod =
          (Eigen::AngleAxisd(q1, Vec3<double>::UnitX()) * Eigen::AngleAxisd(q2, Vec3<double>::UnitY()))
              .toRotationMatrix();
      q.head<5>() << q1, q2, rotation_vector_of(rod.transpose() * X.R);
    }
  }
  return q;
}

FreeBodies::FreeBodies(const Mechanism<double>& robot, const VecX<double>& q, const VecX<double>& v)
    : m(robot), joint(joints(robot)), body(robot.parent.size()) {
  place(q);
  for (std::size_t j = 0; j < body.size(); ++j) set_velocity(j, v);
  measure(q);
}

Eigen::Matrix<double, 6, 6> FreeBodies::rows(std::size_t j, int i) const {
  Eigen::Matrix<double, 6, 6> R;
  for (int k = 0; k < 6; ++k)
    R.row(k) << (line[j][at(k)].n + cross<double>(point[j] - body_at(i).X.p, line[j][at(k)].f)).transpose(),
        line[j][at(k)].f.transpose();
  return R;
}

Vec6<double> FreeBodies::drift(std::size_t j) const {
  const Vec6<D> rate_of = rates(joint[j], drifting(body_at(joint[j].parent)), drifting(body_at(joint[j].child)));
  return rate_of.unaryExpr([](const D& x) { return x.d[0]; });
}

VecX<double> FreeBodies::accelerations(const VecX<double>& a) const {
  VecX<double> x(S.cols());
  for (std::size_t j = 0; j < body.size(); ++j) {
    Vec6<double> wanted = -drift(j);
    const int n = free_coordinates(joint[j].kind);
    wanted.head(n) += a.segment(joint[j].coordinate, n);
    if (const int i = joint[j].parent; i != base) wanted += rows(j, i) * x.segment<6>(6 * i);
    x.segment<6>(6 * static_cast<Index>(j)) = rows(j, static_cast<int>(j)).partialPivLu().solve(wanted);
  }
  return x;
}

Force<double> FreeBodies::wrench(std::size_t j, const Vec6<double>& force) const {
  Force<double> sum;
  for (int k = 0; k < 6; ++k) {
    const Line<double>& l = line[j][at(k)];
    sum += Force<double>{l.n + cross<double>(point[j], l.f), l.f} * force[k];
  }
  return sum;
}

void FreeBodies::place(const VecX<double>& q) {
  Workspace<double> w(m);
  w.q = q;
  tree_positions(m, w);
  for (std::size_t j = 0; j < body.size(); ++j) body[j].X = w.X0[j];
  for (const Joint& one : joint) {
    const Transform<double> B = body_at(one.child).X * one.B;
    line.push_back(lines(one.kind, body_at(one.parent).X * one.A, B));
    point.push_back(B.p);
  }
}

void FreeBodies::set_velocity(std::size_t j, const VecX<double>& v) {
  Vec6<double> wanted = -rates(joint[j], body_at(joint[j].parent), body[j]);  // of the parent: j still stands still
  const int n = free_coordinates(joint[j].kind);
  wanted.head(n) += v.segment(joint[j].coordinate, n);
  const Vec6<double> twist = rows(j, static_cast<int>(j)).partialPivLu().solve(wanted);
  body[j].w = twist.head<3>();
  body[j].v = twist.tail<3>();
}

void FreeBodies::measure(const VecX<double>& q) {
  int constraints = 0;
  for (const Joint& one : joint) {
    constraint.push_back(constraints);
    constraints += 6 - free_coordinates(one.kind);
  }
  const auto coordinates = static_cast<Index>(m.coordinate.size()), columns = 6 * static_cast<Index>(body.size());
  position = rate = s0 = VecX<double>::Zero(coordinates);
  forbidden = c0 = VecX<double>::Zero(constraints);
  S = MatX<double>::Zero(coordinates, columns);
  C = MatX<double>::Zero(constraints, columns);
  for (std::size_t j = 0; j < joint.size(); ++j) measure(j);
  for (const TreeJoint& one : m.joint)  // angles of the tree may have made full turns
    if (velocity_size(one.type) == 1) position[one.v] = q[one.q];
}

void FreeBodies::measure(std::size_t j) {
  const int n = free_coordinates(joint[j].kind), k = 6 - n, c = joint[j].coordinate, r = constraint[j];
  const Body<double> parent = body_at(joint[j].parent), child = body_at(joint[j].child);
  const Vec6<double> now = rates(joint[j], parent, child), bias = drift(j);
  position.segment(c, n) = positions(joint[j], parent, child).head(n);
  rate.segment(c, n) = now.head(n);
  forbidden.segment(r, k) = now.tail(k);
  s0.segment(c, n) = bias.head(n);
  c0.segment(r, k) = bias.tail(k);
  for (const auto& [i, sign] : {std::pair(joint[j].child, 1.0), std::pair(joint[j].parent, -1.0)}) {
    if (i == base) continue;
    S.block(c, 6 * i, n, 6) += sign * rows(j, i).topRows(n);
    C.block(r, 6 * i, k, 6) += sign * rows(j, i).bottomRows(k);
  }
}

void add_force(const FreeBodies& b, int i, const Vec3<double>& point, const Vec3<double>& force, VecX<double>& F) {
  if (i == base) return;
  F.segment<3>(6 * i) += cross<double>(point - b.body[at(i)].X.p, force);
  F.segment<3>(6 * i + 3) += force;
}

Stretched stretched(const FreeBodies& f, std::size_t i) {
  const Body<double> A = f.body_at(f.m.spring[i].a), B = f.body_at(f.m.spring[i].b);
  const Vec3<double> a = A.X * f.m.spring_point_a[i], b = B.X * f.m.spring_point_b[i];
  const double length = (b - a).norm();
  const Vec3<double> direction = (b - a) / length;
  return {a, b, direction, length, direction.dot(B.velocity_at(b) - A.velocity_at(a))};
}

double spring_force(const FreeBodies& f, std::size_t i) {
  const Stretched s = stretched(f, i);
  return f.m.spring_stiffness[i] * (s.length - f.m.spring_length[i]) + f.m.spring_damping[i] * s.rate;
}

double friction(const FreeBodies& b, std::size_t c) {
  const double rate = b.rate[static_cast<Index>(c)];
  double sum = 0;
  for (const FrictionUse& use : b.m.coordinate[c].friction) {
    const double coefficient = b.m.coefficient[at(use.coefficient)];
    if (use.function == "viscous") {
      sum += coefficient * rate;
    } else if (use.function == "coulomb") {
      sum += rate > 0 ? coefficient : rate < 0 ? -coefficient : 0.0;
    } else {
      throw std::invalid_argument("unknown friction function " + use.function);
    }
  }
  return sum;
}

VecX<double> coordinate_forces(const FreeBodies& b) {
  VecX<double> f(b.rate.size());
  for (std::size_t c = 0; c < b.m.coordinate.size(); ++c) {
    const auto i = static_cast<Index>(c);
    f[i] = -b.m.stiffness[c] * (b.position[i] - b.m.rest[c]) - b.m.damping[c] * b.rate[i] - friction(b, c);
  }
  return f;
}

VecX<double> drive_forces(const FreeBodies& b, const VecX<double>& tau) {
  VecX<double> f = VecX<double>::Zero(b.rate.size());
  for (std::size_t i = 0; i < b.m.actuator.size(); ++i) f[b.m.actuator[i]] += tau[static_cast<Index>(i)];
  return f;
}

VecX<double> rotors(const Mechanism<double>& m) {
  VecX<double> r(static_cast<Index>(m.coordinate.size()));
  for (std::size_t c = 0; c < m.coordinate.size(); ++c)
    r[static_cast<Index>(c)] = m.rotor_inertia[c] * m.ratio[c] * m.ratio[c];
  return r;
}

Mat3<double> skew(const Vec3<double>& x) {
  Mat3<double> W;
  W << 0, -x.z(), x.y(), x.z(), 0, -x.x(), -x.y(), x.x(), 0;
  return W;
}

Vec3<double> first_moment(const FreeBodies& b, std::size_t j) { return b.body[j].X.R * b.m.inertia[j].first; }

Mat3<double> second_moment(const FreeBodies& b, std::size_t j) {
  return b.body[j].X.R * b.m.inertia[j].second * b.body[j].X.R.transpose();
}

MatX<double> mass_matrix(const FreeBodies& b) {
  MatX<double> M = b.S.transpose() * rotors(b.m).asDiagonal() * b.S;
  for (std::size_t j = 0; j < b.body.size(); ++j) {
    const Mat3<double> s = skew(first_moment(b, j));
    Eigen::Matrix<double, 6, 6> I;
    I << second_moment(b, j), s, -s, b.m.inertia[j].mass * Mat3<double>::Identity();
    M.block<6, 6>(6 * static_cast<Index>(j), 6 * static_cast<Index>(j)) += I;
  }
  return M;
}

VecX<double> known_forces(const FreeBodies& b, const std::vector<External>& external) {
  VecX<double> F = b.S.transpose() * (coordinate_forces(b) - rotors(b.m).cwiseProduct(b.s0));
  for (std::size_t j = 0; j < b.body.size(); ++j) {
    const Vec3<double>& w = b.body[j].w;
    const Vec3<double> s = first_moment(b, j), Iw = second_moment(b, j) * w;
    F.segment<3>(6 * static_cast<Index>(j)) += cross<double>(s, b.m.gravity) - cross(w, Iw);
    F.segment<3>(6 * static_cast<Index>(j) + 3) +=
        b.m.inertia[j].mass * b.m.gravity - cross<double>(w, cross<double>(w, s));
  }
  for (std::size_t i = 0; i < b.m.spring.size(); ++i) {
    const Stretched s = stretched(b, i);
    const Vec3<double> pull = s.direction * spring_force(b, i);
    add_force(b, b.m.spring[i].a, s.a, pull, F);
    add_force(b, b.m.spring[i].b, s.b, -pull, F);
  }
  for (const External& e : external) {
    if (e.body == base) continue;
    add_force(b, e.body, Vec3<double>::Zero(), e.wrench.force, F);
    F.segment<3>(6 * e.body) += e.wrench.moment;
  }
  return F;
}

void set_joint_wrenches(const FreeBodies& b, const VecX<double>& lambda, const VecX<double>& force, Forward& result) {
  const MatX<double> idle = null_space_of(b.C.transpose());
  for (std::size_t j = 0; j < b.joint.size(); ++j) {
    const int n = free_coordinates(b.joint[j].kind), k = 6 - n;
    Vec6<double> held = Vec6<double>::Zero(), driven = held;
    held.tail(k) = lambda.segment(b.constraint[j], k);
    driven.head(n) = force.segment(b.joint[j].coordinate, n);
    result.reaction.push_back(b.wrench(j, held));
    result.transmitted.push_back(b.wrench(j, held + driven));
    result.reaction_unique.push_back(idle.middleRows(b.constraint[j], k).norm() < 1e-6);
    if (b.joint[j].parent == base) result.base_wrench += result.transmitted[j];
    if (b.joint[j].child == base) result.base_wrench = result.base_wrench - result.transmitted[j];
  }
  for (std::size_t i = 0; i < b.m.spring.size(); ++i) {
    const Stretched s = stretched(b, i);
    const Vec3<double> pull = s.direction * spring_force(b, i);
    const Force<double> on_b{-cross(s.b, pull), -pull};
    if (b.m.spring[i].a == base) result.base_wrench += on_b;
    if (b.m.spring[i].b == base) result.base_wrench = result.base_wrench - on_b;
  }
}

Forward forward(const Mechanism<double>& m, const VecX<double>& q, const VecX<double>& v, const Load& load) {
  const FreeBodies b(m, q, v);
  const MatX<double> M = mass_matrix(b), N = null_space_of(b.C);
  const VecX<double> tau = drive_forces(b, load.tau), F = known_forces(b, load.external) + b.S.transpose() * tau;
  const VecX<double> x0 = shortest_solution(b.C, -b.c0);
  const MatX<double> NMN = N.transpose() * M * N;
  const VecX<double> x = x0 + N * shortest_solution(NMN, N.transpose() * (F - M * x0));
  const VecX<double> needed = M * x - F, lambda = shortest_solution(b.C.transpose(), needed);
  const VecX<double> qdd = b.S * x + b.s0;

  Forward result;
  result.a = qdd.head(m.nv);
  result.cut_a = qdd.tail(m.cut_coordinates());
  result.unique = N.cols() == 0 || rank_of(NMN) == N.cols();
  result.residual =
      (b.C.transpose() * lambda - needed).norm() / (F.norm() + needed.norm() + std::numeric_limits<double>::min());
  for (std::size_t j = 0; j < b.body.size(); ++j)
    result.body.push_back({x.segment<3>(6 * static_cast<Index>(j)), x.segment<3>(6 * static_cast<Index>(j) + 3)});
  set_joint_wrenches(b, lambda, tau + coordinate_forces(b) - rotors(m).cwiseProduct(qdd), result);
  return result;
}

Inverse inverse(const Mechanism<double>& m, const VecX<double>& q, const VecX<double>& v, const VecX<double>& a,
                const std::vector<External>& external) {
  const FreeBodies b(m, q, v);
  const MatX<double> N = null_space_of(b.C);
  const VecX<double> inertial = N.transpose() * (mass_matrix(b) * b.accelerations(a)),
                     known = N.transpose() * known_forces(b, external);
  MatX<double> T(N.cols(), static_cast<Index>(m.actuator.size()));
  for (std::size_t i = 0; i < m.actuator.size(); ++i)
    T.col(static_cast<Index>(i)) = N.transpose() * b.S.row(m.actuator[i]).transpose();

  Inverse result;
  result.tau = shortest_solution(T, inertial - known);
  result.unique = T.cols() == 0 || (T.rows() > 0 && rank_of(T) == T.cols());
  result.residual = (T * result.tau - inertial + known).norm() /
                    (inertial.norm() + known.norm() + std::numeric_limits<double>::min());
  return result;
}

Energies energies(const Mechanism<double>& m, const VecX<double>& q, const VecX<double>& v) {
  const FreeBodies b(m, q, v);
  Energies e;
  for (std::size_t j = 0; j < b.body.size(); ++j) {
    const auto& [X, w, velocity] = b.body[j];
    const Vec3<double> s = first_moment(b, j), Iw = second_moment(b, j) * w;
    const double mass = m.inertia[j].mass;
    const Vec3<double> p = mass * velocity + cross(w, s);
    e.momentum += {Iw + cross(s, velocity) + cross(X.p, p), p};
    e.kinetic += (mass * velocity.squaredNorm() + w.dot(Iw)) / 2 + velocity.dot(cross(w, s));
    e.potential -= m.gravity.dot(mass * X.p + s);
  }
  const VecX<double> rotor = rotors(m);
  for (std::size_t c = 0; c < m.coordinate.size(); ++c) {
    const auto i = static_cast<Index>(c);
    const double stretch = b.position[i] - m.rest[c], rate = b.rate[i];
    e.kinetic += rotor[i] * rate * rate / 2;
    e.potential += m.stiffness[c] * stretch * stretch / 2;
    e.dissipated += (m.damping[c] * rate + friction(b, c)) * rate;
  }
  for (std::size_t i = 0; i < m.spring.size(); ++i) {
    const Stretched s = stretched(b, i);
    const double stretch = s.length - m.spring_length[i];
    e.potential += m.spring_stiffness[i] * stretch * stretch / 2;
    e.dissipated += m.spring_damping[i] * s.rate * s.rate;
  }
  return e;
}

double actuator_power(const Mechanism<double>& m, const VecX<double>& v, const VecX<double>& tau) {
  double sum = 0;
  for (std::size_t i = 0; i < m.actuator.size(); ++i) sum += tau[static_cast<Index>(i)] * v[m.actuator[i]];
  return sum;
}

double external_power(const Mechanism<double>& m, const VecX<double>& q, const VecX<double>& v,
                      const std::vector<External>& external) {
  const FreeBodies b(m, q, v);
  double sum = 0;
  for (const External& e : external) {
    const Body<double> body = b.body_at(e.body);
    sum += e.wrench.moment.dot(body.w) + e.wrench.force.dot(body.velocity_at(Vec3<double>::Zero()));
  }
  return sum;
}

}  // namespace gough::newton_euler
