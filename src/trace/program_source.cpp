#include <fmt/format.h>

#include <bit>
#include <deque>
#include <mutex>
#include <random>

#include "../codegen/emit_parts.hpp"
#include "../dynamics/making.hpp"
#include "gough/codegen/optimise.hpp"
#include "gough/dynamics/compare.hpp"
#include "gough/error.hpp"
#include "gough/kinematics/assemble.hpp"
#include "gough/scalar/index.hpp"
#include "gough/trace/programs.hpp"
#include "trace.hpp"

namespace gough {
namespace {

constexpr double allowed = 1e-9;               ///< of the answer's norm, per unit of condition                     (X1)
constexpr double proves_nothing = 1e10;        ///< condition of a state that proves nothing
constexpr double step = 0.03;                  ///< of the independent coordinates, to a second position
constexpr std::size_t most_rewritten = 25000;  ///< nodes of a tape: rewriting longer ones takes seconds
constexpr std::size_t most_kept = 64;

// ------------------------------------------------------------------------------------------------ comparison

/// A program beside the kernels, at the position where its coordinates were chosen and a little away from it.
class Witness {
 public:
  Witness(const Mechanism<double>& m, const Dynamics<double>& d, const ProgramWish& wish)
      : m_(m), by_program_(d), wish_(wish), w_(m) {
    by_program_.external = wish.wrenches != ProgramWish::Wrenches::none;
    w_.q = d.chosen_at;
    place();
  }

  /// Empty: they agree.
  std::string compare(const Routine& routine) {
    scratch_ = routine.scratch();
    const std::string why = compare_here(routine, true);
    if (!why.empty() || !step_aside()) return why;
    return compare_here(routine, false);
  }

  std::string compare_from_platform(const MadeProgram& made) {
    scratch_ = made.routine->scratch();
    const std::string why = from_platform_here(made, true);
    if (!why.empty() || !step_aside()) return why;
    return from_platform_here(made, false);
  }

 private:
  std::string from_platform_here(const MadeProgram& made, bool chosen_here) {
    move();
    tree_velocities(m_, w_);
    tree_accelerations(m_, w_);
    const Condition condition = condition_estimate(m_, w_.q);
    if (!(condition.inverse < proves_nothing)) return chosen_here ? "the position is too near a singular one" : "";
    DynamicsOptions o;
    o.programs = o.lanes = false;
    o.by = Formulation::dalembert;
    Workspace<double> w = w_;
    Dynamics<double> kernels(m_, w, o);
    kernels.external = false;
    const DynamicsAnswer answer = inverse_dynamics(m_, w, kernels);
    if (!answer.ok()) return chosen_here ? "the kernels have no answer to compare with: " + answer.reason : "";
    if (!evaluate_program(platform_pose(m_, w_), platform_rates(m_, w_), w_, made, scratch_))
      return chosen_here ? "it fails its own guards where it was made" : "";
    return differs("forces", w_.tau, w.tau, condition.inverse);
  }

  void place() {
    tree_positions(m_, w_);
    closure(m_, w_);
  }
  VecX<double> some(Eigen::Index n, double size) {
    std::uniform_real_distribution<double> uniform(-size, size);
    return VecX<double>::NullaryExpr(n, [&] { return uniform(random_); });
  }

  bool step_aside() {
    const Selection y = select_any(m_, w_, m_.rank);
    ExplicitForm<double> form(m_, y);
    const VecX<double> none = VecX<double>::Zero(static_cast<Eigen::Index>(y.independent.size()));
    explicit_motion(m_, w_, y, form, some(none.size(), step), none);
    w_.q = moved(m_, w_.q, w_.v);
    if (!close_loops(m_, w_).closed) return false;
    place();
    return true;
  }

  /// A motion that closes the loops, forces, wrenches, all at random.
  void move() {
    const Selection y = select_any(m_, w_, m_.rank);
    ExplicitForm<double> form(m_, y);
    const auto n = static_cast<Eigen::Index>(y.independent.size());
    explicit_motion(m_, w_, y, form, some(n, 1), some(n, 10));
    double weight = 0;
    for (const Inertia<double>& I : m_.inertia) weight += 10 * I.mass;
    w_.tau = some(w_.tau.size(), weight);
    w_.slip = some(w_.slip.size(), 1);
    w_.coulomb = wish_.coulomb;
    for (std::size_t j = 0; j < w_.external.size(); ++j) {
      const bool loaded =
          wish_.wrenches == ProgramWish::Wrenches::any ||
          (wish_.wrenches == ProgramWish::Wrenches::platform && static_cast<int>(j) == m_.platform.body);
      const VecX<double> f = some(6, loaded ? weight : 0);
      w_.external[j] = {f.head<3>(), f.tail<3>()};
    }
  }

