/// Simulation: motion from forces, controllers written in Python, right sides for other integrators.
#include "simulation.hpp"
#include "core.hpp"
#include "gough/io/report.hpp"
#include "gough/io/simulation_report.hpp"
#include "gough/kinematics/motion.hpp"
#include "gough/simulation/ideal_drives.hpp"
#include "gough/simulation/simulate.hpp"

namespace gough::python {
namespace {

using M = Mechanism<double>;
using W = Workspace<double>;

/// Thrown through the integrator, which knows nothing of Python, when the watch has an exception to tell.
struct Ended {};

/// What a simulation leaves behind.
struct Run {
  const M* m;
  SimulationReport report;
  std::shared_ptr<RunRecord> record;
};

Vector forces_from(const nb::object& returned, const M& m) {
  Vector x;
  if (!nb::try_cast(returned, x))
    throw Error("controller: read what is no list of numbers, expected the forces of the actuators, or None");
  expect_size("controller", static_cast<std::size_t>(x.size()), m.actuator.size());
  return x;
}

void expect_forces(const VecX<double>& tau) {
  if (!tau.allFinite()) throw Error("controller: read a force that is not a number, expected numbers");
}

/// Asks f(t, w) for forces: it writes w.tau, or returns them. The state is not its to change.
void ask(const M& m, const nb::object& f, double t, const nb::object& python_w, W& w) {
  const VecX<double> q = w.q, v = w.v, a = w.a;
  const nb::object tau = f(t, python_w);
  if (!tau.is_none()) w.tau.noalias() = forces_from(tau, m);
  w.q = q, w.v = v, w.a = a;
  expect_forces(w.tau);
}

/// A Python function as a controller.
Controller controller_of(const M& m, const nb::object& f, const nb::object& python_w, Watch& watch) {
  return [&m, &f, &python_w, &watch](double t, W& w) {
    watch.call([&] { ask(m, f, t, &nb::cast<W&>(python_w) == &w ? python_w : nb::cast(w, nb::rv_policy::copy), w); });
    if (watch.failed()) throw Ended();
    tree_positions(m, w);  // it may have computed elsewhere with this workspace
    closure(m, w);
    tree_velocities(m, w);
  };
}

/// A library's controller, for this robot and, where it remembers, for one run.
Controller taken(LibraryController& c, const M& m) {
  if (c.made_for != sizes_of(m))
    throw Error(m.name + ": controller: read one made for another robot, expected one made for this");
  if (c.once && c.used)
    throw Error(m.name + ": controller: read a sampled one that has run already, expected a new one: it remembers");
  c.used = true;
  return c.f;
}

/// Coordinates of the opened tree by name.
std::vector<std::pair<int, double>> tree_numbers(const M& m, const std::map<std::string, double>& by_name,
                                                 const std::string& what, const std::string& one) {
  std::vector<std::pair<int, double>> given;
  for (const auto& [name, x] : by_name) {
    const int c = m.find_coordinate(name);
    if (c < 0 || c >= m.nv) throw Error(what + ": read the joint '" + name + "', expected one of the opened tree's");
    if (!std::isfinite(x)) throw Error(what + ": '" + name + "': read a " + one + " that is not finite");
    given.emplace_back(c, x);
  }
  return given;
}

void expect_that(const char* what, double read, bool fine, const char* expected) {
  if (!fine) throw Error(std::string(what) + ": read " + nb::str(nb::float_(read)).c_str() + ", expected " + expected);
}

void bind_options(nb::module_& m) {
  using O = SimulationOptions;
  nb::class_<O>(m, "SimulationOptions")
      .def(
          "__init__",
          [](O* o, Formulation by, const std::string& method, double tolerance, double fixed_step,
             const std::string& loops, const std::string& friction, double smooth, double hold, double alpha,
             double beta, long most_steps) {
            expect_that("fixed_step", fixed_step, fixed_step > 0, "a number above 0");
            expect_that("smooth", smooth, smooth > 0, "a number above 0");
            expect_that("hold", hold, hold >= 0, "0 or more");
            expect_that("tolerance", tolerance, tolerance >= 0, "0 or more");
            new (o) O();
            o->dynamics.by = by;
            o->integrator.method = by_name<Method>("method", method_names, method);
            o->integrator.tolerance = tolerance > 0 ? tolerance : usual_tolerance(o->integrator.method);
            o->integrator.fixed_step = fixed_step;
            o->loops = by_name<Loops>("loops", loops_names, loops);
            o->dry = by_name<DryFriction>("friction", dry_friction_names, friction);
            o->smooth = smooth, o->hold = hold, o->most_steps = most_steps;
            o->dynamics.alpha = alpha, o->dynamics.beta = beta;
          },
          "by"_a = Formulation::legs, "method"_a = "adaptive", "tolerance"_a = 0.0, "fixed_step"_a = 1e-3,
          "loops"_a = "independent", "friction"_a = "stick", "smooth"_a = 1e-3, "hold"_a = 0.0, "alpha"_a = 20.0,
          "beta"_a = 20.0, "most_steps"_a = 20'000'000L);
}

void bind_runs(nb::module_& m) {
  using R = Run;
  const auto answer = [](const R& r) -> const SimulationAnswer& { return r.report.answer; };
  nb::class_<R>(m, "SimulationReport", "A simulation; print it for what it took.")
      .def_prop_ro("status", [answer](const R& r) { return answer(r).status; })
      .def_prop_ro("reason", [answer](const R& r) { return answer(r).reason; })
      .def_prop_ro(
          "t", [answer](const R& r) { return answer(r).t; }, "how far it came [s]")
      .def_prop_ro("steps", [answer](const R& r) { return answer(r).steps; })
      .def_prop_ro("evaluations", [answer](const R& r) { return answer(r).evaluations; })
      .def_prop_ro("events", [answer](const R& r) { return answer(r).events; })
      .def_prop_ro("largest_residual", [answer](const R& r) { return answer(r).largest_residual; })
      .def_prop_ro("energy_start", [](const R& r) { return r.report.energy_start; })
      .def_prop_ro("energy_end", [](const R& r) { return r.report.energy_end; })
      .def_prop_ro(
          "largest_change", [](const R& r) { return r.report.largest_change; }, "of the energy [J]")
      .def_prop_ro("conservative", [](const R& r) { return r.report.conservative; })
      .def_prop_ro("beyond", [](const R& r) { return r.report.beyond; })
      .def_prop_ro(
          "table", [](const R& r) { return python_table(r.report.table); },
          "all rows; the columns are those of the command-line tool's tables")
      .def("to_pandas", &to_pandas, nb::sig("def to_pandas(self) -> pandas.DataFrame"), "The table as a pandas frame.")
      .def(
          "page",
          [](const R& r) {
            if (r.report.answer.rows == 0) throw Error("read a run without rows, expected some to show");
            return run_data(*r.m, r.m->name, "A simulation.", *r.record, *r.report.table);
          },
          "The data of its page.")
      .def(
          "show",
          [](nb::handle self, int height) {
            return nb::module_::import_("gough.page").attr("Page")(self.attr("page")(), height);
          },
          "height"_a = 720, nb::sig("def show(self, height: int = 720) -> gough.page.Page"),
          "The run as a page with animation and plots; in a notebook it shows itself.")
      .def("to_dict", [](const R& r) { return from_json(simulation_json({r.report})); })
      .def("__str__", [](const R& r) { return simulation_text(r.report); });

  m.def(
      "simulate",
      [](const M& mechanism, const nb::object& python_w, const Vector& times, const SimulationOptions& options,
         const nb::object& controller, const nb::object& law, const std::string& output, const nb::object& progress,
         const std::vector<double>& knots) {
        W& w = nb::cast<W&>(python_w);
        expect_made_for(mechanism, w);
        Watch watch(progress, static_cast<std::size_t>(times.size()));
        if (times.size() < 1) throw Error("times: read none, expected at least one");
        expect_finite("times", times);
        Run run{&mechanism, {}, std::make_shared<RunRecord>(mechanism, static_cast<std::size_t>(times.size()))};
        SimulationJob job;
        if (!law.is_none()) job.controller = taken(nb::cast<LibraryController&>(law), mechanism);
        else if (!controller.is_none()) job.controller = controller_of(mechanism, controller, python_w, watch);
        if (!knots.empty() && controller.is_none())
          throw Error("knots: read some without a controller, expected times at which its forces jump");
        {
          nb::gil_scoped_release unlocked;
          job.options = options;
          const Controller asked = std::move(job.controller);
          job.controller = {[&](double t, W& at) {
                              if (asked) asked(t, at);
                              if (!watch.look()) throw Ended();
                            },
                            knots.empty() ? asked.knots : knots};
          job.times.assign(times.begin(), times.end());
          job.output = output;
          job.keep_table = true;
          job.after_row = [&](const SimulationRow& row) {
            run.record->add({run.record->t.size(), row.t, row.w, row.d, "", {}});
            return watch.step();
          };
          try {
            run.report = report_simulation(mechanism, w, job);
          } catch (const Ended&) {}
          if (run.report.answer.rows > 0) run.record->finish();
        }
        watch.rethrow();
        return run;
      },
      "m"_a, "w"_a, "times"_a, "options"_a = SimulationOptions{}, "controller"_a = nb::none(), "law"_a = nb::none(),
      "output"_a = "", "progress"_a = nb::none(), "knots"_a = std::vector<double>{}, nb::keep_alive<0, 1>(),
      "From the closed state w.q, w.v to the last of `times`. `controller(t, w)` writes w.tau or returns the forces; "
      "`knots` are "
      "the times at which they jump or bend.");
  m.def("even_times", &even_times, "start"_a, "end"_a, "step"_a);
  m.def(
      "set_positions",
      [](const M& mechanism, const std::map<std::string, double>& positions, W& w, bool hold_actuators,
         bool hold_pose) {
        expect_made_for(mechanism, w);
        Hold hold = hold_of(mechanism, hold_actuators ? mechanism.actuator : std::vector<int>{});
        if (hold_pose) {
          tree_positions(mechanism, w);
          const Vec6<double> x = pose_vector(platform_pose(mechanism, w));
          for (std::size_t i = 0; i < 6; ++i)
            if (mechanism.platform.coordinates[i]) hold.platform_pose[i] = x[static_cast<Eigen::Index>(i)];
        }
        return set_positions(mechanism, tree_numbers(mechanism, positions, "positions", "position"), hold, w);
      },
      "m"_a, "positions"_a, "w"_a, "hold_actuators"_a = false, "hold_pose"_a = false,
      "Joints by name to given positions, elastic ones too; the rest closes the loops.");
  m.def(
      "set_rates",
      [](const M& mechanism, const std::map<std::string, double>& rates, W& w) {
        expect_made_for(mechanism, w);
        tree_positions(mechanism, w);
        closure(mechanism, w);
        return set_rates(mechanism, tree_numbers(mechanism, rates, "rates", "rate"), w);
      },
      "m"_a, "rates"_a, "w"_a, "Rates of some coordinates by name; the rest follow from the loops.");
  m.def(
      "find_equilibrium",
      [](const M& mechanism, W& w) {
        expect_made_for(mechanism, w);
        nb::gil_scoped_release unlocked;
        return find_equilibrium(mechanism, w);
      },
      "m"_a, "w"_a, "Moves w.q to where w.tau balances gravity and springs.");
  nb::class_<LibraryController>(m, "Controller", "A controller of the library, for simulate.");
  m.def(
      "force_table",
      [](const M& mechanism, const std::vector<std::string>& columns, const Rows& values, const std::string& name) {
        return LibraryController{forces_of(ForceTable(table_from(columns, values), name, mechanism), mechanism),
                                 sizes_of(mechanism)};
      },
      "m"_a, "columns"_a, "values"_a, "name"_a = "forces", nb::keep_alive<0, 1>(),
      "Forces over time: t, tau.NAME of every actuator, perhaps fx fy fz mx my mz.");
}

/// x' = f(t, x) for integrators of others. x: independent positions, then their rates.
class RightSide {
 public:
  RightSide(const M& m, W& at, const DynamicsOptions& o, const std::string& loops)
      : m_((expect_made_for(m, at), m)),
        form_(make_state_form(m, by_name<Loops>("loops", loops_names, loops))),
        w_(at),
        d_(m, w_, o) {
    x0_ = form_->choose(w_);
  }

