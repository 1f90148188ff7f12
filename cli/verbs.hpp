#pragma once
/// The tool's verbs: one small function each. Exit 0 done, 2 bad input, 3 a numerical outcome.
#include <fmt/format.h>

#include <string>
#include <utility>

enum Exit { done = 0, bad_input = 2, numerical = 3 };

/// What simulate was asked for beside what other verbs know.
struct SimulationWishes {
  double time = 1, tolerance = 0, fixed_step = 0, smooth = 1e-3, hold = 0;
  std::string method = "adaptive", loops = "independent", friction = "stick", baumgarte = "20,20";
  std::string tau, forces, positions, rates, vary, drives;
  bool equilibrium = false;
  double encoder = 0, noise = 0;
  unsigned seed = 1;
};

/// What excite was asked for.
struct ExciteWishes {
  std::string scheme = "harmonic";
  double period = 10, velocity = 0, acceleration = 0, force = 0;
  int harmonics = 5, evaluations = 2000;
  unsigned seed = 1;
};

/// What identify was asked for.
struct IdentifyWishes {
  std::string data, validate, what = "all", constant;
  double cutoff = 0, period = 0;
  int harmonics = 0;
  bool robust = false, consistent = false, all_parameters = false;
};

/// What flex was asked for.
struct FlexWishes {
  double step = 0, rows = 0, rho = 0.9, modal_damping = 0;  ///< step, rows: 0 where not said
  int frequencies = 3;
  std::string start = "undeformed", space = "automatic", rayleigh, load, gravity, shapes, follow, points;
  bool no_geometric = false, quasistatic = false;
};

/// What generate or compile was asked for.
struct CodeWishes {
  std::string what = "inverse", from = "joints", lang = "c", rotation = "cardan";
  int newton = 0;
  bool fold = false, generic = false, count = false, native = false, batch = false, lanes = false, gpu = false;
};

/// What was said on the command line.
struct Options {
  std::string robot, motion, study, result;
  std::string robot_text;  ///< read once: it may come from a pipe
  std::string schema = "robot";
  std::string pose, coordinates, mode, actuators, along, times;
  std::string by = "legs", elastic = "locked", weights, output;
  double step = 1e-3;
  int modes = 0;  ///< per beam; 0: beams are rigid
  int port = 0;
  bool all = false, reactions = false, scaling = false;
  bool identical_legs = false, symmetric = false;
  bool json = false;
  SimulationWishes simulation;
  CodeWishes code;
  ExciteWishes excite;
  IdentifyWishes identify;
  FlexWishes flex;
};

/// Text goes out whole or the failure is said: a full disk or a closed pipe is not success.
int print(const std::string& text);
/// A message on standard error. What files and their names bring into it is shown, not obeyed.
void say_text(const std::string& text);
template <class... T>
void say(fmt::format_string<T...> words, T&&... values) {
  say_text(fmt::format(words, std::forward<T>(values)...));
}

int check(const Options& o);
int ik(const Options& o);
int fk(const Options& o);
int inverse(const Options& o);
int forward(const Options& o);
int flex(const Options& o);
int compare(const Options& o);
int simulate(const Options& o);
int run(const Options& o);
int report(const Options& o);
int view(const Options& o);
int parameters(const Options& o);
int excite(const Options& o);
int identify(const Options& o);
int generate(const Options& o);
int compile(const Options& o);
int schema(const Options& o);
