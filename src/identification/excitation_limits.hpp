#pragma once
/// What excitations share: the coordinates that move, how far from home, and how a motion uses the limits.
#include <string>
#include <vector>

#include "gough/dynamics/along.hpp"
#include "gough/identification/excitation.hpp"
#include "gough/kinematics/singularity.hpp"

namespace gough::excitation {

inline constexpr double headroom = 0.98;  ///< of every limit

/// Which coordinates a motion has, and how far they may go from home.
struct Coordinates {
  Moves moves = Moves::platform;
  std::vector<std::string> name;
  std::vector<bool> is_length;
  std::vector<int> index;
  VecX<double> home, down, up;  ///< from home
  VecX<double> all;             ///< home of everything that a path tells: a whole pose, or all actuators

  Eigen::Index size() const { return home.size(); }
};
Coordinates coordinates_of(const Mechanism<double>& m);

/// A Fourier series that begins at home: amplitudes per coordinate and harmonic.
Trajectory series(const Coordinates& c, const MatX<double>& sine, const MatX<double>& cosine, double period);

/// Follows motions and says how they use the limits.
class Limits {
 public:
  Limits(const Mechanism<double>& m, const ExcitationLimits& more, const Coordinates& c);

  using Visit = std::function<void(const AlongRow&)>;
  /// Follows a motion from now on: the uses are those of its largest values. Gives the rows that could be followed.
  Eigen::Index follow(const Trajectory& path, int samples, const Visit& visit = {});
  bool hold() const { return largest() <= headroom; }
  double largest() const;
  std::vector<LimitUse> sorted() const;

 private:
  void look(const AlongRow& row);
  void look_at(const Coordinate& joint, double q, double v, double a, double t);
  void note(const std::string& what, double share, double t);

  const Mechanism<double>& m_;
  const ExcitationLimits& more_;
  const Coordinates& c_;
  SingularityIndices home_;
  std::vector<LimitUse> uses_;
};

}  // namespace gough::excitation
