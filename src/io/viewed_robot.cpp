#include "viewed_robot.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "drawing.hpp"
#include "gough/io/robot_file.hpp"
#include "gough/io/text.hpp"
#include "gough/kinematics/guide.hpp"
#include "gough/kinematics/inverse.hpp"
#include "readers.hpp"
#include "report_parts.hpp"

namespace gough::io {
namespace {

using std::numbers::pi;
constexpr double largest_position = 1e6;  ///< [m or rad] that a request may bring
std::size_t to(int i) { return static_cast<std::size_t>(i); }

/// The largest of 1, 2, 5, 10, .. times a power of ten that is not above x, or hardly.
double round_below(double x) {
  const double power = std::pow(10.0, std::floor(std::log10(1.1 * x)));
  for (const double digit : {5.0, 2.0})
    if (digit * power <= 1.1 * x) return digit * power;
  return power;
}

/// The file's limits; where it gives none, a span to both sides of home. Home is always inside.
Range slider_range(const Range& limits, double home, double span) {
  Range r;
  r.lower = std::min(home, std::isfinite(limits.lower) ? limits.lower : home - span);
  r.upper = std::max(home, std::isfinite(limits.upper) ? limits.upper : home + span);
  if (!(r.lower < r.upper)) r.upper = r.lower + span;
  return r;
}

json findings(const MobilityReport& r) {
  json all = json::array();
  for (const Finding& f : r.findings)
    all.push_back({{"severity", f.severity == Finding::Severity::info ? "info" : "warning"},
                   {"text", fmt::format("Check: {}{}.", f.what, f.repair == "none needed" ? "" : "; " + f.repair)}});
  return all;
}

std::string actuators_in_words(const MobilityReport& r) {
  if (r.actuators.empty()) return "none";
  return fmt::format("{} ({})", r.actuators.size(),
                     r.actuation == "under" ? "under-actuated" : r.actuation + " actuation");
}

json indices(const Mechanism<double>& m, const Workspace<double>& w) {
  const auto number = [](const std::optional<double>& x) { return x ? json(*x) : json(nullptr); };
  const SingularityIndices s = singularity_indices(m, w);
  return {{"type1", number(s.type1)},
          {"type1_leg", s.type1_leg},
          {"type2", number(s.type2)},
          {"constraint", number(s.constraint)}};
}

double residual(const Workspace<double>& w) { return w.phi.size() > 0 ? w.phi.cwiseAbs().maxCoeff() : 0.0; }

void evaluate(const Mechanism<double>& m, Workspace<double>& w) {
  tree_positions(m, w);
  closure(m, w);
}

/// Finite numbers of a list that has the right length.
VecX<double> numbers_of(const json& list, Eigen::Index size, std::string_view what) {
  if (!list.is_array() || static_cast<Eigen::Index>(list.size()) != size)
    throw Error(fmt::format("{}: expected a list of {} numbers", what, size));
  VecX<double> x(size);
  for (Eigen::Index i = 0; i < size; ++i) {
    const json& value = list[static_cast<std::size_t>(i)];
    x[i] = value.is_number() ? value.get<double>() : std::nan("");
    if (!(std::abs(x[i]) <= largest_position))
      throw Error(fmt::format("{}: number {} is none, or too large", what, i + 1));
  }
  return x;
}

/// Rounding in a page may not make a quaternion longer; anything else is a mistake.
void unify_quaternions(const Structure& m, VecX<double>& q) {
  for (const TreeJoint& j : m.joint) {
    if (!has_turns(j)) continue;
    auto u = q.segment<4>(j.q + position_size(j) - 4);
    if (std::abs(u.norm() - 1) > 1e-6) throw Error("q: read a quaternion that is no unit one");
    u /= u.norm();
  }
}

}  // namespace

ViewedRobot::ViewedRobot(const std::string& file, int number) : number_(number) {
  const RobotDescription robot = parse_robot(read_regular_text(file, largest_robot_file), file);
  Prepared ready = prepare(robot);
  if (!ready.home.assembly.closed)
    throw Error({file, 0}, "the home pose cannot be assembled: " + ready.home.assembly.explain(ready.mechanism));
  const MobilityReport report = check_mobility(ready.mechanism, ready.home);
  m_ = std::move(ready.mechanism);
  Workspace<double> w(m_);
  evaluate(m_, w);
  size_ = std::max(characteristic_length(m_, w), 1e-9);
  add_sliders();
  json facts = json::array({json::array({"file", shown(file)}),
                            json::array({"degrees of freedom", std::to_string(report.mobility)}),
                            json::array({"actuators", actuators_in_words(report)})});
  document_ = {{"number", number_},
               {"title", m_.name},
               {"description", robot.description},
               {"loops", report.loops},
               {"facts", std::move(facts)},
               {"notes", findings(report)},
               {"mechanism", drawn()},
               {"groups", sliders_json()},
               {"joints", joints_json()},
               {"home", posture(w)},
               {"tables", json::array({mobility_table(report)})}};
}

// ------------------------------------------------------------------------------------------------ sliders

void ViewedRobot::add_sliders() {
  Workspace<double> w(m_);
  evaluate(m_, w);
  const double span = round_below(size_);
  if (m_.platform.exists()) {
    const Vec6<double> home = pose_vector(platform_pose(m_, w));
    for (int i = 0; i < 6; ++i)
      if (m_.platform.coordinates[to(i)])
        pose_.push_back({std::string(pose_names[to(i)]), "pose", i, i < 3,
                         slider_range(m_.platform.limits[to(i)], home[i], i < 3 ? span : pi / 2)});
  }
  const auto home = named_positions(m_, w);
  for (const int v : guiding_coordinates(m_)) {
    const Coordinate& c = m_.coordinate[to(v)];
    joints_.push_back({c.name,
                       c.actuated  ? "actuated"
                       : c.elastic ? "elastic"
                                   : "passive",
                       v, c.is_length, slider_range(c.position, home[to(v)].second, c.is_length ? span : pi)});
  }
}

json ViewedRobot::sliders_json() const {
  json groups = json::array();
  const auto add = [&](std::string_view by, std::string_view title, const std::vector<Slider>& sliders) {
    if (sliders.empty()) return;
    json all = json::array();
    for (const Slider& s : sliders)
      all.push_back({{"name", s.name},
                     {"role", s.role},
                     {"index", s.index},
                     {"is_length", s.is_length},
                     {"lower", s.range.lower},
                     {"upper", s.range.upper}});
    groups.push_back({{"by", by}, {"title", title}, {"sliders", std::move(all)}});
  };
  const bool actuated =
      std::all_of(joints_.begin(), joints_.end(), [](const Slider& s) { return s.role == "actuated"; });
  add("pose", "Platform", pose_);
  add("joints", actuated ? "Actuators" : "Joints", joints_);
  return groups;
}

/// All joint coordinates; those of a floating platform are its pose.
json ViewedRobot::joints_json() const {
  json all = json::array();
  const int floating = m_.platform.floats ? m_.joint[to(m_.platform.body)].v : m_.nv;
  for (int i = 0; i < static_cast<int>(m_.coordinate.size()); ++i) {
    const Coordinate& c = m_.coordinate[to(i)];
    if (i >= floating && i < std::min(m_.nv, floating + 6)) continue;
    all.push_back({{"name", c.name},
                   {"index", i},
                   {"is_length", c.is_length},
                   {"role", c.actuated  ? "actuated"
                            : c.elastic ? "elastic"
                                        : "passive"}});
  }
  return all;
}

/// Rails as long as their sliders go; a leg that is a slide keeps its two tubes.
json ViewedRobot::drawn() const {
  RunRecord went(m_, 0);
  const double span = round_below(size_);
  for (std::size_t j = 0; j < m_.joint.size(); ++j) {
    const TreeJoint& joint = m_.joint[j];
    if (joint.type != Elementary::prismatic) continue;
    const double home = m_.home[joint.q];
    const bool is_leg = m_.parent[j] != base && std::abs(home) > 0.1 * size_;
    const Range r = is_leg ? Range{home - std::abs(home) / 4, home + std::abs(home) / 4}
                           : slider_range(m_.coordinate[to(joint.v)].position, home, span);
    went.q[to(joint.q)].take(r.lower);
    went.q[to(joint.q)].take(r.upper);
  }
  Workspace<double> w(m_);
  evaluate(m_, w);
  cut_coordinates(m_, w);
  for (int i = 0; i < m_.cut_coordinates(); ++i) {
    if (!m_.coordinate[to(m_.nv + i)].is_length) continue;
    went.cq[to(i)].take(w.cq[i] - size_ / 4);
    went.cq[to(i)].take(w.cq[i] + size_ / 4);
  }
  return drawing(m_, went);
}

// ------------------------------------------------------------------------------------------------ postures

json ViewedRobot::posture(Workspace<double>& w) const {
  json poses = json::array(), joints = json::array(), pose = nullptr;
  for (const Transform<double>& X : w.X0) {
    const Eigen::Vector4d u = quaternion_from_rotation(X.R);
    for (const double x : {X.p.x(), X.p.y(), X.p.z(), u[1], u[2], u[3], u[0]}) poses.push_back(x);
  }
  for (const auto& [name, value] : named_positions(m_, w)) joints.push_back(value);
  if (m_.platform.exists()) {
    const Vec6<double> x = pose_vector(platform_pose(m_, w));
    pose = std::vector<double>(x.begin(), x.end());
  }
  return {{"q", std::vector<double>(w.q.begin(), w.q.end())},
          {"poses", std::move(poses)},
          {"pose", std::move(pose)},
          {"joints", std::move(joints)},
          {"residual", residual(w)},
          {"singularity", indices(m_, w)},
          {"beyond", all_limits_exceeded(m_, w)}};
}

/// A workspace that stands at q, as a page says it does.
Workspace<double> ViewedRobot::at(const json& q) const {
  Workspace<double> w(m_);
  w.q = numbers_of(q, m_.nq, "q");
  unify_quaternions(m_, w.q);
  evaluate(m_, w);
  if (!(residual(w) <= 1e-6)) throw Error("q: read positions at which the loops are open");
  return w;
}

/// Inside the sliders' ranges, or where the robot stands already.
VecX<double> ViewedRobot::values(const json& given, const std::vector<Slider>& sliders, Workspace<double>& w) const {
  const VecX<double> x = numbers_of(given, static_cast<Eigen::Index>(sliders.size()), "values");
  const auto named = named_positions(m_, w);
  const Vec6<double> pose =
      m_.platform.exists() ? pose_vector(platform_pose(m_, w)) : Vec6<double>(Vec6<double>::Zero());
  for (std::size_t i = 0; i < sliders.size(); ++i) {
    const Slider& s = sliders[i];
    const double value = x[static_cast<Eigen::Index>(i)];
    const double now = s.role == "pose" ? pose[s.index] : named[to(s.index)].second;
    const double slack = 1e-9 * (s.range.upper - s.range.lower);
    const bool inside = value >= s.range.lower - slack && value <= s.range.upper + slack;
    if (!inside && std::abs(value - now) > 1e-9 * std::max(1.0, std::abs(now)))
      throw Error(
          fmt::format("values: read {} = {:g}, expected {:g} to {:g}", s.name, value, s.range.lower, s.range.upper));
  }
  return x;
}

Answer ViewedRobot::pose_moved(const VecX<double>& values, Workspace<double>& w) const {
  Vec6<double> x = Vec6<double>::Zero();
  for (std::size_t i = 0; i < pose_.size(); ++i) x[pose_[i].index] = values[static_cast<Eigen::Index>(i)];
  InverseOptions options;
  options.check_limits = false;
  return inverse_kinematics(m_, pose_from_vector(x, m_.platform.coordinates), w, options);
}

Answer ViewedRobot::joints_moved(const VecX<double>& values, Workspace<double>& w) const {
  std::vector<int> coordinates;
  for (const Slider& s : joints_) coordinates.push_back(s.index);
  return guide(m_, coordinates, values, w);
}

json ViewedRobot::move(const json& request) const {
  const std::string by = request.value("by", "");
  const bool by_pose = by == "pose";
  if (!by_pose && by != "joints") throw Error("by: expected \"pose\" or \"joints\"");
  const std::vector<Slider>& sliders = by_pose ? pose_ : joints_;
  if (sliders.empty()) throw Error(fmt::format("by: this robot has no sliders of the kind {}", by));
  Workspace<double> w = at(request.value("q", json()));
  const VecX<double> x = values(request.value("values", json()), sliders, w);
  Answer answer = by_pose ? pose_moved(x, w) : joints_moved(x, w);
  if (answer.ok() && !(w.q.allFinite() && residual(w) <= 1e-6)) answer.status = Status::not_converged;
  return {{"number", number_},
          {"status", name(answer.status)},
          {"reason", answer.reason},
          {"posture", answer.ok() ? posture(w) : json(nullptr)}};
}

}  // namespace gough::io
