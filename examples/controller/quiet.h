/* A quiet place to measure in, and what was measured. */
#ifndef QUIET_H
#define QUIET_H

#include <stddef.h>

/* Asks for one core, memory that stays, and the priority of real time; says what was granted. Returns 1 where the priority
 * was: it must then be given up now and then, or Linux takes it away. */
int ask_for_quiet(void);

/* Lets others run for a moment. */
void rest(void);

double now_ns(void);

/* The clock: what reading it costs, and its smallest step [ns]. */
typedef struct {
  double cost, step;
} clock_quality;
clock_quality look_at_clock(void);

/* Sorts the times. */
typedef struct {
  double median, most, worst; /* most: 99.99 % take no longer */
} summary;
summary summarise(double *times, size_t count);

/* How often this program was put aside for another so far. */
long times_put_aside(void);

#endif
