/* The hand-written hexapod behind plain numbers: compiled for this machine, in a library of its own, because Eigen's types differ then. */
#ifndef BY_HAND_H
#define BY_HAND_H

/* Of the platform: rotation column by column, position, velocities, accelerations, in base axes. */
struct by_hand_state {
  double R[9], p[3], v[3], w[3], a[3], dw[3];
};

#ifdef __cplusplus
extern "C" {
#endif
__attribute__((visibility("default"))) void by_hand_inverse(const struct by_hand_state *s, double tau[6]);
__attribute__((visibility("default"))) void by_hand_forward(const struct by_hand_state *s, const double tau[6], double a[6]);
#ifdef __cplusplus
}
#endif

#endif
