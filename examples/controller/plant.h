/* The robot's stand-in: its forward dynamics, integrated with a fixed step. It is not quite the controller's model. */
#ifndef PLANT_H
#define PLANT_H

#include "controller.h"
#include "palida_forward.h"

typedef struct {
  palida_forward_constants model;
  platform_state state;
} plant;

/* `payload` [kg]: more than the controller knows. */
void plant_start(plant *p, const platform_state *start, double payload);

/* One step of Runge and Kutta, fourth order, forces held. Returns 0, or 1 near a singularity. */
int plant_step(plant *p, const double tau[6], double step);

#endif
