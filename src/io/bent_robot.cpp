#include "gough/io/bent_robot.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "gough/error.hpp"
#include "modes_json.hpp"

namespace gough {
namespace {

/// Bodies with the same modes, in the order of the tree.
struct Alike {
  std::vector<std::string> bodies;
  const ModalBody* modes;
};
std::vector<Alike> alike_in(const Mechanism<double>& m) {
  std::vector<Alike> all;
  for (std::size_t j = 0; j < m.joint.size(); ++j) {
    if (m.joint[j].type != Elementary::modal) continue;
    const ModalBody& b = m.modal_of(j);
    const auto known = std::find_if(all.begin(), all.end(), [&](const Alike& a) {
      const VecX<double>&x = a.modes->truncation.frequency, &y = b.truncation.frequency;
      return x.size() == y.size() && (x - y).norm() < 1e-9 * x.norm();
    });
    const std::string& body = m.body_name[static_cast<std::size_t>(m.parent[j])];
    if (known != all.end()) known->bodies.push_back(body);
    else all.push_back({{body}, &b});
  }
  return all;
}

std::string some_of(const std::vector<std::string>& names) {
  if (names.size() <= 2) return fmt::format("{}", fmt::join(names, ", "));
  return fmt::format("{} and {} like it", names.front(), names.size() - 1);
}

}  // namespace

BentMechanism bent_mechanism(const RobotDescription& robot, const ModesOptions& options) {
  BentRobot bent = with_modes(robot, options);
  return {ready_robot(bent.robot), bent.planar, bent.places};
}

BentMechanism load_bent_robot(const std::string& path, const ModesOptions& options,
                              const std::vector<Setting>& settings) {
  return bent_mechanism(read_robot(path, settings), options);
}

std::string modes_text(const Mechanism<double>& m) {
  std::string text;
  for (const Alike& a : alike_in(m)) {
    const Truncation& t = a.modes->truncation;
    text += fmt::format("  {}: {} modes, {:.4g} to {:.4g} Hz clamped", some_of(a.bodies), a.modes->modes(),
                        t.frequency[0], t.frequency[t.frequency.size() - 1]);
    text += t.lowest_omitted > 0
                ? fmt::format("; left out from {:.4g} Hz, lower half off by {:.1e}, compliance by {:.1e}\n",
                              t.lowest_omitted, t.worst, t.compliance)
                : "; all that its elements have\n";
  }
  return text;
}

nlohmann::json io::modes_json(const Mechanism<double>& m) {
  nlohmann::json all = nlohmann::json::array();
  for (const Alike& a : alike_in(m)) {
    const Truncation& t = a.modes->truncation;
    all.push_back({{"bodies", a.bodies},
                   {"modes", a.modes->modes()},
                   {"frequencies", std::vector<double>(t.frequency.begin(), t.frequency.end())},
                   {"lowest_omitted", t.lowest_omitted},
                   {"worst", t.worst},
                   {"compliance", t.compliance}});
  }
  return all;
}

}  // namespace gough
