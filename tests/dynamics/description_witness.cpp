#include "dynamics/description_witness.hpp"

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

#include "decompositions.hpp"
#include "gough/scalar/index.hpp"

namespace gough::witness {
namespace {

using std::atan2;
using std::sqrt;
using Number = Dual<double>;

const Moving<double> resting;

double value_of(double x) { return x; }
double value_of(const Number& x) { return x.value; }

template <class S>
Vec3<S> times(const Vec3<S>& a, const Vec3<S>& b) {
  return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}
template <class S>
S inner(const Vec3<S>& a, const Vec3<S>& b) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}
template <class S>
S length_of(const Vec3<S>& a) {
  return sqrt(inner(a, a));
}

/// A frame of a body, in the base.
template <class S>
Transform<S> frame_on(const Transform<S>& body, const Transform<double>& frame) {
  const Mat3<S> R = frame.R.cast<S>();
  const Vec3<S> p = frame.p.cast<S>();
  Transform<S> X;
  X.R = body.R * R;
  X.p = body.p + body.R * p;
  return X;
}
template <class S>
Vec3<S> point_on(const Transform<S>& body, const Vec3<double>& point) {
  const Vec3<S> p = point.cast<S>();
  return body.p + body.R * p;
}
template <class S>
Vec3<S> velocity_at(const Moving<S>& body, const Vec3<S>& point) {
  const Vec3<S> arm = point - body.X.p;
  return body.v + times(body.w, arm);
}

/// The next instant. w and v change by the accelerations; none: they stay.
Moving<Number> next(const Moving<double>& body, const Vec3<double>& dw = Vec3<double>::Zero(),
                    const Vec3<double>& dv = Vec3<double>::Zero()) {
  Moving<Number> n;
  for (int i = 0; i < 3; ++i) {
    const Vec3<double> axis = body.X.R.col(i), change = times(body.w, axis);
    for (int k = 0; k < 3; ++k) {
      n.X.R(k, i).value = axis[k];
      n.X.R(k, i).d[0] = change[k];
    }
    n.X.p[i].value = body.X.p[i], n.X.p[i].d[0] = body.v[i];
    n.w[i].value = body.w[i], n.w[i].d[0] = dw[i];
    n.v[i].value = body.v[i], n.v[i].d[0] = dv[i];
  }
  return n;
}
std::vector<Moving<Number>> next(const Bodies& body, const VecX<double>& x) {
  std::vector<Moving<Number>> all;
  for (std::size_t i = 0; i < body.size(); ++i) {
    const auto k = 6 * static_cast<Index>(i);
    all.push_back(next(body[i], x.segment<3>(k), x.segment<3>(k + 3)));
  }
  return all;
}

/// The body's motion, or that of the base, which rests.
template <class S>
Moving<S> moving_at(const std::vector<Moving<S>>& body, int i) {
  return i == ground ? Moving<S>{} : body[at(i)];
}

// ------------------------------------------------------------------------------------------------ lines and positions

template <class S>
struct Line {
  Vec3<S> n, f;
};

/// The rod of a distance joint: from A, a turn q1 about x, then q2 about y, then the length along z to B's origin.
template <class S>
struct Rod {
  Vec3<S> r;  ///< B's origin in A's axes
  S n, l;     ///< its distance from A's x axis, and from A's origin
  Mat3<S> R;  ///< its axes, in the base

