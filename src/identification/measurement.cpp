#include "gough/identification/measurement.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <numbers>
#include <unsupported/Eigen/FFT>

#include "gough/error.hpp"
#include "gough/spatial/rank.hpp"

namespace gough {
namespace {

using std::numbers::pi;
constexpr Eigen::Index fewest_rows = 20;
constexpr int fewest_harmonics = 10, most_harmonics = 200;

double deviation(const MatX<double>& x) { return x.norm() / std::sqrt(static_cast<double>(x.size())); }

/// A table that ends with its motion may have a shorter last step: that row is left out.
Measurement without_short_end(Measurement d) {
  const std::size_t n = d.t.size();
  if (d.t[n - 1] - d.t[n - 2] > 0.99 * (d.t[n - 2] - d.t[n - 3])) return d;
  d.t.pop_back();
  if (!d.line.empty()) d.line.pop_back();
  const auto rows = static_cast<Eigen::Index>(n - 1);
  d.q.conservativeResize(rows, Eigen::NoChange);
  d.tau.conservativeResize(rows, Eigen::NoChange);
  return d;
}

/// Steps of one length, to a hundredth.
double equal_step(const Measurement& d) {
  const auto n = d.t.size();
  const double step = (d.t.back() - d.t.front()) / static_cast<double>(n - 1);
  for (std::size_t i = 1; i < n; ++i)
    if (std::abs(d.t[i] - d.t[i - 1] - step) > 0.01 * step)
      throw Error(
          fmt::format("{}: read a step of {:.6g} s after steps of {:.6g} s, expected equal steps: rates come from "
                      "positions by a filter. Give v.NAME and a.NAME, or --period",
                      d.where(static_cast<Eigen::Index>(i)), d.t[i] - d.t[i - 1], step));
  return step;
}

void check_length(const Measurement& d) {
  if (d.rows() < fewest_rows)
    throw Error(fmt::format("{}: read {} rows, expected at least {}", d.name, d.rows(), fewest_rows));
  for (std::size_t i = 1; i < d.t.size(); ++i)
    if (!(d.t[i] > d.t[i - 1]))
      throw Error(fmt::format("{}: read t = {:.9g} after {:.9g}, expected times that increase",
                              d.where(static_cast<Eigen::Index>(i)), d.t[i], d.t[i - 1]));
}

/// k-th derivative by central differences of sixth order; rows at the ends stay zero.
MatX<double> derivative(const MatX<double>& x, double step, int k) {
  static constexpr std::array<double, 4> first = {0, 45.0 / 60, -9.0 / 60, 1.0 / 60};
  static constexpr std::array<double, 4> second = {-490.0 / 180, 270.0 / 180, -27.0 / 180, 2.0 / 180};
  MatX<double> d = MatX<double>::Zero(x.rows(), x.cols());
  for (Eigen::Index r = 3; r + 3 < x.rows(); ++r) {
    if (k == 2) d.row(r) = second[0] * x.row(r);
    for (Eigen::Index i = 1; i <= 3; ++i) {
      const auto c = static_cast<std::size_t>(i);
      if (k == 1) d.row(r) += first[c] * (x.row(r + i) - x.row(r - i));
      else d.row(r) += second[c] * (x.row(r + i) + x.row(r - i));
    }
  }
  return d / std::pow(step, k);
}

PreparedData by_filter(const Measurement& given, const RateOptions& options) {
  const Measurement data = without_short_end(given);
  const double step = equal_step(data), rate = 1 / step;
  const double cutoff = options.cutoff > 0 ? options.cutoff : std::min(5 * band_of(data.q, step), 0.2 * rate);
  if (cutoff >= 0.5 * rate)
    throw Error(
        fmt::format("--cutoff: read {:g} Hz, expected less than half of the {:g} rows per second", cutoff, rate));
  PreparedData p{data, ZeroPhase(cutoff, rate), 0, 0, 1, 0, ""};
  const MatX<double> smooth = (*p.filter)(data.q);
  p.data.v = derivative(smooth, step, 1);
  p.data.a = derivative(smooth, step, 2);
  p.rate_deviation = 2 * pi * cutoff * deviation(data.q - smooth);
  p.data.q = smooth;
  p.first = p.filter->settling() + 3;
  p.last = data.rows() - p.first;
  if (p.last - p.first < fewest_rows)
    throw Error(
        fmt::format("{}: read {:g} s, expected at least {:g} s: the filter of {:g} Hz needs {:g} s at either end",
                    data.name, data.t.back() - data.t.front(), step * static_cast<double>(2 * p.first + fewest_rows),
                    cutoff, step * static_cast<double>(p.first)));
  p.thinning = std::max<Eigen::Index>(1, static_cast<Eigen::Index>(0.4 * rate / cutoff));
  p.how = fmt::format("positions, forces and regressor through a zero-phase low pass of {:.3g} Hz, every {} rows",
                      cutoff, p.thinning);
  return p;
}

/// Offset and harmonics: their values, or derivatives, at the times.
MatX<double> harmonics(const std::vector<double>& t, double w, int n, int derivative) {
  MatX<double> F(static_cast<Eigen::Index>(t.size()), 2 * n + 1);
  for (Eigen::Index r = 0; r < F.rows(); ++r) {
    F(r, 0) = derivative == 0 ? 1 : 0;
    for (int k = 1; k <= n; ++k) {
      const double f = k * w, angle = f * t[static_cast<std::size_t>(r)], size = std::pow(f, derivative);
      F(r, 2 * k - 1) = size * std::sin(angle + derivative * pi / 2);
      F(r, 2 * k) = size * std::cos(angle + derivative * pi / 2);
    }
  }
  return F;
}

PreparedData by_fourier(const Measurement& data, const RateOptions& options) {
  const double length = data.t.back() - data.t.front(), w = 2 * pi / options.period;
  if (length < 0.9 * options.period)
    throw Error(
        fmt::format("--period: read {:g} s, expected at most the {:g} s of {}", options.period, length, data.name));
  const auto fit = [&](int n) { return qr_solution(harmonics(data.t, w, n, 0), data.q).X; };
  const auto left = [&](int n, const MatX<double>& x) { return deviation(data.q - harmonics(data.t, w, n, 0) * x); };
  const double per_period = options.period / length * static_cast<double>(data.rows() - 1);
  const int most = static_cast<int>(std::min(static_cast<double>(data.rows() - 1) / 8, 0.2 * per_period));
  int n = options.harmonics > 0 ? options.harmonics : std::min(fewest_harmonics, most);
  if (n < 1 || n > 2 * most)
    throw Error(
        fmt::format("{}: read {} rows, expected at least {} for {} harmonics", data.name, data.rows(), 4 * n + 2, n));
  MatX<double> x = fit(n);
  double rest = left(n, x);
  while (options.harmonics == 0 && 2 * n <= std::min(most, most_harmonics)) {
    MatX<double> more = fit(2 * n);
    const double then = left(2 * n, more);
    if (then > 0.9 * rest) break;
    n *= 2, x = std::move(more), rest = then;
  }
  PreparedData p{data, std::nullopt, 0, data.rows(), 1, (n + 1) * w * rest, ""};
  p.data.q = harmonics(data.t, w, n, 0) * x;
  p.data.v = harmonics(data.t, w, n, 1) * x;
  p.data.a = harmonics(data.t, w, n, 2) * x;
  p.how = fmt::format("positions as {} harmonics of {:g} Hz, {:.2g} m or rad left", n, 1 / options.period, rest);
  return p;
}

}  // namespace

std::string Measurement::where(Eigen::Index row) const {
  const auto r = static_cast<std::size_t>(row);
  return r < line.size() ? fmt::format("{}:{}", name, line[r]) : fmt::format("{}: row {}", name, row + 1);
}

ZeroPhase::ZeroPhase(double cutoff, double rate) {
  const double K = std::tan(pi * cutoff / rate);
  for (const double angle : {pi / 8, 3 * pi / 8}) {  // pole pairs of the fourth order
    const double d = 2 * std::cos(angle), norm = 1 / (1 + d * K + K * K);
    sections_.push_back(
        {K * K * norm, 2 * K * K * norm, K * K * norm, 2 * (K * K - 1) * norm, (1 - d * K + K * K) * norm});
  }
  settling_ = static_cast<Eigen::Index>(std::ceil(3.5 * rate / cutoff));
}

MatX<double> ZeroPhase::operator()(const MatX<double>& x) const {
  const Eigen::Index n = x.rows(), pad = std::min(n - 1, 2 * settling_);
  MatX<double> y = x;
  std::vector<double> line(static_cast<std::size_t>(n + 2 * pad));
  const auto pass = [&] {
    for (const Section& s : sections_) {
      double x1 = line[0], x2 = line[0], y1 = line[0], y2 = line[0];
      for (double& now : line) {
        const double out = s.b0 * now + s.b1 * x1 + s.b2 * x2 - s.a1 * y1 - s.a2 * y2;
        x2 = x1, x1 = now, y2 = y1, y1 = out;
        now = out;
      }
    }
  };
  for (Eigen::Index c = 0; c < x.cols(); ++c) {
    const auto at = [&](Eigen::Index i) {  // continued point-symmetrically about its ends
      return i < 0 ? 2 * x(0, c) - x(-i, c) : i >= n ? 2 * x(n - 1, c) - x(2 * (n - 1) - i, c) : x(i, c);
    };
    for (Eigen::Index i = 0; i < n + 2 * pad; ++i) line[static_cast<std::size_t>(i)] = at(i - pad);
    pass();
    std::reverse(line.begin(), line.end());
    pass();
    std::reverse(line.begin(), line.end());
    for (Eigen::Index i = 0; i < n; ++i) y(i, c) = line[static_cast<std::size_t>(i + pad)];
  }
  return y;
}

double band_of(const MatX<double>& q, double step) {
  const Eigen::Index n = q.rows();
  Eigen::Index padded = 1;
  while (padded < n) padded *= 2;
  const Eigen::Index most = padded / 4;
  const double length = step * static_cast<double>(padded);
  VecX<double> power = VecX<double>::Zero(most + 1);
  Eigen::FFT<double> fft;
  for (Eigen::Index c = 0; c < q.cols(); ++c) {
    const double mean = q.col(c).mean();
    std::vector<double> x(static_cast<std::size_t>(padded), 0.0);
    for (Eigen::Index r = 0; r < n; ++r)  // Hann's window
      x[static_cast<std::size_t>(r)] =
          (q(r, c) - mean) * 0.5 * (1 - std::cos(2 * pi * static_cast<double>(r) / static_cast<double>(n - 1)));
    std::vector<std::complex<double>> X;
    fft.fwd(X, x);
    for (Eigen::Index k = 1; k <= most; ++k) {
      const double f = static_cast<double>(k);  // of the velocity, which weighs higher frequencies as forces do
      power[k] += f * f * std::norm(X[static_cast<std::size_t>(k)]);
    }
  }
  const double all = power.sum();
  double below = 0;
  for (Eigen::Index k = 1; k <= most; ++k)
    if ((below += power[k]) >= (1 - 1e-3) * all) return static_cast<double>(k) / length;
  return static_cast<double>(most) / length;
}

PreparedData with_rates(const Measurement& data, const RateOptions& options) {
  check_length(data);
  if (data.has_rates()) return {data, std::nullopt, 0, data.rows(), 1, 0, "positions and rates as measured"};
  return options.period > 0 ? by_fourier(data, options) : by_filter(data, options);
}

}  // namespace gough
