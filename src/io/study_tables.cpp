#include "study_tables.hpp"

#include "gough/dynamics/along.hpp"
#include "gough/io/published.hpp"
#include "gough/io/study.hpp"

namespace gough::io {
namespace {

using namespace dimension;

struct PathReader {
  FilePath read(const Node& node) const { return {node.where(), Text{}.read(node)}; }
  json schema() const { return Text{}.schema(); }
};

struct MotionReader {
  FileStudyMotion read(const Node& node) const {
    if (node.is_scalar()) return {node.where(), Text{}.read(node), {}};
    if (!node.is_map())
      node.fail(node.shown(), "the path of a motion file or table, or a motion (motion: .., line: ..)");
    return {node.where(), "", Object<FileMotion>{motion_table}.read(node)};
  }
  json schema() const { return {{"oneOf", {Text{}.schema(), Object<FileMotion>{motion_table}.schema()}}}; }
};

struct ValueReader {
  FileValue read(const Node& node) const {
    if (node.is_list()) return {node.where(), ListOf<Text>{{}, 100}.read(node), true};
    return {node.where(), {Text{}.read(node)}, false};
  }
  json schema() const {
    const json one = AnyNumber{}.schema();
    return {{"oneOf", {one, {{"type", "array"}, {"items", one}, {"maxItems", 100}}}}};
  }
};

std::vector<std::string> formulation_words() {
  std::vector<std::string> words = {"all"};
  words.insert(words.end(), formulation_names.begin(), formulation_names.end());
  return words;
}

}  // namespace

const Table<FilePublishedNumber>& published_number_table() {
  using N = FilePublishedNumber;
  static const Table<N> table{
      "a published number",
      {field("what", &N::what, Text{}, "what it is, for people", true),
       field("value", &N::value, AnyNumber{}, "the number as published", true),
       field("column", &N::column, Text{}, "the column of inverse.csv that it is compared with", true),
       field("take", &N::take, Choice{{taken_names.begin(), taken_names.end()}},
             "which number of that column: start (default), end, least, greatest, peak (largest size) or rms")},
      "published_number"};
  return table;
}

const Table<FilePublished>& published_table() {
  using P = FilePublished;
  static const Table<P> table{
      "published numbers",
      {field("source", &P::source, Text{}, "where they stand, for people", true),
       field("numbers", &P::numbers, ListOf<Object<FilePublishedNumber>>{{published_number_table}, 200}, "the numbers",
             true)},
      "published"};
  return table;
}

template <std::size_t N>
Choice choice(const std::array<std::string_view, N>& names) {
  return Choice{{names.begin(), names.end()}};
}

const Table<FileRun>& run_table() {
  using R = FileRun;
  static const Table<R> table{
      "a run of a simulation",
      {field("name", &R::name, Text{}, "the run's name and that of its table: letters, digits, _ and -", true),
       field("motion", &R::motion, MotionReader{}, "another motion than the study's"),
       field("by", &R::by, choice(formulation_names), "formulation; legs if left out"),
       field("loops", &R::loops, choice(loops_names),
             "how loops are kept closed: independent (default), projected, baumgarte or drift"),
       field("method", &R::method, choice(method_names), "integrator; adaptive if left out"),
       field("fixed_step", &R::fixed_step, Number{time}, "of rk4 and semi_implicit; the study's step if left out"),
       field("tolerance", &R::tolerance, Number{none},
             "of a step, relative and absolute; 1e-12 if left out, stiff 1e-10, dae 1e-8"),
       field("alpha", &R::alpha, Number{rate}, "of Baumgarte; 20 if left out"),
       field("beta", &R::beta, Number{rate}, "of Baumgarte; 20 if left out"),
       field("friction", &R::dry, choice(dry_friction_names), "dry friction: stick (default) or smooth"),
       field("smooth", &R::smooth, Number{speed}, "speed below which smooth friction fades; 1e-3 if left out"),
       field("feed_back", &R::feed_back, Boolean{},
             "scdd_iterative: one iteration an evaluation, from the accelerations of the one before")},
      "run"};
  return table;
}

const Table<FileSimulate>& simulate_table() {
  using S = FileSimulate;
  static const Table<S> table{
      "a simulation",
      {field("forces", &S::forces, choice(simulated_forces_names),
             "of the actuators: rigid (default), those the motion needs with elastic joints locked; or none"),
       field("time", &S::time, Number{time}, "how long; as long as the motion if left out"),
       field("runs", &S::runs, ListOf<Object<FileRun>>{{run_table}, 40}, "what is compared", true)},
      "simulate"};
  return table;
}

const Table<FileStudy>& study_table() {
  using S = FileStudy;
  static const Table<S> table{
      "a study file",
      {field("study", &S::study, Text{}, "the study's name, and that of its folder in results/", true),
       field("description", &S::description, Text{}, "a sentence for people"),
       field("robot", &S::robot, PathReader{}, "the robot's file, from the folder of this file", true),
       field("motion", &S::motion, MotionReader{}, "a motion file or table, from the folder of this file; or a motion",
             true),
       field("parameters", &S::parameters, MapOf<AnyNumber>{{}, 100}, "numbers by name, to be used in set"),
       field("set", &S::set, MapOf<ValueReader>{{}, 100},
             "other values in the robot file, by path: legs.joints.drive.screw; a number or a parameter's name"),
       field("compute", &S::compute, Choice{{"inverse", "simulate"}},
             "what is asked: inverse (default), the actuators' forces; or simulate, motions from forces"),
       field("by", &S::by, ListOf<Choice>{{formulation_words()}, 7, true}, "formulations; all if left out"),
       field("step", &S::step, Number{time}, "seconds between the states of a trajectory; 1 ms if left out"),
       field("elastic", &S::elastic, Choice{{elastic_motion_names.begin(), elastic_motion_names.end()}},
             "where the motion of elastic joints comes from: given, locked (default) or quasistatic"),
       field("published", &S::published, Object<FilePublished>{published_table},
             "numbers of a publication, to be shown beside ours"),
       field("simulate", &S::simulate, Object<FileSimulate>{simulate_table}, "the runs of a simulation")},
      "study"};
  return table;
}

json study_definitions() {
  json all = motion_definitions();
  all["motion"] = Object<FileMotion>{motion_table}.definition();
  all["published"] = Object<FilePublished>{published_table}.definition();
  all["published_number"] = Object<FilePublishedNumber>{published_number_table}.definition();
  all["simulate"] = Object<FileSimulate>{simulate_table}.definition();
  all["run"] = Object<FileRun>{run_table}.definition();
  return all;
}

}  // namespace gough::io
