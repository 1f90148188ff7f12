#include "gough/kinematics/inverse.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "gough/kinematics/continuation.hpp"
#include "gough/kinematics/leg_forms.hpp"
#include "gough/kinematics/star.hpp"
#include "gough/kinematics/task_coordinates.hpp"

namespace gough {
namespace {

bool has_two_modes(const LegForm& form) { return form.root >= 0 && form.kind != LegKind::psp; }

void check_mode(const Mechanism<double>& m, const std::string& mode) {
  if (mode.empty()) return;
  if (mode.size() != m.leg.size())
    throw Error(fmt::format("mode '{}': read {} signs, expected one + or - for each of the {} legs", mode, mode.size(),
                            m.leg.size()));
  for (std::size_t i = 0; i < mode.size(); ++i) {
    if (mode[i] != '+' && mode[i] != '-')
      throw Error(fmt::format("mode '{}': read '{}', expected + or -", mode, mode[i]));
    if (mode[i] == '-' && !has_two_modes(m.leg_form[i]))
      throw Error(fmt::format("mode '{}': read - for leg '{}', expected +: a {} leg has one working mode", mode,
                              m.leg[i].name, name(m.leg_form[i].kind)));
  }
}

double sign_of(const std::string& mode, std::size_t leg) { return !mode.empty() && mode[leg] == '-' ? -1.0 : 1.0; }

/// The given coordinates of `pose`, the others from `rest`.
Transform<double> completed(const Transform<double>& pose, const PoseMask& mask, const Transform<double>& rest) {
  Vec6<double> x = pose_vector(rest);
  const Vec6<double> given = pose_vector(pose);
  for (int i = 0; i < 6; ++i)
    if (mask[at(i)]) x[i] = given[i];
  return pose_from_vector(x);
}

bool is_full(const PoseMask& mask) {
  return std::all_of(mask.begin(), mask.end(), [](bool b) { return b; });
}
bool is_position_only(const PoseMask& mask) { return !mask[3] && !mask[4] && !mask[5]; }

/// What the whole pose may be, from the coordinates that are given: at most as many as a star platform allows.
struct Candidates {
  std::array<Transform<double>, 4> pose;  ///< of the platform's frame
  std::size_t count = 0;
  LegAnswer link;  ///< what an RR leg said about reaching there
  int link_leg = -1;

