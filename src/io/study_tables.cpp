#include "study_tables.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

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

const KeyTable<FilePublishedNumber>& published_number_table() {
  using N = FilePublishedNumber;
  static const KeyTable<N> table{
      "a published number",
      {field("what", &N::what, Text{}, "what it is, for people", true),
       field("value", &N::value, AnyNumber{}, "the number as published", true),
       field("column", &N::column, Text{}, "the column of inverse.csv that it is compared with", true),
       field("take", &N::take, Choice{{taken_names.begin(), taken_names.end()}},
             "which number of that column: start (default), end, least, greatest, peak (largest size) or rms")},
      "published_number"};
  return table;
}

const KeyTable<FilePublished>& published_table() {
  using P = FilePublished;
  static const KeyTable<P> table{
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

const KeyTable<FileRun>& run_table() {
  using R = FileRun;
  static const KeyTable<R> table{
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

const KeyTable<FileSimulate>& simulate_table() {
  using S = FileSimulate;
  static const KeyTable<S> table{
      "a simulation",
      {field("forces", &S::forces, choice(simulated_forces_names),
             "of the actuators: rigid (default), those the motion needs with elastic joints locked; or none"),
       field("time", &S::time, Number{time}, "how long; as long as the motion if left out"),
       field("runs", &S::runs, ListOf<Object<FileRun>>{{run_table}, 40}, "what is compared", true)},
      "simulate"};
  return table;
}

const KeyTable<FileControlRun>& control_run_table() {
  using R = FileControlRun;
  static const KeyTable<R> table{
      "a controller",
      {field("name", &R::name, Text{}, "the run's name and that of its table: letters, digits, _ and -", true),
       field("law", &R::law, choice(law_names),
             "joint (default): cascaded single joints; computed_force: plus the model's forces of the desired motion; "
             "computed_torque: the model at the measured state; adaptive: computed_force that learns base parameters"),
       field("friction", &R::friction, Boolean{}, "whether its model has friction; true if left out"),
       field("payload", &R::payload, Number{mass}, "that its model knows of; 0 if left out"),
       field("elastic", &R::elastic, Choice{{"locked", "quasistatic"}},
             "how its model sees elastic joints: locked (default) or quasistatic"),
       field("rate", &R::rate, Number{none}, "of adaptive; 1 if left out"),
       field("generated", &R::generated, Boolean{}, "computed_force by generated C, compiled for the run and timed")},
      "control_run"};
  return table;
}

const KeyTable<FilePlant>& plant_table() {
  using P = FilePlant;
  static const KeyTable<P> table{
      "a plant",
      {field("parameters", &P::parameters, Number{none},
             "share by which base parameters differ from the model's, up or down; 0 if left out"),
       field("friction", &P::friction, Number{none}, "the same of friction coefficients; 0 if left out"),
       field("payload", &P::payload, Number{mass}, "on the platform; 0 if left out"),
       field("seed", &P::seed, Number{none}, "of the signs; 1 if left out"),
       field("modes", &P::modes, Number{none}, "its beams bend in so many modes each; 0 (default): they are rigid")},
      "plant"};
  return table;
}

const KeyTable<FileSweep>& sweep_table() {
  using S = FileSweep;
  static const KeyTable<S> table{
      "a sweep",
      {field("speed", &S::speed, ListOf<Number>{{none}, 50}, "times the motion's"),
       field("parameters", &S::parameters, ListOf<Number>{{none}, 50},
             "shares by which base parameters differ, friction by twice as much"),
       field("payload", &S::payload, ListOf<Number>{{mass}, 50}, "on the plant"),
       field("sampling", &S::sampling, ListOf<Number>{{time}, 50}, "sampling times"),
       field("runs", &S::runs, ListOf<Text>{{}, 20}, "names of the runs to sweep with; all if left out")},
      "sweep"};
  return table;
}

const KeyTable<FileControl>& control_table() {
  using C = FileControl;
  static const KeyTable<C> table{
      "control",
      {field("sampling", &C::sampling, Number{time}, "time between samples; 0.5 ms if left out"),
       field("encoder", &C::encoder, Number{none}, "step of the encoders [m or rad]; exact if left out"),
       field("velocity_filter", &C::velocity_filter, Number{rate},
             "corner of a first-order low pass on rates [rad/s, or Hz]; none if left out"),
       field("delay", &C::delay, Number{none}, "samples between a measurement and its force; 1 if left out"),
       field("position_bandwidth", &C::position_bandwidth, Number{rate},
             "of the outer loop [rad/s, or Hz]; 5 Hz if left out"),
       field("velocity_bandwidth", &C::velocity_bandwidth, Number{rate},
             "of the inner loop where the robot is lightest [rad/s, or Hz]; 80 Hz if left out"),
       field("force", &C::force, Number{none}, "limit of all actuators beside the robot's [N or N m]"),
       field("force_rate", &C::force_rate, Number{none}, "limit of its change [N/s or N m/s]"),
       field("plant_step", &C::plant_step, Number{time},
             "step of the Runge-Kutta method by which the plant moves between samples; adaptive if left out"),
       field(
           "smooth", &C::smooth, Number{none},
           "speed below which the plant's dry friction is smoothed [m/s or rad/s]; 0: joints stick; 1e-3 if left out"),
       field("identical_legs", &C::identical_legs, Boolean{}, "base parameters with legs that share theirs"),
       field("symmetric", &C::symmetric, Boolean{}, "base parameters with the symmetries that the robot file declares"),
       field("plant", &C::plant, Object<FilePlant>{plant_table}, "how the robot differs from its model"),
       field("runs", &C::runs, ListOf<Object<FileControlRun>>{{control_run_table}, 20},
             "controllers; the first is the measure", true),
       field("sweep", &C::sweep, Object<FileSweep>{sweep_table}, "what errors depend on")},
      "control"};
  return table;
}

const KeyTable<FileLoad>& load_table() {
  using L = FileLoad;
  static const KeyTable<L> table{
      "a load",
      {field("body", &L::body, Text{}, "the body it acts on", true),
       field("at", &L::at, Vector3{length}, "where, in the body's frame; its origin if left out [m]"),
       field("force", &L::force, Vector3{force}, "base axes [N]", true)},
      "load"};
  return table;
}

const KeyTable<FileFlexRun>& flex_run_table() {
  using R = FileFlexRun;
  static const KeyTable<R> table{
      "a run of beams",
      {field("name", &R::name, Text{}, "the run's name and that of its table: letters, digits, _ and -", true),
       field("gravity", &R::gravity, Vector3{acceleration}, "instead of the robot's [m/s^2]"),
       field("start", &R::start, Choice{{"undeformed", "quasistatic"}},
             "undeformed (default): held in shape until then; or quasistatic: bent by its loads"),
       field("damping", &R::damping, Number{time},
             "in proportion to elastic stiffness, a2 of Rayleigh's; the materials' if left out"),
       field("mass_damping", &R::mass_damping, Number{rate}, "in proportion to mass, a1 of Rayleigh's"),
       field("modal_damping", &R::modal_damping, Number{none}, "ratio, of the modes whose frequencies are computed"),
       field("rho", &R::rho, Number{none},
             "spectral radius at infinity, 1: no numerical damping, 0: most; 0.9 if left out"),
       field("geometric", &R::geometric, Boolean{}, "false: without the stiffness that comes from tension"),
       field("vibrates", &R::vibrates, Boolean{}, "false: quasi-static at every time"),
       field("loads", &R::loads, ListOf<Object<FileLoad>>{{load_table}, 100}, "constant forces on links"),
       field("space", &R::space, choice(flex_space_names),
             "automatic (default): planar where mechanism and loads are; planar; or spatial"),
       field(
           "follow", &R::follow, Choice{{"none", "driving_force", "modified_driving_force", "driving_constraint"}},
           "drives corrected by that method, so that the platform follows its path; none (default): the rigid robot's"),
       field("modes", &R::modes, Number{none},
             "the coupled model with that many modes per beam; 0 (default): beams along the rigid motion")},
      "flex_run"};
  return table;
}

const KeyTable<FileFlex>& flex_table() {
  using F = FileFlex;
  static const KeyTable<F> table{
      "beams",
      {field("step", &F::step, Number{time}, "of integration; 0.5 ms if left out. Rows are `step` of the study apart"),
       field("frequencies", &F::frequencies, Number{none}, "how many, f1 f2 ..; 3 if left out"),
       field("exaggeration", &F::exaggeration, Number{none},
             "of displacements in the drawing; so that they can be seen if left out"),
       field("note", &F::note, Text{}, "what there is to say beside the published numbers"),
       field("runs", &F::runs, ListOf<Object<FileFlexRun>>{{flex_run_table}, 20}, "the first is drawn", true)},
      "flex"};
  return table;
}

const KeyTable<FileStudy>& study_table() {
  using S = FileStudy;
  static const KeyTable<S> table{
      "a study file",
      {field("study", &S::study, Text{}, "the study's name, and that of its folder in results/", true),
       field("description", &S::description, Text{}, "a sentence for people"),
       field("robot", &S::robot, PathReader{}, "the robot's file, from the folder of this file", true),
       field("motion", &S::motion, MotionReader{}, "a motion file or table, from the folder of this file; or a motion",
             true),
       field("parameters", &S::parameters, MapOf<AnyNumber>{{}, 100}, "numbers by name, to be used in set"),
       field("set", &S::set, MapOf<ValueReader>{{}, 100},
             "other values in the robot file, by path: legs.joints.drive.screw; a number or a parameter's name"),
       field("compute", &S::compute, Choice{{"inverse", "simulate", "control", "flex"}},
             "what is asked: inverse (default), the actuators' forces; simulate, motions from forces; control, motions "
             "under controllers; or flex, what beams do"),
       field("by", &S::by, ListOf<Choice>{{formulation_words()}, 7, true}, "formulations; all if left out"),
       field("step", &S::step, Number{time}, "seconds between the states of a trajectory; 1 ms if left out"),
       field("elastic", &S::elastic, Choice{{elastic_motion_names.begin(), elastic_motion_names.end()}},
             "where the motion of elastic joints comes from: given, locked (default) or quasistatic"),
       field("modes", &S::modes, Number{none},
             "of inverse and simulate: beams bend in so many modes each, as elastic coordinates; 0 (default): they are "
             "rigid"),
       field("published", &S::published, Object<FilePublished>{published_table},
             "numbers of a publication, to be shown beside ours"),
       field("simulate", &S::simulate, Object<FileSimulate>{simulate_table}, "the runs of a simulation"),
       field("control", &S::control, Object<FileControl>{control_table}, "controllers and the plant they control"),
       field("flex", &S::flex, Object<FileFlex>{flex_table}, "runs of a robot with beams")},
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
  all["control"] = Object<FileControl>{control_table}.definition();
  all["control_run"] = Object<FileControlRun>{control_run_table}.definition();
  all["plant"] = Object<FilePlant>{plant_table}.definition();
  all["flex"] = Object<FileFlex>{flex_table}.definition();
  all["load"] = Object<FileLoad>{load_table}.definition();
  all["flex_run"] = Object<FileFlexRun>{flex_run_table}.definition();
  all["sweep"] = Object<FileSweep>{sweep_table}.definition();
  return all;
}

void check_plain_name(const std::string& key, const std::string& name, const Where& where) {
  const auto plain = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '-'; };
  if (name.empty() || name.size() > 80 || !std::all_of(name.begin(), name.end(), plain))
    throw Error(where,
                fmt::format("{}: read the name '{}', expected 1 to 80 of a-z A-Z 0-9 _ -, as a file or folder gets it",
                            key, name.substr(0, 80)));
}

}  // namespace gough::io
