#include "gough/simulation/state.hpp"

#include <Eigen/QR>
#include <cmath>
#include <optional>

#include "gough/dynamics/tree.hpp"
#include "gough/spatial/linalg.hpp"
#include "gough/spatial/rank.hpp"

namespace gough {
namespace {

constexpr double worn_pivot = 0.1;           ///< share of the pivot where coordinates were chosen
constexpr double better_pivot = 3;           ///< by which another choice must be better
constexpr double chart_ends = 1.5;           ///< rad: a rotation vector shorter than pi has one meaning
constexpr double position_residual = 1e-13;  ///< of the loops [rad, or the robot's unit of length]
constexpr double rough_residual = 1e-11;     ///< taken where Newton's method gains no more
constexpr double polish_pivot = 0.1;         ///< below, one more Newton step
constexpr int most_newton_steps = 12;
constexpr double lost_rank = 1e-9;  ///< relative: below, a pivot counts as zero

/// T: angular velocity from rates of the rotation vector, both in the turned frame's axes.
Mat3<double> turn_from_rates(const Vec3<double>& r) {
  const double t2 = r.squaredNorm(), t = std::sqrt(t2);
  const double b = t2 < 1e-6 ? 0.5 - t2 / 24 : (1 - std::cos(t)) / t2;
  const double a = t2 < 1e-6 ? 1.0 / 6 - t2 / 120 : (t - std::sin(t)) / (t2 * t);
  const Mat3<double> W = cross_matrix(r);
  return Mat3<double>::Identity() - b * W + a * W * W;
}

/// The first velocity coordinate of a joint's turns; -1 where it has one axis or none.
int turns_of(const TreeJoint& j) {
  if (j.type == Elementary::spherical) return j.v;
  return j.type == Elementary::free ? j.v + 3 : -1;
}

void normalise(const Structure& m, VecX<double>& q) {
  for (const TreeJoint& j : m.joint) {
    if (j.type == Elementary::spherical) q.segment<4>(j.q).normalize();
    if (j.type == Elementary::free) q.segment<4>(j.q + 3).normalize();
  }
}

// ------------------------------------------------------------------------------------------------ independent

class IndependentForm : public StateForm {
 public:
  explicit IndependentForm(const Mechanism<double>& m) : m_(m) {}

  VecX<double> choose(Workspace<double>& w) override {
    tree_positions(m_, w);
    closure(m_, w);
    take_better(select_any(m_, w, m_.rank), w);
    form_.emplace(m_, selection_);
    reference_ = w.q;
    z_ = VecX<double>::Zero(m_.nv);
    K_d_ = MatX<double>(selection_.rank(), selection_.rank());
    right_ = work_ = MatX<double>(selection_.rank(), 1);
    w.k.setZero();
    explicit_form(w, selection_, *form_);
    first_pivot_ = pivot_ = selection_.rank() > 0 ? form_->smallest_pivot : 1.0;
    accept(w);
    const Eigen::Index n = positions();
    VecX<double> x = VecX<double>::Zero(2 * n);
    for (Eigen::Index i = 0; i < n; ++i) x[n + i] = w.v[independent(i)];
    return x;
  }

  bool place(const VecX<double>& x, Workspace<double>& w) override {
    if (!close(x, w)) return false;
    take_rates(x, w);
    tree_velocities(m_, w);
    return w.v.allFinite();
  }

  void accept(const Workspace<double>& w) override {
    explicit_form(w, selection_, *form_);
    reached_ = z_;
    tangent_ = form_->G;
  }

  void rates(const Workspace<double>& w, VecX<double>& rates) const override {
    VecX<double> zd = w.v;
    for (const TreeJoint& j : m_.joint)
      if (const int v = turns_of(j); v >= 0) {
        const Vec3<double> r = z_.segment<3>(v);
        zd.segment<3>(v) = turn_from_rates(r).inverse() * w.v.segment<3>(v);
      }
    const Eigen::Index n = positions();
    for (Eigen::Index i = 0; i < n; ++i) {
      rates[i] = zd[independent(i)];
      rates[n + i] = w.a[independent(i)];
    }
  }

