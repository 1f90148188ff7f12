#include "gough/identification/consistent.hpp"

#include <Eigen/Cholesky>
#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <limits>

#include "gough/error.hpp"
#include "gough/spatial/eigen_pairs.hpp"
#include "gough/spatial/rank.hpp"

namespace gough {
namespace {

using Ten = Eigen::Matrix<double, 10, 1>;
using Pseudo = Eigen::Matrix4d;
constexpr double prior = 1e-6;                            // weight of the file's values, in units of a body's own size;
constexpr double least_prior = 1e-10, most_prior = 1e-7;  // and of what data say: it must not move what they show
constexpr double little = 1e-3;                           // of the robot's largest: no size is smaller
constexpr double first_inside = 1e-3;                     // of its trace, that a body is moved inside to begin with
constexpr double first_barrier = 1, last_barrier = 1e-7;

Pseudo pseudo_inertia(const Ten& p) {
  const Inertia<double> I = inertia_of(p);
  Pseudo P;
  P.topLeftCorner<3, 3>() = 0.5 * I.second.trace() * Mat3<double>::Identity() - I.second;
  P.topRightCorner<3, 1>() = I.first;
  P.bottomLeftCorner<1, 3>() = I.first.transpose();
  P(3, 3) = I.mass;
  return P;
}

/// A body of the space: which of its parameters are looked at, and the values of the others.
struct SpaceBody {
  std::string name;
  std::vector<std::pair<int, int>> entries;  ///< of the ten, in the space
  Ten file;
  Pseudo at(const VecX<double>& p) const {
    Ten x = file;
    for (const auto& [k, i] : entries) x[k] = p[i];
    return pseudo_inertia(x);
  }
};

std::vector<SpaceBody> bodies_of(const Mechanism<double>& m, const ParameterSpace& space) {
  std::vector<SpaceBody> bodies;
  int last = -1;
  for (int i = 0; i < space.inertial; ++i) {
    const ParameterSpace::Entry& e = space.entry[static_cast<std::size_t>(i)];
    if (e.body != last) {
      const auto j = static_cast<std::size_t>(e.body);
      bodies.push_back({m.body_name[j], {}, body_parameters<double>(m.body_frame[j].inverse() * m.inertia[j])});
      last = e.body;
    }
    bodies.back().entries.emplace_back(e.index, i);
  }
  return bodies;
}

/// (I9): quadratic but for its barrier.
class Barrier {
 public:
  Barrier(const Mechanism<double>& m, const BaseParameters& b, const VecX<double>& theta, const MatX<double>& A)
      : space_(b.space), bodies_(bodies_of(m, b.space)) {
    const MatX<double> K = b.combinations(), shown = congruence(A, K);
    VecX<double> weight = prior * sizes().array().square().inverse();
    for (Eigen::Index i = 0; i < weight.size(); ++i)
      if (const double information = shown(i, i); information > 0)
        weight[i] = std::clamp(weight[i], least_prior * information, most_prior * information);
    Q_ = shown + MatX<double>(weight.asDiagonal());
    free_ = scaled_solution(Q_, K.transpose() * A * theta + weight.asDiagonal() * space_.value);
  }

  VecX<double> solved() {
    VecX<double> p = start();
    for (double mu = first_barrier; mu >= last_barrier; mu *= 0.1)
      for (int k = 0; k < 60 && step(mu, p); ++k) {}
    return p;
  }

 private:
  /// Of each parameter: its body's own, or the coefficient.
  VecX<double> sizes() const {
    double heaviest = 0, longest2 = 0;
    std::vector<std::pair<double, double>> own;  // mass, squared length
    for (const SpaceBody& body : bodies_) {
      const Pseudo P = body.at(space_.value);
      own.emplace_back(P(3, 3), P(3, 3) > 0 ? P.topLeftCorner<3, 3>().trace() / P(3, 3) : 0);
      heaviest = std::max(heaviest, own.back().first), longest2 = std::max(longest2, own.back().second);
    }
    VecX<double> size(space_.size());
    for (std::size_t b = 0; b < bodies_.size(); ++b) {
      const double mass = std::max({own[b].first, little * heaviest, 1e-9}),
                   length2 = std::max({own[b].second, little * longest2, 1e-9});
      for (const auto& [k, i] : bodies_[b].entries)
        size[i] = k < 6 ? mass * length2 : k < 9 ? mass * std::sqrt(length2) : mass;
    }
    const auto friction = space_.size() - space_.inertial;
    const double largest = friction > 0 ? space_.value.tail(friction).cwiseAbs().maxCoeff() : 0;
    for (int i = space_.inertial; i < space_.size(); ++i)
      size[i] = std::max({std::abs(space_.value[i]), little * largest, 1e-6});
    return size;
  }

