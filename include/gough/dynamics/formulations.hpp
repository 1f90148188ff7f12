#pragma once
/// What the formulations keep on one mechanism: matrices and choices, sized once, each with its size and meaning. The kernels that
/// fill them are in the header named above each; equation labels are those of that header.
#include <span>
#include <string>
#include <vector>

#include "gough/dynamics/own_friction.hpp"
#include "gough/kinematics/stages.hpp"

namespace gough {

// ------------------------------------------------------------------------------------------------ loads

enum class FrictionFunction { viscous, coulomb, quadratic, cubic, square_root, own };
inline constexpr std::array<std::string_view, 5> friction_function_names = {"viscous", "coulomb", "quadratic", "cubic",
                                                                            "square_root"};
/// By name, `own` for one that define_friction made known; throws Error for any other.
FrictionFunction friction_function(const std::string& name);

/// Which coordinates carry loads, found once: a mechanism without friction or springs then pays nothing.
struct LoadPlan {
  struct Term {
    FrictionFunction function;
    int coefficient;
    std::shared_ptr<const OwnFriction> own = {};
  };
  struct Coordinate {
    int index;     ///< into Structure::coordinate
    int position;  ///< of a one-axis tree joint in q; -1 otherwise
    int joint;     ///< the tree joint or the cut joint
    int axis;      ///< which of the joint's coordinates
    bool spring;
    std::vector<Term> friction;
  };
  std::vector<Coordinate> tree, cut;
  std::vector<int> loaded_cuts;       ///< cut joints with a loaded coordinate
  std::vector<int> sprung_spherical;  ///< tree joints with springs on turns
  bool applied = false;               ///< some load is a wrench on a body

  LoadPlan() = default;
  explicit LoadPlan(const Mechanism<double>& m);
};

// ------------------------------------------------------------------------------------------------ drives

/// From forces on independent coordinates to the drives that make them (efforts.hpp).
template <Scalar S>
struct Efforts {
  enum class Kind { same, square, redundant, under };

  std::vector<int> coordinate;  ///< the velocity coordinate of each effort
  Kind kind = Kind::same;
  std::vector<int> rows, columns;  ///< pivots of a square A^T, found in double
  std::vector<S> weight;           ///< of (A3)
  MatX<S> A;                       ///< efforts x y
  MatX<S> normal, small;           ///< scratch of (A2) to (A4)
  VecX<S> e;                       ///< the efforts
  VecX<S> rest;                    ///< F - A^T e
  S smallest_pivot{1.0};

  int size() const { return static_cast<int>(coordinate.size()); }
};

// ------------------------------------------------------------------------------------------------ legs of a floating platform

/// Which rows solve which joints of a leg (leg_split.hpp).
struct LegSplit {
  int first = 0, n = 0;           ///< velocity coordinates
  std::vector<int> rows;          ///< of K: they solve `columns`, in the order of elimination
  std::vector<int> columns;       ///< velocity coordinates
  std::vector<int> rest_rows;     ///< of K: they constrain the platform
  std::vector<int> free_columns;  ///< the leg's coordinates that the platform's motion leaves open (elastic ones)
  std::vector<int> natural;       ///< 0, 1, ..
};

struct PlatformSplit {
  int first = 0;  ///< the platform's first velocity coordinate
  std::vector<LegSplit> leg;
  std::vector<int> rows;                    ///< of Z, in the order of elimination; Z stacks the legs' rest rows
  std::vector<int> dependent, independent;  ///< of the platform's six coordinates
  std::vector<int> natural;
  int constraints = 0;  ///< rows of Z
  bool rigid = true;    ///< no leg has free columns
  double smallest_pivot = 1;

