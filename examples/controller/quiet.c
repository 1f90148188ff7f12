#define _GNU_SOURCE /* sched_setaffinity, RUSAGE_THREAD */
#include "quiet.h"

#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <time.h>

static const char *granted(int failed) { return failed ? strerror(errno) : "yes"; }

/* The last core that is allowed: the first ones serve most interrupts. */
static int stay_on_one_core(void) {
  cpu_set_t allowed, one;
  size_t core, last = 0;
  if (sched_getaffinity(0, sizeof allowed, &allowed) != 0) return -1;
  for (core = 0; core < CPU_SETSIZE; ++core)
    if (CPU_ISSET(core, &allowed)) last = core;
  CPU_ZERO(&one);
  CPU_SET(last, &one);
  return sched_setaffinity(0, sizeof one, &one) == 0 ? (int)last : -1;
}

int ask_for_quiet(void) {
  const struct sched_param priority = {.sched_priority = 50};
  const int core = stay_on_one_core();
  const int in_real_time = sched_setscheduler(0, SCHED_FIFO, &priority) == 0;
  if (core < 0) printf("  on one core           %s\n", strerror(errno));
  else printf("  on one core           yes, core %d\n", core);
  printf("  priority of real time %s\n", granted(!in_real_time));
  printf("  memory locked         %s\n", granted(mlockall(MCL_CURRENT | MCL_FUTURE) != 0));
  return in_real_time;
}

void rest(void) {
  const struct timespec moment = {0, 1000000};
  nanosleep(&moment, NULL);
}

double now_ns(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return 1e9 * (double)t.tv_sec + (double)t.tv_nsec;
}

static int ascending(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

summary summarise(double *times, size_t count) {
  summary s = {0, 0, 0};
  if (count == 0) return s;
  qsort(times, count, sizeof *times, ascending);
  s.median = times[count / 2];
  s.most = times[count - 1 - count / 10000];
  s.worst = times[count - 1];
  return s;
}

clock_quality look_at_clock(void) {
  enum { looks = 100000 };
  static double times[looks];
  clock_quality q = {0, 1e9};
  int i;
  for (i = 0; i < looks; ++i) {
    const double start = now_ns();
    times[i] = now_ns() - start;
  }
  q.cost = summarise(times, looks).median;
  for (i = 1; i < looks; ++i) /* sorted: the smallest distance of two durations */
    if (times[i] > times[i - 1] && times[i] - times[i - 1] < q.step) q.step = times[i] - times[i - 1];
  return q;
}

long times_put_aside(void) {
  struct rusage use;
  return getrusage(RUSAGE_THREAD, &use) == 0 ? use.ru_nivcsw : -1;
}
