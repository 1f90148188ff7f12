/// check, ik and fk.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <sstream>

#include "gough/gough.hpp"
#include "progress.hpp"
#include "robot_of.hpp"
#include "verbs.hpp"

namespace {

gough::PoseMask mask_from(const std::string& text) {
  gough::PoseMask mask{};
  std::stringstream words(text);
  for (std::string word; std::getline(words, word, ',');) {
    const auto found = std::find(gough::pose_names.begin(), gough::pose_names.end(), word);
    if (found == gough::pose_names.end())
      throw gough::Error(
          fmt::format("--coordinates: read '{}', expected some of {}", word, fmt::join(gough::pose_names, ",")));
    mask[static_cast<std::size_t>(found - gough::pose_names.begin())] = true;
  }
  return mask;
}

/// The motion's states one after the other: how near to singularities, which limits.
int check_along(const gough::Mechanism<double>& m, const std::vector<gough::MotionState>& states, const Options& o) {
  catch_interrupts();
  std::vector<double> t;
  t.reserve(states.size());
  for (const gough::MotionState& s : states) t.push_back(s.t);
  gough::Survey survey;
  {
    Progress progress("state", states.size());
    survey = gough::survey_motion(m, states, [&] { return progress.step(); });
  }
  if (const int failed = print(o.json ? gough::survey_json(survey, t) : "\n" + gough::survey_text(survey, t));
      failed != done)
    return failed;
  if (survey.poses < states.size()) {
    say("{}: interrupted after {} of {} states\n", o.along, survey.poses, states.size());
    return numerical;
  }
  if (survey.failures.empty()) return done;
  const auto& [row, answer] = survey.failures.front();
  const std::string where = states[row].line > 0 ? fmt::format("{}:{}", o.along, states[row].line)
                                                 : fmt::format("{}: t = {:g} s", o.along, t[row]);
  say("{}: {}\n", where, answer.explain());
  return numerical;
}

/// The pose of an option: what is wrong with it is said of the option.
gough::Transform<double> given_pose(const gough::Vec6<double>& x, const gough::PoseMask& read) {
  try {
    return gough::pose_from_vector(x, read);
  } catch (const gough::Error& e) { throw gough::Error(fmt::format("--pose: {}", e.what())); }
}

/// One answer: on standard output when there is a position to show; the reason of a failure on standard error as well.
int show(const gough::Mechanism<double>& m, const gough::Posture& posture, const Options& o) {
  if (const int failed = print(o.json ? gough::posture_json(m, posture) : gough::posture_text(m, posture));
      failed != done)
    return failed;
  if (posture.answer.ok()) return done;
  say("{}: {}\n", o.robot, posture.answer.explain());
  return numerical;
}

int show_all(const gough::Mechanism<double>& m, const std::vector<gough::Posture>& all, const std::string& method,
             const Options& o) {
  if (const int failed = print(o.json ? gough::postures_json(m, all) : gough::postures_text(m, all, method));
      failed != done)
    return failed;
  if (!all.empty()) return done;
  say("{}: unreachable: no answer ({})\n", o.robot, method);
  return numerical;
}

}  // namespace

int check(const Options& o) {
  const gough::Prepared ready = gough::prepare(described(o));
  std::vector<gough::MotionState> states;
  if (!o.along.empty()) {
    if (!ready.mechanism.platform.exists())
      throw gough::Error({o.robot, 0}, "read no platform, expected one for --along");
    states = gough::states_along(o.along, ready.mechanism, o.step);
  }
  const gough::MobilityReport report = gough::check_robot(ready);
  const bool only_along = o.json && !o.along.empty();
  if (const int failed = only_along ? 0 : print(o.json ? gough::check_json(report) : gough::check_text(report));
      failed != done)
    return failed;
  if (ready.home.assembly.closed && !o.along.empty()) return check_along(ready.mechanism, states, o);
  if (ready.home.assembly.closed) return done;
  say("{}: the home pose cannot be assembled: {}\n", o.robot, ready.home.assembly.explain(ready.mechanism));
  return numerical;
}

int ik(const Options& o) {
  const auto m = rigid_robot_of(o);
  const auto x = gough::parse_numbers(o.pose, {true, true, true, false, false, false}, "--pose");
  gough::InverseOptions options;
  if (!o.coordinates.empty()) options.coordinates = mask_from(o.coordinates);
  const auto pose =
      given_pose(Eigen::Map<const gough::Vec6<double>>(x.data()), options.coordinates.value_or(m.platform.coordinates));
  options.mode = o.mode;
  if (o.all) {
    const bool closed = std::none_of(m.leg_form.begin(), m.leg_form.end(),
                                     [](const gough::LegForm& f) { return f.kind == gough::LegKind::general; });
    const char* const method =
        closed && !m.leg_form.empty() ? "all working modes" : "legs without a closed form in home's mode";
    return show_all(m, gough::all_inverse_kinematics(m, pose, options), method, o);
  }
  gough::Workspace<double> w(m);
  gough::Posture posture;
  posture.answer = gough::inverse_kinematics(m, pose, w, options);
  posture.q = w.q;
  return show(m, posture, o);
}

int fk(const Options& o) {
  const auto m = rigid_robot_of(o);
  std::vector<bool> lengths;
  for (const int a : m.actuator) lengths.push_back(m.coordinate[static_cast<std::size_t>(a)].is_length);
  const auto a = gough::parse_numbers(o.actuators, lengths, "--actuators");
  const Eigen::Map<const Eigen::VectorXd> actuators(a.data(), static_cast<Eigen::Index>(a.size()));
  if (o.all) {
    const gough::AllPostures all = gough::all_forward_kinematics(m, actuators);
    return show_all(m, all.postures, all.method, o);
  }
  gough::Workspace<double> w(m);
  gough::Posture posture;
  posture.answer = gough::forward_kinematics(m, actuators, w);
  posture.q = w.q;
  return show(m, posture, o);
}
