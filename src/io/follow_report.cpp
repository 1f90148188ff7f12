#include "gough/io/follow_report.hpp"

#include <fmt/format.h>

#include "state_columns.hpp"

namespace gough {

using namespace io;

namespace {

void write_commands(const Mechanism<double>& m, const FlexCommand& c, const std::string& output) {
  std::vector<std::string> columns = {"t"};
  for (const std::string_view level : {"q.", "v.", "a.", "tau."})
    for (const int a : m.actuator) columns.push_back(std::string(level) + coordinate(m, a).name);
  TableWriter table(output, columns);
  for (std::size_t i = 0; i < c.states.size(); ++i) {
    const ActuatorMotion& x = c.states[i].motion.actuators();
    std::vector<double> row = {c.states[i].motion.t};
    for (const VecX<double>* values : {&x.q, &x.v, &x.a}) row.insert(row.end(), values->begin(), values->end());
    for (const double tau : c.tau.row(static_cast<Eigen::Index>(i))) row.push_back(tau);
    table.add(row);
  }
}

const std::string& reason_of(const FollowedPath& p) { return p.answer.along.reason; }
const std::string& reason_of(const CoupledPath& p) { return p.answer.reason; }

template <class Path>
std::string path_line(const char* what, const Path& p) {
  if (!p.answer.ok()) return fmt::format("  {:<36} {}\n", what, reason_of(p));
  return fmt::format("  {:<36} {:>12.4g} {:>12.4g} {:>12.4g} {:>12.4g}\n", what, p.rms, p.largest, p.turn_rms,
                     p.turn_largest);
}
template <class Path>
json path_json(const Path& p) {
  if (!p.answer.ok()) return {{"rms", nullptr}, {"largest", nullptr}, {"reason", reason_of(p)}};
  return {{"rms", p.rms}, {"largest", p.largest}, {"turn_rms", p.turn_rms}, {"turn_largest", p.turn_largest}};
}

}  // namespace

FollowReport report_follow(const Mechanism<double>& m, const KnownMotion& motion, const FlexInverseOptions& options,
                           const std::string& output, const BentMechanism* bent) {
  FollowReport r;
  r.robot = m.name;
  r.motion = motion.file;
  r.by = options.by;
  for (const int a : m.actuator) r.actuator.push_back(coordinate(m, a).name);
  r.command = bent != nullptr && options.by == FlexInverse::driving_constraint
                  ? coupled_constraint(m, bent->mechanism, motion.states, options.after_state)
                  : flexible_inverse(m, motion.states, options);
  r.stopped = r.command.stopped;
  if (!r.command.ok()) return r;
  if (!output.empty()) write_commands(m, r.command, output);
  FlexOptions still = options.flex, moving = options.flex;
  still.vibrates = false;
  moving.vibrates = true;
  for (FlexOptions* o : {&still, &moving}) o->frequencies = o->modal_damping > 0 ? o->frequencies : 0, o->every = 1;
  const auto followed = [&](std::span<const KnownState> command, const FlexOptions& o) {
    if (r.stopped) return FollowedPath{};
    const FollowedPath path = follow_path(m, motion.states, command, o, options.after_state);
    r.stopped = path.answer.along.stopped;
    return path;
  };
  r.rigid_still = followed(motion.states, still);
  r.still = followed(r.command.states, still);
  r.rigid = followed(motion.states, moving);
  r.corrected = followed(r.command.states, moving);
  if (bent == nullptr) return r;
  std::optional<DesiredPath> wanted;
  const auto tried = [&](std::span<const KnownState> drives) -> std::optional<CoupledPath> {
    if (r.stopped) return std::nullopt;
    if (!wanted) wanted.emplace(m, motion.in_time(), motion.states);
    const DriveMotion command = drives.empty() ? DriveMotion(wanted->motion) : DriveMotion(drives);
    CoupledOptions o;
    o.start = options.flex.start;
    const CoupledPath path = coupled_path(bent->mechanism, *wanted, command, o, [&](const CoupledRow&) {
      return !options.after_state || options.after_state();
    });
    r.stopped = path.answer.stopped;
    return path;
  };
  r.coupled_rigid = tried({});
  r.coupled = tried(r.command.states);
  return r;
}

std::string FollowReport::failed() const {
  for (const FollowedPath* p : {&rigid_still, &still, &rigid, &corrected})
    if (!p->answer.ok()) return reason_of(*p);
  for (const std::optional<CoupledPath>* p : {&coupled_rigid, &coupled})
    if (*p && !(*p)->answer.ok()) return "coupled: " + reason_of(**p);
  return {};
}

std::string follow_text(const FollowReport& r) {
  std::string out = fmt::format("{}: drives that make the platform follow {}, by {}\n", r.robot, r.motion, name(r.by));
  if (!r.command.ok()) return out;
  if (r.command.left.size() > 1) {
    out += "  left after each round [m, rad]:";
    for (const double x : r.command.left) out += fmt::format(" {:.2g}", x);
    out += "\n";
  }
  out += "\n  largest correction\n";
  for (std::size_t i = 0; i < r.actuator.size(); ++i)
    out += fmt::format("  {:<36} {:>12.4g}\n", r.actuator[i],
                       r.command.correction.col(static_cast<Eigen::Index>(i)).cwiseAbs().maxCoeff());
  if (r.stopped) return out;
  out += fmt::format("\n  {:<36} {:>12} {:>12} {:>12} {:>12}\n", "error of the path", "rms [m]", "largest", "rms [rad]",
                     "largest");
  out += path_line("rigid robot's drives, quasi-static", r.rigid_still);
  out += path_line("these drives, quasi-static", r.still);
  out += path_line("rigid robot's drives, vibrating", r.rigid);
  out += path_line("these drives, vibrating", r.corrected);
  if (r.coupled_rigid && r.coupled) {
    out += path_line("rigid robot's drives, coupled", *r.coupled_rigid);
    out += path_line("these drives, coupled", *r.coupled);
  }
  return out;
}

std::string follow_json(const FollowReport& r) {
  json corrections = json::object();
  if (r.command.ok())
    for (std::size_t i = 0; i < r.actuator.size(); ++i)
      corrections[r.actuator[i]] = r.command.correction.col(static_cast<Eigen::Index>(i)).cwiseAbs().maxCoeff();
  json out = {{"robot", r.robot},       {"motion", r.motion},
              {"by", name(r.by)},       {"status", r.stopped ? "interrupted" : std::string(name(r.command.status))},
              {"left", r.command.left}, {"largest_correction", corrections}};
  if (!r.command.reason.empty()) out["reason"] = r.command.reason;
  if (r.command.ok() && !r.stopped)
    out["error"] = {{"rigid_quasistatic", path_json(r.rigid_still)},
                    {"quasistatic", path_json(r.still)},
                    {"rigid_vibrating", path_json(r.rigid)},
                    {"vibrating", path_json(r.corrected)}};
  if (r.coupled_rigid && r.coupled && !r.stopped) {
    out["error"]["rigid_coupled"] = path_json(*r.coupled_rigid);
    out["error"]["coupled"] = path_json(*r.coupled);
  }
  return dumped(out);
}

}  // namespace gough
