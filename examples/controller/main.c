/* A 2 kHz control loop around generated code, as fast as the machine goes: controller [STEPS]. See README.md. */
#include <stdio.h>
#include <stdlib.h>

#include "cardan.h"
#include "plant.h"
#include "quiet.h"

static const double step = 5e-4;       /* s */
static const double frequency = 10;    /* Hz, of the control */
static const double payload = 0.5;     /* kg, that the controller does not know */
static const double goal = 1.5;        /* worst over median */
static const double work = 8e6;        /* ns, between rests of 1 ms */
enum { warm_up = 10000 };

/* A smooth motion: each of x y z and the angles swings about home, with a frequency of its own. */
static void motion_at(double t, wanted_motion *m) {
  const double home[6] = {0, 0, -0.65, 0, 0, 0}, size[6] = {0.06, 0.05, 0.04, 0.15, 0.12, 0.2};
  const double hertz[6] = {0.9, 1.1, 1.3, 0.7, 0.8, 0.6};
  int i;
  for (i = 0; i < 6; ++i) {
    const double w = 2 * 3.14159265358979323846 * hertz[i], s = sin(w * t), c = cos(w * t);
    m->x[i] = home[i] + size[i] * s;
    m->v[i] = size[i] * w * c;
    m->a[i] = -size[i] * w * w * s;
  }
}

static platform_state on(const wanted_motion *m) {
  platform_state s;
  int i;
  for (i = 0; i < 3; ++i) s.position[i] = m->x[i], s.angles[i] = m->x[i + 3], s.velocity[i] = m->v[i];
  angular_velocity(s.angles, m->v + 3, s.angular_velocity);
  return s;
}

typedef struct {
  controller controller;
  plant plant;
  clock_quality clock;
  int repeats;      /* of a step, for one measurement */
  long steps, slow; /* slow: longer than the goal */
  double own_worst; /* ns: slow steps are repeated, and the fastest counts here */
  int failed;
  double position_error, angle_error; /* largest so far, m and rad */
} loop;

/* The time of one step of the controller alone [ns]. */
static double timed_step(loop *l, const wanted_motion *wanted, double tau[6]) {
  const double start = now_ns();
  int i;
  for (i = 0; i < l->repeats; ++i) l->failed |= controller_step(&l->controller, wanted, &l->plant.state, tau);
  return (now_ns() - start - l->clock.cost) / l->repeats;
}

static void note_errors(loop *l, const wanted_motion *wanted) {
  int i;
  for (i = 0; i < 3; ++i) {
    l->position_error = fmax(l->position_error, fabs(l->plant.state.position[i] - wanted->x[i]));
    l->angle_error = fmax(l->angle_error, fabs(l->plant.state.angles[i] - wanted->x[i + 3]));
  }
}

/* A slow step again, at once and with the same numbers: what it costs by itself, where nothing comes between. */
static double fastest_again(loop *l, const wanted_motion *wanted, double time) {
  double tau[6];
  int i;
  for (i = 0; i < 20; ++i) time = fmin(time, timed_step(l, wanted, tau));
  return time;
}

/* Closes the loop once; returns the controller's time. */
static double close_once(loop *l, double longest) {
  wanted_motion wanted;
  double tau[6], time, own;
  motion_at((double)l->steps * step, &wanted);
  note_errors(l, &wanted);
  own = time = timed_step(l, &wanted, tau);
  if (time > longest) own = fastest_again(l, &wanted, time), ++l->slow;
  l->own_worst = fmax(l->own_worst, own);
  l->failed |= plant_step(&l->plant, tau, step);
  ++l->steps;
  return time;
}

static void start(loop *l) {
  wanted_motion first;
  platform_state at_start;
  motion_at(0, &first);
  at_start = on(&first);
  controller_start(&l->controller, frequency);
  plant_start(&l->plant, &at_start, payload);
  l->clock = look_at_clock();
  l->repeats = l->clock.step > 10 ? (int)l->clock.step : 1; /* a step takes some hundred ns */
}

static void report(const loop *l, const summary *s, long put_aside) {
  printf("controller alone, ns\n");
  printf("  median                %.0f\n", s->median);
  printf("  99.99 %% within        %.0f\n", s->most);
  printf("  worst                 %.0f\n", s->worst);
  printf("  worst / median        %.2f; the goal is %.1f on a quiet core, out of reach on a busy machine\n",
         s->worst / s->median, goal);
  printf("  over %.1f medians      %ld steps; repeated at once with the same numbers, none takes more than %.0f (%.2f)\n",
         goal, l->slow, l->own_worst, l->own_worst / s->median);
  printf("  put aside by others   %ld times\n", put_aside);
  printf("tracking, largest error\n");
  printf("  position              %.3f mm\n", 1e3 * l->position_error);
  printf("  angles                %.3f mrad\n", 1e3 * l->angle_error);
}

int main(int argc, char **argv) {
  static loop l;
  static double warm[warm_up];
  const long count = argc > 1 ? atol(argv[1]) : 1000000;
  double *times = count > 0 ? malloc((size_t)count * sizeof *times) : NULL;
  long i, put_aside;
  int in_real_time;
  double longest, rested;
  summary s;
  if (times == NULL) {
    fprintf(stderr, "STEPS: read '%s', expected a number of steps above 0 that memory holds\n", argc > 1 ? argv[1] : "");
    return 2;
  }
  printf("quiet\n");
  in_real_time = ask_for_quiet();
  start(&l);
  printf("clock\n");
  printf("  steps of %.0f ns, %.0f ns a reading, taken off; ", l.clock.step, l.clock.cost);
  if (l.repeats == 1) printf("each step measured alone\n");
  else printf("too coarse: each step repeated %d times and the mean taken, which hides short disturbances\n", l.repeats);

  for (i = 0; i < count; ++i) times[i] = 0; /* pages are there before the loop runs */
  for (i = 0; i < warm_up; ++i) warm[i] = close_once(&l, 1e18);
  longest = goal * summarise(warm, warm_up).median;
  l.own_worst = 0;
  put_aside = times_put_aside();
  rested = now_ns();
  for (i = 0; i < count; ++i) {
    times[i] = close_once(&l, longest);
    if (in_real_time && now_ns() - rested > work) rest(), rested = now_ns();
  }
  put_aside = times_put_aside() - put_aside;
  s = summarise(times, (size_t)count);
  free(times);
  printf("%ld steps of %.1f ms after %d to warm up\n", count, 1e3 * step, (int)warm_up);
  report(&l, &s, put_aside);
  if (l.failed || l.position_error > 1e-3 || l.angle_error > 1e-2) {
    fprintf(stderr, "the platform was lost%s\n", l.failed ? ": a model met a singularity" : "");
    return 1;
  }
  return 0;
}
