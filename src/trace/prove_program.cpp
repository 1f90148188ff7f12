#include "prove_program.hpp"

#include <fmt/format.h>

#include <cmath>
#include <map>
#include <stdexcept>

#include "gough/dynamics/compare.hpp"
#include "gough/dynamics/dynamics.hpp"
#include "gough/kinematics/assemble.hpp"
#include "platform_inputs.hpp"

namespace gough {
namespace {

constexpr double allowed_error = 1e-9;  ///< of the answer's norm, per unit of condition
constexpr double too_poor = 1e10;       ///< condition of a state that proves nothing

bool passes_guards(const Program& p, const std::vector<double>& in) {
  std::vector<double> symbol;
  for (const Symbol& s : p.tape.symbols()) symbol.push_back(s.value);
  auto next = in.begin();
  for (const InputArray& array : p.inputs)
    for (const int s : array.symbol) symbol[static_cast<std::size_t>(s)] = *next++;
  const std::vector<double> values = evaluate(p.tape, symbol);
  return std::all_of(p.guards.begin(), p.guards.end(),
                     [&](const Guard& g) { return value_of(values, g.value) > g.bound; });
}

/// "y [m]" -> 1, "a2 [rad]" -> 2.
int axis_of(const std::string& entry) { return entry.starts_with("a") ? entry[1] - '0' : entry[0] - 'x'; }

/// What a state is called where it goes into a program or comes out of it.
class NamedState {
 public:
  NamedState(const Mechanism<double>& m, const Workspace<double>& w, const std::string& from)
      : m_(m), w_(w), from_(from) {}

  std::vector<double> numbers(const std::string& array, const std::vector<std::string>& entries) const {
    if (array == "tau") return {w_.tau.begin(), w_.tau.end()};
    if (array == "q" || array == "v" || array == "a") return joints(array[0], entries.size());
    const Transform<double> X = platform_pose(m_, w_);
    const PlatformRates<double> x = platform_rates(m_, w_);
    if (array == "rotation") {
      const Mat3<double> by_rows = X.R.transpose();
      return {by_rows.data(), by_rows.data() + by_rows.size()};
    }
    const std::map<std::string, Vec3<double>> vectors = {{"position", X.p},     {"angles", cardan_angles(X.R)},
                                                         {"velocity", x.v},     {"angular_velocity", x.w},
                                                         {"acceleration", x.a}, {"angular_acceleration", x.dw}};
    const auto found = vectors.find(array);
    std::vector<double> some;
    for (const std::string& e : entries)
      if (found != vectors.end()) some.push_back(found->second[axis_of(e)]);
    return some;
  }

 private:
  /// Of all joints, or of the actuators.
  std::vector<double> joints(char what, std::size_t n) const {
    const VecX<double>& all = what == 'q' ? w_.q : what == 'v' ? w_.v : w_.a;
    if (from_ == "joints" && n == static_cast<std::size_t>(all.size())) return {all.begin(), all.end()};
    std::vector<double> some;
    for (const int c : m_.actuator)
      for (const TreeJoint& j : m_.joint)
        if (c >= j.v && c < j.v + single_coordinates(j)) some.push_back(all[what == 'q' ? j.q + c - j.v : c]);
    return some;
  }

  const Mechanism<double>& m_;
  const Workspace<double>& w_;
  const std::string& from_;
};

/// The state's forces, or the accelerations of these forces, by the general kernels; false: they have no answer.
bool complete(const Program& p, const Mechanism<double>& m, Workspace<double>& w) {
  DynamicsOptions o;
  o.by = Formulation::dalembert;
  Dynamics<double> d(m, w, o);
  if (p.what == "forward") {
    for (Eigen::Index i = 0; i < w.tau.size(); ++i)
      w.tau[i] += 1 + static_cast<double>(i);  // others than those at rest
    if (!forward_dynamics(m, w, d).ok()) return false;
  } else if (!m.actuator.empty() && !inverse_dynamics(m, w, d).ok()) {
    return false;
  }
  tree_positions(m, w);
  closure(m, w);
  tree_velocities(m, w);
  tree_accelerations(m, w);
  return true;
}

}  // namespace

std::string why_not_proven(const Program& p, const Mechanism<double>& m) {
  if (p.what != "inverse" && p.what != "forward" && p.what != "kinematics") return "";
  std::vector<ComparedState> states = random_states(m, 5);
  if (states.size() > 1) states.erase(states.begin());  // home may be special
  for (const ComparedState& s : states) {
    Workspace<double> w(m);
    put_state(s, w);
    if (!complete(p, m, w)) continue;
    const NamedState state(m, w, p.from);
    std::vector<double> in;
    for (const InputArray& array : p.inputs) {
      const std::vector<double> some = state.numbers(array.name, array.entry);
      if (some.size() != array.entry.size())
        throw std::logic_error("a program's input that nothing is known of: " + array.name);
      in.insert(in.end(), some.begin(), some.end());
    }
    const Condition condition = condition_estimate(m, s.q);
    if (!((p.what == "forward" ? condition.forward : condition.inverse) < too_poor)) continue;
    if (!passes_guards(p, in)) continue;
    const std::vector<double> out = evaluate(p, in);
    std::size_t next = 0;
    for (const OutputArray& array : p.outputs) {
      const std::vector<double> general = state.numbers(array.name, array.entry);
      double difference = 0, size = 0;
      for (std::size_t i = 0; i < array.entry.size(); ++i, ++next) {
        if (general.size() != array.entry.size())
          throw std::logic_error("a program's output that nothing is known of: " + array.name);
        difference += std::pow(out[next] - general[i], 2);
        size += general[i] * general[i];
      }
      difference = std::sqrt(difference), size = std::sqrt(size);
      const double most =
          allowed_error * (p.what == "forward" ? condition.forward : condition.inverse) * std::max(size, 1e-6);
      if (!(difference <= most))
        return fmt::format("'{}' differs from the general kernels by {:.3g} of {:.3g}, rounding explains {:.1e}",
                           array.name, difference, size, most);
    }
  }
  return "";
}

}  // namespace gough
