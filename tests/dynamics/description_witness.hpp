#pragma once
/// Newton's and Euler's equations on a robot's description itself: every body that its author names is free, also those that fixed
/// joints hold together and those without mass. No tree, no cuts, no merging, no minimal coordinates, and no code of the library: only
/// its containers and dual numbers. Slow and obvious; it judges everything between a description and its dynamics.
///
/// x holds the accelerations of all bodies, base axes: (w'; a), a of the frame's origin p. Frame A of a joint is fixed to its parent,
/// frame B, with origin b, to its child. Six lines (n, f) per joint measure how B moves against A:
///   rate = n . (w_child - w_parent) + f . (v_child - v_parent), both bodies' velocities at b                (Y1)
/// The first are those of the free coordinates q, which define their rates; the rest vanish. A coordinate that is locked has a rate
/// that vanishes too. By the principle of power a line is the wrench on the child, and its opposite on the parent, of a unit force on
/// the coordinate, or of a unit reaction. A body's part of a row is (n + (b - p) x f; f). Along the motion in which w and v of all bodies
/// stay as they are, dual numbers differentiate (Y1) exactly; the derivatives are s_0 and c_0:
///   q'' = S x + s_0,     0 = C x + c_0                                                                      (Y2)
/// For each body, with mass m, first and second moment s and I about its origin in base axes,
///   m a + w' x s + w x (w x s) = force,     I w' + s x a + w x I w = moment                                 (Y3)
/// A rotor (inertia J, ratio u) has the energy J u^2 q'^2 / 2. With the force on each coordinate
///   f = tau - c (q - q_0) - d q' - friction(q') - J u^2 q''                                                 (Y4)
/// and F what is known besides (weight, springs between points, wrenches, what velocities make of (Y3)):
///   M x = F + S^T f + C^T lambda                                                                            (Y5)
/// The accelerations that C allows are x_0 + N z with C x_0 = -c_0, C N = 0; reactions have no power on N, so
///   N^T (M + S^T J u^2 S) N z = N^T (F + S^T (f at q'' = s_0) - (M + S^T J u^2 S) x_0)                      (Y6)
/// and the drives' forces for given accelerations solve N^T S_d^T tau = N^T (inertial - known).              (Y7)
/// Springs on a ball's three turns have the energy sum c_i (r_i - r_0i)^2 / 2, r the rotation vector of B against A; the moment along
/// B's axis k is minus the energy's derivative for a turn about that axis, again by dual numbers.            (Y8)
#include <array>
#include <optional>
#include <string>
#include <vector>

#include "gough/model/description.hpp"
#include "gough/scalar/dual.hpp"

namespace gough::witness {

using Eigen::Index;

// ------------------------------------------------------------------------------------------------ the robot

inline constexpr int ground = -1;  ///< the base as a body

/// A body in motion: pose, angular velocity, velocity of its frame's origin; base axes.
template <class S>
struct Moving {
  Transform<S> X;
  Vec3<S> w = Vec3<S>::Zero(), v = Vec3<S>::Zero();
};
using Bodies = std::vector<Moving<double>>;  ///< in the description's order

struct Coordinate {
  std::string name;
  double stiffness = 0, damping = 0, rest = 0;
  double rotor = 0;  ///< J u^2
  std::vector<std::pair<std::string, double>> friction;
  bool actuated = false, elastic = false, locked = false;
  double locked_at = 0;
};

struct Joint {
  std::string name;
  JointKind kind;
  int parent, child;
  Transform<double> A, B;
  double length;
  int coordinate;  ///< its first
};

/// A ball that must not spin: a direction on its parent and one on its child stay at right angles, as in a universal joint.
struct SpinLock {
  int joint;
  Vec3<double> on_parent, on_child;
};

struct PointSpring {
  int a, b;
  Vec3<double> point_a, point_b;
  double stiffness, damping, free_length;
};

struct Model {
  std::vector<std::string> body;
  std::vector<double> mass;
  std::vector<Vec3<double>> first;  ///< moments about the body's origin, in its axes
  std::vector<Mat3<double>> second;
  std::vector<Joint> joint;
  std::vector<Coordinate> coordinate;
  std::vector<PointSpring> spring;
  std::vector<SpinLock> spin_lock;
  Vec3<double> gravity;

