#pragma once
/// Inverse dynamics (motion to actuator forces) and forward dynamics (forces to accelerations), by six formulations.
///                                                                                        docs/theory/dynamics.md
///   const auto robot = gough::load_robot("robots/hexapod.yaml");
///   gough::Workspace w(robot);
///   gough::Dynamics d(robot, w);                    // formulation, independent coordinates, scratch: made once
///   gough::inverse_dynamics(robot, w, d);           // reads w.q, w.v, w.a, w.external; writes w.tau, w.lambda
///   gough::forward_dynamics(robot, w, d);           // reads w.q, w.v, w.tau, w.external; writes w.a, w.lambda
/// This header holds the list of formulations and the only switch over it. Kernels below it are templates over the
/// scalar; the functions for `double` also choose independent coordinates anew when their conditioning drops, and report
/// a status. Nothing is allocated once a Dynamics is made, but for the programs that it orders after some calls (programs.hpp).
#include <optional>
#include <string>

#include "gough/dynamics/formulations.hpp"
#include "gough/dynamics/leg_lanes.hpp"
#include "gough/dynamics/programs.hpp"
#include "gough/kinematics/answer.hpp"
#include "gough/kinematics/task_motion.hpp"

namespace gough {

enum class Formulation { multipliers, dalembert, scdd, noc, virtual_power, legs, scdd_iterative };
inline constexpr std::array<std::string_view, 7> formulation_names = {
    "multipliers", "dalembert", "scdd", "noc", "virtual_power", "legs", "scdd_iterative"};
/// The six that agree; scdd_iterative is offered to show why it is not one of them.
inline constexpr std::array<Formulation, 6> all_formulations = {Formulation::multipliers,   Formulation::dalembert,
                                                                Formulation::scdd,          Formulation::noc,
                                                                Formulation::virtual_power, Formulation::legs};
inline std::string_view name(Formulation f) { return formulation_names[static_cast<std::size_t>(f)]; }
std::optional<Formulation> formulation_from(std::string_view wanted);

/// Which coordinates are independent.
enum class Independent { drives, platform };

struct DynamicsOptions {
  Formulation by = Formulation::legs;
  Independent independent = Independent::drives;
  std::vector<double> weights = {};  ///< of redundant actuators, least sum of w tau^2; empty: ones
  IterationRule iteration = {};      ///< of scdd_iterative
  bool lanes = true;                 ///< legs: equal legs at once where possible
  bool programs = true;              ///< after some calls, where the engine allows (engine/routine.hpp)
  bool open = false;                 ///< positions may be open, as where loops drift: nothing takes them as closed
  bool closed = false;               ///< positions and velocities close the loops exactly, see closure_bias
  double alpha = 0,
         beta = 0;  ///< Baumgarte [1/s]: loops that are open close like phi'' + 2 alpha phi' + beta^2 phi = 0
};

/// Why a formulation cannot be used on a mechanism, in words; empty when it can. Reads a workspace at stage closure.
std::string not_applicable(const Mechanism<double>& m, const Workspace<double>& w, Formulation by);

/// Everything a formulation needs on one mechanism. Belongs to one thread, like a Workspace.
template <Scalar S>
struct Dynamics {
  DynamicsOptions options;
  LoadPlan loads;
  Selection y;
  std::optional<PlatformSplit> split;          ///< of scdd and legs on a floating platform
  std::optional<MasterForm<S>> from_platform;  ///< made when a motion of the platform is first asked for
  bool external = true;                        ///< w.external is looked at

  ExplicitForm<S> form;
  Efforts<S> efforts;
  VecX<S> F, bias;  ///< forces on y; at y'' = 0
  VecX<S> push;     ///< nv: the efforts on their coordinates
  std::optional<Multipliers<S>> multipliers;
  std::optional<DAlembert<S>> dalembert;
  std::optional<Scdd<S>> scdd;
  std::optional<Noc<S>> noc;
  std::optional<VirtualPower<S>> virtual_power;
  std::optional<LegReduction<S>> reduction;
  std::optional<Legs<S>> legs;
  std::optional<ElasticLegs<S>> elastic_legs;
  LegLanes lanes;               ///< of legs, in double; empty where they do not apply
  Programs programs;            ///< in double
  VecX<double> chosen_at;       ///< positions at which coordinates and pivots were chosen
  MatX<S> lambda, lambda_work;  ///< rank x 1
  ScddIteration iteration;      ///< of scdd_iterative, last evaluation

  /// Chooses coordinates and pivots for the position in `at` (any stage; it is brought to stage closure).
  Dynamics(const Mechanism<double>& m, Workspace<double>& at, const DynamicsOptions& o = {});
  /// The same choices for another scalar.
  template <Scalar T>
  Dynamics(const Mechanism<S>& m, const Dynamics<T>& other);
  Dynamics(const Dynamics&);
  Dynamics(Dynamics&&) noexcept;
  Dynamics& operator=(const Dynamics&);
  Dynamics& operator=(Dynamics&&) noexcept;
  ~Dynamics();

