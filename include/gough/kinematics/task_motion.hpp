#pragma once
/// All joints' velocities and accelerations from those of the platform, or of the drives.       docs/theory/motion.md
///   E q' = x',    E q'' = x'' - E' q'                                                                      (E4)
/// x' are the task's components of the platform's twist (velocity of its frame's origin, angular velocity, base axes) and
/// the rates of elastic joints; with the loops' explicit form, (E G) y' = x'.
#include <span>

#include "gough/kinematics/answer.hpp"
#include "gough/kinematics/stages.hpp"

namespace gough {

/// What moves the mechanism: the platform's task coordinates, or its drives.
enum class Master { platform, drives };

template <Scalar S>
struct MasterForm {
  Master master;
  std::vector<int> task;     ///< which of x y z rx ry rz; none for drives
  std::vector<int> elastic;  ///< velocity coordinates that are masters themselves
  Selection s;
  std::vector<int> rows, columns;  ///< pivots of E G
  ExplicitForm<S> form;
  MatX<S> J;   ///< 6 x nv
  MatX<S> EG;  ///< as many as freedoms
  MatX<S> right, work;
  VecX<S> yd, ydd;
  S smallest_pivot{1.0};
  bool closed = false;  ///< see closure_bias

  template <Scalar T>
  MasterForm(const Structure& m, const MasterForm<T>& o);  ///< the same choices for another scalar
  MasterForm(const Structure& m, Master by, Selection choice);
  void size(const Structure& m);
};

/// Chooses coordinates and pivots at the workspace's position (brought to stage closure). Throws Error where the masters
/// are not as many as the mechanism's freedoms.
MasterForm<double> make_master_form(const Mechanism<double>& m, Workspace<double>& w, Master master);

/// The platform's twist and acceleration, base axes, at the origin of its frame.
template <Scalar S>
struct PlatformRates {
  Vec3<S> v = Vec3<S>::Zero(), w = Vec3<S>::Zero(), a = Vec3<S>::Zero(), dw = Vec3<S>::Zero();
};
template <Scalar S>
PlatformRates<S> platform_rates(const Mechanism<S>& m, const Workspace<S>& w);

/// Reads q (stage closure), `x` (its task components), and w.v, w.a of the elastic masters. Writes v, V, k, a, A.  (E4)
template <Scalar S>
void motion_from_platform(const Mechanism<S>& m, Workspace<S>& w, MasterForm<S>& f, const PlatformRates<S>& x);
/// The same from the drives: reads w.v and w.a at the drives alone.
template <Scalar S>
void motion_from_drives(const Mechanism<S>& m, Workspace<S>& w, MasterForm<S>& f);

#define GOUGH_TASK_MOTION(S, EXTERN)                                                            \
  EXTERN template struct MasterForm<S>;                                                         \
  EXTERN template MasterForm<S>::MasterForm(const Structure&, const MasterForm<double>&);       \
  EXTERN template PlatformRates<S> platform_rates(const Mechanism<S>&, const Workspace<S>&);    \
  EXTERN template void motion_from_platform(const Mechanism<S>&, Workspace<S>&, MasterForm<S>&, \
                                            const PlatformRates<S>&);                           \
  EXTERN template void motion_from_drives(const Mechanism<S>&, Workspace<S>&, MasterForm<S>&);
GOUGH_TASK_MOTION(double, extern)
GOUGH_TASK_MOTION(Dual<double>, extern)

}  // namespace gough
