#include "gough/kinematics/explicit_form.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "gough/kinematics/singularity.hpp"

namespace gough {
namespace {

std::size_t at(int i) { return static_cast<std::size_t>(i); }

}  // namespace

Selection select_coordinates(const Mechanism<double>& m, const Workspace<double>& w,
                             const std::vector<int>& column_class, int rank) {
  MatX<double> A = scaled_closure(m, w, characteristic_length(m, w));
  Selection s;
  std::vector<bool> used_row(at(m.equations), false), used_column(at(m.nv), false);
  const int classes = column_class.empty() ? 1 : *std::max_element(column_class.begin(), column_class.end()) + 1;
  double largest = 0;
  s.smallest_pivot = 1;
  s.complete = true;
  for (int level = 0; level < classes; ++level)
    while (s.rank() < rank) {
      int row = -1, column = -1;
      double pivot = 0;
      for (int c = 0; c < m.nv; ++c)
        if (!used_column[at(c)] && column_class[at(c)] == level)
          for (int r = 0; r < m.equations; ++r)
            if (!used_row[at(r)] && std::abs(A(r, c)) > pivot) {
              pivot = std::abs(A(r, c));
              row = r;
              column = c;
            }
      largest = std::max(largest, pivot);
      if (row < 0 || pivot < 1e-9 * largest) break;
      if (level > 0) s.complete = false;  // a coordinate that was wished independent had to give way
      s.smallest_pivot = std::min(s.smallest_pivot, pivot / largest);
      used_row[at(row)] = used_column[at(column)] = true;
      s.rows.push_back(row);
      s.dependent.push_back(column);
      for (int r = 0; r < m.equations; ++r)
        if (!used_row[at(r)]) A.row(r) -= A.row(row) * (A(r, column) / A(row, column));
    }
  s.complete = s.complete && s.rank() == rank;
  for (int c = 0; c < m.nv; ++c)
    if (!used_column[at(c)]) {
      s.independent.push_back(c);
      if (column_class[at(c)] == 0 && classes > 1) s.complete = false;  // more freedom than was wished
    }
  s.natural.resize(s.rows.size());
  std::iota(s.natural.begin(), s.natural.end(), 0);
  return s;
}

Selection select_driven(const Mechanism<double>& m, const Workspace<double>& w, int rank) {
  std::vector<int> column_class(at(m.nv), 0);
  for (const int a : m.actuator) column_class[at(a)] = 1;
  for (const int e : m.elastic) column_class[at(e)] = 1;
  Selection s = select_coordinates(m, w, column_class, rank);
  const auto driven = static_cast<std::size_t>(std::count(column_class.begin(), column_class.end(), 1));
  if (s.rank() == rank && driven > s.independent.size()) {  // redundant drives: some must depend on the others
    s.complete =
        std::all_of(s.independent.begin(), s.independent.end(), [&](int c) { return column_class[at(c)] == 1; });
  }
  // the file's order of drives, not the tree's
  std::vector<int> ordered;
  const auto take = [&](const std::vector<int>& wanted) {
    for (const int c : wanted)
      if (std::find(s.independent.begin(), s.independent.end(), c) != s.independent.end() &&
          std::find(ordered.begin(), ordered.end(), c) == ordered.end())
        ordered.push_back(c);
  };
  take(m.actuator);
  take(m.elastic);
  take(s.independent);
  s.independent = ordered;
  return s;
}

Selection select_platform(const Mechanism<double>& m, const Workspace<double>& w, int rank) {
  std::vector<int> column_class(at(m.nv), 0);
  if (m.platform.floats)
    for (int i = 0; i < 6; ++i)
      if (m.platform.coordinates[at(i)]) column_class[at(m.joint[at(m.platform.body)].v + i)] = 1;
  for (const int e : m.elastic) column_class[at(e)] = 1;
  return select_coordinates(m, w, column_class, rank);
}

Selection select_any(const Mechanism<double>& m, const Workspace<double>& w, int rank) {
  return select_coordinates(m, w, std::vector<int>(at(m.nv), 0), rank);
}

}  // namespace gough
