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

BatchKernel kernel() {
#ifdef GOUGH_X86
  const std::string_view instructions = lane_kernels().instructions;
  if (instructions == "avx512") return batch_kernel_avx512();
  if (instructions == "avx2") return batch_kernel_avx2();
#endif
  return batch_kernel_plain();
}

void check_size(const char* what, std::size_t read, std::size_t expected) {
  if (read != expected) throw Error(fmt::format("batch: read {} {}, expected {}", read, what, expected));
}

}  // namespace

struct DynamicsBatch::Arrays {
  std::size_t n;
  const double *q, *v, *in;
  double* out;
  Status* status;
};

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
  const auto read = [&](const double* from, VecX<double>& to) {
    for (Eigen::Index i = 0; i < to.size(); ++i) to[i] = from[static_cast<std::size_t>(i) * x.n + s];
  };
  read(x.q, w.q);
  read(x.v, w.v);
  read(x.in, inverse ? w.a : w.tau);
  x.status[s] = (inverse ? inverse_dynamics(m_, w, d) : forward_dynamics(m_, w, d)).status;
  const VecX<double>& y = inverse ? w.tau : w.a;
  const bool ok = x.status[s] == Status::ok;
  for (Eigen::Index i = 0; i < y.size(); ++i)
    x.out[static_cast<std::size_t>(i) * x.n + s] = ok ? y[i] : std::numeric_limits<double>::quiet_NaN();
}

void DynamicsBatch::run(bool inverse, const Arrays& x) const {
  const bool packs = packs_ && (inverse || d_.no_forward.empty());
  const bool leg_wise = inverse ? d_.inverse_is_leg_wise() : d_.forward_is_leg_wise();
  const double poor = choose_again * (leg_wise ? d_.first_leg_pivot : d_.first_pivot);
  std::vector<char> alone(x.n, 1);
  tbb::parallel_for(std::size_t(0), (x.n + block - 1) / block, [&](std::size_t b) {
    const std::size_t first = b * block, last = std::min(x.n, first + block);
    if (packs)
      kernel()(m_, d_, inverse,
               {x.n, first, last, x.q, x.v, x.in, x.out, alone.data(), poor, hardly_holds * first_effort_});
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
                            std::span<double> tau, std::span<Status> status) const {
  const std::size_t n = status.size();
  check_size("positions", q.size(), n * static_cast<std::size_t>(m_.nq));
  check_size("rates", v.size(), n * static_cast<std::size_t>(m_.nv));
  check_size("accelerations", a.size(), n * static_cast<std::size_t>(m_.nv));
  check_size("forces", tau.size(), n * m_.actuator.size());
  run(true, {n, q.data(), v.data(), a.data(), tau.data(), status.data()});
}

void DynamicsBatch::forward(std::span<const double> q, std::span<const double> v, std::span<const double> tau,
                            std::span<double> a, std::span<Status> status) const {
  const std::size_t n = status.size();
  check_size("positions", q.size(), n * static_cast<std::size_t>(m_.nq));
  check_size("rates", v.size(), n * static_cast<std::size_t>(m_.nv));
  check_size("forces", tau.size(), n * m_.actuator.size());
  check_size("accelerations", a.size(), n * static_cast<std::size_t>(m_.nv));
  run(false, {n, q.data(), v.data(), tau.data(), a.data(), status.data()});
}

}  // namespace gough
