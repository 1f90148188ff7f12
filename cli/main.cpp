/// The command-line tool: its grammar, and what it does with exceptions.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <sstream>
#include <vector>

#include "gough/gough.hpp"
#include "robot_of.hpp"
#include "verbs.hpp"

int print(const std::string& text) {
  const std::string harmless = gough::shown(text);
  const bool written =
      std::fwrite(harmless.data(), 1, harmless.size(), stdout) == harmless.size() && std::fflush(stdout) == 0;
  if (!written) say("gough: the output could not be written\n");
  return written ? done : bad_input;
}

void say_text(const std::string& text) { fmt::print(stderr, "{}", gough::shown(text)); }

gough::RobotDescription described(const Options& o, const std::vector<gough::Setting>& settings) {
  return gough::parse_robot(o.robot_text, o.robot, settings);
}

gough::Mechanism<double> rigid_robot_of(const Options& o, const std::vector<gough::Setting>& settings) {
  return gough::ready_robot(described(o, settings));
}

gough::Mechanism<double> robot_of(const Options& o, const std::vector<gough::Setting>& settings) {
  if (o.modes == 0) return rigid_robot_of(o, settings);
  gough::ModesOptions modes;
  modes.modes = o.modes;
  return gough::bent_mechanism(described(o, settings), modes).mechanism;
}

int schema(const Options& o) {
  if (o.schema == "study") return print(gough::study_schema());
  return print(o.schema == "motion" ? gough::motion_schema() : gough::robot_schema());
}