  void add(const Transform<double>& p) { pose[count++] = p; }
};

Candidates candidates(const Mechanism<double>& m, const Workspace<double>& w, const Transform<double>& pose,
                      const PoseMask& mask, const std::string& mode, VecX<double>& q) {
  Candidates all;
  if (is_full(mask)) {
    all.add(pose);
    return all;
  }
  const Transform<double> near = completed(pose, mask, platform_pose(m, w));
  if (is_position_only(mask)) {
    if (const auto star = recognise_star(m); star && mask[0] && mask[1] && mask[2]) {
      for (const Transform<double>& p : star_poses_at(*star, pose.p)) all.add(p);
      return all;
    }
    for (std::size_t i = 0; i < m.leg.size(); ++i)
      if (m.leg_form[i].kind == LegKind::rr) {
        Transform<double> body = w.X0[at(m.platform.body)];
        all.link = solve_platform_link(m, static_cast<int>(i), near.p, sign_of(mode, i), q, body);
        all.link_leg = static_cast<int>(i);
        all.add(body * m.platform_frame);
        return all;
      }
  }
  all.add(near);
  return all;
}

double closure_residual(const Mechanism<double>& m, Workspace<double>& w) {
  tree_positions(m, w);
  closure(m, w);
  return w.phi.size() > 0 ? w.phi.cwiseAbs().maxCoeff() : 0.0;
}

/// All legs in closed form for one pose. The worst leg is named when it cannot follow.
Answer solve_legs(const Mechanism<double>& m, const Transform<double>& pose, const std::string& mode,
                  Workspace<double>& w) {
  const Transform<double> body = pose * m.platform_frame.inverse();
  place_platform(m, body, w.q);
  Answer answer;
  double worst = 0;
  for (std::size_t i = 0; i < m.leg.size(); ++i) {
    const LegAnswer leg = solve_leg(m, static_cast<int>(i), body, sign_of(mode, i), w.q);
    if (leg.reached || leg.short_by <= worst) continue;
    worst = leg.short_by;
    answer.status = Status::unreachable;
    answer.reason = fmt::format("leg '{}' ({}) misses its place on the platform by {:.4g} m", m.leg[i].name,
                                name(m.leg_form[i].kind), leg.short_by);
  }
  answer.residual = closure_residual(m, w);
  if (answer.ok() && m.open_by(w.phi) > 1e-11) {
    answer.status = Status::unreachable;
    answer.reason = fmt::format("the loops stay open by {:.3g}", answer.residual);
  }
  return answer;
}

bool all_closed_form(const Mechanism<double>& m) {
  return m.platform.floats && !m.leg_form.empty() &&
         std::none_of(m.leg_form.begin(), m.leg_form.end(),
                      [](const LegForm& f) { return f.kind == LegKind::general; });
}

/// Newton's method from a posture that nearly fits (near a double root closed forms are good to 1e-8 only).
Answer polished(const Mechanism<double>& m, const Transform<double>& pose, const PoseMask& mask, Workspace<double>& w) {
  Hold hold;
  const Vec6<double> x = pose_vector(pose);
  for (int i = 0; i < 6; ++i)
    if (mask[at(i)]) hold.platform_pose[at(i)] = x[i];
  const Assembly assembly = close_loops(m, w, hold);
  Answer answer;
  answer.residual = assembly.residual;
  answer.iterations = assembly.iterations;
  if (!assembly.closed) {
    answer.status = Status::unreachable;
    answer.reason = assembly.explain(m);
  }
  return answer;
}

/// Calls use(answer) with each posture in w.q, starting each time from the same q. No allocation when it goes well.
template <class Use>
void closed_form(const Mechanism<double>& m, const Transform<double>& pose, const PoseMask& mask,
                 const std::string& mode, Workspace<double>& w, Use&& use) {
  w.start = w.q;
  const Candidates all = candidates(m, w, pose, mask, mode, w.start);
  if (!all.link.reached) {
    Answer failed;
    failed.status = Status::unreachable;
    failed.residual = all.link.short_by;
    failed.reason = fmt::format("leg '{}' (RR) misses its place on the platform by {:.4g} m",
                                m.leg[at(all.link_leg)].name, all.link.short_by);
    use(failed);
    return;
  }
  for (std::size_t i = 0; i < all.count; ++i) {
    w.q = w.start;
    Answer answer = solve_legs(m, all.pose[i], mode, w);
    if (!answer.ok() && m.open_by(w.phi) < 1e-2 && !is_full(mask)) answer = polished(m, pose, mask, w);
    use(answer);
  }
}

/// Newton's method along the straight way from where w stands.
Answer by_continuation(const Mechanism<double>& m, const Transform<double>& pose, const PoseMask& mask,
                       Workspace<double>& w) {
  closure_residual(m, w);
  Answer answer = walk(m, w, pose_path(m, platform_pose(m, w), pose, mask));
  if (answer.ok()) return answer;
  const TaskCoordinates task = task_coordinates(m, w, mask);
  if (task.told < std::min(task.count, task.freedoms))
    answer.reason += fmt::format("; where it ends {}: try --coordinates or `platform.coordinates` {}", task.explain(),
                                 task.suggestion());
  return answer;
}

/// What the given rest of the pose says against the answer's.
std::string contradiction(const Mechanism<double>& m, const Workspace<double>& w, const Transform<double>& pose,
                          const PoseMask& mask) {
  const Vec6<double> given = pose_vector(pose), got = pose_vector(platform_pose(m, w));
  for (int i = 0; i < 6; ++i)
    if (!mask[at(i)] && given[i] != 0 && std::abs(given[i] - got[i]) > 1e-9)
      return fmt::format("the given {} = {:.6g} is not among the coordinates read; the loops give {:.6g}",
                         pose_names[at(i)], given[i], got[i]);
  return {};
}

void finish(const Mechanism<double>& m, const Transform<double>& pose, const InverseOptions& options,
            const PoseMask& mask, Workspace<double>& w, Answer& answer) {
  const double residual = closure_residual(m, w);
  if (!answer.ok()) return;
  answer.residual = residual;
  answer.reason = contradiction(m, w, pose, mask);
  if (!options.check_limits) return;
  if (const std::string text = limits_exceeded(m, w); !text.empty()) {
    answer.status = Status::out_of_limits;
    answer.reason = text;
  }
}

}  // namespace

Answer inverse_kinematics(const Mechanism<double>& m, const Transform<double>& pose, Workspace<double>& w,
                          const InverseOptions& options) {
  if (!m.platform.exists()) throw Error(m.name + ": read no platform, expected one for inverse kinematics");
  check_mode(m, options.mode);
  const PoseMask mask = options.coordinates.value_or(m.platform.coordinates);
  closure_residual(m, w);
  Answer answer;
  bool solved = false;
  if (all_closed_form(m)) {
    w.found = w.q;
    double nearest = 0;
    closed_form(m, pose, mask, options.mode, w, [&](const Answer& one) {
      const double distance = (w.q - w.start).squaredNorm();
      if (one.ok() && (!solved || distance < nearest)) {
        solved = true;
        nearest = distance;
        w.found = w.q;
        answer = one;
      } else if (!solved) {
        answer = one;
      }
    });
    w.q = w.found;  // the start, where nothing was found
    if (!solved && answer.ok()) {
      answer.status = Status::unreachable;
      answer.reason = "no orientation of the platform brings all its arms to their slides";
    }
  }
  const bool rest_is_free = !is_full(mask) && !(is_position_only(mask) && recognise_star(m));
  if (!solved && (!all_closed_form(m) || (rest_is_free && options.mode.find('-') == std::string::npos))) {
    const Answer closed = answer;
    answer = by_continuation(m, pose, mask, w);
    if (!answer.ok() && closed.reason.starts_with("leg")) {
      answer.status = closed.status;
      answer.reason = closed.reason;
      answer.residual = closed.residual;
    }
  }
  finish(m, pose, options, mask, w, answer);
  return answer;
}

std::vector<Posture> all_inverse_kinematics(const Mechanism<double>& m, const Transform<double>& pose,
                                            const InverseOptions& options) {
  if (!m.platform.exists()) throw Error(m.name + ": read no platform, expected one for inverse kinematics");
  const PoseMask mask = options.coordinates.value_or(m.platform.coordinates);
  std::vector<Posture> all;
  Workspace<double> w(m);
  if (!all_closed_form(m)) {
    Answer answer = inverse_kinematics(m, pose, w, options);
    return {{w.q, std::string(m.leg.size(), '+'), answer}};
  }
  std::vector<std::size_t> choices;
  for (std::size_t i = 0; i < m.leg_form.size(); ++i)
    if (has_two_modes(m.leg_form[i])) choices.push_back(i);
  if (choices.size() > 10)
    throw Error(fmt::format("{}: {} legs have two modes each, expected at most 10", m.name, choices.size()));
  closure_residual(m, w);
  for (std::size_t bits = 0; bits < (std::size_t{1} << choices.size()); ++bits) {
    std::string mode(m.leg.size(), '+');
    for (std::size_t c = 0; c < choices.size(); ++c)
      if (((bits >> c) & 1U) != 0) mode[choices[c]] = '-';
    w.q = m.home;
    closure_residual(m, w);
    closed_form(m, pose, mask, mode, w, [&](const Answer& one) {
      Workspace<double> there(m);
      there.q = w.q;
      Posture p{w.q, mode, one};
      if (!one.ok() && mode.find('-') == std::string::npos && !is_full(mask) && !is_position_only(mask)) {
        there.q = m.home;
        p.answer = by_continuation(m, pose, mask, there);
        p.q = there.q;
      }
      finish(m, pose, options, mask, there, p.answer);
      const bool known =
          std::any_of(all.begin(), all.end(), [&](const Posture& o) { return (o.q - p.q).norm() < 1e-6; });
      if (!known && (p.answer.ok() || p.answer.status == Status::out_of_limits)) all.push_back(p);
    });
  }
  return all;
}

}  // namespace gough