  Rod(const Transform<S>& A, const Transform<S>& B) {
    const Vec3<S> d = B.p - A.p;
    for (int i = 0; i < 3; ++i) r[i] = inner<S>(A.R.col(i), d);
    n = sqrt(r[1] * r[1] + r[2] * r[2]);
    l = length_of(r);
    const Vec3<S> y(S(0.0), r[2] / n, -(r[1] / n)), z = r / l, x = times(y, z);
    Mat3<S> in_A;
    in_A << x, y, z;
    R = A.R * in_A;
  }
};

/// (Y1): those of the free coordinates, in their order, then those that the joint holds.
template <class S>
std::array<Line<S>, 6> lines(JointKind kind, const Transform<S>& A, const Transform<S>& B) {
  const Vec3<S> none = Vec3<S>::Zero();
  const auto turn = [&](const Vec3<S>& n) -> Line<S> { return {n, none}; };
  const auto slide = [&](const Vec3<S>& f) -> Line<S> { return {none, f}; };
  const std::array<Vec3<S>, 3> a = {A.R.col(0), A.R.col(1), A.R.col(2)}, b = {B.R.col(0), B.R.col(1), B.R.col(2)};
  switch (kind) {
    case JointKind::fixed: return {slide(a[0]), slide(a[1]), slide(a[2]), turn(a[0]), turn(a[1]), turn(a[2])};
    case JointKind::revolute: return {turn(a[2]), slide(a[0]), slide(a[1]), slide(a[2]), turn(a[0]), turn(a[1])};
    case JointKind::prismatic: return {slide(a[2]), slide(a[0]), slide(a[1]), turn(a[0]), turn(a[1]), turn(a[2])};
    case JointKind::universal:
      return {turn(a[2]), turn(b[0]), slide(a[0]), slide(a[1]), slide(a[2]), turn(times(a[2], b[0]))};
    case JointKind::cylindrical: return {turn(a[2]), slide(a[2]), slide(a[0]), slide(a[1]), turn(a[0]), turn(a[1])};
    case JointKind::spherical: return {turn(b[0]), turn(b[1]), turn(b[2]), slide(a[0]), slide(a[1]), slide(a[2])};
    case JointKind::planar: return {slide(a[0]), slide(a[1]), turn(a[2]), slide(a[2]), turn(a[0]), turn(a[1])};
    case JointKind::point_on_line: return {slide(a[2]), turn(b[0]), turn(b[1]), turn(b[2]), slide(a[0]), slide(a[1])};
    case JointKind::point_on_plane: return {slide(a[0]), slide(a[1]), turn(b[0]), turn(b[1]), turn(b[2]), slide(a[2])};
    case JointKind::free: return {slide(a[0]), slide(a[1]), slide(a[2]), turn(b[0]), turn(b[1]), turn(b[2])};
    case JointKind::distance: {  // derivatives of atan2(-r_y, r_z) and atan2(r_x, n); B turns against the rod
      const Rod<S> rod(A, B);
      const S n2 = rod.n * rod.n, l2 = rod.l * rod.l;
      const Vec3<S>& r = rod.r;
      const Vec3<S> one(S(0.0), -(r[2] / n2), r[1] / n2),
          two(rod.n / l2, -(r[0] * r[1] / (rod.n * l2)), -(r[0] * r[2] / (rod.n * l2)));
      const Vec3<S> f1 = A.R * one, f2 = A.R * two, y = rod.R.col(1), along = rod.R.col(2);
      const auto ball = [&](const Vec3<S>& axis) -> Line<S> {
        const Vec3<S> f = f1 * inner(axis, a[0]) + f2 * inner(axis, y);
        return {axis, -f};
      };
      return {slide(f1), slide(f2), ball(b[0]), ball(b[1]), ball(b[2]), slide(along)};
    }
    case JointKind::modal: break;
  }
  throw std::invalid_argument("the witness knows no modal joints");
}

template <class S>
std::array<S, 6> rates(const Joint& j, const Moving<S>& parent, const Moving<S>& child) {
  const Transform<S> A = frame_on(parent.X, j.A), B = frame_on(child.X, j.B);
  const Vec3<S> w = child.w - parent.w, v = velocity_at(child, B.p) - velocity_at(parent, B.p);
  const std::array<Line<S>, 6> line = lines(j.kind, A, B);
  std::array<S, 6> rate;
  for (std::size_t i = 0; i < 6; ++i) rate[i] = inner(line[i].n, w) + inner(line[i].f, v);
  return rate;
}

/// The rotation vector of R, below half a turn.
template <class S>
Vec3<S> vector_of(const Mat3<S>& R) {
  const S half(0.5);
  const Vec3<S> u((R(2, 1) - R(1, 2)) * half, (R(0, 2) - R(2, 0)) * half, (R(1, 0) - R(0, 1)) * half);
  const S s2 = inner(u, u), c = (R(0, 0) + R(1, 1) + R(2, 2) - S(1.0)) * half;
  if (value_of(s2) < 1e-8 && value_of(c) > 0) return u * (S(1.0) + s2 / S(6.0) + s2 * s2 * S(3.0 / 40));
  const S s = sqrt(s2);
  return u * (atan2(s, c) / s);
}

/// The first of a kind's three turns of a ball; -1: none.
int first_turn(JointKind kind) {
  switch (kind) {
    case JointKind::spherical: return 0;
    case JointKind::point_on_line: return 1;
    case JointKind::point_on_plane:
    case JointKind::distance: return 2;
    case JointKind::free: return 3;
    default: return -1;
  }
}

/// What B's turns are measured against.
template <class S>
Mat3<S> ball_axes(JointKind kind, const Transform<S>& A, const Transform<S>& B) {
  return kind == JointKind::distance ? Rod<S>(A, B).R : A.R;
}
template <class S>
Mat3<S> against(const Mat3<S>& R, const Mat3<S>& other) {
  return R.transpose() * other;
}

/// Positions of the free coordinates.
template <class S>
std::array<S, 6> positions(const Joint& j, const Transform<S>& parent, const Transform<S>& child) {
  const Transform<S> A = frame_on(parent, j.A), B = frame_on(child, j.B);
  const Vec3<S> d = B.p - A.p;
  const auto slide = [&](int i) { return inner<S>(A.R.col(i), d); };
  const auto cosine = [&](int i, int k) { return inner<S>(A.R.col(i), B.R.col(k)); };
  const auto about_z = [&]() -> S { return atan2(cosine(1, 0), cosine(0, 0)); };
  std::array<S, 6> q;
  q.fill(S(0.0));
  switch (j.kind) {
    case JointKind::revolute: q[0] = about_z(); break;
    case JointKind::prismatic: q[0] = slide(2); break;
    case JointKind::universal: q[0] = about_z(), q[1] = atan2(cosine(2, 1), cosine(2, 2)); break;
    case JointKind::cylindrical: q[0] = about_z(), q[1] = slide(2); break;
    case JointKind::planar: q[0] = slide(0), q[1] = slide(1), q[2] = about_z(); break;
    case JointKind::point_on_line: q[0] = slide(2); break;
    case JointKind::point_on_plane: q[0] = slide(0), q[1] = slide(1); break;
    case JointKind::free: q[0] = slide(0), q[1] = slide(1), q[2] = slide(2); break;
    case JointKind::distance: {
      const Rod<S> rod(A, B);
      q[0] = atan2(S(-rod.r[1]), rod.r[2]), q[1] = atan2(rod.r[0], rod.n);
      break;
    }
    case JointKind::fixed:
    case JointKind::spherical:
    case JointKind::modal: break;
  }
  if (const int t = first_turn(j.kind); t >= 0) {
    const Vec3<S> r = vector_of<S>(against<S>(ball_axes(j.kind, A, B), B.R));
    for (int i = 0; i < 3; ++i) q[at(t + i)] = r[i];
  }
  return q;
}

/// How far what a joint holds is open, in the order of its lines.
std::array<double, 6> openings(const Joint& j, const Transform<double>& A, const Transform<double>& B) {
  const std::array<Line<double>, 6> line = lines(j.kind, A, B);
  const Vec3<double> d = B.p - A.p, az = A.R.col(2), bz = B.R.col(2), bx = B.R.col(0);
  Vec3<double> turned = A.R * vector_of<double>(A.R.transpose() * B.R);  // all turns
  const bool about_z = j.kind == JointKind::revolute || j.kind == JointKind::cylindrical || j.kind == JointKind::planar;
  if (about_z) turned = times(az, bz) + (az.dot(bz) < 0 ? Vec3<double>::Constant(1) : Vec3<double>::Zero());
  std::array<double, 6> open{};
  for (std::size_t i = at(free_coordinates(j.kind)); i < 6; ++i)
    open[i] = line[i].f.isZero(0) ? line[i].n.dot(turned) : line[i].f.dot(d);
  if (j.kind == JointKind::universal) open[5] = -az.dot(bx);
  if (j.kind == JointKind::distance) open[5] = d.norm() - j.length;
  return open;
}

}  // namespace

