#pragma once
/// Newton's and Euler's equations of every body by itself: slow, obvious, and nothing in common with the library but the
/// poses of the bodies. What it says about forces and accelerations is what the library's dynamics are tested against.
///
/// Every body j of the tree is free. x holds the accelerations of all, base axes: (w_j', acceleration of its origin o_j).
/// A joint, of the tree or cut, lets frame B on its child move against frame A on its parent. Six lines (n, f), moments
/// and forces through b, B's origin, measure that motion: with w the relative angular velocity and v the relative
/// velocity of the two bodies at b,
///   rate = n . w + f . v                                                                                   (N1)
/// Lines of the free coordinates give the coordinates' rates q', the others give rates that vanish. By the principle of
/// power, the same line is the wrench on the child (and its opposite on the parent) of a unit force on the coordinate, or
/// of a unit reaction. Derivatives of (N1), with what velocities contribute found by dual numbers:
///   q'' = S x + s_0          coordinates                                                                   (N2)
///   0   = C x + c_0          constraints                                                                   (N3)
/// Each body, about its origin, with m, s, I mass, first and second moment in base axes:
///   m a + w' x s + w x (w x s)     = force                                                                 (N4)
///   I w' + s x a + w x I w         = moment                                                                (N5)
/// together M x + h = F + S^T f + C^T lambda. The force on a coordinate, u the ratio and J the rotor's inertia, is
///   f = tau - c (q - q_0) - d q' - friction(q') - J u^2 q''                                                (N6)
#include <Eigen/Dense>
#include <stdexcept>

#include "decompositions.hpp"
#include "kinematics/states.hpp"

namespace gough::newton_euler {

using Eigen::Index;

/// A wrench on a body from outside, about the base's origin, base axes.
struct External {
  int body = base;
  Force<double> wrench;
};

/// What acts besides gravity, springs and friction: drives (along +q, at the joint's side) and external wrenches.
struct Load {
  VecX<double> tau;
  std::vector<External> external;
};

// ------------------------------------------------------------------------------------------------ motion of a joint

/// A body, or the base: pose, angular velocity, velocity of its origin; base axes.
template <class S>
struct Body {
  Transform<S> X;
  Vec3<S> w = Vec3<S>::Zero(), v = Vec3<S>::Zero();

