#include "plant.h"

#include "cardan.h"

void plant_start(plant *p, const platform_state *start, double payload) {
  palida_forward_parameters parameters;
  palida_forward_default(&parameters);
  parameters.platform_mass += payload;
  palida_forward_setup(&parameters, &p->model);
  p->state = *start;
}

/* The state's derivative, in the state's own fields. */
static int derivative(const plant *p, const platform_state *s, const double tau[6], platform_state *d) {
  int i;
  for (i = 0; i < 3; ++i) d->position[i] = s->velocity[i];
  rates_of_angles(s->angles, s->angular_velocity, d->angles);
  return palida_forward(&p->model, s->position, s->angles, s->velocity, s->angular_velocity, tau, d->velocity,
                        d->angular_velocity);
}

static void add(platform_state *s, double factor, const platform_state *d) {
  int i;
  for (i = 0; i < 3; ++i) {
    s->position[i] += factor * d->position[i];
    s->angles[i] += factor * d->angles[i];
    s->velocity[i] += factor * d->velocity[i];
    s->angular_velocity[i] += factor * d->angular_velocity[i];
  }
}

int plant_step(plant *p, const double tau[6], double step) {
  const double ahead[4] = {0, 0.5, 0.5, 1}, weight[4] = {1, 2, 2, 1};
  const platform_state start = p->state;
  platform_state d = {{0}, {0}, {0}, {0}};
  int k, status = 0;
  for (k = 0; k < 4; ++k) {
    platform_state there = start;
    add(&there, ahead[k] * step, &d);
    status |= derivative(p, &there, tau, &d);
    add(&p->state, weight[k] * step / 6, &d);
  }
  return status;
}