// ------------------------------------------------------------------------------------------------ the robot

namespace {

Coordinate coordinate_of(const RobotDescription& robot, const JointDescription& j, std::size_t k) {
  const CoordinateDescription& d = j.coordinates[k];
  Coordinate c;
  c.name = coordinate_name(j, k);
  c.stiffness = d.stiffness;
  c.damping = d.damping;
  c.rest = d.rest;
  c.rotor = d.rotor_inertia * d.ratio * d.ratio;
  for (const FrictionTerm& f : d.friction) c.friction.emplace_back(f.function, robot.coefficients.at(f.coefficient));
  c.actuated = d.actuated;
  c.elastic = d.elastic;
  c.locked = d.locked;
  c.locked_at = d.home ? *d.home : d.guess.value_or(0.0);
  return c;
}

/// The second moment about the origin of a point mass: |x|^2 1 - x x^T, times the mass.
Mat3<double> of_point(double mass, const Vec3<double>& x) {
  return mass * (x.squaredNorm() * Mat3<double>::Identity() - x * x.transpose());
}

}  // namespace

Model::Model(const RobotDescription& robot) : gravity(robot.gravity) {
  for (const BodyDescription& b : robot.bodies) {
    if (!b.beam.empty()) throw std::invalid_argument("the witness knows no beams");
    body.push_back(b.name);
    double m = b.mass;
    Vec3<double> s = b.mass * b.com;
    Mat3<double> I = b.inertia + of_point(b.mass, b.com);
    for (const auto& [mass_there, where] : b.points) {
      m += mass_there;
      s += mass_there * where;
      I += of_point(mass_there, where);
    }
    mass.push_back(m);
    first.push_back(s);
    second.push_back(I);
  }
  for (const JointDescription& j : robot.joints) {
    joint.push_back({j.name, j.kind, find_body(j.parent), find_body(j.child), j.origin, j.child_origin, j.length,
                     static_cast<int>(coordinate.size())});
    for (std::size_t k = 0; k < j.coordinates.size(); ++k) coordinate.push_back(coordinate_of(robot, j, k));
  }
  for (const SpringDescription& s : robot.springs)
    spring.push_back(
        {find_body(s.body_a), find_body(s.body_b), s.point_a, s.point_b, s.stiffness, s.damping, s.free_length});
}

