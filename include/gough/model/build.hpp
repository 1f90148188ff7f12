#pragma once
/// From a description to a mechanism: checks, the choice of tree and cuts, the order of bodies.
///
/// The tree. Every joint but the cut ones belongs to a spanning tree of the bodies, rooted in the base. With a declared
/// platform that at least two joints reach and that may be cut loose, the platform floats (a free joint carries it) and
/// each leg is cut where it meets the platform, so that equal legs stay equal. Otherwise spherical joints are cut
/// first, then the joints farthest from the base. `cut: true` and `cut: false` in the file override. A joint that is
/// actuated, elastic or partly locked is never cut.
#include "gough/model/description.hpp"
#include "gough/model/mechanism.hpp"

namespace gough {

/// Limits that keep an enormous file from becoming an enormous computation.
inline constexpr std::size_t most_bodies = 2000;
inline constexpr std::size_t most_joints = 4000;
inline constexpr std::size_t most_legs = 64;

/// Throws Error, naming file and line, unless the description makes sense by itself.
void check_description(const RobotDescription& robot);

/// Whether the tree must keep a joint: `cut: false`, free, actuated, elastic, partly locked or with a rotor.
bool must_stay(const JointDescription& joint);

/// Makes one body of bodies that fixed joints hold together (and of those that a locked joint with one coordinate does): inertias are
/// added, frames and names kept in `welded`. The group keeps the name of the base, of the platform, of a leg's body, or of the first.
/// Beams stay apart, and so do groups with a loop that does not close by itself.
RobotDescription merge_fixed(RobotDescription robot);

/// Replaces a massless body between two passive joints by one composite joint where such a kind exists:
/// spherical + prismatic = point_on_line, spherical + spherical = distance.
RobotDescription merge_massless(RobotDescription robot);

/// merge_fixed, then merge_massless: what every robot goes through before it is built.
RobotDescription merge_bodies(RobotDescription robot);

/// Builds the mechanism; its home is the description's start, not assembled yet.
Mechanism<double> build(const RobotDescription& robot);

}  // namespace gough
