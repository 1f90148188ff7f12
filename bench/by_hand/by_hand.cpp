#include "by_hand.h"

#include "../handwritten_hexapod.hpp"

namespace {

const HandwrittenHexapod hexapod;
using Vec3 = HandwrittenHexapod::Vec3;

Vec3 vector(const double* x) { return {x[0], x[1], x[2]}; }
HandwrittenHexapod::Mat3 rotation(const by_hand_state& s) {
  HandwrittenHexapod::Mat3 R;
  R << vector(s.R), vector(s.R + 3), vector(s.R + 6);
  return R;
}

}  // namespace

void by_hand_inverse(const by_hand_state* s, double tau[6]) {
  const HandwrittenHexapod::Vec6 x =
      hexapod.inverse(rotation(*s), vector(s->p), vector(s->v), vector(s->w), vector(s->a), vector(s->dw));
  for (int i = 0; i < 6; ++i) tau[i] = x[i];
}

void by_hand_forward(const by_hand_state* s, const double tau[6], double a[6]) {
  HandwrittenHexapod::Vec6 t;
  for (int i = 0; i < 6; ++i) t[i] = tau[i];
  const auto x = hexapod.forward(rotation(*s), vector(s->p), vector(s->v), vector(s->w), t);
  for (int i = 0; i < 3; ++i) a[i] = x.a[i], a[3 + i] = x.dw[i];
}
