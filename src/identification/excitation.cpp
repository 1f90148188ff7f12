#include "gough/identification/excitation.hpp"

#include <fmt/format.h>
#include <nlopt.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <numbers>
#include <random>

#include "gough/dynamics/along.hpp"
#include "gough/error.hpp"
#include "gough/identification/equations.hpp"
#include "gough/kinematics/singularity.hpp"
#include "gough/spatial/rank.hpp"

namespace gough {
namespace {

constexpr double turn = 0.5;          // rad, where a coordinate has no limits
constexpr double least_held = 0.3;    // of home's distance to a singularity
constexpr double headroom = 0.98;     // of every limit
constexpr double out_of_reach = 100;  // counts as so many times a limit
std::size_t at(Eigen::Index i) { return static_cast<std::size_t>(i); }

/// Which coordinates a motion has, and how far they may go from home.
struct Coordinates {
  Moves moves = Moves::platform;
  std::vector<std::string> name;
  std::vector<bool> is_length;
  std::vector<int> index;
  VecX<double> home, down, up;  ///< from home

  Eigen::Index size() const { return home.size(); }
};

Range within(const Range& limits, double home, double reach) {
  return {std::isfinite(limits.lower) ? limits.lower - home : -reach,
          std::isfinite(limits.upper) ? limits.upper - home : reach};
}

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
  c.down.resize(c.size()), c.up.resize(c.size());
  for (Eigen::Index i = 0; i < c.size(); ++i) c.down[i] = range[at(i)].lower, c.up[i] = range[at(i)].upper;
  return c;
}

HarmonicPath harmonics_of(const Mechanism<double>& m, const Coordinates& c, const MatX<double>& sine,
                          const MatX<double>& cosine, double period) {
  HarmonicPath path;
  if (c.moves == Moves::platform) {
    Workspace<double> w(m);
    tree_positions(m, w);
    path.offset = pose_vector(w.X0[at(m.platform.body)] * m.platform_frame);
  } else {
    path.offset = c.home;
  }
  for (Eigen::Index i = 0; i < c.size(); ++i) {
    const int k = c.index[at(i)];
    path.offset[k] -= cosine.row(i).sum();
    for (Eigen::Index h = 0; h < sine.cols(); ++h) {
      const double rate = 2 * std::numbers::pi * static_cast<double>(h + 1) / period;
      if (sine(i, h) != 0) path.terms.push_back({k, sine(i, h), rate, 0});
      if (cosine(i, h) != 0) path.terms.push_back({k, cosine(i, h), rate, std::numbers::pi / 2});
    }
  }
  return path;
}

/// Follows motions and says how they use the limits.
class Limits {
 public:
  Limits(const Mechanism<double>& m, const ExcitationLimits& more, const Coordinates& c) : m_(m), more_(more), c_(c) {
    Workspace<double> w(m);
    tree_positions(m, w);
    closure(m, w);
    home_ = singularity_indices(m, w);
  }

  /// Looks at one state; the uses are those of the largest so far.
  void look(const AlongRow& row) {
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
  void fail(double t) { note("reach", out_of_reach, t); }

  double largest() const { return uses_.empty() ? 0 : std::max_element(uses_.begin(), uses_.end(), less)->share; }
  std::vector<LimitUse> sorted() const {
    std::vector<LimitUse> all = uses_;
    std::sort(all.rbegin(), all.rend(), less);
    return all;
  }
  void clear() { uses_.clear(); }

 private:
  static bool less(const LimitUse& a, const LimitUse& b) { return a.share < b.share; }
  /// 0 in the middle, 1 at either end.
  static double position_share(const Range& r, double x) {
    if (std::isfinite(r.lower) && std::isfinite(r.upper))
      return std::abs(x - (r.lower + r.upper) / 2) / ((r.upper - r.lower) / 2);
    if (std::isfinite(r.upper)) return x > r.upper ? out_of_reach : 0;
    return std::isfinite(r.lower) && x < r.lower ? out_of_reach : 0;
  }
  void look_at(const Coordinate& joint, double q, double v, double a, double t) {
    if (std::isfinite(joint.position.lower) || std::isfinite(joint.position.upper))
      note("position of '" + joint.name + "'", position_share(joint.position, q), t);
    const double speed = joint.actuated ? std::min(joint.velocity, more_.velocity) : joint.velocity;
    const double acceleration = joint.actuated ? std::min(joint.acceleration, more_.acceleration) : joint.acceleration;
    note("speed of '" + joint.name + "'", std::abs(v) / speed, t);
    note("acceleration of '" + joint.name + "'", std::abs(a) / acceleration, t);
  }
  void note(const std::string& what, double share, double t) {
    if (share == 0) return;
    for (LimitUse& u : uses_)
      if (u.what == what) {
        if (share > u.share) u.share = share, u.t = t;
        return;
      }
    uses_.push_back({what, share, t});
  }

  const Mechanism<double>& m_;
  const ExcitationLimits& more_;
  const Coordinates& c_;
  SingularityIndices home_;
  std::vector<LimitUse> uses_;
};

std::vector<KnownState> states_of(const Trajectory& trajectory, int samples) {
  std::vector<KnownState> states;
  states.reserve(static_cast<std::size_t>(samples));
  for (int i = 0; i < samples; ++i)
    states.push_back({sample(trajectory, trajectory.duration * i / samples), {}, {}, {}, {}, {}});
  return states;
}

class Search {
 public:
  Search(const Mechanism<double>& m, const ExcitationOptions& options)
      : m_(m),
        options_(options),
        c_(coordinates_of(m)),
        limits_(m, options.limits, c_),
        base_(base_parameters(m, options.parameters)) {
    if (options.harmonics < 2) throw Error(fmt::format("--harmonics: read {}, expected at least 2", options.harmonics));
    const VecX<double> theta = base_.combinations() * base_.space.value;
    size_ = theta.cwiseAbs();
    const double inertial = base_.rank() > 0 ? size_.head(base_.rank()).maxCoeff() : 1;
    for (Eigen::Index i = 0; i < size_.size(); ++i)  // none is looked for with endless care
      size_[i] = std::max(size_[i], i < base_.rank() ? 0.02 * inertial : 1e-3);
    samples_ =
        std::max(12 * options.harmonics, static_cast<int>(3 * size_.size() / std::max<Eigen::Index>(1, c_.size())));
  }

