#pragma once
/// Sparse linear equations whose pattern stays and whose values change: by KLU of SuiteSparse, its pivots kept while they serve.
#include <memory>
#include <vector>

#include "gough/spatial/spatial.hpp"

namespace gough {

/// A square matrix by columns. Entries are found once, by row and column, and then written by place.
struct SparsePattern {
  std::vector<int> start, row;  ///< of columns; of entries
  int size() const { return static_cast<int>(start.size()) - 1; }
  /// The place of an entry that is there.
  int place(int i, int j) const;
  /// y += a A x in the first n rows and columns.
  void add_product(const std::vector<double>& values, double a, const VecX<double>& x, VecX<double>& y) const;
};
/// From (row, column) pairs, repeated ones once.
SparsePattern sparse_pattern(int size, std::vector<std::pair<int, int>> entries);

class SparseSolver {
 public:
  explicit SparseSolver(SparsePattern pattern);
  ~SparseSolver();
  SparseSolver(SparseSolver&&) noexcept;
  SparseSolver& operator=(SparseSolver&&) noexcept;

  /// False: singular.
  bool factor(std::vector<double>& values);
  /// In place, one or several right-hand sides.
  void solve(MatX<double>& x);
  void solve(VecX<double>& x);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace gough