  int freedoms() const;
  int rank() const;  ///< of the legs and of what they leave to the platform
};

/// Whether every equation belongs to exactly one leg of a floating platform.
bool splits_into_legs(const Structure& m);

/// For a floating platform at the workspace's position (stage closure).
PlatformSplit split_platform(const Mechanism<double>& m, const Workspace<double>& w);

template <Scalar S>
struct LegReduction {
  struct Leg {
    MatX<S> K_ss;         ///< factored
    MatX<S> right, work;  ///< -K_Ps and k_s, then the solution
    MatX<S> G;            ///< n x 6
    VecX<S> g;            ///< n
    MatX<S> lambda, lambda_work;
    S smallest_pivot{1.0};
  };
  std::vector<Leg> leg;
  MatX<S> Z;                     ///< constraints x 6
  VecX<S> z;                     ///< constraints
  MatX<S> Z_d, Z_right, Z_work;  ///< the selected rows, factored; right sides
  MatX<S> mu, mu_work;           ///< forces of the selected rows
  MatX<S> D;                     ///< 6 x freedoms of the platform
  Vec6<S> d;
  S smallest_pivot{1.0};

  explicit LegReduction(const PlatformSplit& split);
};

// ------------------------------------------------------------------------------------------------ formulations

/// multipliers.hpp
template <Scalar S>
struct Multipliers {
  MatX<S> kkt, right, work, M;
  std::vector<Inertia<S>> composite;
  std::vector<int> rows, columns;
  MatX<S> lambda, lambda_work;  ///< of the selected rows, one column
  S smallest_pivot{1.0};

  Multipliers(const Structure& m, const Selection& s);
};

/// dalembert.hpp
template <Scalar S>
struct DAlembert {
  std::vector<Inertia<S>> composite;
  MatX<S> M, MG, M_c;
  MatX<S> right;  ///< mobility x 1
  S smallest_pivot{1.0};

  DAlembert(const Structure& m, const Selection& s);
};

/// The matrices of (P3), for a `double` mechanism at q, v (allocates).
struct CompactForm {
  MatX<double> W, W_rate;           ///< W and its time derivative
  MatX<double> M_c, C_c, D_c, K_c;  ///< y x y
  MatX<double> M_c_rate;            ///< the time derivative of M_c, exact
  VecX<double> eta_c;               ///< gravity, external wrenches, springs between points, loads of cut joints
  VecX<double> spring_c;            ///< W^T K_t (q - q_0)
  VecX<double> friction_c;          ///< W^T of dry and other friction that is not a damper, and of springs on turns
};
CompactForm compact_form(const Mechanism<double>& m, const Workspace<double>& w, const Selection& s);
/// tau_c of (P3) for given y''.
VecX<double> compact_forces(const CompactForm& c, const VecX<double>& yd, const VecX<double>& ydd);

/// noc.hpp
template <Scalar S>
struct Noc {
  MatX<S> T;                    ///< 6 bodies x y: in body frames while built, then about the mass centres, base axes
  MatX<S> MT;                   ///< 6 x y
  std::vector<Vec6<S>> wrench;  ///< M t' + W M t - w
  std::vector<Mat3<S>> about_centre;
  std::vector<Vec3<S>> centre;
  MatX<S> M_y, right;
  S smallest_pivot{1.0};

  Noc(const Structure& m, const Selection& s);
};

/// (N4): M and N q' - (gravity, loads) in the drives' coordinates from legs taken as serial chains of six axes, paper
/// 002's own arrangement (allocates). Throws Error where a leg is no such chain.
struct NocLegForm {
  MatX<double> M;
  VecX<double> bias;
};
NocLegForm noc_leg_form(const Mechanism<double>& m, Workspace<double>& w, bool applied);

/// virtual_power.hpp
template <Scalar S>
struct VirtualPower {
  MatX<S> J;    ///< 6 bodies x y: J_T, J_R, body frames
  MatX<S> H;    ///< y x (10 per body, then one per friction coefficient)
  VecX<S> p;    ///< all parameters in H's order
  MatX<S> H_j;  ///< y x 10
  MatX<S> M_y, right;
  S smallest_pivot{1.0};