int Model::find_body(const std::string& name) const {
  if (name == base_name) return ground;
  const auto found = std::find(body.begin(), body.end(), name);
  if (found == body.end()) throw std::invalid_argument("no body " + name);
  return static_cast<int>(found - body.begin());
}
int Model::find_joint(const std::string& name) const {
  for (std::size_t j = 0; j < joint.size(); ++j)
    if (joint[j].name == name) return static_cast<int>(j);
  return -1;
}
int Model::find_coordinate(const std::string& name) const {
  for (std::size_t c = 0; c < coordinate.size(); ++c)
    if (coordinate[c].name == name) return static_cast<int>(c);
  return -1;
}

std::vector<int> Model::actuated() const {
  std::vector<int> all;
  for (std::size_t c = 0; c < coordinate.size(); ++c)
    if (coordinate[c].actuated) all.push_back(static_cast<int>(c));
  return all;
}
std::vector<int> Model::driven() const {
  std::vector<int> all = actuated();
  for (std::size_t c = 0; c < coordinate.size(); ++c)
    if (coordinate[c].elastic && !coordinate[c].actuated) all.push_back(static_cast<int>(c));
  return all;
}

// ------------------------------------------------------------------------------------------------ one state

Equations::Equations(const Model& model, Bodies bodies) : m(model), body(std::move(bodies)) {
  const auto coordinates = static_cast<Index>(m.coordinate.size()), wide = 6 * static_cast<Index>(body.size());
  auto constraints = static_cast<Index>(m.spin_lock.size());
  for (const Joint& j : m.joint) constraints += 6 - free_coordinates(j.kind);
  for (const Coordinate& c : m.coordinate) constraints += c.locked ? 1 : 0;
  q = rate = s0 = VecX<double>::Zero(coordinates);
  open = c0 = VecX<double>::Zero(constraints);
  S = MatX<double>::Zero(coordinates, wide);
  C = MatX<double>::Zero(constraints, wide);
  moving.resize(wide);
  for (std::size_t i = 0; i < body.size(); ++i) moving.segment<6>(6 * static_cast<Index>(i)) << body[i].w, body[i].v;
  for (std::size_t j = 0; j < m.joint.size(); ++j) measure(j);
  for (const SpinLock& lock : m.spin_lock) measure_lock(lock);
}

const Moving<double>& Equations::at_body(int i) const { return i == ground ? resting : body[at(i)]; }

const MatX<double>& Equations::allowed() const {
  if (!allowed_) allowed_ = null_space_of(C);
  return *allowed_;
}

void Equations::add(const Vec3<double>& n, const Vec3<double>& f, const Vec3<double>& b, int parent, int child,
                    MatX<double>& to, Index row) const {
  const auto side = [&](int i, double sign) {
    if (i == ground) return;
    const Vec3<double> arm = b - body[at(i)].X.p, moment = n + times(arm, f);
    to.row(row).segment<3>(6 * i) += sign * moment.transpose();
    to.row(row).segment<3>(6 * i + 3) += sign * f.transpose();
  };
  side(child, 1);
  side(parent, -1);
}

