#include <algorithm>
#include <cmath>
#include <deque>
#include <memory>
#include <numbers>

#include "gough/control/control.hpp"
#include "gough/error.hpp"

namespace gough {
namespace {

/// Measures, asks, waits and limits.
class Sampler {
 public:
  Sampler(const Mechanism<double>& plant, Reference reference, ControlLaw law, const SamplingOptions& o)
      : reference_(std::move(reference)), law_(std::move(law)), options_(o) {
    if (reference_.rows.empty()) throw Error(plant.name + ": read a reference without rows, expected some");
    for (const int a : plant.actuator) {
      const Coordinate& c = plant.coordinate[static_cast<std::size_t>(a)];
      place_.push_back(position_index(plant, a));
      limit_.push_back(std::min(options_.force, c.force));
    }
    standing_ = standing_at(plant, reference_.rows.front().q).tau;
    clipped_ = VecX<double>::Zero(standing_.size());
    acts_ = standing_;
    queue_.assign(static_cast<std::size_t>(std::max(0, options_.delay)), standing_);
  }

  void operator()(double t, Workspace<double>& w) {
    if (last_q_.size() == 0 || t >= next_) ask(t, w);
    w.tau = acts_;
  }

 private:
  void ask(double t, const Workspace<double>& w) {
    next_ = t + (1 - 1e-6) * reference_.period;
    const VecX<double> q = measured(w);
    const Reference::Row& desired = reference_.at(t);
    if (last_q_.size() == 0) {
      v_ = desired_v_ = VecX<double>::Zero(q.size());
    } else {
      estimate(q - last_q_, t - last_t_, v_);
      estimate(desired.q - last_desired_, t - last_t_, desired_v_);
    }
    last_q_ = q, last_desired_ = desired.q, last_t_ = t;
    queue_.push_back(
        law_({t, reference_.period, q, v_, desired.q, desired_v_, reference_.at(t + options_.delay * reference_.period),
              standing_, reference_.resting, clipped_}));
    act(queue_.front());
    queue_.pop_front();
  }
  VecX<double> measured(const Workspace<double>& w) const {
    VecX<double> q(static_cast<Eigen::Index>(place_.size()));
    for (std::size_t i = 0; i < place_.size(); ++i) {
      const double x = w.q[place_[i]];
      q[static_cast<Eigen::Index>(i)] = options_.encoder > 0 ? options_.encoder * std::round(x / options_.encoder) : x;
    }
    return q;
  }
  /// Differences through the low pass.
  void estimate(const VecX<double>& step, double time, VecX<double>& v) const {
    const double corner = 2 * std::numbers::pi * options_.velocity_filter;
    const double share = corner > 0 ? 1 - std::exp(-corner * time) : 1;
    v += share * (step / time - v);
  }
  void act(const VecX<double>& wanted) {
    const double step = options_.force_rate * reference_.period;
    for (Eigen::Index i = 0; i < wanted.size(); ++i) {
      const double most = limit_[static_cast<std::size_t>(i)];
      const double low = std::max(-most, acts_[i] - step), high = std::max(low, std::min(most, acts_[i] + step));
      acts_[i] = std::clamp(wanted[i], low, high);
      clipped_[i] = wanted[i] > high ? 1 : wanted[i] < low ? -1 : 0;
    }
  }

  Reference reference_;
  ControlLaw law_;
  SamplingOptions options_;
  std::vector<int> place_;
  std::vector<double> limit_;
  VecX<double> standing_, clipped_, acts_, last_q_, v_, last_desired_, desired_v_;
  double last_t_ = 0, next_ = 0;
  std::deque<VecX<double>> queue_;
};

}  // namespace

Controller sampled(const Mechanism<double>& plant, Reference reference, ControlLaw law,
                   const SamplingOptions& options) {
  auto sampler = std::make_shared<Sampler>(plant, std::move(reference), std::move(law), options);
  return [sampler](double t, Workspace<double>& w) { (*sampler)(t, w); };
}

}  // namespace gough
