#pragma once
/// Variants of a parallel robot, made from its description: more elastic freedoms in each chain, more legs. They are for
/// questions of cost and of modelling depth; each is a description like any other.
///
/// The link that is split is the last one that a whole chain passes through on its way from the base: the rod of a RUS
/// leg, the distal link of a five-bar, the carriage that carries a pair of rods. A platform that only two joints hold
/// is a link itself: of the chain whose joint is farther from its frame.
///   u            from the link's inner joint to the middle of its outer ones; the inner joint's axis where they coincide
///   S            second moments of the link's mass about its centre, S = tr(I)/2 1 - I
///   b            length of the uniform bar that has them along u: m b^2 / 12 = 1 / (u^T S^-1 u)
/// n + 1 parts have equal shares of mass, centres b / (n + 1) apart, and equal shares of what is left of S: together they
/// are the link, and each of them could be cut from something. Slides along u join them, each with the stiffness n c, so
/// that the chain is as stiff as one spring c.
#include "gough/model/description.hpp"

namespace gough {

inline constexpr int most_elastic = 200;        ///< per chain
inline constexpr double chain_frequency = 100;  ///< [Hz] of the split link's mass on the spring c

/// The robot with n more elastic freedoms in each chain. The link's name stays with its outermost part, the others are
/// `LINK.part1`, .. from the base; the slides are `LINK.stretch1`, .. Throws Error where there is no chain with a link
/// that can be split.
RobotDescription with_elastic_chains(RobotDescription robot, int n);

/// The robot with all its legs placed `times` times, evenly turned about the platform's z axis; `home` is the pose of the
/// platform's frame. The copies of `leg1` are `leg1_2`, .. Throws Error where the description has no legs.
RobotDescription with_repeated_legs(RobotDescription robot, int times, const Transform<double>& home);

}  // namespace gough
