#include "gough/identification/base_parameters.hpp"

#include <fmt/format.h>

#include <Eigen/QR>
#include <algorithm>
#include <cmath>
#include <map>

#include "gough/error.hpp"
#include "gough/identification/regrouping_rules.hpp"
#include "gough/kinematics/singularity.hpp"
#include "gough/spatial/rank.hpp"
#include "in_words.hpp"

namespace gough {
namespace {

constexpr double no_effect = 1e-11;   // of the largest column, in units of mass
constexpr double independent = 1e-7;  // what is left of a column of length one
Eigen::Index index(std::size_t i) { return static_cast<Eigen::Index>(i); }

/// The triangle of A = Q R: the same columns, as far as their dependences go.
MatX<double> triangle(const MatX<double>& A) {
  if (A.rows() <= A.cols()) return A;
  return triangular_factor(A);
}

/// Lengths of the columns as if all were masses: second moments over the squared length of the robot, first over it.
VecX<double> effects(const Mechanism<double>& m, const ParameterSpace& space, const MatX<double>& H) {
  Workspace<double> w(m);
  tree_positions(m, w);
  closure(m, w);
  const double length = characteristic_length(m, w);
  VecX<double> norm = H.colwise().norm();
  for (int i = 0; i < space.inertial; ++i) {
    const int k = space.entry[at(i)].index;
    norm[i] *= k < 6 ? 1 / (length * length) : k < 9 ? 1 / length : 1;
  }
  return norm;
}

/// Columns in order: independent ones, and how the others depend on them.
struct Dependences {
  std::vector<int> independent;
  std::map<int, VecX<double>> of;  ///< per dependent column: coefficients of the independent ones
};

/// `skip`: columns that are zero.
Dependences dependences(const MatX<double>& A, const std::vector<bool>& skip) {
  const VecX<double> norm = A.colwise().norm();
  const double largest = norm.size() > 0 ? norm.maxCoeff() : 0;
  Dependences d;
  MatX<double> Q(A.rows(), 0);
  std::vector<int> dependent;
  for (Eigen::Index j = 0; j < A.cols(); ++j) {
    if (skip[static_cast<std::size_t>(j)]) continue;
    if (norm[j] <= 1e-12 * largest) continue;  // the rules know that it has no effect
    VecX<double> rest = A.col(j) / norm[j];
    for (int pass = 0; pass < 2; ++pass) rest -= Q * (Q.transpose() * rest);  // twice is enough
    if (rest.norm() <= independent) {
      dependent.push_back(static_cast<int>(j));
      continue;
    }
    Q.conservativeResize(Eigen::NoChange, Q.cols() + 1);
    Q.rightCols(1) = rest.normalized();
    d.independent.push_back(static_cast<int>(j));
  }
  MatX<double> basis = columns_of(A, d.independent);
  for (std::size_t i = 0; i < d.independent.size(); ++i) basis.col(index(i)) /= norm[d.independent[i]];
  MatX<double> a = least_squares(basis, columns_of(A, dependent));
  for (std::size_t i = 0; i < d.independent.size(); ++i) a.row(index(i)) /= norm[d.independent[i]];
  for (std::size_t j = 0; j < dependent.size(); ++j) d.of[dependent[j]] = a.col(index(j));
  return d;
}

/// Columns that are zero but for rounding, of friction where nothing moves, do not count.
double condition_of(const MatX<double>& H) {
  std::vector<int> felt;
  for (Eigen::Index i = 0; i < H.cols(); ++i)
    if (H.col(i).norm() > 1e-15 * H.norm()) felt.push_back(static_cast<int>(i));
  if (felt.empty()) return 1;
  MatX<double> scaled = columns_of(H, felt);
  scaled.colwise().normalize();
  const VecX<double> s = singular_values(scaled).s;
  return s[0] / std::max(s[s.size() - 1], 1e-18 * s[0]);
}

/// What is left of the space's inertial parameters once the rules' changes count as nothing.
MatX<double> left_by_rules(const Mechanism<double>& m, const ParameterSpace& space, const MatX<double>& H_standard,
                           double& error) {
  const auto bodies = 10 * static_cast<Eigen::Index>(m.parent.size());
  MatX<double> N = regrouping_rules(m);
  error = 0;
  for (Eigen::Index i = 0; i < N.cols(); ++i)
    error = std::max(error, (H_standard.leftCols(bodies) * N.col(i)).norm() / (H_standard.norm() * N.col(i).norm()));
  // zero columns are changes without effect, too
  ParameterSpace standard;
  standard.inertial = static_cast<int>(bodies);
  for (Eigen::Index i = 0; i < bodies; ++i)
    standard.entry.push_back({static_cast<int>(i / 10), static_cast<int>(i % 10), 1});
  const VecX<double> effect = effects(m, standard, H_standard.leftCols(bodies));
  const double largest = effect.size() > 0 ? effect.maxCoeff() : 0;
  for (Eigen::Index i = 0; i < bodies; ++i)
    if (effect[i] <= no_effect * largest) {
      N.conservativeResize(Eigen::NoChange, N.cols() + 1);
      N.rightCols(1) = VecX<double>::Unit(bodies, i);
    }
  // across the changes
  Eigen::ColPivHouseholderQR<MatX<double>> qr(bodies, N.cols());
  qr.setThreshold(rank_tolerance);
  qr.compute(N);
  const MatX<double> turned = qr.householderQ().transpose() * space.standard.topLeftCorner(bodies, space.inertial);
  return turned.bottomRows(bodies - qr.rank());
}

/// H at more states until its rank does not follow its rows any more.
MatX<double> enough_states(const Mechanism<double>& m, const ParameterSpace& space, int states) {
  for (;; states *= 2) {
    const MatX<double> H = stacked_regressor(m, space, states);
    const MatX<double> R = triangle(H);
    const std::vector<bool> all(static_cast<std::size_t>(H.cols()), false);
    if (static_cast<Eigen::Index>(dependences(R, all).independent.size()) + 20 <= H.rows()) return R;
  }
}

}  // namespace

BaseParameters base_parameters(const Mechanism<double>& m, const ParameterOptions& options) {
  BaseParameters b;
  if (m.nv == m.rank)
    throw Error(m.name + ": read a robot that cannot move, expected one that does: no motion shows its parameters");
  b.space = parameter_space(m, options);
  const int inertial = b.space.inertial;
  const auto dof = std::max(1, m.nv - m.rank);
  ParameterSpace every = b.space;
  every.standard = MatX<double>::Identity(b.space.standard.rows(), b.space.standard.rows());
  const MatX<double> H_standard = enough_states(m, every, 30 + 60 / dof);
  const MatX<double> H = H_standard * b.space.standard;

  const VecX<double> effect = effects(m, b.space, H.leftCols(inertial));
  const double largest = effect.size() > 0 ? effect.maxCoeff() : 0;
  std::vector<bool> zero(at(inertial), false);
  std::vector<int> effective;
  for (int i = 0; i < inertial; ++i) {
    zero[at(i)] = effect[i] <= no_effect * largest;
    (zero[at(i)] ? b.without_effect : effective).push_back(i);
  }
  Dependences d = dependences(H.leftCols(inertial), zero);
  MatX<double> scaled = columns_of(H, effective);
  for (std::size_t i = 0; i < effective.size(); ++i) scaled.col(index(i)).normalize();
  const VecX<double> s = singular_values(scaled).s;
  b.singular_values.assign(s.begin(), s.end());
  const std::size_t rank = d.independent.size();
  if (rank > 0 && rank < b.singular_values.size())
    b.gap = b.singular_values[rank - 1] / std::max(b.singular_values[rank], 1e-18 * b.singular_values[0]);

  const MatX<double> left = left_by_rules(m, b.space, H_standard, b.rules_error);
  const Dependences by_rules = dependences(left, zero);
  b.rules_rank = static_cast<int>(by_rules.independent.size());
  if (by_rules.independent == d.independent) d = by_rules;  // the same, but for rounding

  const InWords words(m, b.space);
  for (std::size_t i = 0; i < rank; ++i) {
    BaseParameter group{{{d.independent[i], 1.0, ""}}, ""};
    for (const auto& [j, a] : d.of)
      if (index(i) < a.size() && words.counts(a[index(i)])) group.terms.push_back(words.term(j, a[index(i)]));
    group.name = words.name(group.terms);
    b.base.push_back(group);
  }
  std::vector<int> columns = b.columns();
  b.friction_condition = condition_of(columns_of(H, columns));
  columns.resize(rank);
  b.condition = condition_of(columns_of(H, columns));
  return b;
}

MatX<double> BaseParameters::combinations() const {
  const auto n = rank() + space.friction();
  MatX<double> K = MatX<double>::Zero(n, space.size());
  for (std::size_t i = 0; i < base.size(); ++i)
    for (const BaseParameter::Term& t : base[i].terms) K(index(i), t.parameter) = t.coefficient;
  for (int i = 0; i < space.friction(); ++i) K(rank() + i, space.inertial + i) = 1;
  return K;
}

std::vector<int> BaseParameters::columns() const {
  std::vector<int> all;
  for (const BaseParameter& p : base) all.push_back(p.terms[0].parameter);
  for (int i = space.inertial; i < space.size(); ++i) all.push_back(i);
  return all;
}

double value_of(const BaseParameters& b, const BaseParameter& p) {
  double sum = 0, size = 0;
  for (const BaseParameter::Term& t : p.terms) {
    sum += t.coefficient * b.space.value[t.parameter];
    size += std::abs(t.coefficient * b.space.value[t.parameter]);
  }
  const bool rounding = std::abs(sum) <= 1e-14 * size || std::abs(sum) < 1e-20;
  return rounding ? 0 : sum;
}

std::vector<int> groups_of(const BaseParameters& b, int parameter) {
  std::vector<int> groups;
  for (std::size_t i = 0; i < b.base.size(); ++i)
    for (const BaseParameter::Term& t : b.base[i].terms)
      if (t.parameter == parameter) groups.push_back(static_cast<int>(i));
  return groups;
}

bool is_alone(const BaseParameters& b, int parameter) {
  const std::vector<int> groups = groups_of(b, parameter);
  return groups.size() == 1 && b.base[at(groups[0])].terms.size() == 1;
}

}  // namespace gough
