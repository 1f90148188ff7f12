/// Beams that bend.
#include "descriptions.hpp"
#include "gough/io/bent_robot.hpp"
#include "gough/io/flex_report.hpp"
#include "gough/io/follow_report.hpp"
#include "gough/simulation/coupled.hpp"
#include "simulation.hpp"

#include <tuple>

namespace gough::python {
namespace {

using M = Mechanism<double>;

FlexOptions flex_options(const M& m, const std::string& space, const std::string& start, double rho, bool geometric,
                         bool vibrates, const std::optional<std::pair<double, double>>& rayleigh, double modal_damping,
                         int frequencies, const std::string& loads, std::size_t every, const std::string& points) {
  if (every < 1) throw Error("every: read 0, expected at least 1");
  if (frequencies < 0) throw Error("frequencies: read " + std::to_string(frequencies) + ", expected 0 or more");
  FlexOptions o;
  o.space = by_name<FlexSpace>("space", flex_space_names, space);
  if (start.ends_with(".csv")) o.start = FlexStart::given, o.given = load_node_start(start, m);
  else o.start = by_name<FlexStart>("start", std::array<std::string_view, 2>{"undeformed", "quasistatic"}, start);
  o.rho = rho, o.geometric = geometric, o.vibrates = vibrates;
  if (rayleigh) o.damping = RayleighDamping{rayleigh->first, rayleigh->second};
  o.modal_damping = modal_damping, o.frequencies = frequencies;
  o.every = every;
  o.loads = parse_loads(loads, m);
  o.points = parse_points(points, m);
  return o;
}

}  // namespace

void bind_flexible(nb::module_& m) {
  nb::class_<FlexOptions>(m, "FlexOptions")
      .def(
          "__init__",
          [](FlexOptions* o, const M& mechanism, const std::string& space, const std::string& start, double rho,
             bool geometric, bool vibrates, const std::optional<std::pair<double, double>>& rayleigh,
             double modal_damping, int frequencies, const std::string& loads, std::size_t every,
             const std::string& points) {
            new (o) FlexOptions(flex_options(mechanism, space, start, rho, geometric, vibrates, rayleigh, modal_damping,
                                             frequencies, loads, every, points));
          },
          "m"_a, "space"_a = "automatic", "start"_a = "undeformed", "rho"_a = 0.9, "geometric"_a = true,
          "vibrates"_a = true, "rayleigh"_a = nb::none(), "modal_damping"_a = 0.0, "frequencies"_a = 3, "loads"_a = "",
          "every"_a = 1, "points"_a = "");
  nb::class_<BentMechanism>(m, "BentMechanism", "A robot whose beams bend in modes.")
      .def_prop_ro(
          "mechanism", [](const BentMechanism& b) -> const M& { return b.mechanism; },
          nb::rv_policy::reference_internal)
      .def_ro("planar", &BentMechanism::planar);
  m.def(
      "bent_mechanism",
      [](const Description& described, int modes, const FlexOptions& o) {
        const RobotDescription robot = described.made();
        nb::gil_scoped_release unlocked;
        return bent_mechanism(robot, {modes, o.space, o.damping, o.modal_damping, false, o.points});
      },
      "robot"_a, "modes"_a, "options"_a);

  using R = FlexReport;
  nb::class_<R>(m, "FlexReport", "What beams do along a motion; print it.")
      .def_prop_ro("status", [](const R& r) { return r.answer.along.status; })
      .def_prop_ro("rows", [](const R& r) { return r.answer.results; })
      .def_prop_ro("planar", [](const R& r) { return r.answer.planar; })
      .def_prop_ro("warnings", [](const R& r) { return r.answer.range.warnings(); })
      .def_prop_ro(
          "extremes",
          [](const R& r) {
            nb::dict all;
            for (const FlexExtreme& e : r.extremes) all[e.what.c_str()] = nb::make_tuple(e.value, e.unit, e.t);
            return all;
          },
          "largest of each column: (value, unit, time)")
      .def_prop_ro(
          "frequencies", [](const R& r) { return r.range; }, "lowest and highest of each [Hz]")
      .def_prop_ro(
          "table", [](const R& r) { return python_table(r.table); },
          "all rows; the columns are those of the command-line tool's tables")
      .def("to_pandas", &to_pandas, nb::sig("def to_pandas(self) -> pandas.DataFrame"), "The table as a pandas frame.")
      .def("explain", [](const R& r) { return r.answer.along.explain(r.motion); })
      .def("done", &R::done)
      .def(
          "to_dict", [](const R& r) { return from_json(flex_json(r)); }, "What `gough flex --json` prints.")
      .def("__str__", [](const R& r) { return flex_text(r); });
  m.def(
      "report_flex",
      [](const M& mechanism, const KnownMotion& motion, const FlexOptions& options, const std::string& output,
         const std::string& shapes, const nb::object& progress) {
        Watch watch(progress, motion.states.size() / options.every + 1);
        R report;
        {
          nb::gil_scoped_release unlocked;
          FlexJob job;
          job.options = options;
          job.output = output, job.shapes = shapes, job.keep_table = true;
          job.after_row = [&](const FlexResult&) { return watch.step(); };
          report = report_flex(mechanism, motion, job);
        }
        watch.rethrow();
        return report;
      },
      "m"_a, "motion"_a, "options"_a, "output"_a = "", "shapes"_a = "", "progress"_a = nb::none(),
      "Beams along the rigid motion.");
  m.def(
      "report_coupled",
      [](const M& mechanism, const BentMechanism& bent, const KnownMotion& motion, int modes,
         const FlexOptions& options, const std::string& output, const nb::object& progress,
         const std::string& start_table, double longest_step) {
        if (options.points.size() != bent.places.size())
          throw Error("points: read others than the bent robot was made with, expected the same options");
        if (options.start == FlexStart::given)
          throw Error("start: read a table of nodes, expected start_table with q.NAME and v.NAME of the bent robot");
        if (!(longest_step >= 0))
          throw Error("longest_step: read " + std::to_string(longest_step) + ", expected 0 or more");
        Watch watch(progress, motion.states.size() / options.every + 1);
        R report;
        {
          nb::gil_scoped_release unlocked;
          CoupledJob job;
          job.modes.modes = modes;
          job.modes.points = options.points;
          job.start = options.start, job.every = options.every;
          job.longest_step = longest_step;
          if (!start_table.empty()) {
            job.start = FlexStart::given;
            std::tie(job.elastic_q, job.elastic_v) = load_elastic_start(start_table, bent.mechanism);
          }
          job.output = output, job.keep_table = true;
          job.after_row = [&] { return watch.step(); };
          report = report_coupled(mechanism, bent, motion, job);
        }
        watch.rethrow();
        return report;
      },
      "m"_a, "bent"_a, "motion"_a, "modes"_a, "options"_a, "output"_a = "", "progress"_a = nb::none(),
      "start_table"_a = "", "longest_step"_a = 0.0,
      "Rigid motion and bending unknown together, drives followed exactly.");

  using F = FollowReport;
  nb::class_<F>(m, "FollowReport", "Drives with which the platform follows its path; print it.")
      .def_prop_ro("status", [](const F& r) { return r.command.status; })
      .def_prop_ro("reason", [](const F& r) { return r.command.reason; })
      .def_prop_ro(
          "rigid_rms", [](const F& r) { return r.rigid.rms; },
          "of the platform's origin, drives of the rigid robot [m]")
      .def_prop_ro(
          "corrected_rms", [](const F& r) { return r.corrected.rms; }, "the same with corrected drives [m]")
      .def_prop_ro(
          "correction", [](const F& r) { return r.command.correction; }, "of the actuators, rows are states")
      .def_prop_ro("tau", [](const F& r) { return r.command.tau; })
      .def_prop_ro(
          "table",
          [](const F& r) {
            Table t{{"t"}, {}, {}};
            for (const char* level : {"q.", "v.", "a.", "tau."})
              for (const std::string& name : r.actuator) t.columns.push_back(level + name);
            for (std::size_t k = 0; k < r.command.states.size(); ++k) {
              const MotionState& s = r.command.states[k].motion;
              std::vector<double> row = {s.t};
              for (const VecX<double>* x : {&s.actuators().q, &s.actuators().v, &s.actuators().a})
                row.insert(row.end(), x->begin(), x->end());
              for (Eigen::Index a = 0; a < r.command.tau.cols(); ++a)
                row.push_back(r.command.tau(static_cast<Eigen::Index>(k), a));
              t.rows.push_back(std::move(row));
            }
            return python_table(t);
          },
          "what the drives are to do: t, q.NAME, v.NAME, a.NAME, tau.NAME; itself a motion")
      .def("to_pandas", &to_pandas, nb::sig("def to_pandas(self) -> pandas.DataFrame"), "The table as a pandas frame.")
      .def("failed", &F::failed)
      .def("to_dict", [](const F& r) { return from_json(follow_json(r)); })
      .def("__str__", [](const F& r) { return follow_text(r); });
  m.def(
      "report_follow",
      [](const M& mechanism, const KnownMotion& motion, const std::string& by, const FlexOptions& options,
         const std::string& output, const BentMechanism* bent, const nb::object& progress) {
        Watch watch(progress, 0);
        F report;
        {
          nb::gil_scoped_release unlocked;
          FlexInverseOptions o;
          o.by = by_name<FlexInverse>("follow", flex_inverse_names, by);
          o.flex = options;
          o.after_state = [&] { return watch.step(); };
          report = report_follow(mechanism, motion, o, output, bent);
        }
        watch.rethrow();
        return report;
      },
      "m"_a, "motion"_a, "by"_a, "options"_a, "output"_a = "", "bent"_a = nb::none(), "progress"_a = nb::none());

  m.def(
      "ideal_drives",
      [](const M& mechanism, const M& rigid, const KnownMotion& motion, Workspace<double>& w, bool settled) {
        expect_made_for(mechanism, w);
        nb::gil_scoped_release unlocked;
        const RigidMotion path(rigid, motion.in_time(), motion.states);
        if (!path.answer().ok()) throw Failure(path.answer().explain(motion.file));
        const DriveMotion drives(path);
        if (const Answer start = start_of_drives(mechanism, drives, w, {.settled = settled}); !start.ok())
          throw Failure("the start: " + start.explain());
        return LibraryController{ideal_drives(mechanism, drives), sizes_of(mechanism)};
      },
      "m"_a, "rigid"_a, "motion"_a, "w"_a, "settled"_a = false, nb::keep_alive<0, 1>(),
      "Drives that follow a motion exactly, as a controller for simulate; w is put where it starts.");
}

}  // namespace gough::python
