#pragma once
/// The shape of a leg, where it is one that can be solved in closed form. Recognised from joints and geometry, never
/// from names (kinematics/leg_forms.hpp says how).
#include <array>
#include <string_view>
#include <vector>

#include "gough/spatial/spatial.hpp"

namespace gough {

/// U universal or two crossing revolutes, P prismatic, R revolute, S spherical. A leg may carry several rods. An RR leg
/// has the platform itself as its second link (a five-bar's tip link).
enum class LegKind { general, ups, rus, pus, rrr, prr, psp, rr };
inline constexpr std::array<std::string_view, 8> leg_kind_names = {"general", "UPS", "RUS", "PUS",
                                                                   "RRR",     "PRR", "PSP", "RR"};
inline std::string_view name(LegKind kind) { return leg_kind_names[static_cast<std::size_t>(kind)]; }

/// A straight piece from a pivot to the cut joint: one or two revolutes that aim it, perhaps a prismatic that extends
/// it.
struct Rod {
  int cut = 0;
  int aim1 = -1, aim2 = -1;  ///< bodies; aim2 < 0: one revolute, the rod moves in a plane
  int extend = -1;           ///< body; < 0: the rod's length is fixed
  Vec3<double> pivot;        ///< where the aiming axes meet, in the frame before aim1 (its joint's parent body)
  double aim2_azimuth = 0;   ///< direction of aim2's axis about aim1's at zero
  double tip_azimuth = 0;    ///< direction of the rod about the last aiming axis at zero
  double length = 0;         ///< pivot to tip, without the extension
  bool flipped = false;      ///< aims the other way round at home
};

struct LegForm {
  LegKind kind = LegKind::general;
  int root = -1;         ///< body of the joint that reaches for the rods' ends; < 0: none
  double root_sign = 1;  ///< which of its two answers is home's
  std::vector<Rod> rods;
};

}  // namespace gough
