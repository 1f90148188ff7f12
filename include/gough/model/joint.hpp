#pragma once
/// Joints: what a file may name, what the tree is made of, and what a cut demands.
///
/// A joint joins two frames, A on its parent and B on its child, that coincide at zero.
///
///   kind             free motion of B in A                        cut: equations
///   fixed            -                                            6
///   revolute         turn about z                                 5
///   prismatic        slide along z                                5
///   universal        turn about A's z, then about B's x           4
///   cylindrical      turn about z and slide along z               4
///   spherical        all turns                                    3
///   planar           slides along x and y, turn about z           3
///   point_on_line    B's origin slides along A's z, all turns     2
///   point_on_plane   B's origin slides in A's x-y, all turns      1
///   distance         |AB| stays, all turns                        1
///   free             everything                                   0
///
/// A twelfth, modal, is no joint between bodies: the bending of one, with as many coordinates as it has modes.
///
/// In the tree, every kind is a run of elementary joints (one degree of freedom, or all turns) with massless bodies
/// between. As a cut, every kind is a choice of components of the relative frame that must vanish.
#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "gough/spatial/spatial.hpp"

namespace gough {

enum class JointKind {
  fixed,
  revolute,
  prismatic,
  universal,
  cylindrical,
  spherical,
  planar,
  point_on_line,
  point_on_plane,
  distance,
  free,
  modal  ///< a body's bending, from its near end to its far end (modal.hpp); no file names it
};

inline constexpr std::array<std::string_view, 11> joint_kind_names = {
    "fixed",  "revolute",      "prismatic",      "universal", "cylindrical", "spherical",
    "planar", "point_on_line", "point_on_plane", "distance",  "free"};

inline std::string_view name(JointKind kind) {
  return kind == JointKind::modal ? "modal" : joint_kind_names[static_cast<std::size_t>(kind)];
}

/// A joint of the tree. Revolute and prismatic act about and along their frame's z; free is three translations in the
/// parent's axes followed by all turns. How many coordinates a modal joint has, its data say (TreeJoint).
enum class Elementary { fixed, revolute, prismatic, spherical, free, modal };

constexpr int position_size(Elementary e) {
  constexpr std::array<int, 6> size = {0, 1, 1, 4, 7, 0};
  return size[static_cast<std::size_t>(e)];
}
constexpr int velocity_size(Elementary e) {
  constexpr std::array<int, 6> size = {0, 1, 1, 3, 6, 0};
  return size[static_cast<std::size_t>(e)];
}

/// One equation of a cut joint, on the pose of B (origin b, axes b_x b_y b_z) against A (origin a, axes a_x a_y a_z).
struct CutRow {
  enum class What {
    position,  ///< a_i . (b - a) = 0
    axis,      ///< a_i . b_k = 0
    turn,      ///< component i of the relative rotation's skew part = 0
    distance   ///< (|b - a|^2 - L^2) / 2L = 0
  };
  What what;
  int i = 0;
  int k = 0;

  /// The name of the row: "x", "y", "z", "rx", "ry", "rz", "length".
  std::string_view name() const;
};

/// The equations of a joint kind when it is cut.
const std::vector<CutRow>& cut_rows(JointKind kind);

/// What a joint's free coordinate is: the suffix of its name ("" for a single one) and whether it is a length.
struct CoordinateKind {
  std::string_view suffix;
  bool is_length;
};
const std::vector<CoordinateKind>& coordinate_kinds(JointKind kind);

/// How many free coordinates a kind has.
constexpr int free_coordinates(JointKind kind) {
  constexpr std::array<int, 12> count = {0, 1, 1, 2, 2, 3, 3, 4, 5, 5, 6, 0};
  return count[static_cast<std::size_t>(kind)];
}

/// A joint as a run: frame A, offset[0], joint[0], offset[1], joint[1], ... , offset[n], frame B.
struct JointRun {
  std::vector<Elementary> joint;
  std::vector<Transform<double>> offset;
};

/// The run of a kind between its frames (`length` serves `distance`), and the same run walked from B to A.
JointRun joint_run(JointKind kind, double length);
JointRun reversed(const JointRun& run);

}  // namespace gough
