#include "gough/dynamics/scdd.hpp"

#include <tbb/parallel_for.h>

#include <algorithm>

#include "gough/spatial/eigen_pairs.hpp"
#include "gough/spatial/rank.hpp"

namespace gough {

void for_each_chain(int n, bool parallel, const std::function<void(int)>& task) {
  if (parallel) tbb::parallel_for(0, n, [&task](int i) { task(i); });
  else
    for (int i = 0; i < n; ++i) task(i);
}

std::vector<Chain> find_chains(const Structure& m, const Selection& s) {
  std::vector<int> root(m.parent.size());
  std::vector<Chain> chains;
  std::vector<std::size_t> chain_of_root(m.parent.size());
  for (std::size_t j = 0; j < m.parent.size(); ++j) {
    const int i = m.parent[j];
    root[j] = i == base ? static_cast<int>(j) : root[static_cast<std::size_t>(i)];
    if (i == base) {
      chain_of_root[j] = chains.size();
      chains.push_back({m.joint[j].v, 0, static_cast<int>(j), 0, {}, {}, 0});
    }
    Chain& c = chains[chain_of_root[static_cast<std::size_t>(root[j])]];
    c.n += velocity_size(m.joint[j]);
    ++c.bodies;
  }
  for (const CutJoint& cut : m.cut)
    for (Chain& c : chains) {
      const bool touches = std::any_of(cut.path.begin(), cut.path.end(), [&](const CutJoint::Step& step) {
        const int v = m.joint[static_cast<std::size_t>(step.body)].v;
        return v >= c.first && v < c.first + c.n;
      });
      if (!touches) continue;
      for (std::size_t i = 0; i < s.rows.size(); ++i)
        if (s.rows[i] >= cut.first_row && s.rows[i] < cut.first_row + static_cast<int>(cut.rows.size())) {
          c.rows.push_back(s.rows[i]);
          c.place.push_back(static_cast<int>(i));
        }
    }
  std::erase_if(chains, [](const Chain& c) { return c.n == 0; });
  return chains;
}

std::vector<Chain> chains_onto_platform(const Structure& m, const PlatformSplit& split) {
  std::vector<Chain> chains;
  int first = 0;  // of the leg's rows r among all legs'
  for (std::size_t i = 0; i < m.leg.size(); ++i) {
    const LegSplit& leg = split.leg[i];
    Chain c{leg.first, leg.n, m.leg[i].first_body, m.leg[i].bodies, leg.rows, {}, static_cast<int>(leg.rows.size())};
    for (std::size_t r = 0; r < leg.rest_rows.size() && !split.rigid; ++r)
      if (const auto chosen = std::find(split.rows.begin(), split.rows.end(), first + static_cast<int>(r));
          chosen != split.rows.end()) {
        c.rows.push_back(leg.rest_rows[r]);
        c.place.push_back(static_cast<int>(chosen - split.rows.begin()));
      }
    first += static_cast<int>(leg.rest_rows.size());
    chains.push_back(std::move(c));
  }
  return chains;
}

ScddIteration iterate_scdd(const Mechanism<double>& m, const Selection& s, const ExplicitForm<double>& form,
                           const VecX<double>& F, const IterationRule& rule, const VecX<double>& before,
                           Workspace<double>& w) {
  const MatX<double> M = mass_matrix(m, w);
  const MatX<double> M_yy = rows_of(columns_of(M, s.independent), s.independent);
  const MatX<double> M_py = rows_of(columns_of(M, s.independent), s.dependent);
  const MatX<double> M_pp = rows_of(columns_of(M, s.dependent), s.dependent);
  MatX<double> schur = M_yy;
  if (M_pp.rows() > 0) schur -= M_py.transpose() * least_squares(M_pp, M_py);
  const MatX<double> M_c = congruence(M, form.G);
  const MatX<double> inverse = symmetric_solution(schur, MatX<double>::Identity(schur.rows(), schur.cols()));
  ScddIteration it;
  it.eigenvalue = eigen_pairs(M_c, schur).s.maxCoeff();
  const VecX<double> c = form.G.transpose() * w.t;
  VecX<double> y = VecX<double>::Zero(F.size());
  if (rule.feed_back && before.size() == y.size()) y = before;
  for (; it.iterations < (rule.feed_back ? 1 : rule.most) && !it.converged; ++it.iterations) {
    const VecX<double> step = inverse * (F - c - M_c * y) * rule.relaxation;
    y += step;
    it.change = step.norm() / std::max(y.norm(), 1e-300);
    it.converged = it.change < rule.tolerance || step.norm() == 0;
    if (!(y.norm() < 1e100)) break;  // diverged
  }
  w.a = form.G * y + form.g;
  it.y = y;
  return it;
}

}  // namespace gough
