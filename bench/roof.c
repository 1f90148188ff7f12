#include "roof.h"

#include <string.h>

enum { lanes = 8, chains = 10 };
typedef double pack __attribute__((vector_size(8 * lanes)));

double roof_multiply_adds(size_t n) {
  const pack a = {0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5};
  pack x0 = a, x1 = a * 1.1, x2 = a * 1.2, x3 = a * 1.3, x4 = a * 1.4, x5 = a * 1.5, x6 = a * 1.6, x7 = a * 1.7,
       x8 = a * 1.8, x9 = a * 1.9;
  size_t i;
  for (i = 0; i < n; ++i) {
    x0 = x0 * a + a, x1 = x1 * a + a, x2 = x2 * a + a, x3 = x3 * a + a, x4 = x4 * a + a;
    x5 = x5 * a + a, x6 = x6 * a + a, x7 = x7 * a + a, x8 = x8 * a + a, x9 = x9 * a + a;
  }
  x0 += x1 + x2 + x3 + x4 + x5 + x6 + x7 + x8 + x9;
  return x0[0] + x0[lanes - 1];
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
