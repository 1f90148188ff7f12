/// Base parameters, excitation, identification.
#include "core.hpp"
#include "gough/identification/excitation.hpp"
#include "gough/identification/identify.hpp"
#include "gough/identification/sensors.hpp"
#include "gough/io/dynamics_report.hpp"
#include "gough/io/excitation_report.hpp"
#include "gough/io/identification_report.hpp"
#include "gough/io/measurement_table.hpp"
#include "gough/io/parameters_report.hpp"
#include "gough/io/robot_file.hpp"

namespace gough::python {
namespace {

using M = Mechanism<double>;

/// A result with the mechanism it is about, which its texts need.
template <class Result>
struct Found {
  std::shared_ptr<const M> m;
  Result r;
};

Measurement measurement_of(const M& m, const nb::object& data, const std::vector<double>& constants) {
  if (nb::isinstance<nb::str>(data)) return read_measurement(nb::cast<std::string>(data), m, constants);
  const auto columns = nb::cast<std::vector<std::string>>(data.attr("columns"));
  return measurement_from_table(table_from(columns, nb::cast<Rows>(data.attr("values"))), "data", m, constants);
}

Array forces(const MatX<double>& x) {
  std::vector<double> flat;
  for (Eigen::Index r = 0; r < x.rows(); ++r)
    for (Eigen::Index c = 0; c < x.cols(); ++c) flat.push_back(x(r, c));
  return array_of(std::move(flat), {static_cast<std::size_t>(x.rows()), static_cast<std::size_t>(x.cols())});
}

void bind_base(nb::module_& m) {
  using B = Found<BaseParameters>;
  nb::class_<B>(m, "BaseParameters", "The combinations of parameters that motions show; print them.")
      .def_prop_ro(
          "rank", [](const B& b) { return b.r.rank(); }, "how many, without friction")
      .def_prop_ro(
          "parameters", [](const B& b) { return b.r.space.size(); }, "how many were looked at")
      .def_prop_ro("names",
                   [](const B& b) {
                     std::vector<std::string> names;
                     for (const BaseParameter& p : b.r.base) names.push_back(p.name);
                     return names;
                   })
      .def_prop_ro(
          "values",
          [](const B& b) {
            std::vector<double> x;
            for (const BaseParameter& p : b.r.base) x.push_back(value_of(b.r, p));
            return array_of(std::move(x));
          },
          nb::rv_policy::automatic)
      .def_prop_ro(
          "singular_values", [](const B& b) { return array_of(b.r.singular_values); }, nb::rv_policy::automatic)
      .def_prop_ro("condition", [](const B& b) { return b.r.condition; })
      .def_prop_ro("gap", [](const B& b) { return b.r.gap; })
      .def(
          "agree", [](const B& b) { return b.r.agree(); }, "Whether the regrouping rules find as many.")
      .def(
          "to_dict", [](const B& b) { return from_json(parameters_json(b.r)); },
          "What `gough parameters --json` prints.")
      .def("__str__", [](const B& b) { return parameters_text(*b.m, b.r); });
  m.def(
      "base_parameters",
      [](const M& mechanism, bool identical_legs, bool symmetric) {
        nb::gil_scoped_release unlocked;
        return B{std::make_shared<const M>(mechanism), base_parameters(mechanism, {identical_legs, symmetric})};
      },
      "m"_a, "identical_legs"_a = false, "symmetric"_a = false);
}

void bind_excitation(nb::module_& m) {
  using E = Found<Excitation>;
  nb::class_<E>(m, "Excitation", "A periodic motion that shows a robot's parameters; print it.")
      .def_prop_ro(
          "condition", [](const E& e) { return e.r.condition; }, "of the regressor, columns scaled to one")
      .def_prop_ro("first_condition", [](const E& e) { return e.r.first_condition; })
      .def_prop_ro("evaluations", [](const E& e) { return e.r.evaluations; })
      .def_prop_ro("period", [](const E& e) { return e.r.period; })
      .def("trajectory", [](const E& e) { return e.r.trajectory(*e.m); })
      .def(
          "motion_file", [](const E& e) { return excitation_motion(*e.m, e.r); }, "The text of a motion file.")
      .def("to_dict", [](const E& e) { return from_json(excitation_json(*e.m, e.r)); })
      .def("__str__", [](const E& e) { return excitation_text(*e.m, e.r); });
  m.def(
      "excite",
      [](const M& mechanism, bool identical_legs, bool symmetric, double period, int harmonics, std::size_t evaluations,
         unsigned seed, double velocity, double acceleration, double force, const nb::object& progress) {
        if (evaluations < 1 || harmonics < 2 || !(period > 0))
          throw Error("excite: read no evaluations, fewer than two harmonics or no period, expected some of each");
        Watch watch(progress, evaluations);
        E found{std::make_shared<const M>(mechanism), {}};
        {
          nb::gil_scoped_release unlocked;
          ExcitationOptions o;
          o.parameters = {identical_legs, symmetric};
          o.limits = {velocity, acceleration, force};
          o.period = period, o.harmonics = harmonics, o.evaluations = evaluations, o.seed = seed;
          o.after = [&](std::size_t, double) { return watch.step(); };
          found.r = excite(mechanism, o);
        }
        watch.rethrow();
        return found;
      },
      "m"_a, "identical_legs"_a = false, "symmetric"_a = false, "period"_a = 10.0, "harmonics"_a = 5,
      "evaluations"_a = 2000, "seed"_a = 1, "velocity"_a = std::numeric_limits<double>::infinity(),
      "acceleration"_a = std::numeric_limits<double>::infinity(), "force"_a = std::numeric_limits<double>::infinity(),
      "progress"_a = nb::none());
  m.def(
      "measure",
      [](const M& mechanism, const KnownMotion& motion, double encoder, double noise, unsigned seed) {
        if (!(encoder >= 0) || !(noise >= 0)) throw Error("encoder, noise: read a negative number, expected 0 or more");
        Table table{measurement_columns(mechanism), {}, {}};
        Watch watch;
        AlongAnswer answer;
        {
          nb::gil_scoped_release unlocked;
          Sensors sensors(mechanism, {encoder, noise, seed});
          answer = inverse_along(mechanism, motion.states, {}, [&](const AlongRow& row) {
            table.rows.push_back(sensors.row(row.t, row.w));
            return watch.step();
          });
        }
        watch.rethrow();
        if (!answer.ok()) throw Failure(answer.explain(motion.file));
        return python_table(table);
      },
      "m"_a, "motion"_a, "encoder"_a = 0.0, "noise"_a = 0.0, "seed"_a = 1,
      "What a robot's own sensors show of a motion: t, q.NAME in the encoders' steps, tau.NAME with noise.");
}

void bind_identify(nb::module_& m) {
  using I = Found<Identification>;
  nb::class_<I>(m, "Identification", "Parameters from measurements; print it.")
      .def_prop_ro(
          "names", [](const I& i) { return i.r.name; }, "base parameters, then friction")
      .def_prop_ro(
          "file", [](const I& i) { return i.r.file; }, "values of the robot file")
      .def_prop_ro("values", [](const I& i) { return i.r.value; })
      .def_prop_ro(
          "sigma", [](const I& i) { return i.r.sigma; }, "their deviations; 0: not estimated")
      .def_prop_ro("covariance", [](const I& i) { return i.r.covariance; })
      .def_prop_ro("condition", [](const I& i) { return i.r.condition; })
      .def_prop_ro(
          "relative", [](const I& i) { return i.r.fit.relative(); }, "what is left of the forces, share")
      .def_prop_ro("relative_before", [](const I& i) { return i.r.fit.relative_before(); })
      .def_prop_ro(
          "moved_to_exist", [](const I& i) { return i.r.moved; },
          "how far the estimates had to be moved to be those of bodies that can exist, largest over sigma")
      .def_prop_ro("validation_relative",
                   [](const I& i) -> std::optional<double> {
                     if (!i.r.validation) return std::nullopt;
                     return i.r.validation->relative();
                   })
      .def_prop_ro(
          "t", [](const I& i) { return array_of(i.r.fit.t); }, nb::rv_policy::automatic)
      .def_prop_ro(
          "force", [](const I& i) { return forces(i.r.fit.force); }, "measured, rows are times",
          nb::rv_policy::automatic)
      .def_prop_ro(
          "predicted", [](const I& i) { return forces(i.r.fit.predicted); }, nb::rv_policy::automatic)
      .def("to_dict", [](const I& i) { return from_json(identification_json(*i.m, i.r)); })
      .def(
          "mechanism", [](const I& i) { return with_parameters(*i.m, i.r.base.space, i.r.full); },
          "The mechanism with the identified values.")
      .def(
          "is_of",
          [](const I& i, const M& other) {
            const auto same = [](const Inertia<double>& a, const Inertia<double>& b) {
              return a.mass == b.mass && a.first == b.first && a.second == b.second;
            };
            return i.m->name == other.name && i.m->nv == other.nv && i.m->body_name == other.body_name &&
                   i.m->coefficient == other.coefficient &&
                   std::equal(i.m->inertia.begin(), i.m->inertia.end(), other.inertia.begin(), other.inertia.end(),
                              same);
          },
          "m"_a, "Whether it was found on this mechanism.")
      .def(
          "robot_file",
          [](const I& i, const std::string& path) {
            return identified_robot_file(read_robot_text(path), path, *i.m, i.r);
          },
          "path"_a, "The text of the robot file `path` with the identified values in it.")
      .def(
          "write",
          [](const I& i, const std::string& robot, const std::string& folder, const std::string& name) {
            if (std::filesystem::path(name).filename() != name || name.empty() || name == "." || name == "..")
              throw Error("name: read '" + name + "', expected a file's name without a folder");
            return write_identification(*i.m, i.r, robot, folder, name);
          },
          "robot"_a, "folder"_a, "name"_a,
          "Robot file (its text), residuals and page into a folder; returns their names.")
      .def("__str__", [](const I& i) { return identification_text(*i.m, i.r); });
  m.def(
      "identify",
      [](const M& mechanism, const nb::object& data, const nb::object& validate, bool identical_legs, bool symmetric,
         const std::string& what, double cutoff, double period, int harmonics, bool robust, bool consistent,
         bool keep_all, double significance, const std::vector<double>& constants, const nb::object& progress) {
        if (!(cutoff >= 0) || !(period >= 0) || harmonics < 0)
          throw Error("cutoff, period, harmonics: read a negative number, expected 0 or more");
        const Measurement measured = measurement_of(mechanism, data, constants);
        std::optional<Measurement> validation;
        if (!validate.is_none()) validation = measurement_of(mechanism, validate, constants);
        Watch watch(progress, measured.t.size() + (validation ? validation->t.size() : 0));
        I found{std::make_shared<const M>(mechanism), {}};
        {
          nb::gil_scoped_release unlocked;
          IdentifyOptions o;
          o.parameters = {identical_legs, symmetric};
          o.rates = {cutoff, period, harmonics};
          o.what = by_name<Identified>("what", identified_names, what);
          o.robust = robust, o.consistent = consistent, o.keep_all = keep_all, o.significance = significance;
          o.after_row = [&] { return watch.step(); };
          found.r = identify(mechanism, measured, validation, o);
        }
        watch.rethrow();
        if (!found.r.validation_problem.empty()) throw Error(found.r.validation_problem);
        return found;
      },
      "m"_a, "data"_a, "validate"_a = nb::none(), "identical_legs"_a = false, "symmetric"_a = false, "what"_a = "all",
      "cutoff"_a = 0.0, "period"_a = 0.0, "harmonics"_a = 0, "robust"_a = false, "consistent"_a = false,
      "keep_all"_a = false, "significance"_a = 2.6, "constants"_a = std::vector<double>{}, "progress"_a = nb::none());
}

}  // namespace

void bind_identification(nb::module_& m) {
  bind_base(m);
  bind_excitation(m);
  bind_identify(m);
}

}  // namespace gough::python
