/// Controllers in discrete time: the library's laws, and laws written in Python.
#include "gough/control/control.hpp"

#include "core.hpp"
#include "simulation.hpp"

namespace gough::python {
namespace {

using M = Mechanism<double>;

struct Law {
  ControlLaw f;
  Eigen::Index drives = 0;                   ///< for how many it is made
  std::shared_ptr<VecX<double>> theta = {};  ///< of adaptive
};

/// A sample as Python sees it: everything is copied, since the library's own goes when the law returns.
struct Sample {
  double t, period;
  VecX<double> q, v, desired_q, desired_v, ahead_q, ahead_v, ahead_a, ahead_tau, standing, resting, clipped;
};

void expect_drives(const char* what, Eigen::Index read, const M& m) {
  expect_size(what, static_cast<std::size_t>(read), m.actuator.size());
}

ControlLaw law_of(const nb::object& given, const M& plant) {
  if (nb::isinstance<Law>(given)) {
    const Law& law = nb::cast<const Law&>(given);
    expect_drives("law", law.drives, plant);
    return law.f;
  }
  if (PyCallable_Check(given.ptr()) == 0)
    throw Error(std::string("law: read ") + nb::repr(given).c_str() + ", expected a ControlLaw or a function");
  return [given](const ControlSample& s) -> VecX<double> {
    nb::gil_scoped_acquire lock;
    const Sample seen{s.t,       s.period,  s.q,         s.v,        s.desired_q, s.desired_v, s.ahead.q,
                      s.ahead.v, s.ahead.a, s.ahead.tau, s.standing, s.resting,   s.clipped};
    Vector tau;
    const nb::object returned = given(nb::cast(seen));
    if (returned.is_none() || !nb::try_cast(returned, tau))
      throw Error("law: read what is no list of numbers, expected the forces of the actuators");
    expect_size("law", static_cast<std::size_t>(tau.size()), static_cast<std::size_t>(s.q.size()));
    if (!tau.allFinite()) throw Error("law: read a force that is not a number, expected numbers");
    return tau;
  };
}

Array columns_of(const Reference& r, const VecX<double> Reference::Row::*member) {
  std::vector<std::vector<double>> rows;
  for (const Reference::Row& row : r.rows) rows.emplace_back((row.*member).begin(), (row.*member).end());
  return array_of(rows, rows.empty() ? 0 : rows.front().size());
}

}  // namespace

void bind_control(nb::module_& m) {
  using R = Reference;
  nb::class_<R>(m, "Reference", "The desired motion of the actuators, sample by sample; rows are samples.")
      .def_ro("period", &R::period)
      .def_prop_ro(
          "t",
          [](const R& r) {
            std::vector<double> t;
            for (const R::Row& row : r.rows) t.push_back(row.state.t);
            return array_of(std::move(t));
          },
          nb::rv_policy::automatic)
      .def_prop_ro(
          "q", [](const R& r) { return columns_of(r, &R::Row::q); }, nb::rv_policy::automatic)
      .def_prop_ro(
          "v", [](const R& r) { return columns_of(r, &R::Row::v); }, nb::rv_policy::automatic)
      .def_prop_ro(
          "a", [](const R& r) { return columns_of(r, &R::Row::a); }, nb::rv_policy::automatic)
      .def_prop_ro(
          "tau", [](const R& r) { return columns_of(r, &R::Row::tau); }, "the model's forces for it",
          nb::rv_policy::automatic)
      .def("__len__", [](const R& r) { return r.rows.size(); });
  m.def(
      "reference_of",
      [](const M& model, const Trajectory& trajectory, double period, double speed, ElasticMotion elastic) {
        return reference_of(model, trajectory, period, {speed, elastic});
      },
      "model"_a, "trajectory"_a, "period"_a, "speed"_a = 1.0, "elastic"_a = ElasticMotion::locked,
      nb::call_guard<nb::gil_scoped_release>());
  m.def(
      "standing_at",
      [](const M& robot, const Vector& actuators) {
        expect_drives("actuators", actuators.size(), robot);
        const Standing s = standing_at(robot, actuators);
        return std::make_pair(s.q, s.tau);
      },
      "m"_a, "actuators"_a, "q, and the forces that hold the robot there.");

  using S = Sample;
  nb::class_<S>(m, "ControlSample", "What a law sees at a sample.")
      .def_ro("t", &S::t)
      .def_ro("period", &S::period)
      .def_ro("q", &S::q, "measured positions of the actuators")
      .def_ro("v", &S::v, "estimated rates")
      .def_ro("desired_q", &S::desired_q)
      .def_ro("desired_v", &S::desired_v)
      .def_ro("ahead_q", &S::ahead_q, "desired when the forces act")
      .def_ro("ahead_v", &S::ahead_v)
      .def_ro("ahead_a", &S::ahead_a)
      .def_ro("ahead_tau", &S::ahead_tau, "the model's forces for that")
      .def_ro("standing", &S::standing, "forces that hold the robot at the start")
      .def_ro("resting", &S::resting, "forces that the model has for it")
      .def_ro("clipped", &S::clipped, "+1, -1: the last force was beyond a limit");

  using G = JointGains;
  nb::class_<G>(m, "JointGains", "Gains of the cascade, one of each per actuator.")
      .def(
          "__init__",
          [](G* g, const Vector& position, const Vector& velocity, const Vector& integral, const Vector& mass) {
            for (const Vector* x : {&velocity, &integral, &mass})
              expect_size("gains", static_cast<std::size_t>(x->size()), static_cast<std::size_t>(position.size()));
            new (g) G{position, velocity, integral, mass};
          },
          "position"_a, "velocity"_a, "integral"_a, "mass"_a)
      .def_ro("position", &G::position, "[1/s]")
      .def_ro("velocity", &G::velocity, "[N s/m or N m s/rad]")
      .def_ro("integral", &G::integral, "[N/m or N m/rad]")
      .def_ro("mass", &G::mass, "[kg or kg m^2]");
  m.def(
      "gains_for",
      [](const M& model, double position, double velocity) {
        return gains_for(model, {position, velocity});
      },
      "model"_a, "position"_a = 5.0, "velocity"_a = 80.0, "Gains for bandwidths in Hz.");

  nb::class_<Law>(m, "ControlLaw", "A law of the library. One law for one run: it may keep integrals.")
      .def_prop_ro(
          "theta", [](const Law& l) { return l.theta ? *l.theta : VecX<double>(); },
          "of adaptive: the parameters it has found");
  m.def(
      "joint_control",
      [](const G& g) {
        return Law{joint_control(g), g.mass.size()};
      },
      "gains"_a, "Single joints.");
  m.def(
      "computed_force",
      [](const G& g) {
        return Law{computed_force(g), g.mass.size()};
      },
      "gains"_a, "Single joints with the model's forces for the desired motion.");
  m.def(
      "computed_torque",
      [](const M& model, double position, double velocity) {
        return Law{computed_torque(model, {position, velocity}), static_cast<Eigen::Index>(model.actuator.size())};
      },
      "model"_a, "position"_a = 5.0, "velocity"_a = 80.0, "The model's inverse dynamics at the measured state.");
  m.def(
      "adaptive",
      [](const M& model, const G& gains, double rate, bool identical_legs, bool symmetric) {
        auto theta = std::make_shared<VecX<double>>();
        expect_drives("gains", gains.mass.size(), model);
        return Law{adaptive(model, gains, {{identical_legs, symmetric}, rate}, theta), gains.mass.size(), theta};
      },
      "model"_a, "gains"_a, "rate"_a = 1.0, "identical_legs"_a = false, "symmetric"_a = false,
      "Forces from base parameters that follow the error.");
  m.def(
      "sampled",
      [](const M& plant, const R& reference, const nb::object& law, double encoder, double velocity_filter, int delay,
         double force, double force_rate) {
        if (!(encoder >= 0) || !(velocity_filter >= 0) || delay < 0 || !(force > 0) || !(force_rate > 0))
          throw Error(
              "sampled: read a negative encoder, velocity_filter or delay, or a limit that is not above 0, expected "
              "none of them");
        if (!reference.rows.empty()) expect_drives("reference", reference.rows.front().q.size(), plant);
        SamplingOptions o;
        o.encoder = encoder, o.velocity_filter = velocity_filter, o.delay = delay;
        o.force = force, o.force_rate = force_rate;
        return LibraryController{sampled(plant, reference, law_of(law, plant), o), sizes_of(plant), true};
      },
      "plant"_a, "reference"_a, "law"_a, "encoder"_a = 0.0, "velocity_filter"_a = 0.0, "delay"_a = 1,
      "force"_a = std::numeric_limits<double>::infinity(), "force_rate"_a = std::numeric_limits<double>::infinity(),
      "A law (of the library, or a function of a ControlSample that returns forces) as a controller for simulate, for "
      "one run.");
  m.def(
      "different",
      [](const M& model, double base_share, double friction_share, unsigned seed, bool identical_legs, bool symmetric) {
        return different(model, {identical_legs, symmetric}, base_share, friction_share, seed);
      },
      "model"_a, "base_share"_a, "friction_share"_a = 0.0, "seed"_a = 1, "identical_legs"_a = false,
      "symmetric"_a = false,
      "A robot whose base parameters are off by a share of themselves, and friction by another.");
}

}  // namespace gough::python
