#include "gough/identification/equations.hpp"

#include <fmt/format.h>

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>

#include "gough/dynamics/along.hpp"
#include "gough/error.hpp"
#include "gough/kinematics/explicit_form.hpp"
#include "gough/spatial/rank.hpp"

namespace gough {
namespace {

constexpr double most_bytes = 2e9;
constexpr double certain = 5;  // deviations

/// The mechanism that is led through the data: redundant actuators, whose positions agree but for noise, follow the others.
Mechanism<double> led(const Mechanism<double>& m, std::vector<Eigen::Index>& leading) {
  Mechanism<double> other = m;
  other.actuator.clear();
  Workspace<double> w(m);
  tree_positions(m, w);
  closure(m, w);
  const std::vector<int> y = select_driven(m, w, m.rank).independent;
  for (std::size_t i = 0; i < m.actuator.size(); ++i) {
    const int c = m.actuator[i];
    const bool leads = contains(y, c);
    other.coordinate[static_cast<std::size_t>(c)].actuated = leads;
    if (!leads) continue;
    other.actuator.push_back(c);
    leading.push_back(static_cast<Eigen::Index>(i));
  }
  return other;
}

std::vector<KnownState> states_of(const PreparedData& p, const std::vector<Eigen::Index>& leading) {
  const auto chosen = [&](const MatX<double>& x, Eigen::Index r) {
    VecX<double> values(static_cast<Eigen::Index>(leading.size()));
    for (std::size_t i = 0; i < leading.size(); ++i) values[static_cast<Eigen::Index>(i)] = x(r, leading[i]);
    return values;
  };
  std::vector<KnownState> states(static_cast<std::size_t>(p.data.rows()));
  for (Eigen::Index r = 0; r < p.data.rows(); ++r) {
    MotionState& s = states[static_cast<std::size_t>(r)].motion;
    s.t = p.data.t[static_cast<std::size_t>(r)];
    s.line = static_cast<std::size_t>(r) < p.data.line.size() ? p.data.line[static_cast<std::size_t>(r)] : 0;
    s.motion = ActuatorMotion{chosen(p.data.q, r), chosen(p.data.v, r), chosen(p.data.a, r)};
  }
  return states;
}

/// Rows of one time: W and y side by side, for the filter. In the actuators' forces where they are as many as freedoms;
/// else in combinations that keep their noise independent (I5b).
MatX<double> block_of(const Mechanism<double>& m, const BaseParameters& b, const Dynamics<double>& d,
                      const VecX<double>& tau) {
  const RegressorRow row = regressor_row(m, b.space, d);
  MatX<double> block(row.H.rows(), static_cast<Eigen::Index>(b.columns().size()) + 1);
  block.leftCols(block.cols() - 1) = columns_of(row.H, b.columns());
  block.rightCols(1) = row.drives * tau - row.other;
  if (row.drives.rows() == row.drives.cols()) return least_squares(row.drives, block);
  const Eigen::LLT<MatX<double>> factor(row.drives * row.drives.transpose());
  factor.matrixL().solveInPlace(block);
  return block;
}

/// Whether a joint with dry friction may have moved the other way: its rate is within what derived rates are worth.
bool direction_unknown(const Mechanism<double>& m, const Workspace<double>& w, const Dynamics<double>& d,
                       double deviation) {
  const auto dry = [](const Coordinate& c) {
    return std::any_of(c.friction.begin(), c.friction.end(),
                       [](const FrictionUse& f) { return f.function == "coulomb"; });
  };
  double largest = 1;
  for (int c = 0; c < m.nv; ++c) {
    const double size = d.form.G.row(c).norm();
    largest = std::max(largest, size);
    if (dry(m.coordinate[static_cast<std::size_t>(c)]) && std::abs(w.v[c]) <= certain * deviation * size) return true;
  }
  for (Eigen::Index i = 0; i < w.cv.size(); ++i)
    if (dry(m.coordinate[static_cast<std::size_t>(m.nv + i)]) && std::abs(w.cv[i]) <= certain * deviation * largest)
      return true;
  return false;
}

}  // namespace

Equations equations(const Mechanism<double>& m, const BaseParameters& b, const PreparedData& prepared,
                    const OnDataRow& after) {
  const Measurement& data = prepared.data;
  const auto rows = data.rows(), columns = static_cast<Eigen::Index>(b.columns().size()) + 1;
  const Eigen::Index per_time = m.nv - m.rank - static_cast<Eigen::Index>(m.idle_free);
  if (8.0 * static_cast<double>(rows * per_time * columns) > most_bytes)
    throw Error(fmt::format("{}: read {} rows, expected fewer: {} parameters of {} forces would fill {:.1f} GB",
                            data.name, rows, columns, per_time, 8e-9 * static_cast<double>(rows * per_time * columns)));
  std::vector<MatX<double>> series;  // per force: rows are times
  AlongOptions options;
  options.dynamics.by = Formulation::virtual_power;
  bool stopped = false;
  std::vector<bool> unknown(static_cast<std::size_t>(rows), false);
  std::vector<Eigen::Index> leading;
  const Mechanism<double> follower = led(m, leading);
  const AlongAnswer answer = inverse_along(follower, states_of(prepared, leading), options, [&](const AlongRow& row) {
    const MatX<double> block = block_of(m, b, row.d, data.tau.row(static_cast<Eigen::Index>(row.index)).transpose());
    if (series.empty()) series.assign(static_cast<std::size_t>(block.rows()), MatX<double>(rows, columns));
    for (Eigen::Index i = 0; i < block.rows(); ++i)
      series[static_cast<std::size_t>(i)].row(static_cast<Eigen::Index>(row.index)) = block.row(i);
    unknown[row.index] = prepared.rate_deviation > 0 && direction_unknown(m, row.w, row.d, prepared.rate_deviation);
    stopped = after && !after();
    return !stopped;
  });
  if (!answer.ok()) throw Failure(answer.explain(data.name));
  Equations e;
  e.stopped = stopped;
  if (stopped) return e;
  e.per_time = static_cast<int>(series.size());
  e.of_actuators = series.size() == m.actuator.size();
  for (Eigen::Index r = prepared.first; r < prepared.last; r += prepared.thinning)
    if (unknown[static_cast<std::size_t>(r)]) ++e.left_out;
    else e.row.push_back(r);
  if (prepared.filter)
    for (MatX<double>& s : series) s = (*prepared.filter)(s);
  const auto times = static_cast<Eigen::Index>(e.row.size());
  e.W.resize(times * e.per_time, columns - 1);
  e.y.resize(e.W.rows());
  for (Eigen::Index k = 0; k < times; ++k)
    for (int i = 0; i < e.per_time; ++i) {
      const auto from = series[static_cast<std::size_t>(i)].row(e.row[static_cast<std::size_t>(k)]);
      e.W.row(k * e.per_time + i) = from.head(columns - 1);
      e.y[k * e.per_time + i] = from[columns - 1];
    }
  return e;
}

}  // namespace gough