void Equations::measure(std::size_t j) {
  const Joint& x = m.joint[j];
  const Moving<double>&parent = at_body(x.parent), &child = at_body(x.child);
  const Transform<double> A = frame_on(parent.X, x.A), B = frame_on(child.X, x.B);
  const std::array<Line<double>, 6> line = lines(x.kind, A, B);
  const std::array<double, 6> now = rates(x, parent, child), where = positions(x, parent.X, child.X),
                              opened = openings(x, A, B);
  const std::array<Number, 6> then = rates(x, next(parent), next(child));
  for (std::size_t i = 0; i < 6; ++i) {
    const bool free = static_cast<int>(i) < free_coordinates(x.kind);
    const auto c = x.coordinate + static_cast<Index>(i);
    const bool locked = free && m.coordinate[at(c)].locked;
    if (free) {
      q[c] = where[i], rate[c] = now[i], s0[c] = then[i].d[0];
      add(line[i].n, line[i].f, B.p, x.parent, x.child, S, c);
    }
    if (free && !locked) continue;
    open[row_] = locked ? where[i] - m.coordinate[at(c)].locked_at : opened[i];
    c0[row_] = then[i].d[0];
    add(line[i].n, line[i].f, B.p, x.parent, x.child, C, row_++);
  }
}

void Equations::measure_lock(const SpinLock& lock) {
  const Joint& x = m.joint[at(lock.joint)];
  const auto rate_of = [&]<class T>(const Moving<T>& parent, const Moving<T>& child) -> T {
    const Vec3<T> a = parent.X.R * lock.on_parent.cast<T>(), b = child.X.R * lock.on_child.cast<T>(),
                  w = child.w - parent.w;
    return inner<T>(times(a, b), w);
  };
  const Moving<double>&parent = at_body(x.parent), &child = at_body(x.child);
  const Vec3<double> a = parent.X.R * lock.on_parent, b = child.X.R * lock.on_child;
  open[row_] = -a.dot(b);
  c0[row_] = rate_of(next(parent), next(child)).d[0];
  add(times(a, b), Vec3<double>::Zero(), child.X.p, x.parent, x.child, C, row_++);
}

int mobility(const Equations& e) { return static_cast<int>(e.allowed().cols()); }

namespace {

/// The columns of bodies that are `wanted`, and the rows of C that they enter.
struct Part {
  std::vector<Index> columns, others, rows;

  Part(const Equations& e, const std::vector<bool>& known) {
    for (std::size_t i = 0; i < known.size(); ++i)
      for (Index k = 0; k < 6; ++k) (known[i] ? others : columns).push_back(6 * static_cast<Index>(i) + k);
    for (Index r = 0; r < e.C.rows(); ++r)
      if (std::any_of(columns.begin(), columns.end(), [&](Index c) { return e.C(r, c) != 0; })) rows.push_back(r);
  }
};

bool all_of(const std::vector<bool>& x) { return std::find(x.begin(), x.end(), false) == x.end(); }

void shift(Moving<double>& body, const Vec3<double>& turn, const Vec3<double>& move) {
  if (turn.norm() > 0) body.X.R = Eigen::AngleAxisd(turn.norm(), turn.normalized()).toRotationMatrix() * body.X.R;
  body.X.p += move;
}

}  // namespace

bool complete(const Model& m, Bodies& body, const std::vector<bool>& known) {
  if (all_of(known)) return true;
  double left = 1;
  for (int i = 0; i < 60 && left > 1e-11; ++i) {  // each step squares what is left, the last one too
    const Equations e(m, body);
    const Part part(e, known);
    const VecX<double> open = e.open(part.rows), step = shortest_solution(e.C(part.rows, part.columns), -open);
    left = open.cwiseAbs().maxCoeff();
    for (std::size_t c = 0; c < part.columns.size(); c += 6) {
      const auto k = static_cast<Index>(c);
      shift(body[at(part.columns[c] / 6)], step.segment<3>(k), step.segment<3>(k + 3));
    }
  }
  const Equations e(m, body);
  const Part part(e, known);
  const VecX<double> others = e.moving(part.others), caused = e.C(part.rows, part.others) * others;
  const VecX<double> rates = shortest_solution(e.C(part.rows, part.columns), -caused);
  for (std::size_t c = 0; c < part.columns.size(); c += 6) {
    const auto k = static_cast<Index>(c);
    Moving<double>& b = body[at(part.columns[c] / 6)];
    b.w = rates.segment<3>(k);
    b.v = rates.segment<3>(k + 3);
  }
  return left < 1e-9;
}

void complete_accelerations(const Equations& e, const std::vector<bool>& known, VecX<double>& x) {
  if (all_of(known)) return;
  const Part part(e, known);
  const VecX<double> others = x(part.others), bias = e.c0(part.rows),
                     wanted = -(e.C(part.rows, part.others) * others + bias);
  const VecX<double> found = shortest_solution(e.C(part.rows, part.columns), wanted);
  for (std::size_t c = 0; c < part.columns.size(); ++c) x[part.columns[c]] = found[static_cast<Index>(c)];
}

// ------------------------------------------------------------------------------------------------ dynamics

