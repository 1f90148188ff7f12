/* What a core of this machine can do at most, beside which generated code is set. */
#ifndef ROOF_H
#define ROOF_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Products and sums of vectors that wait for nothing, n times; and how many that are. */
double roof_multiply_adds(size_t n);
size_t roof_operations(size_t n);

/* Reads 18 numbers and writes 6 for each of n states, as inverse and forward dynamics of a hexapod do, and computes next to nothing. */
void roof_move(size_t n, const double *in, double *out);

#ifdef __cplusplus
}
#endif

#endif
