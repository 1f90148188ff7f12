#pragma once
/// Legs in closed form: all joints of a leg from the platform's pose.                      docs/theory/legs_ik.md
///
/// A leg is a root joint (revolute or prismatic, or none) and rods. The root must bring each rod's pivot E to the
/// rod's length l from the rod's end B on the platform:
///   revolute   E(q) = Rz(q) e    (e_x b_x + e_y b_y) cos q + (e_x b_y - e_y b_x) sin q                       (I1)
///                                  = (e^2 + b^2 - l^2)/2 - e_z b_z
///   prismatic  E(q) = e + q z    q = (b - e)_z +- sqrt(l^2 - |(b - e)_xy|^2)                                 (I2)
/// Then two crossing revolutes at right angles aim the rod along u = B - E:
///   q1 = atan2(-u_x, u_y) - azimuth(axis 2) (or half a turn more), q2 from the angle left in the plane       (I3)
/// or one revolute does in a plane; a prismatic joint extends it by |u| - l. A PSP leg's slide brings the ball's
/// centre to where the arm's line passes nearest.                                                             (I4)
#include <string>
#include <vector>

#include "gough/kinematics/stages.hpp"
#include "gough/model/leg_form.hpp"

namespace gough {

/// The forms of all legs; `w` is at the assembled home (it tells which answers are home's).
std::vector<LegForm> recognise_legs(const Mechanism<double>& m, const Workspace<double>& w);

/// Compares the forms with the equations of the loops at closed poses near home: those that leave them open become general. Notes the
/// outcome in m.fast_path. Ranks must be known.
void prove_leg_forms(Mechanism<double>& m);

struct LegAnswer {
  bool reached = true;
  double short_by = 0;  ///< how far the leg's end misses its place on the platform [m]
};

/// Solves leg i for the platform body's pose (base frame) and writes its joints into q. `sign`: +1 home's working mode,
/// -1 the other one. Angles are continued from those in q.
LegAnswer solve_leg(const Mechanism<double>& m, int leg, const Transform<double>& platform, double sign,
                    VecX<double>& q);

/// Only the aiming joints, with the root where q has it.
void aim_leg(const Mechanism<double>& m, int leg, const Transform<double>& platform, VecX<double>& q);

/// For an RR leg: the root for a wanted origin of the platform's frame (base frame), and the pose that its second link,
/// the platform's body, then has.
LegAnswer solve_platform_link(const Mechanism<double>& m, int leg, const Vec3<double>& origin, double sign,
                              VecX<double>& q, Transform<double>& platform);

/// The circle on which a planar leg's end can lie for the root in q: its centre in the base and the radius (0: one
/// point), and the point of the platform's body that must lie on it.
struct LegCircle {
  Vec3<double> centre;
  double radius = 0;
  Vec3<double> on_platform;
};
LegCircle leg_circle(const Mechanism<double>& m, int leg, const VecX<double>& q);

}  // namespace gough
