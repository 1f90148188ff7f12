/// Pieces through given rows: splines in time, and polynomials between complete states.
#include <Eigen/Core>
#include <cmath>

#include "gough/kinematics/trajectory.hpp"
#include "gough/spatial/rotation.hpp"

namespace gough {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;

std::vector<double> from_zero(const std::vector<double>& t) {
  std::vector<double> knots;
  knots.reserve(t.size());
  for (const double time : t) knots.push_back(time - t.front());
  return knots;
}

Eigen::VectorXd widths(const std::vector<double>& t) {
  const auto n = static_cast<Index>(t.size());
  const Eigen::Map<const Eigen::VectorXd> times(t.data(), n);
  return times.tail(n - 1) - times.head(n - 1);
}

/// The second derivatives M of a not-a-knot spline at its knots, a column per knot; `slope` has the mean slopes.
///   h_{i-1} M_{i-1} + 2 (h_{i-1} + h_i) M_i + h_i M_{i+1} = 6 (slope_i - slope_{i-1})
///   (M_1 - M_0) / h_0 = (M_2 - M_1) / h_1, and the same at the end
/// The end's equations are put into their neighbours; what is left is diagonally dominant and eliminated downwards.
MatrixXd second_derivatives(const Eigen::VectorXd& h, const MatrixXd& slope) {
  const Index last = h.size();
  MatrixXd M = MatrixXd::Zero(slope.rows(), last + 1);
  if (last == 1) return M;
  if (last == 2) {
    M.colwise() = (2 * (slope.col(1) - slope.col(0)) / (h[0] + h[1])).eval();
    return M;
  }
  Eigen::VectorXd diagonal(last), above(last);
  for (Index i = 1; i < last; ++i) {
    double below = h[i - 1];
    diagonal[i] = 2 * (h[i - 1] + h[i]);
    above[i] = h[i];
    if (i == 1) {
      diagonal[i] += h[0] * (1 + h[0] / h[1]);
      above[i] -= h[0] * h[0] / h[1];
    }
    if (i == last - 1) {
      diagonal[i] += h[i] * (1 + h[i] / h[i - 1]);
      below -= h[i] * h[i] / h[i - 1];
    }
    M.col(i) = 6 * (slope.col(i) - slope.col(i - 1));
    if (i == 1) continue;
    const double factor = below / diagonal[i - 1];
    diagonal[i] -= factor * above[i - 1];
    M.col(i) -= factor * M.col(i - 1);
  }
  for (Index i = last - 1; i >= 1; --i) {
    if (i < last - 1) M.col(i) -= above[i] * M.col(i + 1);
    M.col(i) /= diagonal[i];
  }
  M.col(0) = M.col(1) + (M.col(1) - M.col(2)) * (h[0] / h[1]);
  M.col(last) = M.col(last - 1) + (M.col(last - 1) - M.col(last - 2)) * (h[last - 1] / h[last - 2]);
  return M;
}

/// Coordinates with rates at both ends of a stretch.
struct Ends {
  Eigen::VectorXd y0, v0, a0, y1, v1, a1;
};

PolynomialPath quintic_path(const std::vector<double>& t, Index size) {
  PolynomialPath path;
  path.knots = from_zero(t);
  path.coefficients.assign(6, MatrixXd(size, static_cast<Index>(t.size()) - 1));
  return path;
}

/// The polynomial of degree five that has these values and derivatives at 0 and h.
void set_quintic(PolynomialPath& path, Index stretch, const Ends& e, double h) {
  const Eigen::VectorXd y = e.y1 - e.y0 - e.v0 * h - e.a0 * (h * h / 2), v = (e.v1 - e.v0 - e.a0 * h) * h,
                        a = (e.a1 - e.a0) * (h * h / 2);
  auto& C = path.coefficients;
  C[0].col(stretch) = e.y0;
  C[1].col(stretch) = e.v0;
  C[2].col(stretch) = e.a0 / 2;
  C[3].col(stretch) = (10 * y - 4 * v + a) / (h * h * h);
  C[4].col(stretch) = (-15 * y + 7 * v - 2 * a) / (h * h * h * h);
  C[5].col(stretch) = (6 * y - 3 * v + a) / (h * h * h * h * h);
}

/// Coordinates of a platform's state with its rotation relative to R0.
void coordinates(const PlatformMotion& state, const Mat3<double>& R0, Eigen::VectorXd& y, Eigen::VectorXd& v,
                 Eigen::VectorXd& a) {
  const Vec3<double> r = vector_from_rotation(R0.transpose() * state.pose.R);
  const VectorRates rates = rotation_vector_rates(r, {R0.transpose() * state.w, R0.transpose() * state.dw});
  y = (Vec6<double>() << state.pose.p, r).finished();
  v = (Vec6<double>() << state.v, rates.first).finished();
  a = (Vec6<double>() << state.a, rates.second).finished();
}

}  // namespace

Piece spline_piece(Moves moves, const std::vector<double>& t, const MatrixXd& values) {
  MatrixXd y = values.transpose();
  if (moves == Moves::platform)
    for (Index k = 1; k < y.cols(); ++k)
      y.col(k).tail<3>() = nearest_rotation_vector(y.col(k).tail<3>(), y.col(k - 1).tail<3>());
  const Eigen::VectorXd h = widths(t);
  const Index n = h.size();
  const MatrixXd slope = (y.rightCols(n) - y.leftCols(n)).array().rowwise() / h.transpose().array();
  const MatrixXd M = second_derivatives(h, slope);
  const auto H = h.transpose().array();
  PolynomialPath path;
  path.knots = from_zero(t);
  path.coefficients = {y.leftCols(n), slope - ((2 * M.leftCols(n) + M.rightCols(n)).array().rowwise() * H / 6).matrix(),
                       M.leftCols(n) / 2, ((M.rightCols(n) - M.leftCols(n)).array().rowwise() / H / 6).matrix()};
  const double duration = path.knots.back();
  return {std::move(path), duration};
}

Piece hermite_piece(const std::vector<double>& t, const std::vector<PlatformMotion>& states) {
  PolynomialPath path = quintic_path(t, 6);
  Ends e;
  for (std::size_t k = 0; k + 1 < t.size(); ++k) {
    const Mat3<double>& R0 = states[k].pose.R;
    coordinates(states[k], R0, e.y0, e.v0, e.a0);
    coordinates(states[k + 1], R0, e.y1, e.v1, e.a1);
    set_quintic(path, static_cast<Index>(k), e, t[k + 1] - t[k]);
    path.rotations.push_back(R0);
  }
  const double duration = path.knots.back();
  return {std::move(path), duration};
}

Piece hermite_piece(const std::vector<double>& t, const std::vector<ActuatorMotion>& states) {
  PolynomialPath path = quintic_path(t, states.front().q.size());
  for (std::size_t k = 0; k + 1 < t.size(); ++k)
    set_quintic(path, static_cast<Index>(k),
                {states[k].q, states[k].v, states[k].a, states[k + 1].q, states[k + 1].v, states[k + 1].a},
                t[k + 1] - t[k]);
  const double duration = path.knots.back();
  return {std::move(path), duration};
}

}  // namespace gough