  Eigen::Index variables() const { return 2 * c_.size() * (options_.harmonics - 1); }

  /// Amplitudes from variables of size one; the last harmonic makes it start at rest.
  void amplitudes(const double* x, MatX<double>& sine, MatX<double>& cosine) const {
    const int N = options_.harmonics;
    sine.setZero(c_.size(), N), cosine.setZero(c_.size(), N);
    for (Eigen::Index i = 0; i < c_.size(); ++i) {
      const double size = std::min(c_.up[i], -c_.down[i]) / (N - 1);
      for (int k = 1; k < N; ++k) {
        const double a = size * *x++ / std::sqrt(k), b = size * *x++ / std::sqrt(k);
        sine(i, k - 1) = a, sine(i, N - 1) -= k * a / N;
        cosine(i, k - 1) = b, cosine(i, N - 1) -= static_cast<double>(k * k) * b / (N * N);
      }
    }
  }

  struct Value {
    double objective = 0, condition = 0, use = 0;
  };
  Value evaluate(const double* x, int samples) {
    MatX<double> sine, cosine;
    amplitudes(x, sine, cosine);
    const Trajectory path =
        trajectory_of(c_.moves, harmonic_piece(harmonics_of(m_, c_, sine, cosine, options_.period), options_.period));
    limits_.clear();
    MatX<double> W(0, size_.size());
    Eigen::Index rows = 0;
    AlongOptions along;
    along.dynamics.by = Formulation::virtual_power;
    const std::vector<KnownState> states = states_of(path, samples);
    const AlongAnswer answer = inverse_along(m_, states, along, [&](const AlongRow& row) {
      limits_.look(row);
      const MatX<double> H = columns_of(regressor_row(m_, base_.space, row.d).H, base_.columns());
      if (rows + H.rows() > W.rows())
        W.conservativeResize(static_cast<Eigen::Index>(states.size()) * H.rows(), Eigen::NoChange);
      W.middleRows(rows, H.rows()) = H;
      rows += H.rows();
      return true;
    });
    if (!answer.ok()) limits_.fail(answer.t);
    Value v;
    v.use = limits_.largest();
    const double missing = 1 - static_cast<double>(answer.rows) / static_cast<double>(states.size());
    const double over = std::max(0.0, v.use / headroom - 1);
    if (rows < W.cols()) {
      v.condition = 1e9;
      v.objective = 30 + 10 * missing;
      return v;
    }
    const MatX<double> R = triangular_factor(W.topRows(rows));
    MatX<double> unit = R;
    for (Eigen::Index c = 0; c < R.cols(); ++c) unit.col(c) /= std::max(R.col(c).norm(), 1e-12);
    const VecX<double> s = singular_values(unit).s, sized = singular_values(R * size_.asDiagonal()).s;
    v.condition = s[0] / std::max(s[s.size() - 1], 1e-12);
    v.objective = std::log10(v.condition) - std::log10(std::max(sized[sized.size() - 1], 1e-12)) +
                  10 * std::min(over, 3.0) + 10 * missing;
    return v;
  }

