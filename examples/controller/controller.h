/* Computed forces: the accelerations that bring the platform back to the wanted motion, through the robot's inverse
 * dynamics. */
#ifndef CONTROLLER_H
#define CONTROLLER_H

#include "palida_inverse.h"

/* Where the platform is, as it is measured. */
typedef struct {
  double position[3], angles[3], velocity[3], angular_velocity[3];
} platform_state;

/* Where it is to be: x y z and the three Cardan angles, with their derivatives. */
typedef struct {
  double x[6], v[6], a[6];
} wanted_motion;

typedef struct {
  palida_inverse_constants model;
  double kp, kd;
} controller;

/* Errors fade like those of a critically damped oscillator of `frequency` [Hz]. */
void controller_start(controller *c, double frequency);

/* The forces of the six drives [N]. Returns the model's status: 0, or 1 near a singularity. */
int controller_step(const controller *c, const wanted_motion *wanted, const platform_state *is, double tau[6]);

#endif