  bool worn() const override {
    if (pivot_ < worn_pivot * first_pivot_) return true;
    for (const TreeJoint& j : m_.joint)
      if (const int v = turns_of(j); v >= 0 && z_.segment<3>(v).norm() > chart_ends) return true;
    return false;
  }

  bool put_back(VecX<double>&, Workspace<double>&) override { return true; }
  Eigen::Index positions() const override { return static_cast<Eigen::Index>(selection_.independent.size()); }
  double pivot() const override { return pivot_ / first_pivot_; }

 private:
  int independent(Eigen::Index i) const { return selection_.independent[static_cast<std::size_t>(i)]; }

  /// Near a singularity every choice is poor: keeps the one it has unless another is better by far.
  void take_better(Selection other, Workspace<double>& w) {
    if (form_ && other.rank() == selection_.rank()) {
      w.k.setZero();
      ExplicitForm<double> form(m_, other);
      explicit_form(w, selection_, *form_);
      explicit_form(w, other, form);
      if (form.smallest_pivot < better_pivot * form_->smallest_pivot) return;
    }
    if (other.rank() == m_.rank || !form_) selection_ = std::move(other);
  }

  /// Newton on the dependent chart coordinates, started along the tangent.                                (S1)
  bool close(const VecX<double>& x, Workspace<double>& w) {
    VecX<double> z = reached_;
    for (Eigen::Index i = 0; i < positions(); ++i) {
      const double step = x[i] - reached_[independent(i)];
      for (const int d : selection_.dependent) z[d] += tangent_(d, i) * step;
      z[independent(i)] = x[i];
    }
    double before = std::numeric_limits<double>::infinity();
    for (int k = 0; k < most_newton_steps; ++k) {
      w.q.noalias() = moved(m_, reference_, z);
      tree_positions(m_, w);
      closure(m_, w);
      const double residual = largest_residual(w);
      if (!std::isfinite(residual)) break;
      const bool polished = pivot() > polish_pivot || before < rough_residual;  // a small pivot magnifies what is left
      if (residual == 0 || (residual < position_residual && polished) ||
          (residual < rough_residual && residual > 0.2 * before)) {
        z_ = z;
        return true;
      }
      before = residual;
      newton_step(w, z);
    }
    return false;
  }

  double largest_residual(const Workspace<double>& w) const {
    double largest = 0;
    for (const int r : selection_.rows) largest = std::max(largest, std::abs(w.phi[r]) / m_.row_unit[r]);
    return std::isfinite(w.phi.sum()) ? largest : std::numeric_limits<double>::quiet_NaN();
  }

  /// v from the independent rates: K_d v_d = -K_i y'.
  void take_rates(const VecX<double>& x, Workspace<double>& w) {
    const Eigen::Index n = positions();
    w.v.setZero();
    for (Eigen::Index i = 0; i < n; ++i) w.v[independent(i)] = x[n + i];
    const auto rank = static_cast<std::size_t>(selection_.rank());
    if (rank == 0) return;
    for (std::size_t r = 0; r < rank; ++r) {
      const auto row = static_cast<Eigen::Index>(r);
      for (std::size_t c = 0; c < rank; ++c)
        K_d_(row, static_cast<Eigen::Index>(c)) = w.K(selection_.rows[r], selection_.dependent[c]);
      right_(row, 0) = -w.K.row(selection_.rows[r]).dot(w.v);
    }
    const PivotOrder order{selection_.natural, selection_.natural};
    pivot_ = lu_factor(K_d_, order);
    lu_solve(K_d_, order, right_, work_);
    for (std::size_t c = 0; c < rank; ++c) w.v[selection_.dependent[c]] = right_(static_cast<Eigen::Index>(c), 0);
  }

  void newton_step(const Workspace<double>& w, VecX<double>& z) {
    K_z_ = w.K;
    for (const TreeJoint& j : m_.joint)
      if (const int v = turns_of(j); v >= 0)
        K_z_.middleCols<3>(v) = w.K.middleCols<3>(v) * turn_from_rates(z.segment<3>(v));
    const auto n = static_cast<std::size_t>(selection_.rank());
    for (std::size_t r = 0; r < n; ++r) {
      const auto i = static_cast<Eigen::Index>(r);
      for (std::size_t c = 0; c < n; ++c)
        K_d_(i, static_cast<Eigen::Index>(c)) = K_z_(selection_.rows[r], selection_.dependent[c]);
      right_(i, 0) = -w.phi[selection_.rows[r]];
    }
    const PivotOrder order{selection_.natural, selection_.natural};
    lu_factor(K_d_, order);
    lu_solve(K_d_, order, right_, work_);
    for (std::size_t c = 0; c < n; ++c) z[selection_.dependent[c]] += right_(static_cast<Eigen::Index>(c), 0);
  }

