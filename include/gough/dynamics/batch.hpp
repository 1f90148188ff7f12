#pragma once
/// Many states at once through the kernels of the library: any robot, any formulation, no code generated.
///
///   gough::DynamicsBatch batch(robot);
///   batch.inverse(q, v, a, tau, status);    // entry i of state s of n at [i n + s]
///
/// Two, four or eight states are one pack, as the machine can, and blocks of them go to all cores. Where legs are lanes already
/// (leg_lanes.hpp), a state at a time is faster, and is taken. Pivots are those of home: a state for which they are poor is
/// computed again by itself, with its own.
#include <span>

#include "gough/dynamics/dynamics.hpp"

namespace gough {

/// How the arrays of a batch of n states lie: entry i of state s at [i n + s], or at [s size + i].
enum class BatchLayout { by_entry, by_state };

class DynamicsBatch {
 public:
  explicit DynamicsBatch(const Mechanism<double>& m, const DynamicsOptions& o = {});

  /// Closed motions q (nq), v, a (nv), without external forces. Writes tau (actuators) and a status for each state; tau of a state
  /// that is not ok is not a number. Throws Error where a span has another size.
  void inverse(std::span<const double> q, std::span<const double> v, std::span<const double> a, std::span<double> tau,
               std::span<Status> status, BatchLayout layout = BatchLayout::by_entry) const;
  /// The same for a (nv) from tau.
  void forward(std::span<const double> q, std::span<const double> v, std::span<const double> tau, std::span<double> a,
               std::span<Status> status, BatchLayout layout = BatchLayout::by_entry) const;

  /// avx512, avx2 or plain: of the packs, or of the legs.
  std::string_view instructions() const;
  bool in_packs() const { return packs_; }

 private:
  struct Arrays;
  void run(bool inverse, const Arrays& x) const;
  void one(bool inverse, const Arrays& x, std::size_t s, Workspace<double>& w, Dynamics<double>& d) const;

  const Mechanism<double>& m_;
  Workspace<double> home_;
  Dynamics<double> d_;
  bool packs_ = false;
  double first_effort_ = 0;
};

}  // namespace gough
