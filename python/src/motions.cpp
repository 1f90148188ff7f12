/// Motions, and dynamics along them.
#include "core.hpp"
#include "gough/io/check_report.hpp"
#include "gough/io/dynamics_report.hpp"
#include "gough/io/motion_file.hpp"
#include "gough/kinematics/survey.hpp"

namespace gough::python {
namespace {

using M = Mechanism<double>;

/// t, then x y z rx ry rz and two more levels of the platform, or q v a of the actuators.
Table states_table(const M& m, const std::vector<MotionState>& states) {
  Table t{{"t"}, {}, {}};
  if (!states.empty() && states.front().of_platform()) {
    for (const char* c :
         {"x", "y", "z", "rx", "ry", "rz", "vx", "vy", "vz", "wx", "wy", "wz", "ax", "ay", "az", "dwx", "dwy", "dwz"})
      t.columns.emplace_back(c);
  } else {
    for (const char level : {'q', 'v', 'a'})
      for (const int a : m.actuator)
        t.columns.push_back(std::string(1, level) + "." + m.coordinate[static_cast<std::size_t>(a)].name);
  }
  for (const MotionState& s : states) {
    std::vector<double> row = {s.t};
    const auto add = [&](const auto& x) { row.insert(row.end(), x.begin(), x.end()); };
    if (s.of_platform()) {
      const PlatformMotion& p = s.platform();
      add(pose_vector(p.pose));
      add(p.v), add(p.w), add(p.a), add(p.dw);
    } else {
      add(s.actuators().q), add(s.actuators().v), add(s.actuators().a);
    }
    t.rows.push_back(std::move(row));
  }
  return t;
}

AlongOptions along_options(Formulation by, const std::vector<double>& weights, ElasticMotion elastic, bool reactions) {
  AlongOptions o;
  o.dynamics.by = by, o.dynamics.weights = weights;
  o.elastic = elastic, o.reactions = reactions;
  return o;
}

void bind_trajectory(nb::module_& m) {
  nb::class_<Trajectory>(m, "Trajectory", "Where the platform, or the actuators, are to be at a time.")
      .def_ro("start", &Trajectory::start)
      .def_ro("duration", &Trajectory::duration)
      .def_prop_ro("end", &Trajectory::end)
      .def_prop_ro("moves", [](const Trajectory& t) { return t.moves == Moves::platform ? "platform" : "actuators"; })
      .def("__repr__", [](const Trajectory& t) {
        return "<motion of the " + std::string(t.moves == Moves::platform ? "platform" : "actuators") + ", " +
               std::to_string(t.duration) + " s>";
      });
  m.def("load_motion", &load_motion, "path"_a, "m"_a, "A motion file, read for a robot.");
  m.def("parse_motion", &parse_motion, "text"_a, "file"_a, "m"_a, "The same from text.");
  m.def("motion_schema", &motion_schema, "The JSON Schema of motion files.");
  m.def(
      "sample",
      [](const M& mechanism, const Trajectory& trajectory, const Vector& times) {
        std::vector<MotionState> states;
        for (const double t : times) states.push_back(sample(trajectory, t));
        return python_table(states_table(mechanism, states));
      },
      "m"_a, "trajectory"_a, "times"_a, "The motion at these times, as a table.");

  nb::class_<KnownMotion>(m, "KnownMotion", "States of a motion, ready for dynamics.")
      .def_ro("file", &KnownMotion::file)
      .def_ro("rows", &KnownMotion::rows, "states of a table, each on its own")
      .def("__len__", [](const KnownMotion& k) { return k.states.size(); })
      .def(
          "at_times",
          [](const KnownMotion& k, const Vector& times) {
            return at_times(k, std::vector<double>(times.begin(), times.end()));
          },
          "times"_a, "The same motion at other times, which increase.")
      .def(
          "refined", [](const KnownMotion& k, double longest) { return refined(k, longest); }, "longest"_a,
          "With states in between, no two further apart than `longest` [s], that give no rows.")
      .def_prop_ro(
          "span",
          [](const KnownMotion& k) {
            const TimedMotion timed = k.in_time();
            return std::pair(timed.trajectory.start, timed.trajectory.end());
          },
          "start and end [s]")
      .def(
          "table",
          [](const KnownMotion& k, const M& mechanism) {
            std::vector<MotionState> states;
            for (const KnownState& s : k.states) states.push_back(s.motion);
            return python_table(states_table(mechanism, states));
          },
          "m"_a);
  m.def("load_known_motion", &load_known_motion, "path"_a, "m"_a, "step"_a = 1e-3, "elastic"_a = ElasticMotion::locked);
  m.def(
      "known_motion",
      [](const Trajectory& t, const std::string& name, double step) { return known_motion(t, name, step); },
      "trajectory"_a, "name"_a, "step"_a);
  m.def(
      "known_motion_of_table",
      [](const std::vector<std::string>& columns, const Rows& values, const std::string& name, const M& mechanism,
         double step,
         ElasticMotion elastic) { return known_motion(table_from(columns, values), name, mechanism, step, elastic); },
      "columns"_a, "values"_a, "name"_a, "m"_a, "step"_a = 1e-3, "elastic"_a = ElasticMotion::locked);
  m.def("load_driven_states", &load_driven_states, "path"_a, "m"_a);
  m.def(
      "driven_states",
      [](const std::vector<std::string>& columns, const Rows& values, const std::string& name, const M& mechanism) {
        return driven_states(table_from(columns, values), name, mechanism);
      },
      "columns"_a, "values"_a, "name"_a, "m"_a);
}

void bind_along(nb::module_& m) {
  using R = InverseReport;
  nb::class_<R>(m, "InverseReport", "Inverse dynamics along a motion; print it for the sizing of the actuators.")
      .def_ro("robot", &R::robot)
      .def_ro("motion", &R::motion)
      .def_ro("by", &R::by)
      .def_prop_ro("rows", [](const R& r) { return r.answer.rows; })
      .def_prop_ro("status", [](const R& r) { return r.answer.status; })
      .def_prop_ro("reason", [](const R& r) { return r.answer.reason; })
      .def_ro("beyond", &R::beyond, "limits exceeded, in words")
      .def_ro("not_unique", &R::not_unique)
      .def_ro("elastic_residual", &R::elastic_residual)
      .def_prop_ro(
          "table", [](const R& r) { return python_table(r.table); },
          "all rows; the columns are those of the command-line tool's tables")
      .def("to_pandas", &to_pandas, nb::sig("def to_pandas(self) -> pandas.DataFrame"), "The table as a pandas frame.")
      .def("explain", [](const R& r) { return r.answer.explain(r.motion); })
      .def(
          "sizing", [](const R& r) { return from_json<nb::list>(sizing_json(r.sizing)); },
          "The actuators' loads, a list of dicts.")
      .def(
          "to_dict", [](const R& r) { return from_json(inverse_json(r)); }, "What `gough inverse --json` prints.")
      .def("done", &R::done)
      .def("__str__", [](const R& r) { return inverse_text(r); });
  m.def(
      "report_inverse",
      [](const M& mechanism, const KnownMotion& motion, Formulation by, const std::vector<double>& weights,
         ElasticMotion elastic, bool reactions, const std::string& output, const nb::object& progress) {
        Watch watch(progress, motion.states.size());
        InverseReport report;
        {
          nb::gil_scoped_release unlocked;
          InverseJob job;
          job.options = along_options(by, weights, elastic, reactions);
          job.output = output;
          job.keep_table = true;
          job.after_row = [&](const AlongRow&) { return watch.step(); };
          report = report_inverse(mechanism, motion, job);
        }
        watch.rethrow();
        return report;
      },
      "m"_a, "motion"_a, "by"_a = Formulation::legs, "weights"_a = std::vector<double>{},
      "elastic"_a = ElasticMotion::locked, "reactions"_a = false, "output"_a = "", "progress"_a = nb::none());
  m.def(
      "forward_along",
      [](const M& mechanism, const KnownMotion& states, Formulation by, const nb::object& progress) {
        Watch watch(progress, states.states.size());
        Table table{forward_columns(mechanism), {}, {}};
        AlongAnswer answer;
        {
          nb::gil_scoped_release unlocked;
          AlongOptions o = along_options(by, {}, ElasticMotion::locked, false);
          o.each_from_home = true;
          answer = forward_along(mechanism, states.states, o, [&](const AlongRow& row) {
            table.rows.push_back(forward_values(mechanism, row));
            return watch.step();
          });
        }
        watch.rethrow();
        if (!answer.ok()) throw Failure(answer.explain(states.file));
        return python_table(table);
      },
      "m"_a, "states"_a, "by"_a = Formulation::legs, "progress"_a = nb::none(),
      "Accelerations from rows of states and forces.");
  m.def(
      "closed_states",
      [](const M& mechanism, const KnownMotion& motion, ElasticMotion elastic) {
        std::vector<double> q, v, a, t;
        Watch watch;
        AlongAnswer answer;
        {
          nb::gil_scoped_release unlocked;
          answer = inverse_along(mechanism, motion.states, along_options(Formulation::legs, {}, elastic, false),
                                 [&](const AlongRow& row) {
                                   t.push_back(row.t);
                                   q.insert(q.end(), row.w.q.begin(), row.w.q.end());
                                   v.insert(v.end(), row.w.v.begin(), row.w.v.end());
                                   a.insert(a.end(), row.w.a.begin(), row.w.a.end());
                                   return watch.step();
                                 });
        }
        watch.rethrow();
        if (!answer.ok()) throw Failure(answer.explain(motion.file));
        const std::size_t n = t.size(), nq = static_cast<std::size_t>(mechanism.nq),
                          nv = static_cast<std::size_t>(mechanism.nv);
        return nb::make_tuple(array_of(std::move(t)), array_of(std::move(q), {n, nq}), array_of(std::move(v), {n, nv}),
                              array_of(std::move(a), {n, nv}));
      },
      "m"_a, "motion"_a, "elastic"_a = ElasticMotion::locked,
      nb::sig("def closed_states(m: Mechanism, motion: KnownMotion, elastic: ElasticMotion = ...) -> "
              "tuple[numpy.ndarray, numpy.ndarray, numpy.ndarray, numpy.ndarray]"),
      "t, q, v, a of all joints along a motion, a row for each state.");
  m.def(
      "survey",
      [](const M& mechanism, const KnownMotion& motion) {
        Survey survey;
        std::vector<double> t;
        {
          nb::gil_scoped_release unlocked;
          std::vector<Transform<double>> poses;
          for (const KnownState& s : motion.states) {
            if (!s.motion.of_platform())
              throw Error(motion.file + ": read a motion of the actuators, expected one of the platform");
            poses.push_back(s.motion.platform().pose);
            t.push_back(s.motion.t);
          }
          survey = survey_poses(mechanism, poses);
        }
        return nb::make_tuple(survey_text(survey, t), from_json(survey_json(survey, t)));
      },
      "m"_a, "motion"_a, nb::sig("def survey(m: Mechanism, motion: KnownMotion) -> tuple[str, dict]"),
      "Distances to singularities, transmission and limits along a motion of the platform: text and dict.");
}

}  // namespace

void bind_motions(nb::module_& m) {
  m.def(
      "read_table",
      [](const std::string& path) {
        const Table t = read_table(path);
        return nb::make_tuple(t.columns, array_of(t.rows, t.columns.size()));
      },
      "path"_a, nb::sig("def read_table(path: str) -> tuple[list[str], numpy.ndarray]"),
      "Names and rows of a CSV file.");
  m.def(
      "table_text",
      [](const std::vector<std::string>& columns, const Rows& values) {
        return table_text(table_from(columns, values));
      },
      "columns"_a, "values"_a, "As CSV, in full precision.");
  bind_trajectory(m);
  bind_along(m);
}

}  // namespace gough::python
