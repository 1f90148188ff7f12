#pragma once
/// A planar five-bar's forward dynamics from its two driven angles, with few operations.     docs/theory/codegen.md
///
/// Cranks e_i from O_i to the elbows E_i, links u_i from E_i to the tip P, all in the base's x-y plane. Each link is two end masses
/// and a rest J_i: m_P at P takes its share of both. With t_i = perp e_i and D = E_1 - E_0,
///   u_0 = a D + h perp D,   a = 1/2 + (L_0^2 - L_1^2) / 2 D^2,   h^2 = L_0^2 / D^2 - a^2                    (V1)
///   b_ik = t_i.u_k / (u_0 x u_1);   links turn with b_11 w_1 - b_01 w_0 and b_10 w_1 - b_00 w_0              (V2)
///   M_00 = I_0 + (m_P L_1^2 + J_1) b_00^2 + J_0 b_01^2,   M_01 = -(b_11 (b_00 m_P u_0.u_1 + J_0 b_01) + b_00 J_1 b_10)   (V3)
#include <array>
#include <optional>

#include "gough/dynamics/loads.hpp"

namespace gough {

template <Scalar S>
struct FiveBar {
  struct Side {
    S crank{}, link{};   ///< lengths
    S offset{};          ///< of the crank's direction from the joint's angle
    S inertia{};         ///< of the crank about O, rotor and the link's end mass at E included
    S lever{};           ///< first moment of the same over the crank's length
    S rest{};            ///< J_i
    S viscous{}, dry{};  ///< friction of the drive
  };
  std::array<Side, 2> side;  ///< in the order of the actuators
  S dx{}, dy{};              ///< O_1 - O_0
  S tip_mass{};
  S gx{}, gy{};       ///< gravity in the plane
  double branch = 1;  ///< sign of h in home's assembly mode
};

/// None where the robot is another one.
std::optional<FiveBar<double>> recognise_five_bar(const Mechanism<double>& m);

template <Scalar S>
struct FiveBarForward {
  std::array<S, 2> a;  ///< accelerations of the drives
  S crossing;          ///< u_0 x u_1: zero where the links are in line
};

/// From the drives' angles, rates and forces.                                                       (V1)-(V3)
template <Scalar S>
FiveBarForward<S> five_bar_forward(const FiveBar<S>& f, const std::array<S, 2>& q, const std::array<S, 2>& w,
                                   const std::array<S, 2>& tau) {
  const auto& [l, r] = f.side;
  std::array<S, 2> ex, ey;
  for (std::size_t i = 0; i < 2; ++i) {
    const S angle = q[i] + f.side[i].offset;
    ex[i] = f.side[i].crank * cos(angle), ey[i] = f.side[i].crank * sin(angle);
  }
  const S dx = ex[1] - ex[0] + f.dx, dy = ey[1] - ey[0] + f.dy, D2 = dx * dx + dy * dy, iD = S(1.0) / D2;
  const S L0 = l.link * l.link, L1 = r.link * r.link, a = S(0.5) + (L0 - L1) * S(0.5) * iD;
  const S h = sqrt(L0 * iD - a * a) * S(f.branch);
  const S u0x = a * dx - h * dy, u0y = a * dy + h * dx, u1x = u0x - dx, u1y = u0y - dy;
  const S crossing = h * D2, over = S(1.0) / crossing;
  const S a00 = ex[0] * u0y - ey[0] * u0x, a01 = ex[0] * u1y - ey[0] * u1x;
  const S a10 = ex[1] * u0y - ey[1] * u0x, a11 = ex[1] * u1y - ey[1] * u1x;
  const S b00 = a00 * over, b01 = a01 * over, b10 = a10 * over, b11 = a11 * over;
  const S s0 = b11 * w[1] - b01 * w[0], s1 = b10 * w[1] - b00 * w[0];
  const S w0 = w[0] * w[0], w1 = w[1] * w[1], p0 = s0 * s0, p1 = s1 * s1;
  const S X = w0 * ex[0] + p0 * u0x - w1 * ex[1] - p1 * u1x, Y = w0 * ey[0] + p0 * u0y - w1 * ey[1] - p1 * u1y;
  const S g0 = (X * u1x + Y * u1y) * over, g1 = (X * u0x + Y * u0y) * over;  // the links' turning at w' = 0
  const S c0 = f.tip_mass * L1 + r.rest, c1 = f.tip_mass * L0 + l.rest, A = l.rest * b01, B = r.rest * b10;
  const S M00 = l.inertia + c0 * b00 * b00 + A * b01, M11 = r.inertia + c1 * b11 * b11 + B * b10;
  const S mu = f.tip_mass * (L0 + L1) * S(0.5) - f.tip_mass * S(0.5) * D2;  // m_P u_0.u_1
  const S M01 = -(b11 * (b00 * mu + A) + b00 * B);
  const auto weight = [&](const S& x, const S& y) -> S { return x * f.gy - y * f.gx; };
  const S k0 = f.tip_mass * w1 * a11 + c0 * g1 - f.tip_mass * weight(u1x, u1y);
  const S k1 = f.tip_mass * w0 * a00 + c1 * g0 - f.tip_mass * weight(u0x, u0y);
  const auto driven = [&](std::size_t i) -> S {
    const auto& side = f.side[i];
    return tau[i] + side.lever * weight(ex[i], ey[i]) - side.viscous * w[i] - side.dry * sign(w[i]);
  };
  const S r0 = driven(0) + b00 * k0 + A * g0, r1 = driven(1) - b11 * k1 - B * g1;
  const S over00 = S(1.0) / M00, ratio = M01 * over00, second = (r1 - ratio * r0) / (M11 - ratio * M01);
  return {{r0 * over00 - ratio * second, second}, crossing};
}

}  // namespace gough
