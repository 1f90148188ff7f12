#include "trace.hpp"

#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <stdexcept>

#include "gough/error.hpp"

namespace gough {

VecX<Expr> Trace::input(const std::string& name, const std::string& meaning, const std::vector<std::string>& entry) {
  InputArray array{name, meaning, entry, {}};
  VecX<Expr> x(static_cast<Eigen::Index>(entry.size()));
  for (std::size_t i = 0; i < entry.size(); ++i) {
    array.symbol.push_back(static_cast<int>(program.tape.symbols().size()));
    x[static_cast<Eigen::Index>(i)] = variable({fmt::format("{}{}", name, i), false, 0, entry[i]});
  }
  program.inputs.push_back(array);
  return x;
}

void Trace::output(const std::string& name, const std::string& meaning, const std::vector<std::string>& entry,
                   const VecX<Expr>& value) {
  if (static_cast<std::size_t>(value.size()) != entry.size())
    throw std::logic_error(fmt::format("{}: {} values for {} names", name, value.size(), entry.size()));
  OutputArray array{name, meaning, entry, {}};
  for (const Expr& x : value) array.value.push_back(x.ref());
  program.outputs.push_back(array);
}

std::vector<double> Trace::values(const std::vector<double>& inputs) const {
  std::vector<double> symbol;
  for (const Symbol& s : program.tape.symbols()) symbol.push_back(s.value);
  std::size_t next = 0;
  for (const InputArray& array : program.inputs)
    for (const int s : array.symbol) symbol[static_cast<std::size_t>(s)] = inputs.at(next++);
  return evaluate(program.tape, symbol);
}

void Trace::guard(const std::string& meaning, const Expr& pivot, double share) {
  if (program.tape.is_constant(pivot.ref())) return;
  program.guards.push_back({pivot.ref(), share * value_of(values(samples.at(0)), pivot.ref()), meaning});
}

namespace {

/// A matrix at all samples, and where it is not zero by structure.
struct Sampled {
  std::vector<MatX<double>> at;
  Eigen::MatrixXi filled;