namespace {

void add_robot(CLI::App* verb, Options& o) {
  verb->add_option("ROBOT", o.robot, "robot file")->required();
  verb->add_flag("--json", o.json, "print JSON instead of text");
}

void add_modes(CLI::App* verb, Options& o) {
  verb->add_option("--modes", o.modes, "modes per beam: beams bend with the motion; default 0: they are rigid")
      ->check(CLI::Range(0, gough::most_modes));
}

void add_motion(CLI::App* verb, Options& o) {
  verb->add_option("MOTION", o.motion, "motion file or table (CSV)")->required();
  verb->add_option("--step", o.step, "seconds between the states of a trajectory; default 1e-3")
      ->check(CLI::PositiveNumber);
}

void add_formulation(CLI::App* verb, Options& o) {
  verb->add_option("--by", o.by, "formulation; default legs")
      ->check(
          CLI::IsMember(std::vector<std::string>(gough::formulation_names.begin(), gough::formulation_names.end())));
  verb->add_option("-o", o.output, "table (CSV) to write, row by row");
  add_modes(verb, o);
}

template <std::size_t N>
CLI::IsMember one_of(const std::array<std::string_view, N>& names) {
  return CLI::IsMember(std::vector<std::string>(names.begin(), names.end()));
}

void add_simulate(CLI::App* verb, Options& o) {
  SimulationWishes& s = o.simulation;
  add_robot(verb, o);
  add_formulation(verb, o);
  CLI::Option* time = verb->add_option("--time", s.time, "seconds to simulate; default 1")->check(CLI::PositiveNumber);
  CLI::Option* step =
      verb->add_option("--step", o.step, "seconds between rows; default 1e-3")->check(CLI::PositiveNumber);
  verb->add_option("--times", o.times, "instead: rows at the times in column t of a table (CSV); the run starts at 0")
      ->excludes(time)
      ->excludes(step);
  verb->add_option("--method", s.method, "integrator; default adaptive")->check(one_of(gough::method_names));
  verb->add_option("--loops", s.loops, "how loops are kept closed; default independent")
      ->check(one_of(gough::loops_names));
  verb->add_option("--tolerance", s.tolerance, "of a step, relative and absolute; default 1e-12, stiff 1e-10, dae 1e-8")
      ->check(CLI::PositiveNumber);
  verb->add_option("--fixed-step", s.fixed_step, "seconds, of rk4 and semi_implicit; default that of the rows")
      ->check(CLI::PositiveNumber);
  verb->add_option("--drives", s.drives,
                   "motion file or table (CSV) that the drives follow exactly, whatever forces it takes; starts there");
  verb->add_option("--baumgarte", s.baumgarte, "alpha,beta [1/s]; default 20,20");
  verb->add_option("--pose", o.pose, "start from the platform's pose x,y,z,rx,ry,rz");
  verb->add_option("--actuators", o.actuators, "start from the actuators' positions a,b,..");
  verb->add_flag("--equilibrium", s.equilibrium, "start from the static equilibrium nearby");
  verb->add_option("--positions", s.positions,
                   "start with joints, elastic ones too, at NAME=VALUE,.. [m, rad]; the rest closes the loops");
  verb->add_option("--rates", s.rates, "start with rates NAME=VALUE,.. [m/s, rad/s]; the rest follows from the loops");
  verb->add_option("--tau", s.tau, "constant forces of the actuators a,b,..; default 0");
  verb->add_option("--forces", s.forces, "table (CSV) of forces over time: t, tau.NAME, perhaps fx .. mz");
  verb->add_option("--friction", s.friction, "dry friction: stick (events) or smooth; default stick")
      ->check(one_of(gough::dry_friction_names));
  verb->add_option("--smooth", s.smooth, "speed [m/s, rad/s] below which smooth friction fades; default 1e-3")
      ->check(CLI::PositiveNumber);
  verb->add_option("--hold", s.hold, "seconds for which forces are held, as a sampled controller does; default 0: none")
      ->check(CLI::NonNegativeNumber);
  verb->add_option("--motion", o.motion, "instead of forces: a motion file or table (CSV) that is followed exactly");
  verb->add_option(
          "--encoder", s.encoder,
          "write what sensors show, t, q.NAME and tau.NAME of the actuators: positions in these steps [m, rad]")
      ->check(CLI::NonNegativeNumber);
  verb->add_option("--noise", s.noise, "and forces with this deviation [N, N m]")->check(CLI::NonNegativeNumber);
  verb->add_option("--seed", s.seed, "of the noise; default 1");
  verb->add_option("--vary", s.vary, "PATH=VALUE,VALUE,..: runs side by side with that value in the robot file");
}

void add_parameters(CLI::App* verb, Options& o) {
  add_robot(verb, o);
  verb->add_flag("--identical-legs", o.identical_legs, "equal parts of all legs share their parameters");
  verb->add_flag("--symmetric", o.symmetric, "only the inertia entries that the file declares (`symmetric`)");
}

void add_excite(CLI::App* verb, Options& o) {
  ExciteWishes& e = o.excite;
  add_parameters(verb, o);
  verb->add_option(
          "--scheme", e.scheme,
          "harmonic: one motion for all parameters; friction: runs at constant speeds; acceleration: short, quick "
          "runs; default harmonic")
      ->check(CLI::IsMember({"harmonic", "friction", "acceleration"}));
  verb->add_option("--period", e.period, "of the harmonic motion [s]; default 10")->check(CLI::PositiveNumber);
  verb->add_option("--harmonics", e.harmonics, "of it; default 5")->check(CLI::Range(2, 50));
  verb->add_option("--evaluations", e.evaluations, "of the optimisation, at most; default 2000")
      ->check(CLI::Range(1, 1000000));
  verb->add_option("--velocity", e.velocity, "limit of all actuators beside the file's [m/s, rad/s]")
      ->check(CLI::PositiveNumber);
  verb->add_option("--acceleration", e.acceleration, "limit of all actuators [m/s^2, rad/s^2]")
      ->check(CLI::PositiveNumber);
  verb->add_option("--force", e.force, "limit of all actuators [N, N m]")->check(CLI::PositiveNumber);
  verb->add_option("--seed", e.seed, "of the motion that the optimisation starts from; default 1");
  verb->add_option("-o", o.output, "folder for motion file and plots; default results/excite_ROBOT");
}

void add_identify(CLI::App* verb, Options& o) {
  IdentifyWishes& i = o.identify;
  add_parameters(verb, o);
  verb->add_option("DATA", i.data, "table (CSV): t, q.NAME, perhaps v.NAME and a.NAME, tau.NAME or current.NAME")
      ->required();
  verb->add_option("--validate", i.validate, "a second table, whose forces are predicted");
  verb->add_option("--what", i.what,
                   "all, friction (inertias are found beside it and thrown away) or inertia (friction is "
                   "the file's); default all")
      ->check(one_of(gough::identified_names));
  verb->add_option("--constant", i.constant, "force per current, k or k1,k2,.. [N/A or N m/A], for current.NAME");
  verb->add_option("--cutoff", i.cutoff,
                   "of the filter that rates come from [Hz]; default five times the motion's band")
      ->check(CLI::PositiveNumber);
  verb->add_option("--period", i.period, "of a periodic motion [s]: rates from its harmonics instead of a filter")
      ->check(CLI::PositiveNumber);
  verb->add_option("--harmonics", i.harmonics, "that are fitted with --period; default: as many as make the fit better")
      ->check(CLI::Range(1, 1000));
  verb->add_flag("--robust", i.robust, "outliers weigh less (Huber)");
  verb->add_flag("--consistent", i.consistent, "estimates of bodies that can exist");
  verb->add_flag("--all-parameters", i.all_parameters, "estimate insignificant parameters, too");
  verb->add_option("-o", o.output, "folder for robot file and report; default results/identify_ROBOT");
}

/// What code is asked for, however it is written.
void add_code(CLI::App* verb, Options& o) {
  add_robot(verb, o);
  verb->add_option("--what", o.code.what,
                   "inverse, forward, kinematics, regressor, jacobian or derivatives; default inverse")
      ->check(CLI::IsMember({"inverse", "forward", "kinematics", "regressor", "jacobian", "derivatives"}));
  verb->add_option("--from", o.code.from,
                   "what the code is given: joints (any robot), platform (legs in closed form) or actuators (five-bar, "
                   "star); default joints")
      ->check(CLI::IsMember({"joints", "platform", "actuators"}));
  verb->add_option("--rotation", o.code.rotation,
                   "of the platform as it is given: cardan angles or matrix; default cardan")
      ->check(CLI::IsMember({"cardan", "matrix"}));
  verb->add_option("--newton", o.code.newton, "from joints: steps of Newton's method that close the loops; default 0");
  verb->add_flag("--fold", o.code.fold, "parameters become constants of the code");
  verb->add_flag("--generic", o.code.generic, "no kernel made for a kind of leg");
  verb->add_flag("--batch", o.code.batch, "in C: also for many states at once, in vectors");
  verb->add_flag("--lanes", o.code.lanes, "in C, from platform: one state at a time, its equal legs in vectors");
}

void add_generate(CLI::App* verb, Options& o) {
  add_code(verb, o);
  verb->add_option("--lang", o.code.lang, "language: c or cuda; default c")->check(CLI::IsMember({"c", "cuda"}));
  verb->add_flag("--count", o.code.count, "count operations, write nothing");
  verb->add_option("-o", o.output, "folder for the files; default the current one");
}

void add_compile(CLI::App* verb, Options& o) {
  add_code(verb, o);
  verb->add_flag("--gpu", o.code.gpu, "batches also on an NVIDIA GPU, where there is one (needs nvcc, or $NVCC)");
  verb->add_flag("--native", o.code.native, "for this machine's instructions (-march=native)");
  verb->add_option("-o", o.output, "shared object to write; default NAME.so");
}

void add_flex(CLI::App* verb, Options& o) {
  FlexWishes& f = o.flex;
  add_robot(verb, o);
  verb->add_option("MOTION", o.motion, "motion file or table (CSV)")->required();
  verb->add_option("--step", f.step,
                   "seconds of an integration step, at most; default 5e-4; with --modes what its accuracy allows")
      ->check(CLI::PositiveNumber);
  verb->add_option("--rows", f.rows, "seconds between rows; default 1e-3, or a table's own rows")
      ->check(CLI::PositiveNumber);
  verb->add_option("--times", o.times, "instead: rows at the times in column t of a table (CSV)");
  verb->add_option("--start", f.start,
                   "undeformed (default), quasistatic, or a table (CSV) whose first row says it: BODY.k.x .. of nodes, "
                   "with --modes q.NAME, v.NAME");
  verb->add_option("--points", f.points,
                   "places whose displacement is told, NAME.ex .. NAME.erz: NAME=BODY@x,y,z;.. or nodes BODY.k");
  verb->add_option("--rho", f.rho, "spectral radius at infinity, 1: no numerical damping; default 0.9")
      ->check(CLI::Range(0.0, 1.0));
  verb->add_option("--rayleigh", f.rayleigh, "damping a1,a2: C = a1 M + a2 K [1/s, s]; default the materials'");
  verb->add_option("--modal-damping", f.modal_damping,
                   "ratio, of the modes of --frequencies; with --modes of all of them")
      ->check(CLI::Range(0.0, 0.99));
  verb->add_option("--frequencies", f.frequencies, "how many, f1 f2 ..; default 3")->check(CLI::Range(0, 100));
  verb->add_option("--follow", f.follow,
                   "instead: drives with which the platform follows its path; -o writes them as a motion table")
      ->check(CLI::IsMember({"driving_force", "modified_driving_force", "driving_constraint"}));
  verb->add_option("--shapes", f.shapes, "table (CSV) of mode shapes to write, at eleven times of the motion");
  verb->add_option("--load", f.load, "forces on links BODY@x,y,z:fx,fy,fz;.. [m, N, base axes]");
  verb->add_option("--gravity", f.gravity, "x,y,z [m/s^2] instead of the robot's");
  verb->add_option("--space", f.space, "planar, spatial or automatic (default)")
      ->check(CLI::IsMember({"automatic", "planar", "spatial"}));
  verb->add_option(
          "--modes", o.modes,
          "modes per beam: the coupled model, rigid motion and bending unknown together; default 0: beams along the "
          "rigid motion. With --follow: drives are tried on it, and driving_constraint looks for them with it")
      ->check(CLI::Range(0, gough::most_modes));
  verb->add_flag("--quasistatic", f.quasistatic, "no vibration: every row by itself");
  verb->add_flag("--no-geometric", f.no_geometric, "leave out the stiffness that comes from tension");
  verb->add_option("-o", o.output, "table (CSV) to write, row by row");
}

/// What is wrong with the arguments: the help calls subcommands verbs.
std::string in_our_words(const CLI::App* app, const CLI::Error& e) {
  std::string text = CLI::FailureMessage::simple(app, e);
  if (const std::string theirs = "A subcommand"; text.starts_with(theirs)) text.replace(0, theirs.size(), "A verb");
  return text;
}

/// A first word that is no verb: the nearest one is named.
void expect_verb(const CLI::App& app, const std::string& word) {
  if (word.empty() || word.starts_with("-")) return;
  std::vector<std::string> verbs;
  for (const CLI::App* verb : app.get_subcommands({})) verbs.push_back(verb->get_name());
  if (std::find(verbs.begin(), verbs.end(), word) != verbs.end()) return;
  const std::string near = gough::nearest(word, verbs);
  throw gough::Error(fmt::format("read the verb '{}', expected {}", gough::beginning(word, 40),
                                 near.empty() ? fmt::format("one of {}", fmt::join(verbs, ", "))
                                              : fmt::format("'{}'? gough --help lists the verbs", near)));
}

/// Help, or what is wrong with the arguments, is said.
int said_by(const CLI::App& app, const CLI::ParseError& e) {
  std::ostringstream out, err;
  const bool asked = app.exit(e, out, err) == 0;
  say("{}", err.str());
  const int said = print(out.str());
  return asked ? said : bad_input;
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app{"gough: kinematics and dynamics of parallel robots", "gough"};
  app.require_subcommand(1);
  app.get_formatter()->label("SUBCOMMAND", "VERB");
  app.failure_message(in_our_words);
  app.set_version_flag("--version", std::string("gough ") + GOUGH_VERSION);
  Options o;
  CLI::App* check_verb =
      app.add_subcommand("check", "what the mechanism can do: mobility, redundant equations, actuation");
  add_robot(check_verb, o);
  check_verb->add_option("--along", o.along,
                         "a motion file, or a table of poses or drives (CSV with x y z rx ry rz, or q.NAME): indices "
                         "and limits along it");
  check_verb->add_option("--step", o.step, "seconds between the states of a motion file; default 1e-3")
      ->check(CLI::PositiveNumber);
  CLI::App* ik_verb = app.add_subcommand("ik", "inverse kinematics: joints from the platform's pose");
  add_robot(ik_verb, o);
  ik_verb->add_option("--pose", o.pose, "x,y,z,rx,ry,rz of the platform [m, rad], units allowed")->required();
  ik_verb->add_option("--coordinates", o.coordinates, "which of them are read, e.g. x,y,z; default: the task's");
  ik_verb->add_option("--mode", o.mode, "working mode: + (home's) or - for each leg, e.g. ++-");
  ik_verb->add_flag("--all", o.all, "every working mode and every answer");
  CLI::App* fk_verb = app.add_subcommand("fk", "forward kinematics: pose from the actuators' positions");
  add_robot(fk_verb, o);
  fk_verb->add_option("--actuators", o.actuators, "positions a,b,.. in the robot's order [m, rad], units allowed")
      ->required();
  fk_verb->add_flag("--all", o.all, "every assembly mode");
  CLI::App* inverse_verb = app.add_subcommand("inverse", "inverse dynamics: actuator forces and sizing for a motion");
  add_robot(inverse_verb, o);
  add_motion(inverse_verb, o);
  add_formulation(inverse_verb, o);
  inverse_verb->add_option("--elastic", o.elastic, "where the motion of elastic joints comes from; default locked")
      ->check(CLI::IsMember({"given", "locked", "quasistatic"}));
  inverse_verb->add_option("--weights", o.weights, "of redundant actuators, a,b,..: least sum of w tau^2");
  inverse_verb->add_flag("--reactions", o.reactions, "also the wrenches of the legs on the platform");
  CLI::App* forward_verb = app.add_subcommand("forward", "forward dynamics: accelerations from states and forces");
  add_robot(forward_verb, o);
  forward_verb->add_option("STATES", o.motion, "table (CSV) of platform or actuator states with tau.NAME")->required();
  add_formulation(forward_verb, o);
  CLI::App* flex_verb = app.add_subcommand("flex", "what beams do along a motion: errors, forces, stress, frequencies");
  add_flex(flex_verb, o);
  CLI::App* compare_verb = app.add_subcommand("compare", "all formulations: how far they disagree, what they cost");
  add_robot(compare_verb, o);
  compare_verb->add_option("MOTION", o.motion, "motion file or table (CSV); left out: random states near home");
  add_modes(compare_verb, o);
  compare_verb->add_flag("--scaling", o.scaling, "cost as elastic freedoms per chain and legs grow, into files");
  compare_verb->add_option("-o", o.output, "folder for the files of --scaling; default results/scaling_ROBOT");
  CLI::App* simulate_verb = app.add_subcommand("simulate", "motion from forces, over time");
  add_simulate(simulate_verb, o);
  CLI::App* run_verb = app.add_subcommand("run", "what a study asks for, into files");
  run_verb->add_option("STUDY", o.study, "study file")->required();
  run_verb->add_option("-o", o.output, "folder for the results; default results/NAME");
  run_verb->add_flag("--json", o.json, "print the result as JSON instead of text");
  CLI::App* report_verb = app.add_subcommand("report", "the page of a study's result, again");
  report_verb->add_option("RESULT", o.result, "result.json of run")->required();
  report_verb->add_option("-o", o.output, "page (HTML) to write; default report.html beside RESULT");
  report_verb->add_flag("--json", o.json, "print JSON instead of text");
  CLI::App* view_verb = app.add_subcommand("view", "the robot as a page with sliders, redrawn when its file changes");
  view_verb->add_option("ROBOT", o.robot, "robot file")->required();
  view_verb->add_option("--port", o.port, "of 127.0.0.1; default: one that is free")->check(CLI::Range(1, 65535));
  CLI::App* generate_verb = app.add_subcommand("generate", "C code for one robot, and its operation count");
  add_generate(generate_verb, o);
  CLI::App* compile_verb = app.add_subcommand("compile", "the same as a shared object, by $CC or cc");
  add_compile(compile_verb, o);
  CLI::App* parameters_verb =
      app.add_subcommand("parameters", "base parameters: the combinations of inertias that motions show");
  add_parameters(parameters_verb, o);
  CLI::App* excite_verb = app.add_subcommand("excite", "a motion that shows the parameters, within all limits");
  add_excite(excite_verb, o);
  CLI::App* identify_verb = app.add_subcommand("identify", "inertias and friction from measurements");
  add_identify(identify_verb, o);
  CLI::App* schema_verb = app.add_subcommand("schema", "the JSON Schema of a kind of file, for editors");
  schema_verb->add_option("KIND", o.schema, "robot (default), motion or study")
      ->check(CLI::IsMember({"robot", "motion", "study"}));
  for (CLI::App* verb : app.get_subcommands({})) verb->group("Verbs");
  const gough::KeepInputs keep;
  try {
    if (argc > 1) expect_verb(app, argv[1]);
    app.parse(argc, argv);
    if (!o.robot.empty() && !view_verb->parsed()) o.robot_text = gough::read_robot_text(o.robot);
    if (check_verb->parsed()) return check(o);
    if (ik_verb->parsed()) return ik(o);
    if (fk_verb->parsed()) return fk(o);
    if (inverse_verb->parsed()) return inverse(o);
    if (forward_verb->parsed()) return forward(o);
    if (flex_verb->parsed()) return flex(o);
    if (compare_verb->parsed()) return compare(o);
    if (simulate_verb->parsed()) return simulate(o);
    if (run_verb->parsed()) return run(o);
    if (report_verb->parsed()) return report(o);
    if (view_verb->parsed()) return view(o);
    if (generate_verb->parsed()) return generate(o);
    if (compile_verb->parsed()) return compile(o);
    if (parameters_verb->parsed()) return parameters(o);
    if (excite_verb->parsed()) return excite(o);
    if (identify_verb->parsed()) return identify(o);
    if (schema_verb->parsed()) return schema(o);
  } catch (const CLI::ParseError& e) { return said_by(app, e); } catch (const gough::Error& e) {
    say("{}\n", e.what());
    return bad_input;
  } catch (const gough::Failure& e) {
    say("{}\n", e.what());
    return numerical;
  } catch (const std::exception& e) {
    say("gough: unexpected: {}\n", e.what());
    return bad_input;
  }
  return done;
}
