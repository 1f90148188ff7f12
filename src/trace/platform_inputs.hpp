#pragma once
/// The platform's motion as inputs of a program.
#include "trace.hpp"

namespace gough {

/// Which numbers go in: those of x y z rx ry rz in which the platform moves; the others stay as they are at home.
class PlatformInputs {
 public:
  enum class Rotation { cardan, matrix, fewest };  ///< fewest: of the matrix those that a turn about z needs, or all
  PlatformInputs(const Mechanism<double>& m, const std::vector<int>& freedoms, Rotation rotation);

  /// Position and rotation, the third axis times `lift`. Everything else zero.
  PlatformState<Expr> pose(Trace& t, const Expr& lift) const;
  /// Adds velocities, accelerations.
  void velocities(Trace& t, PlatformState<Expr>& x) const;
  void accelerations(Trace& t, PlatformState<Expr>& x) const;
  /// Outputs of the same shape as the accelerations' inputs.
  void output_accelerations(Trace& t, const Vec3<Expr>& a, const Vec3<Expr>& dw) const;

  /// Home at rest, then closed positions around it; `numbers` at random follow each pose.
  std::vector<std::vector<double>> samples(int count, std::size_t numbers) const;
  /// Of x y z rx ry rz.
  std::size_t freedoms() const { return shifts_.size() + turns_.size(); }

 private:
  std::vector<double> pose_values(const VecX<double>& q) const;
  std::array<Vec3<Expr>, 3> axes(Trace& t, const Expr& lift) const;
  Vec3<Expr> spread(const VecX<Expr>& given, const std::vector<int>& axes) const;

  const Mechanism<double>& m_;
  std::vector<int> shifts_, turns_;  ///< of x y z each
  std::vector<int> angles_;          ///< of the three Cardan angles: those that go in
  bool matrix_, few_;
  Transform<double> home_;
};

/// The angles of R = Rx(a0) Ry(a1) Rz(a2).
Vec3<double> cardan_angles(const Mat3<double>& R);

}  // namespace gough
