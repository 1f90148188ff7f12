/// Dynamics of one state, name by name as in C++.
#include "gough/dynamics/dynamics.hpp"

#include <set>

#include "core.hpp"
#include "gough/dynamics/compare.hpp"
#include "gough/dynamics/derivatives.hpp"
#include "gough/dynamics/energy.hpp"
#include "gough/dynamics/own_friction.hpp"
#include "gough/dynamics/reactions.hpp"
#include "gough/io/dynamics_report.hpp"

namespace gough::python {
namespace {

using M = Mechanism<double>;
using W = Workspace<double>;

/// With the mechanism whose parameters it has taken over.
struct D : Dynamics<double> {
  D(const M& mechanism, W& w, const DynamicsOptions& o) : Dynamics<double>(mechanism, w, o), of(&mechanism) {}
  const M* of;
};

/// Throws Error where a workspace or a dynamics was made for another mechanism.
void expect_fits(const M& m, const W& w, const D& d) {
  expect_made_for(m, w);
  if (d.of != &m) throw Error(m.name + ": d: read the dynamics of another mechanism, expected one made for this");
}

Vec6<double> as_vector(const Force<double>& f) {
  Vec6<double> x;
  x << f.force, f.moment;
  return x;
}

/// With the robot's name, which its texts need.
struct NamedComparison {
  std::string robot;
  Comparison c;
};

void bind_one(nb::module_& m) {
  using O = DynamicsOptions;
  nb::class_<O>(m, "DynamicsOptions")
      .def(
          "__init__",
          [](O* o, Formulation by, Independent independent, std::vector<double> weights, bool closed) {
            new (o) O();
            o->by = by, o->independent = independent, o->weights = std::move(weights), o->closed = closed;
          },
          "by"_a = Formulation::legs, "independent"_a = Independent::drives, "weights"_a = std::vector<double>{},
          "closed"_a = false)
      .def_rw("by", &O::by)
      .def_rw("independent", &O::independent)
      .def_rw("weights", &O::weights, "of redundant actuators, least sum of w tau^2; empty: ones")
      .def_rw("closed", &O::closed, "positions and velocities close the loops exactly")
      .def_rw("alpha", &O::alpha)
      .def_rw("beta", &O::beta);
  nb::class_<D>(m, "Dynamics", "What a formulation needs on one mechanism: made once, used by one thread.")
      .def(
          "__init__",
          [](D* d, const M& mechanism, W& w, const O& options) {
            expect_made_for(mechanism, w);
            if (!options.weights.empty()) expect_size("weights", options.weights.size(), mechanism.actuator.size());
            new (d) D(mechanism, w, options);
          },
          "m"_a, "w"_a, "options"_a = O{}, nb::keep_alive<1, 2>())
      .def_prop_ro(
          "options", [](const D& d) { return d.options; }, "it was made with (a copy)")
      .def_prop_ro(
          "independent", [](const D& d) { return d.y.independent; }, "where the independent coordinates stand in v")
      .def("elastic_residual", [](const D& d) { return VecX<double>(d.elastic_residual()); });
  nb::class_<DynamicsAnswer>(m, "DynamicsAnswer")
      .def_ro("status", &DynamicsAnswer::status)
      .def_ro("residual", &DynamicsAnswer::residual)
      .def_ro("reason", &DynamicsAnswer::reason)
      .def("ok", &DynamicsAnswer::ok)
      .def("__bool__", &DynamicsAnswer::ok);
  m.def(
      "inverse_dynamics",
      [](const M& mechanism, W& w, D& d) {
        expect_fits(mechanism, w, d);
        return inverse_dynamics(mechanism, w, d);
      },
      "m"_a, "w"_a, "d"_a, "Reads w.q, w.v, w.a (a closed motion); writes w.tau and w.lambda_.");
  m.def(
      "forward_dynamics",
      [](const M& mechanism, W& w, D& d) {
        expect_fits(mechanism, w, d);
        return forward_dynamics(mechanism, w, d);
      },
      "m"_a, "w"_a, "d"_a, "Reads w.q, w.v (closed) and w.tau; writes w.a and w.lambda_.");
  m.def(
      "not_applicable",
      [](const M& mechanism, W& w, Formulation by) {
        expect_made_for(mechanism, w);
        tree_positions(mechanism, w);
        closure(mechanism, w);
        return not_applicable(mechanism, w, by);
      },
      "m"_a, "w"_a, "by"_a, "Why a formulation cannot be used on a mechanism, in words; empty when it can.");
  nb::class_<StateDerivatives>(m, "StateDerivatives",
                               "Exact derivatives; columns in the order of Dynamics.independent.")
      .def_ro("by_position", &StateDerivatives::by_position)
      .def_ro("by_velocity", &StateDerivatives::by_velocity)
      .def_ro("by_last", &StateDerivatives::by_last, "inverse: by acceleration; forward: by the actuators' forces");
  m.def(
      "inverse_derivatives",
      [](const M& mechanism, const W& w, const D& d) {
        expect_fits(mechanism, w, d);
        return inverse_derivatives(mechanism, w, d);
      },
      "m"_a, "w"_a, "d"_a, "Of w.tau, at w.q, w.v, w.a.");
  m.def(
      "forward_derivatives",
      [](const M& mechanism, const W& w, const D& d) {
        expect_fits(mechanism, w, d);
        return forward_derivatives(mechanism, w, d);
      },
      "m"_a, "w"_a, "d"_a, "Of the independent accelerations, at w.q, w.v, w.tau.");
}

void bind_witnesses(nb::module_& m) {
  using E = EnergyBalance;
  nb::class_<E>(m, "EnergyBalance")
      .def_ro("kinetic", &E::kinetic, "[J]")
      .def_ro("potential", &E::potential, "[J]")
      .def_ro("losses", &E::losses, "[W]")
      .def_ro("external", &E::external, "[W]")
      .def_ro("actuators", &E::actuators, "[W]")
      .def_ro("momentum", &E::momentum, "[kg m/s]")
      .def_ro("moment_of_momentum", &E::moment_of_momentum, "about the base's origin [kg m^2/s]");
  m.def(
      "energy_balance",
      [](const M& mechanism, W& w) {
        expect_made_for(mechanism, w);
        return energy_balance(mechanism, w);
      },
      "m"_a, "w"_a, "Energies and powers at w.q, w.v, w.tau.");
  nb::class_<JointReaction>(m, "JointReaction")
      .def_ro("joint", &JointReaction::joint)
      .def_ro("point", &JointReaction::point)
      .def_prop_ro(
          "wrench", [](const JointReaction& r) { return as_vector(r.wrench); }, "fx fy fz mx my mz, about `point`")
      .def_ro("unique", &JointReaction::unique);
  nb::class_<LegWrench>(m, "LegWrench")
      .def_ro("leg", &LegWrench::leg)
      .def_prop_ro(
          "wrench", [](const LegWrench& r) { return as_vector(r.wrench); },
          "fx fy fz mx my mz on the platform at its origin")
      .def_ro("unique", &LegWrench::unique);
  nb::class_<Reactions>(m, "Reactions", "What joints and legs carry.")
      .def_ro("tree", &Reactions::tree)
      .def_ro("cut", &Reactions::cut)
      .def_ro("leg", &Reactions::leg)
      .def_prop_ro("on_base", [](const Reactions& r) { return as_vector(r.on_base); });
  m.def(
      "reactions",
      [](const M& mechanism, W& w, const D& d) {
        expect_fits(mechanism, w, d);
        return reactions(mechanism, w, d);
      },
      "m"_a, "w"_a, "d"_a, "After inverse or forward dynamics with the same d.");

  nb::class_<NamedComparison>(m, "Comparison", "All formulations on the same states; print it.")
      .def_prop_ro("states", [](const NamedComparison& x) { return x.c.states; })
      .def("agrees", [](const NamedComparison& x) { return x.c.agrees(); })
      .def(
          "to_dict", [](const NamedComparison& x) { return from_json(compare_json(x.robot, x.c)); },
          "What `gough compare --json` prints.")
      .def("__str__", [](const NamedComparison& x) { return compare_text(x.robot, x.c); });
  m.def(
      "compare_formulations",
      [](const M& mechanism, int states) {
        if (states < 1) throw Error("states: read " + std::to_string(states) + ", expected at least 1");
        return NamedComparison{mechanism.name, compare_formulations(mechanism, random_states(mechanism, states))};
      },
      "m"_a, "states"_a = 20, nb::call_guard<nb::gil_scoped_release>());
  m.def(
      "random_states",
      [](const M& mechanism, int count) {
        if (count < 0) throw Error("count: read " + std::to_string(count) + ", expected none or some states");
        std::vector<double> q, v, a;
        std::vector<ComparedState> states;
        {
          nb::gil_scoped_release unlocked;
          states = random_states(mechanism, count);
          if (states.size() > static_cast<std::size_t>(count)) states.resize(static_cast<std::size_t>(count));
        }
        for (const ComparedState& s : states) {
          q.insert(q.end(), s.q.begin(), s.q.end());
          v.insert(v.end(), s.v.begin(), s.v.end());
          a.insert(a.end(), s.a.begin(), s.a.end());
        }
        const std::size_t n = states.size(), nq = static_cast<std::size_t>(mechanism.nq),
                          nv = static_cast<std::size_t>(mechanism.nv);
        return nb::make_tuple(array_of(std::move(q), {n, nq}), array_of(std::move(v), {n, nv}),
                              array_of(std::move(a), {n, nv}));
      },
      "m"_a, "count"_a,
      nb::sig("def random_states(m: Mechanism, count: int) -> tuple[numpy.ndarray, numpy.ndarray, numpy.ndarray]"),
      "Closed states near home, the same ones in every run: q, v, a with a row for each.");
}

/// A Python function as one of the library's. The library may ask it from any thread and may hold it until the very end.
std::function<double(double)> function_of(const std::string& name, nb::object f) {
  auto kept = std::shared_ptr<nb::object>(new nb::object(std::move(f)), [](nb::object* x) {
    if (Py_IsInitialized() == 0) {
      x->release();  // the interpreter has gone; so has the function
    } else {
      nb::gil_scoped_acquire lock;
      x->reset();
    }
    delete x;
  });
  return [kept, name](double v) {
    nb::gil_scoped_acquire lock;
    const nb::object returned = (*kept)(v);
    double force = 0;
    if (!nb::try_cast(returned, force))
      throw Error("friction function '" + name + "': read " + nb::repr(returned).c_str() + ", expected a number");
    return force;
  };
}

std::set<std::string>& defined_here() {
  static std::set<std::string> names;
  return names;
}

}  // namespace

void bind_dynamics(nb::module_& m) {
  bind_one(m);
  bind_witnesses(m);
  // When Python ends, its functions end: the library must not keep them.
  nb::module_::import_("atexit").attr("register")(nb::cpp_function([] {
    for (const std::string& name : defined_here()) define_friction(name, [](double) { return 0.0; });
    defined_here().clear();
  }));
  m.def(
      "define_friction",
      [](const std::string& name, nb::callable value, std::optional<nb::callable> slope) {
        const auto f = function_of(name, value);
        f(0.0);  // a function that cannot be called is said now
        define_friction(name, f, slope ? function_of(name, *slope) : std::function<double(double)>{});
        defined_here().insert(name);
      },
      "name"_a, "value"_a, "slope"_a = nb::none(),
      nb::sig("def define_friction(name: str, value: collections.abc.Callable[[float], float], slope: "
              "collections.abc.Callable[[float], float] | None = None) -> None"),
      "Makes a friction function phi(v) known by name; a joint then has `friction: {functions: {NAME: "
      "coefficient}}`.\n\n"
      "Define it before the robot's dynamics are first computed. `slope` is its derivative, for derivatives of "
      "dynamics; without it "
      "they come from differences. Code generated for a robot cannot have such a function.");
}

}  // namespace gough::python