namespace {

double friction(const std::string& function, double v) {
  if (function == "viscous") return v;
  if (function == "coulomb") return v > 0 ? 1 : v < 0 ? -1 : 0;
  if (function == "quadratic") return v * std::abs(v);
  throw std::invalid_argument("the witness knows no friction " + function);
}

/// What dampers and friction do against a coordinate's rate.
double resistance(const Coordinate& c, double v) {
  double sum = c.damping * v;
  for (const auto& [function, coefficient] : c.friction) sum += coefficient * friction(function, v);
  return sum;
}

/// (Y8): moments along B's axes of the springs on a ball's turns.
Vec3<double> ball_moments(const Equations& e, const Joint& j) {
  const auto t = static_cast<Index>(j.coordinate + first_turn(j.kind));
  const Transform<double> A = frame_on(moving_at(e.body, j.parent).X, j.A),
                          B = frame_on(moving_at(e.body, j.child).X, j.B);
  const Mat3<double> R = against<double>(ball_axes(j.kind, A, B), B.R);
  Vec3<double> moments;
  for (int k = 0; k < 3; ++k) {
    Mat3<double> spin = Mat3<double>::Zero();  // R (1 + eps e_k~)
    spin((k + 2) % 3, (k + 1) % 3) = 1, spin((k + 1) % 3, (k + 2) % 3) = -1;
    const Mat3<double> change = R * spin;
    Mat3<Number> turned;
    for (int i = 0; i < 9; ++i)
      turned(i / 3, i % 3).value = R(i / 3, i % 3), turned(i / 3, i % 3).d[0] = change(i / 3, i % 3);
    const Vec3<Number> r = vector_of(turned);
    moments[k] = 0;
    for (int i = 0; i < 3; ++i) {
      const Coordinate& c = e.m.coordinate[at(t + i)];
      moments[k] -= c.stiffness * (r[i].value - c.rest) * r[i].d[0];
    }
  }
  return moments;
}

/// (Y4) without drives and rotors.
VecX<double> coordinate_forces(const Equations& e) {
  VecX<double> f(e.q.size());
  for (Index c = 0; c < f.size(); ++c) {
    const Coordinate& x = e.m.coordinate[at(c)];
    f[c] = -x.stiffness * (e.q[c] - x.rest) - resistance(x, e.rate[c]);
  }
  for (const Joint& j : e.m.joint) {
    const int t = first_turn(j.kind);
    if (t < 0) continue;
    const Vec3<double> moments = ball_moments(e, j);
    for (int i = 0; i < 3; ++i) {
      const Index c = j.coordinate + t + i;
      f[c] = moments[i] - resistance(e.m.coordinate[at(c)], e.rate[c]);
    }
  }
  return f;
}

VecX<double> rotors(const Model& m) {
  VecX<double> J(static_cast<Index>(m.coordinate.size()));
  for (Index c = 0; c < J.size(); ++c) J[c] = m.coordinate[at(c)].rotor;
  return J;
}

Mat3<double> skew(const Vec3<double>& x) {
  Mat3<double> W;
  W << 0, -x[2], x[1], x[2], 0, -x[0], -x[1], x[0], 0;
  return W;
}
Vec3<double> first_moment(const Equations& e, std::size_t i) { return e.body[i].X.R * e.m.first[i]; }
Mat3<double> second_moment(const Equations& e, std::size_t i) {
  return e.body[i].X.R * e.m.second[i] * e.body[i].X.R.transpose();
}

/// M of (Y3), with the rotors of (Y6).
MatX<double> masses(const Equations& e) {
  MatX<double> M = e.S.transpose() * rotors(e.m).asDiagonal() * e.S;
  for (std::size_t i = 0; i < e.body.size(); ++i) {
    const Index k = 6 * static_cast<Index>(i);
    const Mat3<double> s = skew(first_moment(e, i));
    M.block<3, 3>(k, k) += second_moment(e, i);
    M.block<3, 3>(k, k + 3) += s;
    M.block<3, 3>(k + 3, k) -= s;
    M.block<3, 3>(k + 3, k + 3) += e.m.mass[i] * Mat3<double>::Identity();
  }
  return M;
}

void push(const Equations& e, int body, const Vec3<double>& point, const Vec3<double>& force, VecX<double>& F) {
  if (body == ground) return;
  const Vec3<double> arm = point - e.body[at(body)].X.p;
  F.segment<3>(6 * body) += times(arm, force);
  F.segment<3>(6 * body + 3) += force;
}

/// F of (Y5) with S^T f, drives and accelerations left out.
VecX<double> known_forces(const Equations& e, const std::vector<External>& external) {
  const VecX<double> J = rotors(e.m);
  VecX<double> F = e.S.transpose() * (coordinate_forces(e) - J.cwiseProduct(e.s0));
  for (std::size_t i = 0; i < e.body.size(); ++i) {
    const Vec3<double> w = e.body[i].w, s = first_moment(e, i), Iw = second_moment(e, i) * w, ws = times(w, s);
    F.segment<3>(6 * static_cast<Index>(i)) += times(s, e.m.gravity) - times(w, Iw);
    F.segment<3>(6 * static_cast<Index>(i) + 3) += e.m.mass[i] * e.m.gravity - times(w, ws);
  }
  for (const PointSpring& x : e.m.spring) {
    const Moving<double> A = moving_at(e.body, x.a), B = moving_at(e.body, x.b);
    const Vec3<double> a = point_on(A.X, x.point_a), b = point_on(B.X, x.point_b), along = (b - a).normalized();
    const double rate = along.dot(velocity_at(B, b) - velocity_at(A, a));
    const Vec3<double> pull = along * (x.stiffness * ((b - a).norm() - x.free_length) + x.damping * rate);
    push(e, x.a, a, pull, F);
    push(e, x.b, b, -pull, F);
  }
  for (const External& x : external) {
    if (x.body == ground) continue;
    push(e, x.body, Vec3<double>::Zero(), x.force, F);
    F.segment<3>(6 * x.body) += x.moment;
  }
  return F;
}

}  // namespace

