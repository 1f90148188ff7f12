#include "gough/dynamics/scaling.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "gough/dynamics/prepare.hpp"
#include "gough/error.hpp"
#include "gough/kinematics/idle.hpp"
#include "gough/model/build.hpp"
#include "gough/model/variants.hpp"

namespace gough {
namespace {

/// The robot made ready; throws Error where its home does not close.
Mechanism<double> ready(const RobotDescription& robot) {
  Prepared p = prepare_kernels(robot);
  if (!p.home.assembly.closed)
    throw Error(robot.where, "the home pose cannot be assembled: " + p.home.assembly.explain(p.mechanism));
  return std::move(p.mechanism);
}

Transform<double> platform_home(const Mechanism<double>& m) {
  Workspace<double> w(m);
  tree_positions(m, w);
  return w.X0[at(m.platform.body)] * m.platform_frame;
}

/// Why a variant is not measured; empty: it is.
std::string why_not(const Mechanism<double>& m) {
  Workspace<double> w(m);
  tree_positions(m, w);
  closure(m, w);
  const int rank = select_any(m, w, m.rank).rank();
  if (rank < m.rank) return fmt::format("at home its loops' equations lose rank, {} of {}", rank, m.rank);
  return "";
}

ScalingStep measured(const Mechanism<double>& m, int states) {
  ScalingStep step;
  step.legs = static_cast<int>(m.leg.size());
  step.counts = chain_counts(m);
  step.coordinates = m.nv;
  step.freedoms = m.nv - m.rank;
  step.compared = compare_formulations(m, random_states(m, states));
  return step;
}

/// Adds the variant to the row, or why it is left out. `number` is what grows.
void add_step(const RobotDescription& variant, const std::string& what, double number, const ScalingOptions& options,
              Scaling& scaling, Growth& row) {
  std::string why;
  if (const int nv = build(merge_bodies(variant)).nv; nv > most_scaled_coordinates) {
    why = fmt::format("{} coordinates, measured are at most {}", nv, most_scaled_coordinates);
  } else {
    const Mechanism<double> m = ready(variant);
    why = why_not(m);
    if (why.empty()) {
      row.steps.push_back(measured(m, options.states));
      row.numbers.push_back(number);
    }
  }
  if (!why.empty()) scaling.skipped.push_back(fmt::format("{} left out: {}", what, why));
  scaling.stopped = !options.after_step();
}

}  // namespace

double ChainCounts::scdd() const { return n_a * std::pow(1 + n_pk + n_ek, 3); }
double ChainCounts::dalembert() const { return std::pow(n_a + n_a * n_ek, 3); }

ChainCounts chain_counts(const Structure& m) {
  ChainCounts counts;
  counts.n_a = static_cast<int>(m.actuator.size());
  for (const Leg& leg : m.leg) {
    int passive = 0, elastic = 0;
    for (int c = leg.first_v; c < leg.first_v + leg.coordinates; ++c) {
      const Coordinate& x = m.coordinate[at(c)];
      elastic += x.elastic ? 1 : 0;
      passive += x.elastic || x.actuated ? 0 : 1;
    }
    counts.n_pk = std::max(counts.n_pk, passive);
    counts.n_ek = std::max(counts.n_ek, elastic);
  }
  return counts;
}

std::optional<double> fitted_slope(const std::vector<double>& n, const std::vector<double>& t) {
  const std::size_t used = std::max<std::size_t>(3, (n.size() + 1) / 2);
  if (n.size() < used) return std::nullopt;
  double x = 0, y = 0, xx = 0, xy = 0;
  for (std::size_t i = n.size() - used; i < n.size(); ++i) {
    if (!(t[i] > 0)) return std::nullopt;
    x += std::log(n[i]);
    y += std::log(t[i]);
    xx += std::log(n[i]) * std::log(n[i]);
    xy += std::log(n[i]) * std::log(t[i]);
  }
  const auto count = static_cast<double>(used);
  return (count * xy - x * y) / (count * xx - x * x);
}

std::vector<double> Growth::times(Formulation by, bool forward) const {
  std::vector<double> all;
  for (const ScalingStep& step : steps) {
    all.push_back(std::numeric_limits<double>::quiet_NaN());
    for (const Compared& c : step.compared.formulations)
      if (c.by == by && (forward ? c.forward : c.inverse)) all.back() = forward ? c.forward_us : c.inverse_us;
  }
  return all;
}

bool Scaling::agrees() const {
  const auto all = [](const Growth& g) {
    return std::all_of(g.steps.begin(), g.steps.end(), [](const ScalingStep& s) { return s.compared.agrees(); });
  };
  return all(elastic) && all(legs);
}

Scaling measure_scaling(const RobotDescription& robot, const ScalingOptions& options) {
  Scaling scaling;
  scaling.robot = robot.name;
  scaling.in_legs = options.in_legs;
  const ElasticVariant variant = options.variant ? options.variant : ElasticVariant(with_elastic_chains);
  for (const int n : options.elastic) {
    add_step(variant(robot, n), fmt::format("{} elastic freedoms per chain", n), n, options, scaling, scaling.elastic);
    if (scaling.stopped) return scaling;
  }
  if (robot.legs.empty() || !robot.platform) {
    scaling.no_legs = "the robot file has no `legs` that could be placed more often";
    return scaling;
  }
  const Transform<double> home = platform_home(ready(robot));
  for (const int times : options.times) {
    const auto legs = static_cast<double>(robot.legs.size() * at(times));
    if (legs > most_legs) break;
    const RobotDescription more = variant(with_repeated_legs(robot, times, home), options.in_legs);
    add_step(more, fmt::format("{} legs", legs), legs, options, scaling, scaling.legs);
    if (scaling.stopped) return scaling;
  }
  return scaling;
}

}  // namespace gough
