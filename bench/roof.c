#include "roof.h"

#include <string.h>

enum { lanes = 8, chains = 10 };
typedef double pack __attribute__((vector_size(8 * lanes)));

double roof_multiply_adds(size_t n) {
  const pack a = {0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5};
  pack x[chains], sum = {0};
  size_t i, k;
  double out = 0;
  for (k = 0; k < chains; ++k) x[k] = a * (double)(k + 1);
  for (i = 0; i < n; ++i)
    for (k = 0; k < chains; ++k) x[k] = x[k] * a + a;
  for (k = 0; k < chains; ++k) sum += x[k];
  for (k = 0; k < lanes; ++k) out += sum[k];
  return out;
}
size_t roof_operations(size_t n) { return n * 2 * lanes * chains; }

void roof_move(size_t n, const double *in, double *out) {
  size_t i, s;
  for (s = 0; s + lanes <= n; s += lanes)
    for (i = 0; i < 6; ++i) {
      pack x, y, z;
      memcpy(&x, in + i * n + s, sizeof x);
      memcpy(&y, in + (i + 6) * n + s, sizeof y);
      memcpy(&z, in + (i + 12) * n + s, sizeof z);
      x = x + y + z;
      memcpy(out + i * n + s, &x, sizeof x);
    }
}
