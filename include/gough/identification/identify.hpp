#pragma once
/// Parameters from measurements.                                                        docs/theory/identification.md
///   theta = theta_0 + (W^T S^-1 W)^-1 W^T S^-1 (y - W theta_0),   C = (W^T S^-1 W)^-1                             (I6)
/// S: the variance of each actuator's force, from its own residuals. theta_0: the robot file's values; a parameter whose
/// effect drowns in the noise stays there. Robust: rows weigh min(1, 1.345 s / |r|) (Huber).                      (I7)
#include "gough/identification/consistent.hpp"
#include "gough/identification/equations.hpp"

namespace gough {

enum class Identified { all, friction, inertia };
inline constexpr std::array<std::string_view, 3> identified_names = {"all", "friction", "inertia"};

struct IdentifyOptions {
  ParameterOptions parameters;
  RateOptions rates;
  Identified what =
      Identified::all;        ///< friction: inertias are found beside it and thrown away; inertia: friction is known
  bool robust = false;        ///< (I7)
  bool consistent = false;    ///< estimates are those of bodies that can exist
  bool keep_all = false;      ///< insignificant parameters are estimated all the same
  double significance = 2.6;  ///< of an estimate over its deviation; below it is left at the file's value
  OnDataRow after_row;
};

/// How well forces are predicted, per actuator (or combination of redundant ones).
struct Fit {
  VecX<double> measured;          ///< root mean square [N or N m]
  VecX<double> before, after;     ///< of what is left with the file's parameters, and with the identified ones
  std::vector<double> t;          ///< [s]
  MatX<double> force, predicted;  ///< rows are times
  double relative() const { return after.norm() / measured.norm(); }
  double relative_before() const { return before.norm() / measured.norm(); }
};

struct Identification {
  Identified what = Identified::all;
  BaseParameters base;
  std::vector<std::string> name;    ///< of each: the base parameters, then friction
  VecX<double> file, value, sigma;  ///< sigma 0: not estimated
  MatX<double> covariance;
  std::vector<bool> estimated;      ///< false: left at the file's value
  std::vector<bool> insignificant;  ///< left there because its effect drowns in the noise
  double condition = 0;             ///< of W, columns scaled to one
  VecX<double> noise;               ///< deviation of each force [N or N m]
  Eigen::Index left_out = 0;        ///< rows in which the direction of a dry friction is not known
  std::size_t outliers = 0;         ///< forces that weigh less than half (robust)
  std::string rates;                ///< where velocities and accelerations come from
  std::string data_name;            ///< the data, by name
  Fit fit;
  std::optional<Fit> validation;
  std::string validation_problem;  ///< why there is none though data were given; empty: none
  bool stopped = false;            ///< by after_row: in the validation, or, where `full` is empty, before any estimate
  VecX<double> full;               ///< the space's parameters: bodies that can exist, as near to the file's as can be
  double moved = 0;                ///< how far existence moved the estimates, largest over sigma

  Eigen::Index size() const { return value.size(); }
};

/// Throws Error (exit 2) where data are too short or do not show a parameter, which is named.
Identification identify(const Mechanism<double>& m, const Measurement& data,
                        const std::optional<Measurement>& validation, const IdentifyOptions& options);

}  // namespace gough