  std::string compare_here(const Routine& routine, bool chosen_here) {
    move();
    const Condition condition = condition_estimate(m_, w_.q);
    const double worse = wish_.inverse ? condition.inverse : condition.forward;
    if (!(worse < proves_nothing))
      return chosen_here ? "the position is too near a singular one to compare anything" : "";
    DynamicsOptions o = by_program_.options;
    o.programs = o.lanes = false;
    if (o.by == Formulation::legs) o.by = Formulation::dalembert;
    Workspace<double> w = w_;
    Dynamics<double> kernels(m_, w, o);
    kernels.external = by_program_.external;
    const DynamicsAnswer answer = wish_.inverse ? inverse_dynamics(m_, w, kernels) : forward_dynamics(m_, w, kernels);
    if (!answer.ok()) return chosen_here ? "the kernels have no answer to compare with: " + answer.reason : "";
    if (!evaluate_program(m_, w_, by_program_, wish_, routine, scratch_))
      return chosen_here ? "it fails its own guards where it was made" : "";
    VecX<double> found = w_.a, expected = w.a;
    if (wish_.inverse) {
      expected = kernels.efforts.e, found = by_program_.efforts.e;
      found.head(w_.tau.size()) = w_.tau;
    }
    std::string why = differs(wish_.inverse ? "forces" : "accelerations", found, expected, worse);
    if (why.empty() && m_.equations > 0)  // single ones may not be unique
      why = differs("forces of the loops", w_.K.transpose() * w_.lambda, w_.K.transpose() * w.lambda, worse);
    return why;
  }
  static std::string differs(const char* what, const VecX<double>& x, const VecX<double>& expected, double condition) {
    const double size = expected.norm(), difference = (x - expected).norm();
    if (difference <= allowed * condition * size) return "";
    return fmt::format("{} differ from the kernels' by {:.1e} of {:.3g}, rounding explains {:.1e}", what,
                       difference / size, size, allowed * condition);
  }

  const Mechanism<double>& m_;
  Dynamics<double> by_program_;
  const ProgramWish& wish_;
  Workspace<double> w_;
  std::vector<double> scratch_;
  std::mt19937 random_{11};
};

// ------------------------------------------------------------------------------------------------ those made before

struct Hash {
  std::array<std::uint64_t, 2> value{0xcbf29ce484222325U, 0x9e3779b97f4a7c15U};
  void add(std::uint64_t x) {
    value[0] = (value[0] ^ x) * 0x100000001b3U;
    value[0] ^= value[0] >> 29U;
    value[1] = std::rotl(value[1] + x, 23) * 0xd6e8feb86659fd93U;
  }
  void add(double x) { add(std::bit_cast<std::uint64_t>(x)); }
  void add(Ref r) { add(static_cast<std::uint64_t>(r.code())); }
  friend bool operator==(const Hash&, const Hash&) = default;
};

/// Of all that a routine is made of.
Hash hash_of(const Program& p) {
  Hash h;
  for (const Tape::Node& n : p.tape.nodes()) {
    h.add(static_cast<std::uint64_t>(n.op));
    for (const Ref r : n.arg) h.add(r);
    h.add(n.value);
  }
  for (const Symbol& s : p.tape.symbols()) h.add(s.parameter ? s.value : -1.5), h.add(std::uint64_t(s.parameter));
  for (const InputArray& a : p.inputs) {
    h.add(std::uint64_t(a.symbol.size()));
    for (const int s : a.symbol) h.add(static_cast<std::uint64_t>(s));
  }
  for (const OutputArray& a : p.outputs) {
    h.add(std::uint64_t(a.value.size()));
    for (const Ref r : a.value) h.add(r);
  }
  for (const Guard& g : p.guards) h.add(g.value), h.add(g.bound);
  return h;
}

// ------------------------------------------------------------------------------------------------ from the platform

/// Which of x y z, rotation, v, w, a, dw an entry of a program's input is.
int platform_number(const std::string& array, const std::string& entry) {
  const auto axis = [](char c) { return c - 'x'; };
  if (array == "rotation") return 3 + 3 * axis(entry[0]) + axis(entry[1]);
  constexpr std::array<std::pair<std::string_view, int>, 5> first = {{{"position", 0},
                                                                      {"velocity", 12},
                                                                      {"angular_velocity", 15},
                                                                      {"acceleration", 18},
                                                                      {"angular_acceleration", 21}}};
  for (const auto& [name, at_first] : first)
    if (array == name) return at_first + axis(entry[0]);
  throw Error("no program: it has an input that nothing is known of: " + array);
}

/// Numbers of a motion that must be what they are at home: those of the task that are no inputs.
std::vector<std::pair<int, double>> fixed_numbers(const Mechanism<double>& m, const std::vector<int>& input) {
  Workspace<double> home(m);
  tree_positions(m, home);
  const Transform<double> X = platform_pose(m, home);
  const PoseMask& task = m.platform.coordinates;
  std::vector<std::pair<int, double>> fixed;
  const auto fix = [&](int i, double value) {
    if (!contains(input, i)) fixed.emplace_back(i, value);
  };
  for (int i = 0; i < 3; ++i) {
    const auto k = static_cast<std::size_t>(i);
    if (task[k]) fix(i, X.p[i]), fix(12 + i, 0), fix(18 + i, 0);
    else if (contains(input, i)) throw Error("no program: it takes numbers that are no task");
    if (task[3 + k]) fix(15 + i, 0), fix(21 + i, 0);
    else if (contains(input, 15 + i)) throw Error("no program: it takes numbers that are no task");
  }
  const bool turns = task[3] || task[4] || task[5], only_z = task[5] && !task[3] && !task[4];
  const bool read = std::any_of(input.begin(), input.end(), [](int i) { return i >= 3 && i < 12; });
  for (int i = 0; turns && !only_z && !read && i < 9; ++i) fix(3 + i, X.R(i / 3, i % 3));
  if (turns && only_z && !read) fix(3, X.R(0, 0)), fix(6, X.R(1, 0));
  return fixed;
}

class Source : public ProgramSource {
 public:
  MadeProgram make(const Mechanism<double>& m, const Dynamics<double>& d, const ProgramWish& wish) const override {
    return wish.from_platform ? from_platform(m, d, wish) : from_joints(m, d, wish);
  }

