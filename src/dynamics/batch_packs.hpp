#pragma once
#include <algorithm>

#include "batch_kernel.hpp"
#include "gough/scalar/pack.hpp"

namespace gough {
inline namespace GOUGH_INSTRUCTIONS {

template <int N>
class PackedStates {
  using P = Pack<N>;

 public:
  PackedStates(const Mechanism<double>& m, const Dynamics<double>& d, const BatchStates& states)
      : x(states), packed(m.cast<P>()), dynamics(packed, d), w(packed) {
    dynamics.external = false;
  }

  void run(bool inverse) {
    for (s = x.first; s < x.last; s += N) {
      read(x.q, w.q);
      read(x.v, w.v);
      read(x.in, inverse ? w.a : w.tau);
      if (inverse) inverse_kernel(packed, w, dynamics);
      else forward_kernel(packed, w, dynamics);
      write(inverse ? w.tau : w.a);
      judge(inverse);
    }
  }

 private:
  std::size_t left() const { return std::min<std::size_t>(N, x.last - s); }

  /// The last state fills the lanes that are left.
  void read(const BatchArray<const double>& from, VecX<P>& to) const {
    for (Eigen::Index i = 0; i < to.size(); ++i)
      for (int l = 0; l < N; ++l) to[i].v[l] = from(i, s + std::min(static_cast<std::size_t>(l), left() - 1));
  }
  void write(const VecX<P>& from) const {
    for (Eigen::Index i = 0; i < from.size(); ++i)
      for (std::size_t l = 0; l < left(); ++l) x.out(i, s + l) = from[i].v[static_cast<int>(l)];
  }
  void judge(bool inverse) const {
    const P pivot = dynamics.smallest_pivot(inverse ? dynamics.inverse_is_leg_wise() : dynamics.forward_is_leg_wise());
    const auto& efforts = dynamics.elastic_legs ? dynamics.elastic_legs->actuated : dynamics.efforts;
    for (std::size_t l = 0; l < left(); ++l) {
      const int i = static_cast<int>(l);
      bool good = pivot[i] > x.poor_pivot && (!inverse || efforts.smallest_pivot[i] > x.poor_effort);
      for (const P& y : inverse ? w.tau : w.a) good = good && y[i] - y[i] == 0;
      x.doubtful[s + l] = good ? 0 : 1;
    }
  }

  const BatchStates& x;
  Mechanism<P> packed;
  Dynamics<P> dynamics;
  Workspace<P> w;
  std::size_t s = 0;
};

template <int N>
void packed_states(const Mechanism<double>& m, const Dynamics<double>& d, bool inverse, const BatchStates& x) {
  PackedStates<N>(m, d, x).run(inverse);
}

}  // namespace GOUGH_INSTRUCTIONS
}  // namespace gough
