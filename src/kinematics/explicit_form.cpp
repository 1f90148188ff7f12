#include "gough/kinematics/explicit_form.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "gough/kinematics/singularity.hpp"

namespace gough {
Pivots find_pivots(MatX<double> A, const std::vector<int>& column_class, int rank) {
  Pivots p;
  std::vector<bool> used_row(at(static_cast<int>(A.rows())), false), used_column(at(static_cast<int>(A.cols())), false);
  const int classes = column_class.empty() ? 1 : *std::max_element(column_class.begin(), column_class.end()) + 1;
  double largest = 0;
  for (int level = 0; level < classes; ++level)
    while (static_cast<int>(p.rows.size()) < rank) {
      int row = -1, column = -1;
      double pivot = 0;
      for (int c = 0; c < A.cols(); ++c)
        if (!used_column[at(c)] && column_class[at(c)] == level)
          for (int r = 0; r < A.rows(); ++r)
            if (!used_row[at(r)] && std::abs(A(r, c)) > pivot) {
              pivot = std::abs(A(r, c));
              row = r;
              column = c;
            }
      largest = std::max(largest, pivot);
      if (row < 0 || pivot < 1e-9 * largest) break;
      p.last_class = level;
      p.smallest = std::min(p.smallest, pivot / largest);
      used_row[at(row)] = used_column[at(column)] = true;
      p.rows.push_back(row);
      p.columns.push_back(column);
      for (int r = 0; r < A.rows(); ++r)
        if (!used_row[at(r)]) A.row(r) -= A.row(row) * (A(r, column) / A(row, column));
    }
  return p;
}

Selection select_coordinates(const Mechanism<double>& m, const Workspace<double>& w,
                             const std::vector<int>& column_class, int rank) {
  const Pivots p = find_pivots(scaled_closure(m, w, characteristic_length(m, w)), column_class, rank);
  const bool classes = std::any_of(column_class.begin(), column_class.end(), [](int c) { return c > 0; });
  Selection s;
  s.rows = p.rows;
  s.dependent = p.columns;
  s.smallest_pivot = p.smallest;
  s.complete = p.last_class == 0 && s.rank() == rank;  // else a wished-for coordinate had to give way
  for (int c = 0; c < m.nv; ++c)
    if (std::find(s.dependent.begin(), s.dependent.end(), c) == s.dependent.end()) {
      s.independent.push_back(c);
      if (column_class[at(c)] == 0 && classes) s.complete = false;  // more freedom than was wished
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
  for (const int e : m.standing()) column_class[at(e)] = 1;
  return select_coordinates(m, w, column_class, rank);
}

Selection select_any(const Mechanism<double>& m, const Workspace<double>& w, int rank) {
  std::vector<int> column_class(at(m.nv), 0);
  for (const TreeJoint& j : m.joint)  // modes are stiff: joints follow them better than they follow joints
    if (j.type == Elementary::modal) std::fill_n(column_class.begin() + j.v, j.modes, 1);
  return select_coordinates(m, w, column_class, rank);
}

}  // namespace gough
