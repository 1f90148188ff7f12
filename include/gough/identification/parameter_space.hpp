#pragma once
/// The parameters of a mechanism that forces are linear in, and the regressor H of equation (I1).  docs/theory/identification.md
///   F = H p + F_other                                                                                       (I1)
/// p: ten inertial parameters per body (second moments, first moments, mass, about the author's body frame), then the
/// friction coefficients, each once however many joints share it. F_other: springs, dampers, rotors.
#include <string>
#include <vector>

#include "gough/dynamics/dynamics.hpp"

namespace gough {

struct ParameterOptions {
  bool identical_legs = false;  ///< equal parts of all legs share their parameters
  bool symmetric = false;       ///< only the entries that the robot file declares for a body
};

/// The parameters that are looked at, and how they make up the standard ones (ten per body in our frames, then friction).
struct ParameterSpace {
  struct Entry {
    int body = -1;   ///< the first that has it; -1: friction
    int index = 0;   ///< of the ten; of the friction coefficients
    int bodies = 0;  ///< how many share it
  };
  std::vector<std::string> name;  ///< "leg1.ring.Izz"; with identical legs "ring.Izz"; "friction.dry"
  std::vector<Entry> entry;
  int inertial = 0;       ///< how many are inertias: they come first
  MatX<double> standard;  ///< standard parameters = standard * ours + fixed
  VecX<double> value;     ///< of the robot file
  VecX<double> fixed;     ///< standard parameters that are left out (--symmetric): what the file gives them

  int size() const { return static_cast<int>(name.size()); }
  int friction() const { return size() - inertial; }
};

/// Throws Error where legs that should be identical are not made of the same parts.
ParameterSpace parameter_space(const Mechanism<double>& m, const ParameterOptions& options = {});

/// The ten of (Ixx Ixy Ixz Iyy Iyz Izz sx sy sz m) as an inertia about the same frame.
Inertia<double> inertia_of(const Eigen::Matrix<double, 10, 1>& p);
inline constexpr std::array<std::string_view, 10> parameter_names = {"Ixx", "Ixy", "Ixz", "Iyy", "Iyz",
                                                                     "Izz", "sx",  "sy",  "sz",  "m"};
/// Of an entry of a space: "kg m^2", "N s/m".
std::string parameter_unit(const Structure& m, const ParameterSpace::Entry& entry);

/// The mechanism with other values of the space's parameters; the rest stays as it is.
Mechanism<double> with_parameters(const Mechanism<double>& m, const ParameterSpace& space, const VecX<double>& value);

/// H for the space's parameters and F_other, after inverse dynamics by virtual power: rows are independent coordinates.
struct RegressorRow {
  MatX<double> H;
  VecX<double> other;
  MatX<double> drives;  ///< F = drives * actuator forces
};
RegressorRow regressor_row(const Mechanism<double>& m, const ParameterSpace& space, const Dynamics<double>& d);

/// Closed positions, spread about home, that stay away from singular ones; the same ones in every run.
struct RandomStates {
  std::vector<VecX<double>> q, v, a;
};
RandomStates random_motions(const Mechanism<double>& m, int wanted);
/// H of the space's parameters at such states, below each other.
MatX<double> stacked_regressor(const Mechanism<double>& m, const ParameterSpace& space, int states);

}  // namespace gough