  const Mechanism<double>& m_;
  Selection selection_;
  std::optional<ExplicitForm<double>> form_;
  VecX<double> reference_, z_;  ///< q_0 and the chart's coordinates now
  VecX<double> reached_;        ///< and where Newton's method starts, with the tangent there
  MatX<double> tangent_;
  MatX<double> K_z_, K_d_, right_, work_;
  double first_pivot_ = 1, pivot_ = 1;
};

// ------------------------------------------------------------------------------------------------ tree

class TreeForm : public StateForm {
 public:
  TreeForm(const Mechanism<double>& m, Loops loops) : m_(m), loops_(loops) {}

  VecX<double> choose(Workspace<double>& w) override {
    VecX<double> x(m_.nq + m_.nv);
    x << w.q, w.v;
    return x;
  }

  bool place(const VecX<double>& x, Workspace<double>& w) override {
    w.q = x.head(m_.nq);
    w.v = x.tail(m_.nv);
    normalise(m_, w.q);
    tree_positions(m_, w);
    closure(m_, w);
    tree_velocities(m_, w);
    return x.allFinite();
  }

  /// Quaternions: q' = q (0, w)/2, which keeps their length.
  void rates(const Workspace<double>& w, VecX<double>& rates) const override {
    for (const TreeJoint& j : m_.joint) {
      const int slides = single_coordinates(j);
      for (int i = 0; i < slides; ++i) rates[j.q + i] = w.v[j.v + i];
      if (turns_of(j) < 0) continue;
      const Vec3<double> turn = w.v.segment<3>(turns_of(j)) / 2;
      const double s = w.q[j.q + slides];
      const Vec3<double> u = w.q.segment<3>(j.q + slides + 1);
      rates[j.q + slides] = -u.dot(turn);
      rates.segment<3>(j.q + slides + 1) = s * turn + cross<double>(u, turn);
    }
    rates.tail(m_.nv) = w.a;
  }

  bool worn() const override { return false; }

  bool put_back(VecX<double>& x, Workspace<double>& w) override {
    if (loops_ != Loops::projected) return true;
    if (!place(x, w) || !close_loops(m_, w).closed) return false;
    project_velocity(m_, w, MatX<double>(0, m_.nv));
    x << w.q, w.v;
    return true;
  }

  Eigen::Index positions() const override { return m_.nq; }
  double pivot() const override { return 1; }

 private:
  const Mechanism<double>& m_;
  Loops loops_;
};

}  // namespace

std::unique_ptr<StateForm> make_state_form(const Mechanism<double>& m, Loops loops) {
  if (loops == Loops::independent) return std::make_unique<IndependentForm>(m);
  return std::make_unique<TreeForm>(m, loops);
}

void project_velocity(const Mechanism<double>& m, Workspace<double>& w, const MatX<double>& rows) {
  MatX<double> constraints(w.K.rows() + rows.rows(), m.nv);
  constraints << w.K, rows;
  if (constraints.rows() == 0) return tree_velocities(m, w);
  const MatX<double> M = mass_matrix(m, w);
  Eigen::CompleteOrthogonalDecomposition<MatX<double>> d(constraints.rows(), constraints.cols());
  d.setThreshold(lost_rank);
  d.compute(constraints);
  const Eigen::Index n = m.nv - d.rank();
  if (n == 0) {
    w.v.setZero();
  } else {  // the last columns of P Z^T span what the constraints leave free
    const MatX<double> N = d.colsPermutation() * MatX<double>(d.matrixZ().transpose()).rightCols(n);
    const MatX<double> M_N = congruence(M, N);
    w.v = N * least_squares(M_N, N.transpose() * (M * w.v));
  }
  tree_velocities(m, w);
}

}  // namespace gough