  /// How small the pivot is against its column, at the worst sample.
  double worst(int r, int c, const std::vector<bool>& used) const {
    double ratio = 1;
    for (const MatX<double>& A : at) {
      double largest = 0;
      for (Eigen::Index i = 0; i < A.rows(); ++i)
        if (!used[static_cast<std::size_t>(i)]) largest = std::max(largest, std::abs(A(i, c)));
      const double share = std::abs(A(r, c)) / largest;
      ratio = std::isfinite(share) ? std::min(ratio, share) : 0;
    }
    return ratio;
  }
  /// What eliminating with this pivot may fill in (Markowitz).
  int cost(int r, int c, const std::vector<bool>& used_row, const std::vector<bool>& used_column) const {
    int in_row = 0, in_column = 0;
    for (Eigen::Index k = 0; k < filled.cols(); ++k)
      in_row += used_column[static_cast<std::size_t>(k)] ? 0 : filled(r, k);
    for (Eigen::Index k = 0; k < filled.rows(); ++k)
      in_column += used_row[static_cast<std::size_t>(k)] ? 0 : filled(k, c);
    return (in_row - 1) * (in_column - 1);
  }
  void eliminate(int r, int c, const std::vector<bool>& used_row) {
    for (Eigen::Index i = 0; i < filled.rows(); ++i) {
      if (used_row[static_cast<std::size_t>(i)] || filled(i, c) == 0) continue;
      for (Eigen::Index k = 0; k < filled.cols(); ++k)
        if (k != c) filled(i, k) = filled(i, k) | filled(r, k);
      for (MatX<double>& A : at) {
        const double f = A(i, c) / A(r, c);
        A.row(i) -= f * A.row(r);
      }
    }
  }
};

}  // namespace

void Trace::choose_pivots(const std::string& what, Elimination<Expr>& e) {
  constexpr double enough = 0.1;  // of the column's largest: multipliers stay below 10
  const int rows = static_cast<int>(e.A.rows()), columns = static_cast<int>(e.A.cols());
  Sampled s;
  s.filled.resize(rows, columns);
  for (int r = 0; r < rows; ++r)
    for (int c = 0; c < columns; ++c) s.filled(r, c) = e.A(r, c).ref() == Ref() ? 0 : 1;
  for (const std::vector<double>& sample : samples) {
    const std::vector<double> v = values(sample);
    s.at.emplace_back(e.A.unaryExpr([&](const Expr& x) { return value_of(v, x.ref()); }));
  }
  std::vector<bool> used_row(static_cast<std::size_t>(rows), false),
      used_column(static_cast<std::size_t>(columns), false);
  double least = 1;
  for (int n = 0; n < columns; ++n) {
    int row = -1, column = -1;
    std::pair<int, double> best{std::numeric_limits<int>::max(), 0};
    for (int r = 0; r < rows; ++r)
      for (int c = 0; c < columns; ++c) {
        if (used_row[static_cast<std::size_t>(r)] || used_column[static_cast<std::size_t>(c)] || s.filled(r, c) == 0)
          continue;
        const double ratio = s.worst(r, c, used_row);
        const int cost = ratio >= enough ? s.cost(r, c, used_row, used_column) : std::numeric_limits<int>::max() - 1;
        if (cost > best.first || (cost == best.first && ratio <= best.second)) continue;
        best = {cost, ratio}, row = r, column = c;
      }
    if (row < 0) throw Error(what + ": no pivots serve over the workspace; use --from joints");
    used_row[static_cast<std::size_t>(row)] = used_column[static_cast<std::size_t>(column)] = true;
    e.rows.push_back(row), e.columns.push_back(column);
    least = std::min(least, best.second);
    s.eliminate(row, column, used_row);
  }
  program.about.push_back(
      fmt::format("Pivots of {}: rows {}, columns {}; a pivot is at least {:.2g} of its column at {} "
                  "positions.",
                  what, fmt::join(e.rows, " "), fmt::join(e.columns, " "), least, samples.size()));
}

std::vector<std::string> axis_entries(const std::string& unit, const std::vector<int>& axes) {
  std::vector<std::string> names;
  names.reserve(axes.size());
  for (const int a : axes) names.push_back(fmt::format("{} [{}]", "xyz"[a], unit));
  return names;
}

std::vector<std::string> position_entries(const Structure& m) {
  std::vector<std::string> names(static_cast<std::size_t>(m.nq));
  for (const TreeJoint& joint : m.joint) {
    const auto first = static_cast<std::size_t>(joint.q);
    const auto v = static_cast<std::size_t>(joint.v);
    const bool ball = joint.type == Elementary::spherical, free = joint.type == Elementary::free;
    if (single_coordinates(joint) == 1)
      names[first] = fmt::format("{} [{}]", m.coordinate[v].name, m.coordinate[v].is_length ? "m" : "rad");
    for (std::size_t i = 0; free && i < 3; ++i) names[first + i] = m.coordinate[v + i].name + " [m]";
    const std::size_t turn = first + (free ? 3 : 0);
    for (std::size_t i = 0; (ball || free) && i < 4; ++i)
      names[turn + i] = fmt::format("{}, unit quaternion {}", m.coordinate[v].joint, "wxyz"[i]);
  }
  return names;
}

std::vector<std::string> rate_entries(const Structure& m, const std::string& per) {
  std::vector<std::string> names;
  for (std::size_t c = 0; c < static_cast<std::size_t>(m.nv); ++c)
    names.push_back(fmt::format("{} [{}{}]", m.coordinate[c].name, m.coordinate[c].is_length ? "m" : "rad", per));
  return names;
}

std::vector<std::string> actuator_entries(const Structure& m, const std::string& length, const std::string& angle) {
  std::vector<std::string> names;
  for (const int a : m.actuator) {
    const Coordinate& c = m.coordinate[static_cast<std::size_t>(a)];
    names.push_back(fmt::format("{} [{}]", c.name, c.is_length ? length : angle));
  }
  return names;
}

}  // namespace gough
