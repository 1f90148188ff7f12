#pragma once
/// The matrices of (F1) at one time.                                                       docs/theory/flexible.md
///   element:  C = 2 sum_ab w~_ab S_ab,   K = k + sum_ab (w~ w~ + dw~)_ab S_ab + N_1 g_first + N_2 g_second       (F2)
///   lump at c, c~ its arm:  N = [1, -c~],  m N^T (1, 2 w~, w~ w~ + dw~) N, and its own inertia                   (F3)
///   force F at an arm r of a node that turns by phi:  K += -F~ r~                                                (F4)
///   joints that slide or turn: their force F and moment M keep to body a, d: how far b slides, f: of a rod of length L,
///     d^T F~ phi_a + phi_a^T F~^T d,   (phi_b - phi_a)^T M~ phi_a,   -f/L (1 - n n^T)                            (F4b)
///   P = -(inertia and weight of the rigid motion) + forces from outside                                          (F5)
///   N(x) = -e . (inertia and weight beyond x - forces of joints and from outside beyond x)                       (F6)
#include <optional>

#include "gough/flexible/flexible_model.hpp"
#include "gough/flexible/sparse_solver.hpp"

namespace gough {

/// Rayleigh's: C += mass M + stiffness k, elastic stiffness alone.
struct RayleighDamping {
  double mass = 0;       ///< [1/s]
  double stiffness = 0;  ///< [s]
};

struct FlexForce {
  Held at;
  Vec3<double> force;  ///< base axes
};

class FlexEquations {
 public:
  struct Options {
    bool geometric = true;                   ///< tension stiffens, compression softens
    std::optional<RayleighDamping> damping;  ///< none: of the materials
    std::vector<FlexForce> forces;           ///< on links, constant
  };
  FlexEquations(const FlexibleModel& f, Options options);

  /// Writes C, K, J, P, tension.
  void write(const RigidState& s);

  const FlexibleModel& model() const { return *f_; }
  int all() const { return f_->size + f_->rows(); }
  const SparsePattern& pattern() const { return pattern_; }

  /// Over the pattern of (U, lambda); M is constant.
  std::vector<double> M, C, K, J;
  VecX<double> P;
  std::vector<std::array<double, 2>> tension;  ///< per element, at its ends
  std::vector<VecX<double>> element_load;      ///< per element: its share of P, elastic axes
  double strain_energy(const VecX<double>& U) const;
  double kinetic_energy(const VecX<double>& dU) const;

  /// a M + b C + c K + J and its transpose.
  void combine(double a, double b, double c, std::vector<double>& values) const;
  /// As full matrices, for tests and small problems: `which` is M, C or K.
  MatX<double> full(const std::vector<double>& which) const;
  MatX<double> full_rows() const;

 private:
  void make_pattern();
  void add(std::vector<double>& to, const std::vector<int>& places, const MatX<double>& A) const;
  void add_element(const RigidState& s, std::size_t i);
  void add_lump(const RigidState& s, std::size_t i);
  bool couples(const FlexJoint& j) const;
  void add_joint(const RigidState& s, std::size_t i);
  void add_arm(int node, const Vec3<double>& arm, const Vec3<double>& force);
  void add_force(const Held& at, const RigidState& s, const Vec3<double>& force);
  void write_rows(const RigidState& s);
  void find_tension(const RigidState& s);
  void mass();

  const FlexibleModel* f_;
  Options options_;
  SparsePattern pattern_;
  std::vector<std::vector<int>> element_place_, node_place_, joint_place_;  ///< places of their blocks, by columns
  std::vector<std::vector<int>> joint_coordinates_;                         ///< of both nodes, where coupled
  std::vector<std::array<std::vector<int>, 2>> row_place_;  ///< per row and side: of J, then of its transpose
  std::vector<double> damping_;                             ///< the constant part of C
};

}  // namespace gough