  /// H x = g where rows differ by orders of magnitude.
  static VecX<double> scaled_solution(const MatX<double>& H, const VecX<double>& g) {
    const VecX<double> s = H.diagonal().cwiseSqrt().cwiseInverse();
    return s.asDiagonal() * symmetric_solution(s.asDiagonal() * H * s.asDiagonal(), s.asDiagonal() * g);
  }

  /// The file's values, a little inside where they are at the border (thin rods, no friction).
  VecX<double> start() const {
    VecX<double> p = space_.value;
    for (const SpaceBody& b : bodies_) {
      const double trace = std::max(b.at(p).trace(), 1e-9);
      for (double more = first_inside * trace; smallest(b.at(p)) < 0.1 * first_inside * trace && more < 1e3 * trace;
           more *= 4)
        for (const auto& [k, i] : b.entries)
          if (k == 0 || k == 3 || k == 5) p[i] += 2 * more;
          else if (k == 9) p[i] += more;
      if (!(smallest(b.at(p)) > 0))
        throw Error(b.name +
                    ": read a body that cannot exist while its other entries stay as declared, expected "
                    "`symmetric` to name all three of Ixx, Iyy and Izz");
    }
    for (int i = space_.inertial; i < space_.size(); ++i) p[i] = std::max(p[i], 1e-6);
    return p;
  }
  static double smallest(const Pseudo& P) { return eigen_pairs(P).s[0]; }

  double value(double mu, const VecX<double>& p) const {
    double f = 0.5 * (p - free_).dot(Q_ * (p - free_));
    for (const SpaceBody& b : bodies_) {
      const Eigen::LLT<Pseudo> llt(b.at(p));
      if (llt.info() != Eigen::Success) return std::numeric_limits<double>::infinity();
      f -= 2 * mu * llt.matrixL().toDenseMatrix().diagonal().array().log().sum();
    }
    for (int i = space_.inertial; i < space_.size(); ++i) {
      if (p[i] <= 0) return std::numeric_limits<double>::infinity();
      f -= mu * std::log(p[i]);
    }
    return f;
  }

  /// One step of Newton's; false: there is nothing left to gain.
  bool step(double mu, VecX<double>& p) const {
    VecX<double> g = Q_ * (p - free_);
    MatX<double> H = Q_;
    for (const SpaceBody& b : bodies_) {
      const Pseudo inverse = b.at(p).inverse();
      std::vector<Pseudo> E;
      for (const auto& entry : b.entries) E.emplace_back(inverse * pseudo_inertia(Ten::Unit(entry.first)));
      for (std::size_t i = 0; i < E.size(); ++i) {
        g[b.entries[i].second] -= mu * E[i].trace();
        for (std::size_t j = 0; j < E.size(); ++j)
          H(b.entries[i].second, b.entries[j].second) += mu * (E[i] * E[j]).trace();
      }
    }
    for (int i = space_.inertial; i < space_.size(); ++i) g[i] -= mu / p[i], H(i, i) += mu / (p[i] * p[i]);
    const VecX<double> d = -scaled_solution(H, g);
    const double slope = g.dot(d), now = value(mu, p);
    if (!(slope < -1e-9) || !std::isfinite(now)) return false;
    for (double t = 1; t > 1e-10; t *= 0.5)
      if (value(mu, p + t * d) <= now + 0.25 * t * slope) {
        p += t * d;
        return true;
      }
    return false;
  }

  const ParameterSpace& space_;
  std::vector<SpaceBody> bodies_;
  MatX<double> Q_;
  VecX<double> free_;  ///< where it is least without the barrier
};

}  // namespace

VecX<double> existing_parameters(const Mechanism<double>& m, const BaseParameters& b, const VecX<double>& theta,
                                 const MatX<double>& A) {
  return Barrier(m, b, theta, A).solved();
}

double least_existence(const Mechanism<double>& m, const ParameterSpace& space, const VecX<double>& p) {
  double least = std::numeric_limits<double>::infinity();
  for (const SpaceBody& b : bodies_of(m, space)) {
    const Pseudo P = b.at(p);
    const double s = eigen_pairs(P).s[0];
    least = std::min(least, s / std::max(P.trace(), 1e-12));
  }
  return least;
}

}  // namespace gough
