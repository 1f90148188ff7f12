#include "controller.h"

#include "cardan.h"

void controller_start(controller *c, double frequency) {
  const double w = 2 * 3.14159265358979323846 * frequency;
  palida_inverse_parameters p;
  palida_inverse_default(&p);
  palida_inverse_setup(&p, &c->model);
  c->kp = w * w;
  c->kd = 2 * w;
}

int controller_step(const controller *c, const wanted_motion *wanted, const platform_state *is, double tau[6]) {
  double rates[3], a[6], dw[3];
  int i;
  rates_of_angles(is->angles, is->angular_velocity, rates);
  for (i = 0; i < 6; ++i) {
    const double x = i < 3 ? is->position[i] : is->angles[i - 3];
    const double v = i < 3 ? is->velocity[i] : rates[i - 3];
    a[i] = wanted->a[i] + c->kd * (wanted->v[i] - v) + c->kp * (wanted->x[i] - x);
  }
  angular_acceleration(is->angles, rates, a + 3, dw);
  return palida_inverse(&c->model, is->position, is->angles, is->velocity, is->angular_velocity, a, dw, tau);
}