namespace {

/// The size of N^T (a - b) before anything cancels: what rounding is in proportion to.
double terms(const MatX<double>& N, const VecX<double>& a, const VecX<double>& b) {
  return (N.cwiseAbs().transpose() * (a.cwiseAbs() + b.cwiseAbs())).norm() + std::numeric_limits<double>::min();
}

}  // namespace

Forward forward(const Equations& e, const Load& load) {
  const MatX<double>& N = e.allowed();
  const MatX<double> M = masses(e), MN = M * N, NMN = N.transpose() * MN;
  const VecX<double> F = known_forces(e, load.external) + e.S.transpose() * load.drive,
                     x0 = shortest_solution(e.C, -e.c0), rest = F - M * x0, right = N.transpose() * rest;
  Forward result;
  result.freedoms = static_cast<int>(N.cols());
  result.x = x0;
  if (N.cols() == 0) return result;
  const VecX<double> z = shortest_solution(NMN, right);
  result.x += N * z;
  result.residual = (NMN * z - right).norm() / terms(N, F, M * x0);
  const VecX<double> s = svd_of(NMN).s;
  result.loose = static_cast<int>((s.array() <= 1e-11 * s[0]).count());
  const Index firm = s.size() - result.loose;
  result.least_inertia = firm > 0 && s[0] > 0 ? s[firm - 1] / s[0] : 0;
  return result;
}

Inverse inverse(const Equations& e, const VecX<double>& x, const std::vector<External>& external) {
  const MatX<double>& N = e.allowed();
  const MatX<double> M = masses(e), MN = M * N, NMN = N.transpose() * MN;
  const VecX<double> Mx = M * x, F = known_forces(e, external), needed = N.transpose() * (Mx - F);
  const std::vector<int> driven = e.m.driven();
  MatX<double> T(N.cols(), static_cast<Index>(driven.size()));
  for (std::size_t i = 0; i < driven.size(); ++i)
    T.col(static_cast<Index>(i)) = N.transpose() * e.S.row(driven[i]).transpose();
  Inverse result;
  const VecX<double> s = NMN.size() > 0 ? svd_of(NMN).s : VecX<double>();
  result.freedoms = static_cast<int>(s.size() == 0 ? 0 : (s.array() > 1e-11 * s[0]).count());
  result.force = shortest_solution(T, needed);
  result.rank = rank_of(T);
  result.size = terms(N, Mx, F);
  result.residual = (T * result.force - needed).norm() / result.size;
  result.spread = 1;
  if (T.size() > 0) {
    const VecX<double> t = svd_of(T).s;
    const Index most = std::min<Index>(T.cols(), result.freedoms);
    result.spread = most > 0 ? t[most - 1] / std::max(t[0], 1e-6) : 0;  // rates below that are no rates of drives
  }
  return result;
}