  Excitation run() {
    const std::size_t n = static_cast<std::size_t>(variables());
    std::mt19937 random(options_.seed);
    std::vector<double> x(n);
    for (double& v : x) v = 0.6 * (2.0 * static_cast<double>(random()) / 4294967295.0 - 1);
    shrink(x, samples_);
    Excitation e;
    e.first_condition = evaluate(x.data(), samples_).condition;
    best_ = x;
    optimise(x);
    x = best_;
    shrink(x, 10 * samples_);  // at all times, not only where it was looked at
    const Value last = evaluate(x.data(), 10 * samples_);
    amplitudes(x.data(), e.sine, e.cosine);
    e.moves = c_.moves, e.coordinate = c_.name, e.index = c_.index;
    e.offset = c_.home - e.cosine.rowwise().sum();
    e.period = options_.period;
    e.condition = last.condition;
    e.evaluations = count_;
    e.stopped = stopped_;
    e.limits = limits_.sorted();
    return e;
  }

 private:
  /// Smaller amplitudes until all limits hold.
  void shrink(std::vector<double>& x, int samples) {
    for (int k = 0; k < 60; ++k) {
      const double use = evaluate(x.data(), samples).use;
      if (use <= 1) return;
      for (double& v : x) v *= use > 2 ? 0.7 : 0.97;
    }
    const auto all = limits_.sorted();
    throw Error(fmt::format("{}: read limits that no motion about home keeps: {} is at {:.3g} times its limit", m_.name,
                            all.empty() ? "reach" : all.front().what, all.empty() ? 0 : all.front().share));
  }

  static double objective(unsigned, const double* x, double*, void* self) {
    auto& s = *static_cast<Search*>(self);
    const Value v = s.evaluate(x, s.samples_);
    ++s.count_;
    if (v.objective < s.best_value_)
      s.best_value_ = v.objective, s.best_.assign(x, x + s.variables()), s.best_condition_ = v.condition;
    if (s.options_.after && !s.options_.after(s.count_, s.best_condition_)) {
      s.stopped_ = true;
      nlopt_force_stop(s.optimiser_.get());
    }
    return v.objective;
  }

  void optimise(std::vector<double> x) {
    const auto n = static_cast<unsigned>(x.size());
    optimiser_.reset(nlopt_create(NLOPT_LN_SBPLX, n));
    nlopt_set_min_objective(optimiser_.get(), objective, this);
    const std::vector<double> low(n, -2), high(n, 2), step(n, 0.15);
    nlopt_set_lower_bounds(optimiser_.get(), low.data());
    nlopt_set_upper_bounds(optimiser_.get(), high.data());
    nlopt_set_initial_step(optimiser_.get(), step.data());
    nlopt_set_maxeval(optimiser_.get(), static_cast<int>(options_.evaluations));
    nlopt_set_ftol_rel(optimiser_.get(), 1e-4);
    double value = 0;
    const nlopt_result result = nlopt_optimize(optimiser_.get(), x.data(), &value);
    if (result < 0 && result != NLOPT_FORCED_STOP && result != NLOPT_ROUNDOFF_LIMITED)
      throw Error(fmt::format("{}: the optimisation ended with '{}'", m_.name, nlopt_result_to_string(result)));
  }

  struct Destroy {
    void operator()(nlopt_opt o) const { nlopt_destroy(o); }
  };