  VirtualPower(const Structure& m, const Selection& s);
};

/// The ten parameters of body j in the order of (J2).
template <Scalar S>
Eigen::Matrix<S, 10, 1> body_parameters(const Inertia<S>& I);

/// A chain: coordinates and bodies that no joint of the tree ties to the rest.
struct Chain {
  int first = 0, n = 0;            ///< velocity coordinates
  int first_body = 0, bodies = 0;  ///< contiguous, like the coordinates
  std::vector<int> rows;           ///< selected rows of K that touch it; onto the platform: rows s, then rows r
  std::vector<int> place;  ///< where they stand among the selected rows; onto the platform: rows r among all legs'
  int solved = 0;          ///< onto the platform: how many rows s
};

/// The tree's chains; `rows` are those of the selection that reach into each.
std::vector<Chain> find_chains(const Structure& m, const Selection& s);
/// The legs of a floating platform, with rows s and the chosen rows r.
std::vector<Chain> chains_onto_platform(const Structure& m, const PlatformSplit& split);

/// scdd.hpp
template <Scalar S>
struct Scdd {
  struct Block {
    MatX<S> M;      ///< n x n, factored
    MatX<S> x;      ///< n x 1
    MatX<S> Y;      ///< n x rows
    MatX<S> L;      ///< rows x rows: K_i Y_i
    MatX<S> right;  ///< rows x (7 + rows r): K_Ps, k - K x and L_sr; rows s then solved
    S smallest_pivot{1.0};
  };
  std::vector<Chain> chain;
  std::vector<Block> block;
  bool onto_platform = false;
  bool parallel = false;
  MatX<S> M;
  std::vector<Inertia<S>> composite;
  MatX<S> L, right;                     ///< (S2): rank x rank, rank x 1
  MatX<S> M_P, M_D;                     ///< (S3): 6 x 6, 6 x freedoms
  MatX<S> M_y, F_y;                     ///< (S3): freedoms x freedoms, freedoms x 1
  MatX<S> join, join_right, join_work;  ///< (S3): 6 + rows r, and one column
  std::vector<int> join_rows, join_columns;
  S smallest_pivot{1.0};

  Scdd(const Structure& m, const Selection& s, const PlatformSplit* split);
  std::size_t most_rows() const {
    std::size_t most = 0;
    for (const Chain& c : chain) most = std::max(most, c.rows.size());
    return most;
  }
};

/// (S5) as printed: how far it got, and the eigenvalue that decides.
struct ScddIteration {
  int iterations = 0;
  bool converged = false;
  double change = 0;      ///< of y'' in the last step, relative
  double eigenvalue = 0;  ///< the largest of S^-1 M_c; it converges while relaxation times this is below 2
  VecX<double> y;         ///< y''
};
struct IterationRule {
  int most = 200;
  double relaxation = 1;
  double tolerance = 1e-12;
  bool feed_back = false;  ///< one iteration an evaluation, from the accelerations of the one before, as printed
};
/// Reads X and t at q'' = g, the explicit form, F = A^T e. Writes a. Starts from y'' = 0, or from `before` where it feeds
/// back. Allocates.
ScddIteration iterate_scdd(const Mechanism<double>& m, const Selection& s, const ExplicitForm<double>& form,
                           const VecX<double>& F, const IterationRule& rule, const VecX<double>& before,
                           Workspace<double>& w);

/// The inertia that a body seems to have with everything it carries: (moment; force) = [A B; B^T C] (angular; linear).
template <Scalar S>
struct ArticulatedInertia {
  Mat3<S> A, B, C;

  explicit ArticulatedInertia(const Inertia<S>& I)
      : A(I.second), B(cross_matrix(I.first)), C(Mat3<S>::Identity() * I.mass) {}
  ArticulatedInertia() = default;

  friend Force<S> operator*(const ArticulatedInertia& I, const Motion<S>& v) {
    return {I.A * v.angular + I.B * v.linear, I.B.transpose() * v.angular + I.C * v.linear};
  }
  /// Adds X I X^T, the inertia `I` of a child.
  void add(const Transform<S>& X, const ArticulatedInertia& I);
};

/// articulated.hpp
template <Scalar S>
struct Articulated {
  struct Body {
    ArticulatedInertia<S> inertia;        ///< I^A
    std::array<Force<S>, 6> U;            ///< per coordinate of the joint
    Eigen::Matrix<S, 6, 6> D, D_inverse;  ///< as many rows and columns as coordinates are used
    std::vector<Force<S>> p;              ///< per right side
    std::vector<Motion<S>> a;
  };
  struct Modes {
    MatX<S> U, W;  ///< 6 x modes, in the frame of the body before; D^-1 U^T
    MatX<S> D;     ///< modes x modes, factored
    VecX<S> u;     ///< modes
  };
  std::vector<Body> body;
  std::vector<Modes> modes;  ///< per Structure::modal
  S smallest_pivot{1.0};