External on_base(const Equations& e, const VecX<double>& x, const std::vector<External>& external,
                 const std::vector<bool>& carried) {
  External sum{ground, Vec3<double>::Zero(), Vec3<double>::Zero()};
  for (std::size_t i = 0; i < e.body.size(); ++i) {
    if (!carried[i]) continue;
    const Index k = 6 * static_cast<Index>(i);
    const Vec3<double> w = e.body[i].w, p = e.body[i].X.p, s = first_moment(e, i), dw = x.segment<3>(k),
                       a = x.segment<3>(k + 3);
    const Mat3<double> I = second_moment(e, i);
    const Vec3<double> free = a - e.m.gravity, ws = times(w, s), Iw = I * w;
    const Vec3<double> force = e.m.mass[i] * free + times(dw, s) + times(w, ws),
                       moment = I * dw + times(s, free) + times(w, Iw);
    sum.force -= force;
    sum.moment -= moment + times(p, force);
  }
  for (const External& f : external) {
    if (f.body == ground || !carried[at(f.body)]) continue;
    sum.force += f.force;
    sum.moment += f.moment;
  }
  return sum;
}

// ------------------------------------------------------------------------------------------------ energy

namespace {

template <class S>
S kinetic(const Model& m, const std::vector<Moving<S>>& body) {
  S T(0.0);
  for (std::size_t i = 0; i < body.size(); ++i) {
    const Moving<S>& b = body[i];
    const Mat3<S> I = m.second[i].cast<S>();
    const Vec3<S> own = b.X.R.transpose() * b.w, Iw = I * own, first = m.first[i].cast<S>(), s = b.X.R * first,
                  ws = times(b.w, s);
    T = T + S(0.5) * (S(m.mass[i]) * inner(b.v, b.v) + inner(own, Iw)) + inner(b.v, ws);
  }
  for (const Joint& j : m.joint) {
    const std::array<S, 6> rate = rates(j, moving_at(body, j.parent), moving_at(body, j.child));
    for (int i = 0; i < free_coordinates(j.kind); ++i)
      T = T + S(0.5 * m.coordinate[at(j.coordinate + i)].rotor) * rate[at(i)] * rate[at(i)];
  }
  return T;
}

template <class S>
S potential(const Model& m, const std::vector<Moving<S>>& body) {
  S V(0.0);
  const Vec3<S> g = m.gravity.template cast<S>();
  for (std::size_t i = 0; i < body.size(); ++i) {
    const Vec3<S> s = m.first[i].template cast<S>(), weighed = body[i].X.p * S(m.mass[i]) + body[i].X.R * s;
    V = V - inner(g, weighed);
  }
  for (const Joint& j : m.joint) {
    const std::array<S, 6> q = positions(j, moving_at(body, j.parent).X, moving_at(body, j.child).X);
    for (int i = 0; i < free_coordinates(j.kind); ++i) {
      const Coordinate& c = m.coordinate[at(j.coordinate + i)];
      const S stretch = q[at(i)] - S(c.rest);
      V = V + S(0.5 * c.stiffness) * stretch * stretch;
    }
  }
  for (const PointSpring& x : m.spring) {
    const Vec3<S> d = point_on(moving_at(body, x.b).X, x.point_b) - point_on(moving_at(body, x.a).X, x.point_a);
    const S stretch = length_of(d) - S(x.free_length);
    V = V + S(0.5 * x.stiffness) * stretch * stretch;
  }
  return V;
}

double losses(const Equations& e) {
  double P = 0;
  for (Index c = 0; c < e.rate.size(); ++c) P += resistance(e.m.coordinate[at(c)], e.rate[c]) * e.rate[c];
  for (const PointSpring& x : e.m.spring) {
    const Moving<double> A = moving_at(e.body, x.a), B = moving_at(e.body, x.b);
    const Vec3<double> a = point_on(A.X, x.point_a), b = point_on(B.X, x.point_b);
    const double rate = (b - a).normalized().dot(velocity_at(B, b) - velocity_at(A, a));
    P += x.damping * rate * rate;
  }
  return P;
}

}  // namespace

double Powers::size() const {
  return std::abs(kinetic) + std::abs(potential) + std::abs(drives) + std::abs(external) + std::abs(losses);
}

Powers powers(const Equations& e, const VecX<double>& x, const Load& load) {
  const std::vector<Moving<Number>> then = next(e.body, x);
  Powers p;
  p.kinetic = kinetic(e.m, then).d[0];
  p.potential = potential(e.m, then).d[0];
  p.drives = load.drive.dot(e.rate);
  for (const External& f : load.external) {
    if (f.body == ground) continue;
    const Moving<double>& b = e.body[at(f.body)];
    p.external += f.moment.dot(b.w) + f.force.dot(velocity_at<double>(b, Vec3<double>::Zero()));
  }
  p.losses = losses(e);
  return p;
}

double kinetic_energy(const Equations& e) { return kinetic(e.m, e.body); }

}  // namespace gough::witness
