/// Studies and pages.
#include "core.hpp"
#include "gough/io/report.hpp"
#include "gough/io/study.hpp"
#include "gough/kinematics/assemble.hpp"

namespace gough::python {
namespace {

using M = Mechanism<double>;

struct StudyRun_ {
  std::string folder, text;
  std::vector<std::string> files;
  bool ok = true;
};

StudyRun_ run(const std::string& file, const std::string& wanted, Watch& watch) {
  const Study study = read_study(file);
  const std::string folder = wanted.empty() ? "results/" + study.name : wanted;
  const auto go_on = [&] { return watch.step(); };
  if (!study.runs.empty()) {
    const auto r = run_simulation_study(study, folder, [&](const SimulationRow&) { return go_on(); });
    return {folder, simulation_study_text(study, r), r.files, !r.stopped()};
  }
  if (study.control) {
    const auto r = run_control_study(study, folder, go_on);
    return {folder, control_study_text(study, r), r.files, r.ok()};
  }
  if (study.flex) {
    const auto r = run_flex_study(study, folder, go_on);
    return {folder, flex_study_text(study, r), r.files, r.ok()};
  }
  const StudyResult r = run_study(study, folder, [&](const AlongRow&) { return go_on(); });
  return {folder, study_text(study, r), r.files, r.inverse.done() && r.disagreement().empty()};
}

}  // namespace

void bind_studies(nb::module_& m) {
  nb::class_<StudyRun_>(m, "StudyResult", "What a study has computed; print it. Its files are in `folder`.")
      .def_ro("folder", &StudyRun_::folder)
      .def_ro("files", &StudyRun_::files)
      .def_ro("ok", &StudyRun_::ok)
      .def("__str__", [](const StudyRun_& r) { return r.text; });
  m.def(
      "run_study",
      [](const std::string& file, const std::string& folder, const nb::object& progress) {
        Watch watch(progress, 0);
        StudyRun_ result;
        {
          nb::gil_scoped_release unlocked;
          result = run(file, folder, watch);
        }
        watch.rethrow();
        return result;
      },
      "file"_a, "folder"_a = "", "progress"_a = nb::none(),
      "A study file, computed into a folder (default results/NAME).");
  m.def("study_schema", &study_schema, "The JSON Schema of study files.");
  m.def("has_report_page", &has_report_page);
  m.def("report_page", &report_page, "data"_a, "The page (HTML) with a report's data in it.");
  m.def("page_of_result", &page_of_result, "result"_a, "The page of a result.json.");
  m.def(
      "motion_page",
      [](const M& mechanism, const KnownMotion& motion, Formulation by, ElasticMotion elastic) {
        Watch watch;
        RunRecord record(mechanism, motion.states.size(), motion.timed);
        InverseReport report;
        InverseJob job;
        job.options.dynamics.by = by, job.options.elastic = elastic;
        job.keep_table = true;
        job.after_row = [&](const AlongRow& row) {
          record.add(row);
          return watch.step();
        };
        {
          nb::gil_scoped_release unlocked;
          report = report_inverse(mechanism, motion, job);
        }
        watch.rethrow();
        if (!report.answer.ok()) throw Failure(report.answer.explain(motion.file));
        record.finish();
        return run_data(mechanism, mechanism.name, "Along " + motion.file + ".", record, *report.table);
      },
      "m"_a, "motion"_a, "by"_a = Formulation::legs, "elastic"_a = ElasticMotion::locked,
      "Data of the page of a motion.");
  m.def(
      "home_page",
      [](const M& mechanism) {
        RunRecord record(mechanism, 1, false);
        Workspace<double> w(mechanism);
        Dynamics<double> d(mechanism, w);
        tree_velocities(mechanism, w);
        tree_accelerations(mechanism, w);
        cut_coordinates(mechanism, w);
        record.add({0, 0.0, w, d, "", {}});
        record.finish();
        return run_data(mechanism, mechanism.name, "At home.", record, Table{{"t"}, {{0.0}}, {}});
      },
      "m"_a, "Data of the page of a robot that stands at home.");
}

}  // namespace gough::python
