#pragma once
/// What was measured on a robot, and rates from positions.                              docs/theory/identification.md
///
/// Rates that were not measured come from positions without any delay, in one of two ways:
///   filter    a Butterworth low pass forwards and backwards, then central differences of sixth order               (I3)
///             |H|^2 = 1 / (1 + (f/f_c)^8); forces and the regressor pass the same filter and are thinned out
///   fourier   of a periodic motion: offset and harmonics fitted to the positions, differentiated exactly             (I4)
#include <optional>
#include <string>
#include <vector>

#include "gough/model/mechanism.hpp"

namespace gough {

/// Rows are times, columns the actuators in the robot's order.
struct Measurement {
  std::string name;  ///< in messages
  std::vector<double> t;
  std::vector<int> line;  ///< of each row in its file; empty: none
  MatX<double> q;         ///< positions
  MatX<double> v, a;      ///< rates; empty: not measured
  MatX<double> tau;       ///< forces

  Eigen::Index rows() const { return q.rows(); }
  bool has_rates() const { return v.size() > 0; }
  /// "FILE:12" of a row.
  std::string where(Eigen::Index row) const;
};

struct RateOptions {
  double cutoff = 0;  ///< [Hz] of the filter; 0: five times the band of the motion
  double period = 0;  ///< [s] of a periodic motion, for (I4); 0: filter
  int harmonics = 0;  ///< of (I4); 0: as many as make the fit better
};

/// Zero-phase low pass: |H|^2 of a fourth-order Butterworth filter. Columns are signals.
class ZeroPhase {
 public:
  /// `cutoff` and `rate` in Hz; cutoff below half the rate.
  ZeroPhase(double cutoff, double rate);
  MatX<double> operator()(const MatX<double>& x) const;
  /// Rows at either end that feel where the signal was continued.
  Eigen::Index settling() const { return settling_; }

 private:
  struct Section {
    double b0, b1, b2, a1, a2;
  };
  std::vector<Section> sections_;
  Eigen::Index settling_;
};

/// A measurement with rates, and how its forces have to be treated to match.
struct PreparedData {
  Measurement data;
  std::optional<ZeroPhase> filter;   ///< forces and regressor must pass it
  Eigen::Index first = 0, last = 0;  ///< rows that count
  Eigen::Index thinning = 1;         ///< every how many rows are independent after the filter
  double rate_deviation = 0;         ///< of the velocities that were derived [m/s or rad/s]
  std::string how;                   ///< in words
};

/// Throws Error where the data do not suit: too short, steps that are not equal, a period longer than the data.
PreparedData with_rates(const Measurement& data, const RateOptions& options);

/// The frequency below which all but a thousandth of the power of a motion's velocities lies [Hz].
double band_of(const MatX<double>& q, double step);

}  // namespace gough