 private:
  MadeProgram from_joints(const Mechanism<double>& m, const Dynamics<double>& d, const ProgramWish& wish) const {
    return {routine(trace_dynamics(m, d, wish), wish,
                    [&](const Routine& made) { return Witness(m, d, wish).compare(made); }),
            "",
            {},
            {}};
  }

  MadeProgram from_platform(const Mechanism<double>& m, const Dynamics<double>& d, const ProgramWish& wish) const {
    GenerateWish what{"inverse", "platform"};
    what.here = true;
    Program p = trace_from_platform(m, what);
    MadeProgram made;
    InputArray all{"motion", "", {}, {}};
    for (const InputArray& a : p.inputs) {
      for (const std::string& entry : a.entry) made.input.push_back(platform_number(a.name, entry));
      all.entry.insert(all.entry.end(), a.entry.begin(), a.entry.end());
      all.symbol.insert(all.symbol.end(), a.symbol.begin(), a.symbol.end());
    }
    p.inputs = {all};
    made.fixed = fixed_numbers(m, made.input);
    made.routine = routine(std::move(p), wish, [&](const Routine& r) {
      MadeProgram tried = made;
      tried.routine = std::shared_ptr<const Routine>(&r, [](const Routine*) {});
      return Witness(m, d, wish).compare_from_platform(tried);
    });
    return made;
  }

  /// The one made before of an equal tape, or one that is made, and compared.
  template <class Compare>
  std::shared_ptr<const Routine> routine(Program p, const ProgramWish& wish, const Compare& why_not) const {
    const auto by = chosen_engine() == Engine::interpreter ? engine::Instructions::none : engine::instructions();
    Hash key = hash_of(p);
    key.add(std::uint64_t(wish.rewritten ? 1 : 0));
    key.add(static_cast<std::uint64_t>(by));
    if (auto known = find(key)) return known;
    if (p.tape.nodes().size() <= most_rewritten) p = for_few_registers(wish.rewritten ? rewritten(p) : p);
    const auto made = std::make_shared<const Routine>(p, by);
    if (const std::string why = why_not(*made); !why.empty()) throw Error("no program: " + why);
    keep(key, made);
    return made;
  }
  static Program rewritten(const Program& p) {
    return optimised(p, [] {
      if (making_is_over()) throw Failure("the process ends");
    });
  }
  std::shared_ptr<const Routine> find(const Hash& key) const {
    const std::lock_guard lock(mutex_);
    for (const auto& [known, routine] : kept_)
      if (known == key) return routine;
    return nullptr;
  }
  void keep(const Hash& key, std::shared_ptr<const Routine> routine) const {
    const std::lock_guard lock(mutex_);
    if (kept_.size() == most_kept) kept_.pop_front();
    kept_.emplace_back(key, std::move(routine));
  }
  mutable std::mutex mutex_;
  mutable std::deque<std::pair<Hash, std::shared_ptr<const Routine>>> kept_;
};

}  // namespace

std::string why_not_program(const Mechanism<double>& m, const Dynamics<double>& d, const ProgramWish& wish,
                            const Routine& routine) {
  return Witness(m, d, wish).compare(routine);
}

std::shared_ptr<const ProgramSource> program_source() {
  static const std::shared_ptr<const ProgramSource> one = std::make_shared<const Source>();
  return one;
}

FastPath describe_programs(const Mechanism<double>& m) {
  FastPath path{"programs", false, "", false};
  if (m.programs == nullptr) return path.why = "made by hand, without a source of programs", path;
  if (chosen_engine() == Engine::kernels) return path.why = "GOUGH_ENGINE asks for kernels", path;
  constexpr int most = 400;  // of coordinates: choosing among more takes seconds, and there are no programs of them
  if (m.nv > most) return path.why = fmt::format("more than {} coordinates", most), path;
  Workspace<double> w(m);
  const Dynamics<double> d(m, w);
  std::array<std::string, 2> how;
  for (const bool inverse : {true, false}) try {
      how[inverse ? 0 : 1] = m.programs->make(m, d, {.inverse = inverse}).routine->runs_as();
      path.used = true;
    } catch (const Error& e) { how[inverse ? 0 : 1] = e.what(); }
  path.why = how[0] == how[1] ? how[0] : fmt::format("inverse: {}; forward: {}", how[0], how[1]);
  return path;
}

}  // namespace gough
