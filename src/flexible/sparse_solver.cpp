#include "gough/flexible/sparse_solver.hpp"

#include <klu.h>

#include <algorithm>
#include <cassert>

namespace gough {

int SparsePattern::place(int i, int j) const {
  const auto first = row.begin() + start[static_cast<std::size_t>(j)],
             last = row.begin() + start[static_cast<std::size_t>(j) + 1];
  const auto found = std::lower_bound(first, last, i);
  assert(found != last && *found == i);
  return static_cast<int>(found - row.begin());
}

void SparsePattern::add_product(const std::vector<double>& values, double a, const VecX<double>& x,
                                VecX<double>& y) const {
  for (Eigen::Index j = 0; j < x.size(); ++j) {
    const double ax = a * x[j];
    if (ax == 0) continue;
    for (int k = start[static_cast<std::size_t>(j)]; k < start[static_cast<std::size_t>(j) + 1]; ++k)
      if (const int i = row[static_cast<std::size_t>(k)]; i < y.size())
        y[i] += values[static_cast<std::size_t>(k)] * ax;
  }
}

SparsePattern sparse_pattern(int size, std::vector<std::pair<int, int>> entries) {
  std::sort(entries.begin(), entries.end(),
            [](const auto& x, const auto& y) { return std::pair(x.second, x.first) < std::pair(y.second, y.first); });
  entries.erase(std::unique(entries.begin(), entries.end()), entries.end());
  SparsePattern p;
  p.start.assign(static_cast<std::size_t>(size) + 1, 0);
  for (const auto& [i, j] : entries) {
    p.row.push_back(i);
    ++p.start[static_cast<std::size_t>(j) + 1];
  }
  for (std::size_t j = 0; j + 1 < p.start.size(); ++j) p.start[j + 1] += p.start[j];
  return p;
}

struct SparseSolver::Impl {
  explicit Impl(SparsePattern p) : pattern(std::move(p)) {
    klu_defaults(&common);
    symbolic = klu_analyze(pattern.size(), pattern.start.data(), pattern.row.data(), &common);
  }
  ~Impl() {
    klu_free_numeric(&numeric, &common);
    klu_free_symbolic(&symbolic, &common);
  }
  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;

  /// New pivots.
  bool factor_anew(double* values) {
    klu_free_numeric(&numeric, &common);
    numeric =
        symbolic != nullptr ? klu_factor(pattern.start.data(), pattern.row.data(), values, symbolic, &common) : nullptr;
    if (numeric == nullptr) return false;
    klu_rcond(symbolic, numeric, &common);
    first_rcond = common.rcond;
    return true;
  }
  bool factor(double* values) {
    if (numeric == nullptr) return factor_anew(values);
    const bool done = klu_refactor(pattern.start.data(), pattern.row.data(), values, symbolic, numeric, &common) == 1;
    if (done && klu_rcond(symbolic, numeric, &common) == 1 && common.rcond > 1e-2 * first_rcond) return true;
    return factor_anew(values);
  }

  SparsePattern pattern;
  klu_common common{};
  klu_symbolic* symbolic = nullptr;
  klu_numeric* numeric = nullptr;
  double first_rcond = 0;  ///< smallest over largest pivot when pivots were chosen
};

SparseSolver::SparseSolver(SparsePattern pattern) : impl_(std::make_unique<Impl>(std::move(pattern))) {}
SparseSolver::~SparseSolver() = default;
SparseSolver::SparseSolver(SparseSolver&&) noexcept = default;
SparseSolver& SparseSolver::operator=(SparseSolver&&) noexcept = default;

bool SparseSolver::factor(std::vector<double>& values) { return impl_->factor(values.data()); }
void SparseSolver::solve(MatX<double>& x) {
  klu_solve(impl_->symbolic, impl_->numeric, static_cast<int>(x.rows()), static_cast<int>(x.cols()), x.data(),
            &impl_->common);
}
void SparseSolver::solve(VecX<double>& x) {
  klu_solve(impl_->symbolic, impl_->numeric, static_cast<int>(x.size()), 1, x.data(), &impl_->common);
}

}  // namespace gough