  VecX<double> rates(double t, const Vector& x, const nb::object& controller, const nb::object& python_w) {
    place(x);
    if (!controller.is_none()) ask(m_, controller, t, python_w, w_);
    const DynamicsAnswer answer = forward_dynamics(m_, w_, d_);
    if (!answer.ok()) throw Failure(std::string(name(answer.status)) + ": " + answer.reason);
    VecX<double> r(x.size());
    form_->rates(w_, r);
    return r;
  }
  /// q and v of a state.
  void place(const Vector& x) {
    expect_size("x", static_cast<std::size_t>(x.size()), static_cast<std::size_t>(x0_.size()));
    if (!form_->place(x, w_))
      throw Failure(
          "not_converged: no position closes the loops at this state; choose coordinates anew where the run stands");
  }
  const VecX<double>& start() const { return x0_; }
  W& workspace() { return w_; }
  const M& mechanism() const { return m_; }
  bool worn() const { return form_->worn(); }

 private:
  const M& m_;
  std::unique_ptr<StateForm> form_;
  W w_;
  Dynamics<double> d_;
  VecX<double> x0_;
};

void bind_right_side(nb::module_& m) {
  using R = RightSide;
  nb::class_<R>(m, "RightSide", "x' = f(t, x) of forward dynamics, for integrators of others.")
      .def(nb::init<const M&, W&, const DynamicsOptions&, const std::string&>(), "m"_a, "w"_a,
           "options"_a = DynamicsOptions{}, "loops"_a = "independent", nb::keep_alive<1, 2>())
      .def(
          "rates",
          [](nb::handle_t<R> self, double t, const Vector& x, const nb::object& controller) {
            return nb::cast<R&>(self).rates(t, x, controller, controller.is_none() ? nb::none() : self.attr("w"));
          },
          "t"_a, "x"_a, "controller"_a = nb::none())
      .def(
          "place",
          [](R& r, const Vector& x) {
            r.place(x);
            return std::make_pair(VecX<double>(r.workspace().q), VecX<double>(r.workspace().v));
          },
          "x"_a, "q and v of a state.")
      .def_prop_ro("x0", [](const R& r) { return VecX<double>(r.start()); })
      .def_prop_ro(
          "w", [](R& r) -> W& { return r.workspace(); }, nb::rv_policy::reference_internal)
      .def("worn", &R::worn, "Coordinates should be chosen anew: make another from here.");
}

}  // namespace

void bind_simulation(nb::module_& m) {
  bind_options(m);
  bind_runs(m);
  bind_right_side(m);
}

}  // namespace gough::python
