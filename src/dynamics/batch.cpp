#include "gough/dynamics/batch.hpp"

#include <fmt/format.h>
#include <tbb/parallel_for.h>

#include <algorithm>
#include <limits>

#include "batch_kernel.hpp"
#include "choose_again.hpp"
#include "gough/dynamics/leg_lanes.hpp"
#include "gough/error.hpp"

namespace gough {
namespace {

constexpr std::size_t block = 256;  // of states: some hundred microseconds
constexpr double hardly_holds =
    1e-3;  ///< share of home's pivot of the drives, below which a state is computed by itself

/// Several states at a time; null where the machine has too few lanes for that to pay.
BatchKernel kernel() {
#ifdef GOUGH_X86
  const std::string_view instructions = lane_kernels().instructions;
  if (instructions == "avx512") return batch_kernel_avx512();
  if (instructions == "avx2") return batch_kernel_avx2();
#endif
  return nullptr;
}

}  // namespace

struct DynamicsBatch::Arrays {
  std::size_t n;
  BatchArray<const double> q, v, in;
  BatchArray<double> out;
  Status* status;
};

namespace {

/// An array of `size` entries per state. Throws Error where it has others.
template <class Number>
BatchArray<Number> array_of(const char* what, std::span<Number> data, std::size_t size, std::size_t n,
                            BatchLayout layout) {
  if (data.size() != size * n) throw Error(fmt::format("batch: read {} {}, expected {}", data.size(), what, size * n));
  if (layout == BatchLayout::by_entry) return {data.data(), n, 1};
  return {data.data(), 1, size};
}

}  // namespace

DynamicsBatch::DynamicsBatch(const Mechanism<double>& m, const DynamicsOptions& o)
    : m_(m), home_(m), d_([&] {
        home_.q = m.home;
        return Dynamics<double>(m, home_, o);
      }()) {
  home_.v.setZero(), home_.a.setZero();
  d_.external = false;
  const auto& efforts = d_.elastic_legs ? d_.elastic_legs->actuated : d_.efforts;
  packs_ = !d_.lanes.usable() && efforts.kind != Efforts<double>::Kind::under && o.by != Formulation::scdd_iterative &&
           d_.y.rank() == m.rank;
  if (!packs_) return;
  inverse_kernel(m, home_, d_);
  first_effort_ = (d_.elastic_legs ? d_.elastic_legs->actuated : d_.efforts).smallest_pivot;
}

std::string_view DynamicsBatch::instructions() const { return lane_kernels().instructions; }

void DynamicsBatch::one(bool inverse, const Arrays& x, std::size_t s, Workspace<double>& w, Dynamics<double>& d) const {
  const auto read = [&](const BatchArray<const double>& from, VecX<double>& to) {
    for (Eigen::Index i = 0; i < to.size(); ++i) to[i] = from(i, s);
  };
  read(x.q, w.q);
  read(x.v, w.v);
  read(x.in, inverse ? w.a : w.tau);
  x.status[s] = (inverse ? inverse_dynamics(m_, w, d) : forward_dynamics(m_, w, d)).status;
  const VecX<double>& y = inverse ? w.tau : w.a;
  const bool ok = x.status[s] == Status::ok;
  for (Eigen::Index i = 0; i < y.size(); ++i) x.out(i, s) = ok ? y[i] : std::numeric_limits<double>::quiet_NaN();
}

void DynamicsBatch::run(bool inverse, const Arrays& x) const {
  const bool packs = packs_ && kernel() != nullptr && (inverse || d_.no_forward.empty());
  const bool leg_wise = inverse ? d_.inverse_is_leg_wise() : d_.forward_is_leg_wise();
  const double poor = choose_again * (leg_wise ? d_.first_leg_pivot : d_.first_pivot);
  std::vector<char> alone(x.n, 1);
  tbb::parallel_for(std::size_t(0), (x.n + block - 1) / block, [&](std::size_t b) {
    const std::size_t first = b * block, last = std::min(x.n, first + block);
    if (packs)
      kernel()(m_, d_, inverse, {first, last, x.q, x.v, x.in, x.out, alone.data(), poor, hardly_holds * first_effort_});
    std::optional<Workspace<double>> w;
    std::optional<Dynamics<double>> d;
    for (std::size_t s = first; s < last; ++s) {
      x.status[s] = Status::ok;
      if (alone[s] == 0) continue;
      if (!d) w.emplace(home_), d.emplace(d_);
      one(inverse, x, s, *w, *d);
    }
  });
}

void DynamicsBatch::inverse(std::span<const double> q, std::span<const double> v, std::span<const double> a,
                            std::span<double> tau, std::span<Status> status, BatchLayout layout) const {
  const std::size_t n = status.size(), nq = static_cast<std::size_t>(m_.nq), nv = static_cast<std::size_t>(m_.nv);
  run(true, {n, array_of("positions", q, nq, n, layout), array_of("rates", v, nv, n, layout),
             array_of("accelerations", a, nv, n, layout), array_of("forces", tau, m_.actuator.size(), n, layout),
             status.data()});
}

void DynamicsBatch::forward(std::span<const double> q, std::span<const double> v, std::span<const double> tau,
                            std::span<double> a, std::span<Status> status, BatchLayout layout) const {
  const std::size_t n = status.size(), nq = static_cast<std::size_t>(m_.nq), nv = static_cast<std::size_t>(m_.nv);
  run(false, {n, array_of("positions", q, nq, n, layout), array_of("rates", v, nv, n, layout),
              array_of("forces", tau, m_.actuator.size(), n, layout), array_of("accelerations", a, nv, n, layout),
              status.data()});
}

}  // namespace gough
