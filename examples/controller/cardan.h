/* Cardan angles R = Rx(a0) Ry(a1) Rz(a2): their rates r and the angular velocity w, base axes. */
#ifndef CARDAN_H
#define CARDAN_H

#include <math.h>

static inline void rates_of_angles(const double a[3], const double w[3], double r[3]) {
  const double s0 = sin(a[0]), c0 = cos(a[0]);
  r[2] = (c0 * w[2] - s0 * w[1]) / cos(a[1]);
  r[1] = c0 * w[1] + s0 * w[2];
  r[0] = w[0] - sin(a[1]) * r[2];
}

static inline void angular_velocity(const double a[3], const double r[3], double w[3]) {
  const double s0 = sin(a[0]), c0 = cos(a[0]), c1 = cos(a[1]);
  w[0] = r[0] + sin(a[1]) * r[2];
  w[1] = c0 * r[1] - s0 * c1 * r[2];
  w[2] = s0 * r[1] + c0 * c1 * r[2];
}

/* dw from the rates' derivatives d. */
static inline void angular_acceleration(const double a[3], const double r[3], const double d[3], double dw[3]) {
  const double s0 = sin(a[0]), c0 = cos(a[0]), s1 = sin(a[1]), c1 = cos(a[1]);
  dw[0] = d[0] + s1 * d[2] + c1 * r[1] * r[2];
  dw[1] = c0 * d[1] - s0 * c1 * d[2] - s0 * r[0] * r[1] - (c0 * c1 * r[0] - s0 * s1 * r[1]) * r[2];
  dw[2] = s0 * d[1] + c0 * c1 * d[2] + c0 * r[0] * r[1] - (s0 * c1 * r[0] + c0 * s1 * r[1]) * r[2];
}

#endif