  const Mechanism<double>& m_;
  const ExcitationOptions& options_;
  Coordinates c_;
  Limits limits_;
  BaseParameters base_;
  VecX<double> size_;
  int samples_ = 0;
  std::unique_ptr<std::remove_pointer_t<nlopt_opt>, Destroy> optimiser_;
  std::vector<double> best_;
  double best_value_ = std::numeric_limits<double>::infinity(), best_condition_ = 0;
  std::size_t count_ = 0;
  bool stopped_ = false;
};

}  // namespace

Trajectory Excitation::trajectory(const Mechanism<double>& m) const {
  const Coordinates c = coordinates_of(m);
  return trajectory_of(moves, harmonic_piece(harmonics_of(m, c, sine, cosine, period), period));
}

Excitation excite(const Mechanism<double>& m, const ExcitationOptions& options) { return Search(m, options).run(); }

// ------------------------------------------------------------------------------------------------ one after the other

namespace {

/// How far the robot gets along one coordinate, to either side, at rest.
Range free_way(const Mechanism<double>& m, const Coordinates& c, Eigen::Index i, const ExcitationLimits& more) {
  Limits limits(m, more, c);
  AlongOptions along;
  along.dynamics.by = Formulation::virtual_power;
  const auto far = [&](double end) {
    for (double x = end; std::abs(x) > 1e-3 * std::abs(end); x *= 0.8) {
      MatX<double> none = MatX<double>::Zero(c.size(), 1), cosine = none;
      cosine(i, 0) = -x / 2;
      const Trajectory path = trajectory_of(c.moves, harmonic_piece(harmonics_of(m, c, none, cosine, 1e3), 1e3));
      limits.clear();
      const AlongAnswer answer = inverse_along(m, states_of(path, 20), along, [&](const AlongRow& row) {
        limits.look(row);
        return true;
      });
      if (answer.ok() && limits.largest() < headroom) return x;
    }
    return 0.0;
  };
  return {far(c.down[i]), far(c.up[i])};
}

LineRuns runs_of(const Coordinates& c) { return {c.name, c.is_length, c.index, c.moves, {}}; }

/// The largest speed and acceleration along a coordinate for which no actuator goes beyond its own, at home.
struct Fastest {
  double speed, acceleration;
};
Fastest fastest_along(const Mechanism<double>& m, const Coordinates& c, Eigen::Index i, const ExcitationLimits& more,
                      double way) {
  Limits limits(m, more, c);
  AlongOptions along;
  along.dynamics.by = Formulation::virtual_power;
  // of harmonic motions over the way: speed and acceleration grow with the frequency
  double period = 20;
  for (double shorter = period; shorter > 0.2; shorter *= 0.9) {
    MatX<double> none = MatX<double>::Zero(c.size(), 1), cosine = none;
    cosine(i, 0) = -way / 2;
    const Trajectory path = trajectory_of(c.moves, harmonic_piece(harmonics_of(m, c, none, cosine, shorter), shorter));
    limits.clear();
    const AlongAnswer answer = inverse_along(m, states_of(path, 40), along, [&](const AlongRow& row) {
      limits.look(row);
      return true;
    });
    if (!answer.ok() || limits.largest() > headroom) break;
    period = shorter;
  }
  const double rate = 2 * std::numbers::pi / period;
  return {std::abs(way) / 2 * rate, std::abs(way) / 2 * rate * rate};
}

/// Slower until the drives keep their limits on the way.
void slow_down(const Mechanism<double>& m, const Coordinates& c, const ExcitationLimits& more, LineRuns::Run& run) {
  Limits limits(m, more, c);
  const auto end = [&](double offset) {
    VecX<double> x;
    if (c.moves == Moves::platform) {
      Workspace<double> w(m);
      tree_positions(m, w);
      x = pose_vector(w.X0[at(m.platform.body)] * m.platform_frame);
    } else {
      x = c.home;
    }
    x[c.index[at(run.coordinate)]] += offset;
    return x;
  };
  const VecX<double> from = end(run.from), to = end(run.to);
  const double way = std::abs(run.to - run.from);
  for (int k = 0; k < 60; ++k) {
    const TimeLaw law = fastest(Profile::trapezoid, run.speed / way, run.acceleration / way);
    const Piece piece = c.moves == Moves::platform
                            ? line_piece(pose_from_vector(Vec6<double>(from)), pose_from_vector(Vec6<double>(to)), law)
                            : line_piece(from, to, law);
    limits.clear();
    const AlongAnswer answer =
        inverse_along(m, states_of(trajectory_of(c.moves, piece), 100), {}, [&](const AlongRow& row) {
          limits.look(row);
          return true;
        });
    if (answer.ok() && limits.largest() <= headroom) return;
    run.speed *= 0.95;
    run.acceleration *= 0.9;
  }
}

}  // namespace

LineRuns constant_speed_runs(const Mechanism<double>& m, const ExcitationLimits& limits, int levels) {
  const Coordinates c = coordinates_of(m);
  LineRuns all = runs_of(c);
  for (Eigen::Index i = 0; i < c.size(); ++i) {
    const Range way = free_way(m, c, i, limits);
    if (way.upper - way.lower <= 0) continue;
    const Fastest f = fastest_along(m, c, i, limits, way.upper > -way.lower ? way.upper : way.lower);
    for (int k = 1; k <= levels; ++k) {
      const double speed = 0.6 * f.speed * k / levels;
      all.runs.push_back({static_cast<int>(i), way.lower, way.upper, speed, f.acceleration});
      slow_down(m, c, limits, all.runs.back());
    }
  }
  return all;
}

LineRuns acceleration_runs(const Mechanism<double>& m, const ExcitationLimits& limits) {
  const Coordinates c = coordinates_of(m);
  LineRuns all = runs_of(c);
  for (Eigen::Index i = 0; i < c.size(); ++i) {
    const Range way = free_way(m, c, i, limits);
    for (const double share : {-0.7, 0.0, 0.7}) {
      const double middle = share < 0 ? -share * way.lower : share * way.upper, half = 0.15 * (way.upper - way.lower);
      if (half <= 0) continue;
      const Fastest f = fastest_along(m, c, i, limits, 2 * half);
      all.runs.push_back({static_cast<int>(i), middle - half, middle + half, f.speed, f.acceleration});
      slow_down(m, c, limits, all.runs.back());
    }
  }
  return all;
}

}  // namespace gough
