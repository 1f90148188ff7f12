#pragma once
/// Equal legs as lanes of one pack: the fast path of `legs`.                               docs/theory/legs.md
///   J_i q'_i = v_B,   J_i q''_i = a_B - J_i' q'_i          leg i up to its ball B on the platform           (K1)
///   h_i = J_i^-T t_i,  u_i = J_i^-T e_a                    its forces as forces at B; one unit of its drive   (K2)
///   inverse   sum (r x u_i; u_i) tau_i = W_P + sum (r x h_i; h_i),   f_i = h_i - u_i tau_i            (K3) (K5)
///   forward   L_i = J_i^-T M_i J_i^-1,   f_0 = h_i - u_i tau_i at w' = a = 0,   f_i = f_0 + L_i (a + w' x r)   (K5)
///             (M_P + sum [-r~ L r~, r~ L; -L r~, L]) (w'; a) = -W_0 - sum (r x f_0; f_0),   lambda: parts of f_i   (K4)
/// It serves legs of three one-axis joints that end in a ball on the platform (UPS, RUS, PUS), all of one kind with one
/// drive each; from the platform's motion, joint angles are never formed: their sines and cosines are ratios of lengths.
/// `double` only: other scalars take the general kernel, and tests compare the two.
#include <array>
#include <vector>

#include "gough/dynamics/formulations.hpp"

namespace gough {

inline constexpr int lane_width = 8;  ///< legs per block; the instruction set decides how many at once
using Lane = std::array<double, lane_width>;

/// Parameters of up to eight legs; unused lanes repeat the first. Plain numbers: shared by code for every machine.
struct alignas(64) LaneBlock {
  int legs = 0;
  std::array<Elementary, 3> joint;
  int drive = 0;  ///< which of the three joints
  int root = -1;  ///< 0: the first joint reaches, the others aim (RUS, PUS); -1: the first two aim, the last extends
  bool on_platform_axes = false;  ///< the loops' rows are along axes fixed in the platform (else in the leg)
  struct Body {
    std::array<Lane, 9> R;  ///< placement, column by column
    std::array<Lane, 3> p;
    std::array<Lane, 3> first;
    std::array<Lane, 6> second;  ///< xx xy xz yy yz zz
    Lane mass, rotor;
    Lane viscous, coulomb;  ///< friction of the joint, dampers included
  };
  std::array<Body, 3> body;
  std::array<Lane, 3> tip;    ///< the ball in the last body
  std::array<Lane, 3> ball;   ///< the ball in the platform's body
  std::array<Lane, 9> axes;   ///< of the rows, in the body they are fixed to
  std::array<Lane, 3> pivot;  ///< where the aiming axes cross, in the frame before them
  Lane cos_aim, sin_aim, cos_tip, sin_tip, length, flip, root_sign;
};

/// What passes between the platform and a block of legs.
struct alignas(64) LaneMotion {
  // the platform's body: pose, velocity and acceleration of its frame's origin, base axes; gravity
  std::array<double, 9> R;
  std::array<double, 3> p, v, w, a, dw, g;
};
struct alignas(64) LaneState {
  // joints: read where an evaluation starts from them
  std::array<Lane, 3> c, s, d;       ///< per joint: cosine and sine, or slide
  std::array<Lane, 3> rate;          ///< q'
  std::array<Lane, 3> acceleration;  ///< q''; forward writes it
  Lane tau;                          ///< of the drives
  // forces: written
  std::array<Lane, 3> h, u, mh, mu;  ///< h (forward: f_0), u, r x h, r x u, base axes
  std::array<Lane, 3> r;             ///< B from the platform's origin
  std::array<Lane, 3> lambda;
  std::array<double, 21> mass;  ///< lower triangle of the block's share of (K4), order w then a, row by row
  // kept between the two halves of an evaluation
  std::array<Lane, 9> inverse;    ///< J^-1 row by row
  std::array<Lane, 6> tip_mass;   ///< L: xx xy xz yy yz zz
  std::array<Lane, 9> base_axes;  ///< axes of the rows, base
};

/// One instruction set's kernels.
struct LaneKernels {
  using Forces = void (*)(const LaneBlock&, const LaneMotion&, const CoulombRule&, LaneState&);
  Forces inverse_from_platform;                         ///< platform's motion to h, u
  Forces inverse_from_joints;                           ///< joints' motion (and the platform's) to h, u
  void (*inverse_loops)(const LaneBlock&, LaneState&);  ///< tau to lambda
  Forces forward_forces;                                ///< joints' state and tau to h, mass
  void (*forward_loops)(const LaneBlock&, const LaneMotion&, LaneState&);  ///< platform's acceleration to q'', lambda
  const char* instructions;
};
/// The best that this machine runs.
const LaneKernels& lane_kernels();
/// By name ("plain", "avx2", "avx512"); null where this machine or build has none. For tests.
const LaneKernels* lane_kernels(std::string_view instructions);

/// The legs of a mechanism as lanes; empty blocks where they are not of the kind.
struct LegLanes {
  std::vector<LaneBlock> block;
  std::vector<LaneState> state;
  std::vector<int> coordinate;  ///< first velocity coordinate of each leg
  std::vector<int> row;         ///< first equation of each leg
  const LaneKernels* kernels = nullptr;

  bool usable() const { return !block.empty(); }
};
/// Empty unless every leg fits and every load on the legs is viscous or dry friction of a joint.
LegLanes make_lanes(const Mechanism<double>& m, const LoadPlan& plan);

/// The platform's body: pose, velocity and acceleration of its frame's origin, base axes.
struct BodyMotion {
  Transform<double> X;
  Vec3<double> v, w, a, dw;
};
/// Writes tau and lambda. `joints`: q, v and a of the legs are read from the workspace; otherwise they follow from the
/// platform and are not formed. `wrench`: external, on the platform, about its body's origin. Returns the smallest pivot
/// of (K3) over the largest.
double inverse_by_lanes(const Mechanism<double>& m, const BodyMotion& platform, bool joints,
                        const Force<double>& wrench, LegLanes& lanes, Workspace<double>& w);
/// Reads q, v, tau. Writes a, lambda. Returns the smallest pivot of (K4) over the largest.
double forward_by_lanes(const Mechanism<double>& m, BodyMotion platform, const Force<double>& wrench, LegLanes& lanes,
                        Workspace<double>& w);
/// The platform's body as its free joint's coordinates in the workspace say.
BodyMotion platform_body(const Mechanism<double>& m, const Workspace<double>& w);

}  // namespace gough