  explicit Model(const RobotDescription& robot);

  int bodies() const { return static_cast<int>(body.size()); }
  int find_body(const std::string& name) const;        ///< ground for the base
  int find_joint(const std::string& name) const;       ///< -1: none
  int find_coordinate(const std::string& name) const;  ///< -1: none
  std::vector<int> actuated() const;                   ///< coordinates, in the description's order
  std::vector<int> driven() const;                     ///< these, then those that are only elastic
};

// ------------------------------------------------------------------------------------------------ one state

/// (Y1) and (Y2) of all joints.
struct Equations {
  const Model& m;
  Bodies body;
  VecX<double> q, rate;  ///< of all coordinates
  MatX<double> S, C;     ///< coordinates x 6 bodies, constraints x 6 bodies
  VecX<double> s0, c0;
  VecX<double> open;    ///< how far each constraint is open as a position [m or rad]
  VecX<double> moving;  ///< velocities of all bodies, (w; v) of each

  /// Must not outlive `model`.
  Equations(const Model& model, Bodies bodies);

  Index columns() const { return C.cols(); }
  /// How far the worst joint is open.
  double worst() const { return open.size() > 0 ? open.cwiseAbs().maxCoeff() : 0.0; }
  /// Motions that the constraints allow: an orthonormal basis, found when first asked for.
  const MatX<double>& allowed() const;

 private:
  mutable std::optional<MatX<double>> allowed_;
  Index row_ = 0;  ///< the next constraint

  const Moving<double>& at_body(int i) const;
  void measure(std::size_t j);
  void measure_lock(const SpinLock& lock);
  void add(const Vec3<double>& n, const Vec3<double>& f, const Vec3<double>& b, int parent, int child, MatX<double>& to,
           Index row) const;
};

/// 6 bodies - rank of C.
int mobility(const Equations& e);

/// Poses of the bodies that are not `known`, near where they stand, so that their joints close, then velocities that keep them closed:
/// the shortest, where they are not unique. False: not found.
bool complete(const Model& m, Bodies& body, const std::vector<bool>& known);
/// The same for accelerations x.
void complete_accelerations(const Equations& e, const std::vector<bool>& known, VecX<double>& x);

// ------------------------------------------------------------------------------------------------ dynamics

/// A wrench from outside on a body, about the base's origin, base axes.
struct External {
  int body;
  Vec3<double> moment, force;
};
struct Load {
  VecX<double> drive;  ///< per coordinate: the force of its drive
  std::vector<External> external;
};

struct Forward {
  VecX<double> x;            ///< accelerations of all bodies
  int freedoms = 0;          ///< columns of N
  int loose = 0;             ///< of these: motions that no inertia resists
  double least_inertia = 0;  ///< the smallest eigenvalue of (Y6)'s matrix that is not one of those, over the largest
  double residual = 0;       ///< of (Y6), over its terms: above rounding, a force acts where no inertia resists
};
Forward forward(const Equations& e, const Load& load);

struct Inverse {
  VecX<double> force;   ///< per driven coordinate (Model::driven); the shortest of all that come nearest
  int freedoms = 0;     ///< without loose ones
  int rank = 0;         ///< of what the drives can do
  double spread = 0;    ///< smallest over largest singular value of that, at least 1e-6; 1 without drives
  double residual = 0;  ///< of (Y7), over its terms: above rounding, the drives cannot make this motion
  double size = 0;      ///< of (Y7)'s terms
};
Inverse inverse(const Equations& e, const VecX<double>& x, const std::vector<External>& external);

/// What the base feels of all bodies that are `carried`, about its origin: weight and wrenches less their change of momentum.
External on_base(const Equations& e, const VecX<double>& x, const std::vector<External>& external,
                 const std::vector<bool>& carried);

// ------------------------------------------------------------------------------------------------ energy

struct Powers {
  double kinetic = 0, potential = 0;  ///< rates of the energies, by dual numbers along the motion
  double drives = 0, external = 0, losses = 0;

  double open() const { return kinetic + potential + losses - drives - external; }
  double size() const;
};
/// For accelerations x; shares no term with (Y3) and (Y5).
Powers powers(const Equations& e, const VecX<double>& x, const Load& load);

double kinetic_energy(const Equations& e);

}  // namespace gough::witness