  bool by_legs() const { return options.by == Formulation::legs && split && split->rigid; }
  /// With too few drives the forces that come nearest depend on y: all formulations then take the same one.
  bool inverse_by_legs() const { return by_legs() && efforts.kind != Efforts<S>::Kind::under; }
  /// Legs with elastic joints of their own, inverted leg by leg: as many actuators as the platform has freedoms.
  bool inverse_by_elastic_legs() const { return elastic_legs.has_value(); }
  /// Elastic rows: forces missing (N or N m) for the elastic motion to be the true one, per joint that is only elastic.
  auto elastic_residual() const { return efforts.e.tail(efforts.size() - actuators); }
  Eigen::Index actuators = 0;
  double first_pivot = 0;      ///< of the loops where coordinates were chosen; a drop says when to choose again
  double first_leg_pivot = 0;  ///< the same of the loops leg by leg
  bool leaves_out = false,
       legs_leave_out = false;       ///< whether there are rows of K, and of Z, that the choice does not use
  double K_size = 1;                 ///< of K's entries where coordinates were chosen
  VecX<S> row_rates, leg_row_rates;  ///< scratch: how fast rows open
  std::string instead;               ///< why dalembert was taken where legs were asked for; empty: it was not
  std::string no_forward;  ///< why forward dynamics have no answer where coordinates were chosen; empty: they have
  /// Of the loops, solved leg by leg or as a whole.
  S smallest_pivot(bool leg_wise) const;
  bool forward_is_leg_wise() const { return split.has_value(); }
  bool inverse_is_leg_wise() const { return inverse_by_legs() || inverse_by_elastic_legs(); }

 private:
  void size(const Structure& m);
};

template <>
Dynamics<double>::Dynamics(const Mechanism<double>& m, Workspace<double>& at, const DynamicsOptions& o);
Dynamics(const Mechanism<double>&, Workspace<double>&, const DynamicsOptions&)->Dynamics<double>;
Dynamics(const Mechanism<double>&, Workspace<double>&)->Dynamics<double>;

/// Whose code a formulation runs on its robot: legs without a floating platform and scdd take dalembert's inverse dynamics.
Formulation inverse_code(const Dynamics<double>& d);
Formulation forward_code(const Dynamics<double>& d);

struct DynamicsAnswer {
  Status status = Status::ok;
  double residual = 0;  ///< the largest force on an independent coordinate that no drive makes [N or N m]
  std::string reason;

  bool ok() const { return status == Status::ok; }
};

/// Reads w.q, v, a (a closed motion), external. Writes w.tau, lambda, and d's efforts. Stages run inside; what else they write depends on
/// the way that is taken (kernels, lanes, a program).
DynamicsAnswer inverse_dynamics(const Mechanism<double>& m, Workspace<double>& w, Dynamics<double>& d);
/// Reads w.q, v (closed), tau, external. Writes w.a, lambda.
DynamicsAnswer forward_dynamics(const Mechanism<double>& m, Workspace<double>& w, Dynamics<double>& d);
/// The same from the platform's motion alone: pose, velocity and acceleration of its frame. Positions of the joints are
/// found first (inverse kinematics, home's mode); with legs as lanes they are not even formed, and w.q, v, a stay.
DynamicsAnswer inverse_dynamics(const Mechanism<double>& m, const Transform<double>& pose,
                                const PlatformRates<double>& rates, Workspace<double>& w, Dynamics<double>& d);
/// For a single evaluation: makes a Dynamics and uses it.
DynamicsAnswer inverse_dynamics(const Mechanism<double>& m, Workspace<double>& w, const DynamicsOptions& o = {});
DynamicsAnswer forward_dynamics(const Mechanism<double>& m, Workspace<double>& w, const DynamicsOptions& o = {});

/// The kernels, for any scalar: no status, no choice of coordinates. Compiled for `double` and `Dual<double>`; include kernels.hpp for
/// another.
template <Scalar S>
void inverse_kernel(const Mechanism<S>& m, Workspace<S>& w, Dynamics<S>& d);
template <Scalar S>
void forward_kernel(const Mechanism<S>& m, Workspace<S>& w, Dynamics<S>& d);
/// The same for bodies whose poses X, X0 are known.
template <Scalar S>
void inverse_from_poses(const Mechanism<S>& m, Workspace<S>& w, Dynamics<S>& d);
template <Scalar S>
void forward_from_poses(const Mechanism<S>& m, Workspace<S>& w, Dynamics<S>& d);

// Compiled once for these scalars, in src/dynamics/: a file for each scalar, and for each direction.
#define GOUGH_DYNAMICS(S, EXTERN)     \
  EXTERN template struct Dynamics<S>; \
  EXTERN template Dynamics<S>::Dynamics(const Mechanism<S>&, const Dynamics<double>&);
#define GOUGH_INVERSE_DYNAMICS(S, EXTERN)                                                \
  EXTERN template void inverse_kernel(const Mechanism<S>&, Workspace<S>&, Dynamics<S>&); \
  EXTERN template void inverse_from_poses(const Mechanism<S>&, Workspace<S>&, Dynamics<S>&);
#define GOUGH_FORWARD_DYNAMICS(S, EXTERN)                                                \
  EXTERN template void forward_kernel(const Mechanism<S>&, Workspace<S>&, Dynamics<S>&); \
  EXTERN template void forward_from_poses(const Mechanism<S>&, Workspace<S>&, Dynamics<S>&);
GOUGH_DYNAMICS(double, extern)
GOUGH_INVERSE_DYNAMICS(double, extern)
GOUGH_FORWARD_DYNAMICS(double, extern)
GOUGH_DYNAMICS(Dual<double>, extern)
GOUGH_INVERSE_DYNAMICS(Dual<double>, extern)
GOUGH_FORWARD_DYNAMICS(Dual<double>, extern)

}  // namespace gough