  Vec3<S> velocity_at(const Vec3<S>& point) const { return v + cross<S>(w, point - X.p); }
};

/// The body in the next instant, if neither w nor v change.
Body<D> drifting(const Body<double>& body);

/// A joint of the tree or a cut one: frame A on its parent, frame B on its child.
struct Joint {
  JointKind kind;
  int parent, child;
  Transform<double> A, B;
  int coordinate;  ///< its first, in Structure::coordinate
};

/// Tree joint j carries body j; then the cut joints.
std::vector<Joint> joints(const Mechanism<double>& m);

/// A moment and a force through B's origin, base axes.
template <class S>
struct Line {
  Vec3<S> n, f;
};

/// The six lines of a joint: first those of its free coordinates, in their order, then those of its constraints.
template <class S>
std::array<Line<S>, 6> lines(JointKind kind, const Transform<S>& A, const Transform<S>& B) {
  const auto turn = [](const Vec3<S>& n) -> Line<S> { return {n, Vec3<S>::Zero()}; };
  const auto slide = [](const Vec3<S>& f) -> Line<S> { return {Vec3<S>::Zero(), f}; };
  const Vec3<S> ax = A.R.col(0), ay = A.R.col(1), az = A.R.col(2), bx = B.R.col(0), by = B.R.col(1), bz = B.R.col(2);
  switch (kind) {
    case JointKind::fixed: return {slide(ax), slide(ay), slide(az), turn(ax), turn(ay), turn(az)};
    case JointKind::revolute: return {turn(az), slide(ax), slide(ay), slide(az), turn(ax), turn(ay)};
    case JointKind::prismatic: return {slide(az), slide(ax), slide(ay), turn(ax), turn(ay), turn(az)};
    case JointKind::universal: return {turn(az), turn(bx), slide(ax), slide(ay), slide(az), turn(cross(az, bx))};
    case JointKind::cylindrical: return {turn(az), slide(az), slide(ax), slide(ay), turn(ax), turn(ay)};
    case JointKind::spherical: return {turn(bx), turn(by), turn(bz), slide(ax), slide(ay), slide(az)};
    case JointKind::planar: return {slide(ax), slide(ay), turn(az), slide(az), turn(ax), turn(ay)};
    case JointKind::point_on_line: return {slide(az), turn(bx), turn(by), turn(bz), slide(ax), slide(ay)};
    case JointKind::point_on_plane: return {slide(ax), slide(ay), turn(bx), turn(by), turn(bz), slide(az)};
    case JointKind::free: return {slide(ax), slide(ay), slide(az), turn(bx), turn(by), turn(bz)};
    case JointKind::distance:
    case JointKind::modal: break;
  }
  // A rod along d_z, its frame turned by q1 about a_x, then by q2 about d_y; b moves with v = l (q1' a_x + q2' d_y) x d_z.
  // a_x = cos q2 d_x + sin q2 d_z, so v = l (-q1' cos q2 d_y + q2' d_x). B turns against the rod: w - q1' a_x - q2' d_y.
  const Vec3<S> d = B.p - A.p;
  const S l = sqrt(dot(d, d));
  const Vec3<S> dz = d / l, across = cross(dz, ax);
  const S cos2 = sqrt(dot(across, across));
  const Vec3<S> dy = across / cos2, dx = cross(dy, dz), q1 = dy / (-(l * cos2)), q2 = dx / l;
  const auto ball = [&](const Vec3<S>& b) -> Line<S> { return {b, -(q1 * dot(b, ax) + q2 * dot(b, dy))}; };
  return {slide(q1), slide(q2), ball(bx), ball(by), ball(bz), slide(dz)};
}

/// (N1) for all six lines.
template <class S>
Vec6<S> rates(const Joint& joint, const Body<S>& parent, const Body<S>& child) {
  const Transform<S> A = parent.X * joint.A.cast<S>(), B = child.X * joint.B.cast<S>();
  const Vec3<S> w = child.w - parent.w, v = child.velocity_at(B.p) - parent.velocity_at(B.p);
  const auto line = lines(joint.kind, A, B);
  Vec6<S> rate;
  for (int i = 0; i < 6; ++i) rate[i] = dot(line[at(i)].n, w) + dot(line[at(i)].f, v);
  return rate;
}

Vec3<double> rotation_vector_of(const Mat3<double>& R);

/// Positions of a joint's free coordinates; a ball's turns are a rotation vector.
Vec6<double> positions(const Joint& joint, const Body<double>& parent, const Body<double>& child);

// ------------------------------------------------------------------------------------------------ all bodies

/// What (N2) and (N3) say of all bodies at a position with given rates of the tree's joints. Must not outlive `m`.
struct FreeBodies {
  const Mechanism<double>& m;
  std::vector<Joint> joint;
  std::vector<Body<double>> body;
  std::vector<std::array<Line<double>, 6>> line;  ///< per joint
  std::vector<Vec3<double>> point;                ///< per joint: B's origin
  std::vector<int> constraint;                    ///< per joint: its first row of C
  VecX<double> position, rate;                    ///< of all coordinates
  VecX<double> forbidden;                         ///< rates of the constraints: zero where loops are closed
  MatX<double> S, C;                              ///< coordinates x 6 bodies, constraints x 6 bodies
  VecX<double> s0, c0;

  FreeBodies(const Mechanism<double>& robot, const VecX<double>& q, const VecX<double>& v);

  Body<double> body_at(int i) const { return i == base ? Body<double>{} : body[at(i)]; }

  /// Lines as rows that act on (w, v of the origin) of the body, 6 x 6: a force at b has a moment about the origin.
  Eigen::Matrix<double, 6, 6> rows(std::size_t j, int i) const;

  /// What velocities alone make of the second derivatives of (N1).
  Vec6<double> drift(std::size_t j) const;

  /// The accelerations x of all bodies from those of the tree's coordinates, body by body.
  VecX<double> accelerations(const VecX<double>& a) const;

  /// Forces on a joint's six lines as one wrench on its child, about the base's origin.
  Force<double> wrench(std::size_t j, const Vec6<double>& force) const;

 private:
  void place(const VecX<double>& q);

  /// The velocity of body j is the one for which (N1) gives the joint's rates, and zero for its constraints.
  void set_velocity(std::size_t j, const VecX<double>& v);

  void measure(const VecX<double>& q);

