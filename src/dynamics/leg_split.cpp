#include "gough/dynamics/leg_split.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "gough/kinematics/singularity.hpp"
#include "gough/spatial/rank.hpp"

namespace gough {
namespace {

std::vector<int> counting(std::size_t n) {
  std::vector<int> x(n);
  std::iota(x.begin(), x.end(), 0);
  return x;
}

constexpr double enters = 1e-2;  ///< of the largest entry: what elastic columns do in a row that they solve

/// Rows that joints leave open and elastic columns solve: full pivoting on what is left of A. Rows that elastic columns hardly enter
/// (a straight rod, along itself) stay open: they constrain the platform, and give way a little.
void take_elastic(MatX<double> A, Pivots& p) {
  const double largest = A.size() > 0 ? A.cwiseAbs().maxCoeff() : 0;
  std::vector<bool> used_row(static_cast<std::size_t>(A.rows())), used_column(static_cast<std::size_t>(A.cols()));
  const auto eliminate = [&](int row, int column) {
    used_row[static_cast<std::size_t>(row)] = used_column[static_cast<std::size_t>(column)] = true;
    for (int r = 0; r < A.rows(); ++r)
      if (!used_row[static_cast<std::size_t>(r)]) A.row(r) -= A.row(row) * (A(r, column) / A(row, column));
  };
  for (std::size_t i = 0; i < p.rows.size(); ++i) eliminate(p.rows[i], p.columns[i]);
  while (true) {
    int row = -1, column = -1;
    double pivot = enters * largest;
    for (int c = 0; c < A.cols(); ++c)
      for (int r = 0; r < A.rows(); ++r)
        if (!used_column[static_cast<std::size_t>(c)] && !used_row[static_cast<std::size_t>(r)] &&
            std::abs(A(r, c)) > pivot)
          pivot = std::abs(A(r, c)), row = r, column = c;
    if (row < 0) return;
    eliminate(row, column);
    p.rows.push_back(row);
    p.columns.push_back(column);
  }
}

/// Rows and columns of one leg; joints that are only elastic stay free where the rest can be solved without them.
LegSplit split_leg(const Mechanism<double>& m, const Leg& leg, const MatX<double>& scaled) {
  LegSplit s;
  s.first = leg.first_v;
  s.n = leg.coordinates;
  const std::vector<int> all = m.leg_rows(leg);
  MatX<double> A = rows_of(scaled, all).middleCols(leg.first_v, leg.coordinates);
  std::vector<int> column_class(static_cast<std::size_t>(leg.coordinates), 0);
  for (const int e : m.elastic)
    if (e >= s.first && e < s.first + s.n) column_class[static_cast<std::size_t>(e - s.first)] = 1;
  Pivots p = find_pivots(A, column_class, leg.rank);
  take_elastic(A, p);
  for (const int r : p.rows) s.rows.push_back(all[static_cast<std::size_t>(r)]);
  for (const int c : p.columns) s.columns.push_back(s.first + c);
  for (const int r : all)
    if (!contains(s.rows, r)) s.rest_rows.push_back(r);
  for (int c = s.first; c < s.first + s.n; ++c)
    if (!contains(s.columns, c)) s.free_columns.push_back(c);
  s.natural = counting(s.rows.size());
  return s;
}

}  // namespace

int PlatformSplit::freedoms() const {
  std::size_t n = independent.size();
  for (const LegSplit& l : leg) n += l.free_columns.size();
  return static_cast<int>(n);
}

int PlatformSplit::rank() const {
  std::size_t n = rows.size();
  for (const LegSplit& l : leg) n += l.rows.size();
  return static_cast<int>(n);
}

bool splits_into_legs(const Structure& m) {
  std::vector<int> met(m.cut.size(), 0);
  for (const Leg& leg : m.leg)
    for (const int c : leg.cuts) ++met[static_cast<std::size_t>(c)];
  int bodies = 1;  // the platform; what hangs on it moves by itself
  for (const Leg& leg : m.leg) bodies += leg.bodies;
  return m.platform.floats && bodies == m.tree_size() &&
         std::all_of(met.begin(), met.end(), [](int n) { return n == 1; });
}

PlatformSplit split_platform(const Mechanism<double>& m, const Workspace<double>& w) {
  PlatformSplit s;
  s.first = m.joint[static_cast<std::size_t>(m.platform.body)].v;
  const double length = characteristic_length(m, w);
  const MatX<double> scaled = scaled_closure(m, w, length);
  int rank = m.rank;
  for (const Leg& leg : m.leg) {
    s.leg.push_back(split_leg(m, leg, scaled));
    s.constraints += static_cast<int>(s.leg.back().rest_rows.size());
    rank -= static_cast<int>(s.leg.back().rows.size());
    s.rigid = s.rigid && s.leg.back().free_columns.empty();
  }
  LegReduction<double> r(s);
  int row = 0;
  for (std::size_t i = 0; i < s.leg.size(); ++i) {
    reduce_leg(s.leg[i], s.first, w, row, r.leg[i], r.Z, r.z);
    row += static_cast<int>(s.leg[i].rest_rows.size());
  }
  MatX<double> Z = r.Z;
  Z.leftCols(3) *= length;  // free joint: slides first, then turns
  int rest = 0;
  for (const LegSplit& leg : s.leg)
    for (const int each : leg.rest_rows) Z.row(rest++) /= m.row_unit[each];
  std::vector<int> column_class(6, 0);
  for (std::size_t i = 0; i < 6; ++i) column_class[i] = m.platform.coordinates[i] ? 1 : 0;
  const Pivots p = find_pivots(Z, column_class, rank);
  s.rows = p.rows;
  s.dependent = p.columns;
  s.smallest_pivot = p.smallest;
  for (int c = 0; c < 6; ++c)
    if (!contains(s.dependent, c)) s.independent.push_back(c);
  s.natural = counting(s.rows.size());
  return s;
}

}  // namespace gough
