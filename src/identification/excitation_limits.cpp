#include "excitation_limits.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "gough/error.hpp"

namespace gough::excitation {
namespace {

constexpr double turn = 0.5;          // rad, where a coordinate has no limits
constexpr double least_held = 0.3;    // of home's distance to a singularity
constexpr double out_of_reach = 100;  // counts as so many times a limit

bool less(const LimitUse& a, const LimitUse& b) { return a.share < b.share; }

/// 0 in the middle, 1 at either end.
double position_share(const Range& r, double x) {
  if (std::isfinite(r.lower) && std::isfinite(r.upper))
    return std::abs(x - (r.lower + r.upper) / 2) / ((r.upper - r.lower) / 2);
  if (std::isfinite(r.upper)) return x > r.upper ? out_of_reach : 0;
  return std::isfinite(r.lower) && x < r.lower ? out_of_reach : 0;
}

std::vector<KnownState> states_of(const Trajectory& trajectory, int samples) {
  std::vector<KnownState> states;
  states.reserve(static_cast<std::size_t>(samples));
  for (int i = 0; i < samples; ++i)
    states.push_back({sample(trajectory, trajectory.duration * i / samples), {}, {}, {}, {}, {}});
  return states;
}

Range within(const Range& limits, double home, double reach) {
  return {std::isfinite(limits.lower) ? limits.lower - home : -reach,
          std::isfinite(limits.upper) ? limits.upper - home : reach};
}

}  // namespace

Coordinates coordinates_of(const Mechanism<double>& m) {
  Workspace<double> w(m);
  tree_positions(m, w);
  closure(m, w);
  const double reach = characteristic_length(m, w) / 3;
  Coordinates c;
  std::vector<Range> range;
  std::vector<double> home;
  if (m.platform.exists() && m.platform.task_size() > 0) {
    const Vec6<double> pose = pose_vector(w.X0[at(m.platform.body)] * m.platform_frame);
    c.all = pose;
    for (int i = 0; i < 6; ++i) {
      if (!m.platform.coordinates[at(i)]) continue;
      c.name.emplace_back(pose_names[at(i)]);
      c.is_length.push_back(i < 3);
      c.index.push_back(i);
      home.push_back(pose[i]);
      range.push_back(within(m.platform.limits[at(i)], pose[i], i < 3 ? reach : turn));
    }
  } else {
    c.moves = Moves::actuators;
    for (std::size_t a = 0; a < m.actuator.size(); ++a) {
      const Coordinate& joint = m.coordinate[at(m.actuator[a])];
      c.name.push_back(joint.name);
      c.is_length.push_back(joint.is_length);
      c.index.push_back(static_cast<int>(a));
      home.push_back(m.home[position_index(m, m.actuator[a])]);
      range.push_back(within(joint.position, home.back(), joint.is_length ? reach : turn));
    }
  }
  if (home.empty())
    throw Error(m.name + ": read a robot without platform coordinates and actuators, expected something to move");
  c.home = Eigen::Map<VecX<double>>(home.data(), static_cast<Eigen::Index>(home.size()));
  if (c.moves == Moves::actuators) c.all = c.home;
  c.down.resize(c.size()), c.up.resize(c.size());
  for (Eigen::Index i = 0; i < c.size(); ++i) c.down[i] = range[at(i)].lower, c.up[i] = range[at(i)].upper;
  return c;
}

Trajectory series(const Coordinates& c, const MatX<double>& sine, const MatX<double>& cosine, double period) {
  HarmonicPath path;
  path.offset = c.all;
  for (Eigen::Index i = 0; i < c.size(); ++i) {
    const int k = c.index[at(i)];
    path.offset[k] -= cosine.row(i).sum();
    for (Eigen::Index h = 0; h < sine.cols(); ++h) {
      const double rate = 2 * std::numbers::pi * static_cast<double>(h + 1) / period;
      if (sine(i, h) != 0) path.terms.push_back({k, sine(i, h), rate, 0});
      if (cosine(i, h) != 0) path.terms.push_back({k, cosine(i, h), rate, std::numbers::pi / 2});
    }
  }
  return trajectory_of(c.moves, harmonic_piece(path, period));
}

Limits::Limits(const Mechanism<double>& m, const ExcitationLimits& more, const Coordinates& c)
    : m_(m), more_(more), c_(c) {
  Workspace<double> w(m);
  tree_positions(m, w);
  closure(m, w);
  home_ = singularity_indices(m, w);
}

Eigen::Index Limits::follow(const Trajectory& path, int samples, const Visit& visit) {
  uses_.clear();
  AlongOptions along;
  along.dynamics.by = Formulation::virtual_power;
  const AlongAnswer answer = inverse_along(m_, states_of(path, samples), along, [&](const AlongRow& row) {
    look(row);
    if (visit) visit(row);
    return true;
  });
  if (!answer.ok()) note("reach", out_of_reach, answer.t);
  return static_cast<Eigen::Index>(answer.rows);
}

double Limits::largest() const { return uses_.empty() ? 0 : std::max_element(uses_.begin(), uses_.end(), less)->share; }

std::vector<LimitUse> Limits::sorted() const {
  std::vector<LimitUse> all = uses_;
  std::sort(all.rbegin(), all.rend(), less);
  return all;
}

void Limits::look(const AlongRow& row) {
  const Workspace<double>& w = row.w;
  for (int c = 0; c < m_.nv; ++c)
    if (const int place = position_index(m_, c); place >= 0)
      look_at(m_.coordinate[at(c)], w.q[place], w.v[c], w.a[c], row.t);
  for (Eigen::Index i = 0; i < w.cq.size(); ++i) {
    const Coordinate& cut = m_.coordinate[at(m_.nv + i)];
    if (std::isfinite(cut.position.upper) || std::isfinite(cut.position.lower))
      note("position of '" + cut.name + "'", position_share(cut.position, w.cq[i]), row.t);
  }
  for (std::size_t a = 0; a < m_.actuator.size(); ++a) {
    const Coordinate& joint = m_.coordinate[at(m_.actuator[a])];
    note("force of '" + joint.name + "'",
         std::abs(w.tau[static_cast<Eigen::Index>(a)]) / std::min(joint.force, more_.force), row.t);
  }
  if (c_.moves == Moves::platform) {
    const Vec6<double> pose = pose_vector(w.X0[at(m_.platform.body)] * m_.platform_frame);
    for (Eigen::Index i = 0; i < c_.size(); ++i) {
      const double x = pose[c_.index[at(i)]] - c_.home[i];
      note("platform's " + c_.name[at(i)], std::max(x / c_.up[i], x / c_.down[i]), row.t);
    }
  }
  const SingularityIndices now = singularity_indices(m_, w);
  if (now.type2 && home_.type2)
    note("distance to a singularity", least_held * *home_.type2 / std::max(*now.type2, 1e-9), row.t);
  if (now.type1 && home_.type1) note("reach of a leg", least_held * *home_.type1 / std::max(*now.type1, 1e-9), row.t);
}

void Limits::look_at(const Coordinate& joint, double q, double v, double a, double t) {
  if (std::isfinite(joint.position.lower) || std::isfinite(joint.position.upper))
    note("position of '" + joint.name + "'", position_share(joint.position, q), t);
  const double speed = joint.actuated ? std::min(joint.velocity, more_.velocity) : joint.velocity;
  const double acceleration = joint.actuated ? std::min(joint.acceleration, more_.acceleration) : joint.acceleration;
  note("speed of '" + joint.name + "'", std::abs(v) / speed, t);
  note("acceleration of '" + joint.name + "'", std::abs(a) / acceleration, t);
}

void Limits::note(const std::string& what, double share, double t) {
  if (share == 0) return;
  for (LimitUse& u : uses_)
    if (u.what == what) {
      if (share > u.share) u.share = share, u.t = t;
      return;
    }
  uses_.push_back({what, share, t});
}

}  // namespace gough::excitation