  void measure(std::size_t j);
};

// ------------------------------------------------------------------------------------------------ forces

/// A force through a point of a body, as it acts on (w, v of the origin).
void add_force(const FreeBodies& b, int i, const Vec3<double>& point, const Vec3<double>& force, VecX<double>& F);

/// A point-to-point spring: its ends, its length and how fast that grows.
struct Stretched {
  Vec3<double> a, b, direction;  ///< from a to b
  double length, rate;
};
Stretched stretched(const FreeBodies& f, std::size_t i);
/// What draws its ends together.
double spring_force(const FreeBodies& f, std::size_t i);

/// Friction of coordinate c against its rate.
double friction(const FreeBodies& b, std::size_t c);

/// (N6) without drives and rotors.
VecX<double> coordinate_forces(const FreeBodies& b);

/// Forces of the drives at their coordinates.
VecX<double> drive_forces(const FreeBodies& b, const VecX<double>& tau);

/// J u^2 of each coordinate.
VecX<double> rotors(const Mechanism<double>& m);

Mat3<double> skew(const Vec3<double>& x);

/// First and second moment of body j, base axes, about its origin.
Vec3<double> first_moment(const FreeBodies& b, std::size_t j);
Mat3<double> second_moment(const FreeBodies& b, std::size_t j);

/// M of (N4), (N5), with the rotors.
MatX<double> mass_matrix(const FreeBodies& b);

/// What pulls and turns the bodies besides drives and reactions, less h of (N4), (N5) and of the rotors.
VecX<double> known_forces(const FreeBodies& b, const std::vector<External>& external);

// ------------------------------------------------------------------------------------------------ solving

struct BodyAcceleration {
  Vec3<double> angular, origin;  ///< base axes; ordinary acceleration of the frame's origin
};

struct Forward {
  VecX<double> a;                       ///< nv: derivatives of the tree's velocity coordinates
  VecX<double> cut_a;                   ///< the same of the cut joints' coordinates
  std::vector<BodyAcceleration> body;   ///< per body
  std::vector<Force<double>> reaction;  ///< per joint (tree, then cut): of its constraints on its child, about the base
  std::vector<Force<double>> transmitted;  ///< the same with drive, spring, damper, friction and rotor
  std::vector<bool> reaction_unique;       ///< per joint: bodies are rigid, so redundant constraints share at will
  bool unique = false;                     ///< the accelerations: nothing without inertia moves freely
  double residual = 0;                     ///< of the bodies' equations, over the largest force
  Force<double> base_wrench;               ///< of the base on all that it carries, about its origin

  bool reactions_unique() const {
    return std::all_of(reaction_unique.begin(), reaction_unique.end(), [](bool b) { return b; });
  }
};

/// Wrenches in the joints from the forces on their constraints and coordinates, and what of them comes from the base.
void set_joint_wrenches(const FreeBodies& b, const VecX<double>& lambda, const VecX<double>& force, Forward& result);

/// Accelerations and reactions under a load, at a closed position with closed rates. The accelerations that the
/// constraints allow are x = x_0 + N z, C N = 0. Reactions have no power on N, which leaves
///   N^T M N z = N^T (F - M x_0),      then   C^T lambda = M x - F                                          (N7)
Forward forward(const Mechanism<double>& m, const VecX<double>& q, const VecX<double>& v, const Load& load);

struct Inverse {
  VecX<double> tau;     ///< per actuator, along +q; the shortest of all that do it
  bool unique = false;  ///< no drives work against each other
  double residual = 0;  ///< of the equations of motion, over their largest term; above rounding: the drives cannot
};

/// Forces of the drives for given accelerations of the tree's coordinates, at a closed state.
///   N^T S_tau^T tau = N^T (M x - F)                                                                        (N8)
Inverse inverse(const Mechanism<double>& m, const VecX<double>& q, const VecX<double>& v, const VecX<double>& a,
                const std::vector<External>& external = {});

// ------------------------------------------------------------------------------------------------ energy, momentum

struct Energies {
  double kinetic = 0;      ///< with rotors
  double potential = 0;    ///< gravity (zero at the base's origin), springs in joints and between points
  double dissipated = 0;   ///< power of dampers and friction, in cut joints too
  Force<double> momentum;  ///< moment of momentum about the base's origin; momentum
};

Energies energies(const Mechanism<double>& m, const VecX<double>& q, const VecX<double>& v);

double actuator_power(const Mechanism<double>& m, const VecX<double>& v, const VecX<double>& tau);

double external_power(const Mechanism<double>& m, const VecX<double>& q, const VecX<double>& v,
                      const std::vector<External>& external);

}  // namespace gough::newton_euler
