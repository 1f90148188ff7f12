#pragma once
/// Control in discrete time: what a law sees, what stands between it and the robot.           docs/theory/control.md
///
///   Reference path = reference_of(model, trajectory, 5e-4);
///   ControlLaw law = computed_force(gains_for(model, {}));
///   w.q = standing_at(plant, path.rows.front().q).q;
///   simulate(plant, w, times, {.hold = 5e-4}, sampled(plant, path, law, {}), on_row);
/// A law is a function of one sample; users write their own.
#include <functional>
#include <limits>
#include <memory>

#include "gough/dynamics/along.hpp"
#include "gough/identification/base_parameters.hpp"
#include "gough/kinematics/trajectory.hpp"
#include "gough/simulation/simulate.hpp"

namespace gough {

/// The desired motion of the actuators, sample by sample.
struct Reference {
  struct Row {
    MotionState state;
    VecX<double> q, v, a;                                              ///< of the actuators
    VecX<double> tau;                                                  ///< the model's forces for it
    Vec3<double> p = Vec3<double>::Zero(), pv = Vec3<double>::Zero();  ///< the platform's origin, its velocity
  };
  double period = 0;
  bool has_platform = false;
  VecX<double> resting;  ///< the model's forces that hold it at the start, friction aside
  std::vector<Row> rows;

  /// The row at time t; the first before it starts, the last after it ends.
  const Row& at(double t) const;
};

/// Between samples: cubic polynomials through positions and rates.
struct Desired {
  VecX<double> q, v;                      ///< of the actuators
  Vec3<double> p = Vec3<double>::Zero();  ///< of the platform's origin, where there is one
};
Desired desired_at(const Reference& reference, double t);

struct ReferenceOptions {
  double speed = 1;                               ///< times as fast as the trajectory
  ElasticMotion elastic = ElasticMotion::locked;  ///< quasistatic: drives make up for what elastic joints yield
};
/// Throws Error where the model cannot follow.
Reference reference_of(const Mechanism<double>& model, const Trajectory& trajectory, double period,
                       const ReferenceOptions& options = {});

/// A robot that stands, drives held: its positions, elastic joints yielding, and the forces that hold it, friction aside.
struct Standing {
  VecX<double> q, tau;
};
/// Throws Error where drives cannot be at `actuators`.
Standing standing_at(const Mechanism<double>& m, const VecX<double>& actuators);

/// What a law sees at a sample.
struct ControlSample {
  double t = 0, period = 0;
  VecX<double> q, v;                  ///< measured positions, estimated rates
  VecX<double> desired_q, desired_v;  ///< now; rates through the same estimate as the measured ones
  const Reference::Row& ahead;        ///< desired when the forces act: for feedforward
  VecX<double> standing, resting;     ///< forces that hold the robot at the start, and that the model has for it
  VecX<double> clipped;               ///< +1, -1: that drive's last force was more than its limits allow; 0: it acted
};
/// Forces of the actuators. A law may keep integrals: one law for one run.
using ControlLaw = std::function<VecX<double>(const ControlSample&)>;

struct SamplingOptions {
  double encoder = 0;          ///< step of the encoders [m or rad]
  double velocity_filter = 0;  ///< [Hz] first-order low pass on differences of positions; 0: none
  int delay = 1;               ///< samples between a measurement and its force
  double force = std::numeric_limits<double>::infinity();       ///< limit beside the robot's [N or N m]
  double force_rate = std::numeric_limits<double>::infinity();  ///< [N/s or N m/s]
};

/// A law as a simulation's controller: asked once in a period of the reference, its forces held; quantised positions, rates
/// from their differences, delay and limits of the forces. The robot has stood until the first force acts.
Controller sampled(const Mechanism<double>& plant, Reference reference, ControlLaw law, const SamplingOptions& options);

// ------------------------------------------------------------------------------------------------ laws

/// v* = v_d + k_p (q_d - q),   tau = k_v (v* - v) + k_i int (v* - v) dt + m_a a_d                              (K1)
struct JointGains {
  VecX<double> position;  ///< k_p [1/s]
  VecX<double> velocity;  ///< k_v [N s/m or N m s/rad]
  VecX<double> integral;  ///< k_i [N/m or N m/rad]
  VecX<double> mass;      ///< m_a, what a drive feels of the robot at home [kg or kg m^2]
};
struct Bandwidths {
  double position = 5, velocity = 80;  ///< [Hz]; the velocity loop's in the direction in which the robot is lightest
};
/// k_p = w_p, k_v = mu m_a w_v, k_i = k_v w_p / 4, with mu the least eigenvalue of the mass matrix scaled to ones. (K2)
/// Throws Error where there are not as many actuators as freedoms.
JointGains gains_for(const Mechanism<double>& model, const Bandwidths& bandwidths);

/// Single joints, (K1).
ControlLaw joint_control(const JointGains& gains);

/// (K1) without m_a a_d, plus the forces of the reference: inverse dynamics of the desired motion (computed force, paper
/// 003). What the model knows (friction, payload, elastic joints) is what the reference was made with.             (K3)
ControlLaw computed_force(const JointGains& gains);
/// The model's inverse dynamics at the measured state with the cascade as accelerations; friction as desired:      (K4)
///   tau = tau_rigid(q, v, a_d + w_v (v* - v) + w_v w_p / 4 int (v* - v) dt) + tau_friction(q_d, v_d)
ControlLaw computed_torque(const Mechanism<double>& model, const Bandwidths& bandwidths);

struct AdaptiveOptions {
  ParameterOptions parameters;
  double rate = 1;  ///< gamma [1/s per 0.01 m/s or rad/s]
};
/// (K3) without an integral, with tau = Y theta for base parameters that follow                                     (K5)
///   theta' = gamma D^2 Y^T s / F,   s = v_d - v + k_p (q_d - q)
/// D: sizes of the parameters, F: the size of the robot's forces. `theta`: where they end up can be read there.
ControlLaw adaptive(const Mechanism<double>& model, const JointGains& gains, const AdaptiveOptions& options,
                    std::shared_ptr<VecX<double>> theta = {});

// ------------------------------------------------------------------------------------------------ plants

/// A robot whose base parameters are off by a share of themselves, and friction by another; signs as the seed says.
Mechanism<double> different(const Mechanism<double>& model, const ParameterOptions& options, double base_share,
                            double friction_share, unsigned seed);
/// The platform carries a point mass at its frame's origin [kg].
Mechanism<double> with_payload(const Mechanism<double>& m, double mass);
/// The lowest natural frequency of a robot's elastic joints, drives held, at home [Hz]; 0: it has none.
double elastic_frequency(const Mechanism<double>& m);
/// The same without friction.
Mechanism<double> without_friction(const Mechanism<double>& m);

}  // namespace gough