  /// `most` right sides are solved at a time.
  Articulated(const Structure& m, std::size_t most);
};

/// legs.hpp
template <Scalar S>
struct Legs {
  Vec6<S> F_P = Vec6<S>::Zero();  ///< t_P + sum G_i^T t_i
  std::vector<Inertia<S>> composite;
  MatX<S> M, MG;  ///< nv x nv (legs' blocks used), nv x 6: M_i G_i
  MatX<S> M_P, M_D, M_y, F_y;
  Scdd<S> tips;
  Articulated<S> chain;
  S smallest_pivot{1.0};

  Legs(const Structure& m, const Selection& s, const PlatformSplit* split);
};

/// Inverse dynamics of legs with elastic joints of their own, where the actuators are as many as the platform's freedoms.
template <Scalar S>
struct ElasticLegs {
  Efforts<S> actuated;         ///< the actuators' efforts on the platform's freedoms
  VecX<S> F;                   ///< forces on those
  std::vector<int> effort_of;  ///< per velocity coordinate: its place among all efforts; -1: none

  ElasticLegs(const Structure& m, const PlatformSplit& s);
  /// The same choices for another scalar.
  template <Scalar T>
  ElasticLegs(const Structure& m, const PlatformSplit& s, const ElasticLegs<T>& other) : ElasticLegs(m, s) {
    actuated.rows = other.actuated.rows;
    actuated.columns = other.actuated.columns;
  }
};

// ------------------------------------------------------------------------------------------------ stages that formulations share

/// All loads. Reads q, v, X, X0, V, external. Writes load, applied. No allocation, no branch on S.       (F1)-(F3)
template <Scalar S>
void loads(const Mechanism<S>& m, const LoadPlan& plan, bool external, Workspace<S>& w);
/// Reads X, X0, V, v, load, applied, the accelerations A and qdd (null: none). Writes f, t.              (T2), (T3)
template <Scalar S>
void tree_forces(const Mechanism<S>& m, bool applied, const std::vector<Motion<S>>& A, const S* qdd, Workspace<S>& w);
/// (T4) Reads X. Writes the tree's mass matrix, both triangles; `composite` is scratch, one per body.
template <Scalar S>
void mass_matrix(const Mechanism<S>& m, const Workspace<S>& w, std::vector<Inertia<S>>& composite, MatX<S>& M);
/// The same as a value. Allocates.
MatX<double> mass_matrix(const Mechanism<double>& m, const Workspace<double>& w);

// Compiled once for these scalars, in src/dynamics/stages_*.cpp.
#define GOUGH_DYNAMIC_STAGES(S, EXTERN)                                                                                \
  EXTERN template struct LegReduction<S>;                                                                              \
  EXTERN template struct Multipliers<S>;                                                                               \
  EXTERN template struct DAlembert<S>;                                                                                 \
  EXTERN template struct Noc<S>;                                                                                       \
  EXTERN template struct VirtualPower<S>;                                                                              \
  EXTERN template struct Scdd<S>;                                                                                      \
  EXTERN template struct Articulated<S>;                                                                               \
  EXTERN template struct Legs<S>;                                                                                      \
  EXTERN template struct ElasticLegs<S>;                                                                               \
  EXTERN template Eigen::Matrix<S, 10, 1> body_parameters(const Inertia<S>&);                                          \
  EXTERN template void loads(const Mechanism<S>&, const LoadPlan&, bool, Workspace<S>&);                               \
  EXTERN template void tree_forces(const Mechanism<S>&, bool, const std::vector<Motion<S>>&, const S*, Workspace<S>&); \
  EXTERN template void mass_matrix(const Mechanism<S>&, const Workspace<S>&, std::vector<Inertia<S>>&, MatX<S>&);
GOUGH_DYNAMIC_STAGES(double, extern)
GOUGH_DYNAMIC_STAGES(Dual<double>, extern)

}  // namespace gough
