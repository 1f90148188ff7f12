#include "gough/flexible/elastodynamics.hpp"

#include <fmt/format.h>

#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <numbers>

#include "flex_outputs.hpp"
#include "gough/error.hpp"
#include "gough/spatial/rank.hpp"

namespace gough {
namespace {

/// Chung and Hulbert's coefficients for a spectral radius at infinity.                       (F7)
struct Alpha {
  explicit Alpha(double rho)
      : m((2 * rho - 1) / (rho + 1)),
        f(rho / (rho + 1)),
        gamma(0.5 + f - m),
        beta(0.25 * (gamma + 0.5) * (gamma + 0.5)) {}
  double m, f, gamma, beta;
  double share() const { return (1 - f) / (1 - m); }
};

/// U and lambda from state to state.
class Integrator {
 public:
  Integrator(FlexEquations& e, const FlexOptions& o) : e_(e), o_(o), alpha_(o.rho), solver_(e.pattern()) {
    U = dU = ddU_ = a_ = VecX<double>::Zero(e.model().size);
    lambda = VecX<double>::Zero(e.model().rows());
  }

  /// K U + J^T lambda = P, J U = 0. False: singular.
  bool quasistatic() {
    e_.combine(0, 0, 1, values_);
    if (!static_solver_) static_solver_.emplace(e_.pattern());
    if (!static_solver_->factor(values_)) return false;
    const VecX<double> b = with_rows(e_.P);
    VecX<double> x = b;
    static_solver_->solve(x);
    VecX<double> r = b;  // refined once: K is much larger than J
    e_.pattern().add_product(values_, -1, x, r);
    static_solver_->solve(r);
    x += r;
    take(x, U, lambda);
    return x.allFinite();
  }

  /// The accelerations of the start: M U'' + J^T lambda = P - C U' - K U, J U'' = 0; where bodies without mass make that
  /// singular, with (M + small K).
  bool start(double h) {
    const VecX<double> right = with_rows(rest(U, dU));
    for (const double small : {0.0, alpha_.beta * h * h}) {
      e_.combine(1, 0, small, values_);
      VecX<double> x = right;
      if (!solver_.factor(values_)) continue;
      solver_.solve(x);
      VecX<double> r = right;
      e_.pattern().add_product(values_, -1, x, r);
      if (!(r.cwiseAbs().maxCoeff() <= 1e-6 * (1e-12 + right.cwiseAbs().maxCoeff()))) continue;
      take(x, ddU_, lambda);
      a_ = ddU_;
      return true;
    }
    return false;
  }

  /// From the state before, h ago; reads the equations of now.
  bool step(double h, const FlexModes* damped) {
    const double b = alpha_.share(), beta = alpha_.beta * h * h, gamma = alpha_.gamma * h;
    const VecX<double> c = (alpha_.f * ddU_ - alpha_.m * a_) / (1 - alpha_.m);
    const VecX<double> u = U + h * dU + (0.5 * h * h - beta) * a_ + beta * c;
    const VecX<double> v = dU + (h - gamma) * a_ + gamma * c;
    e_.combine(1, gamma * b, beta * b, values_);
    if (!solver_.factor(values_)) return false;
    VecX<double> x = with_rows(rest(u, v));
    VecX<double> gap = VecX<double>::Zero(e_.all());
    e_.pattern().add_product(e_.J, -1 / (beta * b), u, gap);
    x.tail(lambda.size()) = gap.tail(lambda.size());
    if (damped != nullptr && o_.modal_damping > 0) solve_damped(*damped, gamma * b, v, x);
    else solver_.solve(x);
    if (!x.allFinite()) return false;
    take(x, ddU_, lambda);
    a_ = b * ddU_ + c;
    U = u + beta * b * ddU_;
    dU = v + gamma * b * ddU_;
    return true;
  }

  /// What a quasi-static start moves with: the parabola through three states, a and a + b later.
  void rates(const VecX<double>& second, const VecX<double>& third, double a, double b) {
    const VecX<double> first_way = (second - U) / a, next_way = (third - second) / b;
    dU = first_way - (next_way - first_way) * (a / (a + b));
  }

  VecX<double> U, dU, lambda;

 private:
  VecX<double> with_rows(const VecX<double>& top) const {
    VecX<double> x = VecX<double>::Zero(e_.all());
    x.head(top.size()) = top;
    return x;
  }
  static void take(const VecX<double>& x, VecX<double>& top, VecX<double>& bottom) {
    top = x.head(top.size());
    bottom = x.tail(bottom.size());
  }
  /// P - C v - K u
  VecX<double> rest(const VecX<double>& u, const VecX<double>& v) const {
    VecX<double> r = e_.P;
    e_.pattern().add_product(e_.C, -1, v, r);
    e_.pattern().add_product(e_.K, -1, u, r);
    return r;
  }

  /// C also has Z D Z^T, Z = M phi, D = 2 zeta omega: a correction of low rank.                (F8)
  void solve_damped(const FlexModes& modes, double factor, const VecX<double>& v, VecX<double>& x) {
    const Eigen::Index k = modes.frequency.size(), n = e_.model().size;
    MatX<double> Z = MatX<double>::Zero(e_.all(), k);
    VecX<double> D(k);
    for (Eigen::Index i = 0; i < k; ++i) {
      VecX<double> z = VecX<double>::Zero(n);
      e_.pattern().add_product(e_.M, 1, modes.shape.col(i), z);
      Z.col(i).head(n) = z;
      D[i] = 2 * o_.modal_damping * 2 * std::numbers::pi * std::abs(modes.frequency[i]);
    }
    x.head(n) -= Z.topRows(n) * (D.asDiagonal() * (Z.topRows(n).transpose() * v)).eval();
    MatX<double> Y = Z;
    solver_.solve(Y);
    solver_.solve(x);
    const MatX<double> small = MatX<double>::Identity(k, k) + factor * D.asDiagonal() * (Z.transpose() * Y);
    x -= Y * (small.partialPivLu().solve(factor * (D.asDiagonal() * (Z.transpose() * x)).eval())).eval();
  }

  FlexEquations& e_;
  const FlexOptions& o_;
  Alpha alpha_;
  SparseSolver solver_;
  std::optional<SparseSolver> static_solver_;
  VecX<double> ddU_, a_;  ///< U'', and the method's own acceleration
  std::vector<double> values_;
};

/// The mechanism without what acts in its joints beside reactions and drives: friction, dampers, rotors.
Mechanism<double> links_alone(Mechanism<double> m) {
  for (Coordinate& c : m.coordinate) c.friction.clear();
  std::fill(m.rotor_inertia.begin(), m.rotor_inertia.end(), 0.0);
  std::fill(m.damping.begin(), m.damping.end(), 0.0);
  return m;
}
bool has_more_than_links(const Mechanism<double>& m) {
  const auto any = [](const std::vector<double>& x) {
    return std::any_of(x.begin(), x.end(), [](double y) { return y != 0; });
  };
  return any(m.rotor_inertia) || any(m.damping) ||
         std::any_of(m.coordinate.begin(), m.coordinate.end(), [](const Coordinate& c) { return !c.friction.empty(); });
}

/// Drives carry joint friction and rotors as they do in the rigid robot: what those add, state by state.
std::vector<VecX<double>> beside_links(const Mechanism<double>& m, std::span<const KnownState> states,
                                       const FlexOptions& o) {
  std::vector<VecX<double>> all;
  if (!has_more_than_links(m)) return all;
  AlongOptions along;
  along.loads = o.loads;
  (void)inverse_along(m, states, along, [&](const AlongRow& row) {
    all.push_back(row.w.tau);
    return true;
  });
  return all;
}

/// Whether a wrench on the platform leaves the plane of x and y.
bool across(std::span<const KnownState> states) {
  return std::any_of(states.begin(), states.end(), [](const KnownState& s) {
    return s.wrench.force.z() != 0 || s.wrench.moment.x() != 0 || s.wrench.moment.y() != 0;
  });
}

class Run {
 public:
  Run(const Mechanism<double>& m, std::span<const KnownState> states, const FlexOptions& o, const OnFlexResult& on)
      : m_(m),
        states_(states),
        o_(o),
        on_(on),
        f_(flexible_model(m, o.space, {o.loads, across(states), o.points})),
        e_(f_, equation_options()),
        integrator_(e_, o),
        tracker_(e_, std::max(1, o.frequencies)),
        full_(beside_links(m, states, o)) {}

  FlexAnswer go() {
    AlongOptions along;
    along.reactions = true;
    along.loads = o_.loads;
    const Mechanism<double> links = links_alone(m_);
    if (o_.start == FlexStart::quasistatic && o_.vibrates) prepare_rates(links, along);
    answer_.along = inverse_along(links, states_, along, [&](const AlongRow& row) { return next(row); });
    if (!singular_.empty() && answer_.along.ok()) {
      answer_.along.status = Status::singular;
      answer_.along.stopped = false;  // it was not the caller who wanted no more
      answer_.along.reason = singular_;
      answer_.along.t = states_[last_].motion.t;
      answer_.along.line = states_[last_].motion.line;
    }
    answer_.coordinates = f_.size;
    answer_.rows = f_.rows();
    answer_.planar = f_.planar;
    return answer_;
  }

 private:
  FlexEquations::Options equation_options() const {
    FlexEquations::Options e{o_.geometric, o_.damping, {}};
    for (const PointLoad& l : o_.loads) e.forces.push_back({f_.hold(l.body, l.at), l.force});
    return e;
  }

  /// The next two states' quasi-static shapes, for the rates of the first.
  void prepare_rates(const Mechanism<double>& links, const AlongOptions& along) {
    if (states_.size() < 3) return;
    (void)inverse_along(links, states_.first(3), along, [&](const AlongRow& row) {
      e_.write(rigid_state(m_, f_, row.w, row.reactions, states_[row.index].wrench));
      if (!integrator_.quasistatic()) return false;
      early_.push_back(integrator_.U);
      return true;
    });
  }

  bool next(const AlongRow& row) {
    const std::size_t i = row.index;
    last_ = i;
    rigid_ = rigid_state(m_, f_, row.w, row.reactions, states_[i].wrench);
    e_.write(rigid_);
    if (!move(i)) {
      singular_ = "the elastic equations are singular: a body is not held, or a beam gives way";
      return false;
    }
    const bool wanted = (i % o_.every == 0 && !states_[i].between) || i + 1 == states_.size();
    const bool track = o_.frequencies > 0 && (wanted || i == 0);
    if (track) modes_ = tracker_.at(e_);
    see_range(m_, e_, modes_, integrator_.U, row.t, answer_.range);
    return !wanted || hand_out(row);
  }

  bool move(std::size_t i) {
    if (!o_.vibrates) return integrator_.quasistatic();
    if (i > 0) {
      const FlexModes* damped = o_.modal_damping > 0 ? &modes_ : nullptr;
      return integrator_.step(states_[i].motion.t - states_[i - 1].motion.t, damped);
    }
    const double h = states_.size() > 1 ? states_[1].motion.t - states_[0].motion.t : 1e-3;
    if (o_.start == FlexStart::given) take_given();
    if (o_.start == FlexStart::quasistatic) {
      if (!integrator_.quasistatic()) return false;
      if (early_.size() == 3) integrator_.rates(early_[1], early_[2], h, states_[2].motion.t - states_[1].motion.t);
    }
    return integrator_.start(h);
  }

  /// The shape with the given displacements that stores the least energy, and the least motion with the given rates. Throws Error where the
  /// joints do not allow them.                                                                                (F7b)
  void take_given() {
    const int per_node = f_.per_node();
    std::vector<Given> shape, motion;
    for (const NodeStart& n : o_.given) {
      if (n.body < 0 || n.body >= m_.tree_size() || n.node < 0 || at(n.node) >= f_.nodes_of[at(n.body)].size())
        throw Error(fmt::format("{}: the start: read node {} of '{}', expected one that is there", m_.name, n.node,
                                n.body >= 0 && n.body < m_.tree_size() ? m_.body_name[at(n.body)] : "?"));
      const FlexNode& node = f_.node[at(f_.nodes_of[at(n.body)][at(n.node)])];
      const Mat3<double>& R = rigid_.body[at(n.body)].R;
      for (int k = 0; k < 6; ++k) {
        VecX<double> of = VecX<double>::Zero(per_node);
        if (!f_.planar) of.segment<3>(k < 3 ? 0 : 3) = R.row(k % 3).transpose();
        else if (k < 2) of.head<2>() = R.row(k).head<2>().transpose();
        else if (k == 5) of[2] = R(2, 2);
        const auto take = [&](const std::array<std::optional<double>, 6>& from, std::vector<Given>& to) {
          if (!from[at(k)]) return;
          if (of.isZero(0) && *from[at(k)] != 0)
            throw Error(fmt::format("{}: the start: read a displacement of '{}' out of the plane, expected 0 there",
                                    m_.name, m_.body_name[at(n.body)]));
          if (!of.isZero(0)) to.push_back({node.first, of, *from[at(k)]});
        };
        take(n.d, shape);
        take(n.rate, motion);
      }
    }
    const MatX<double> K = e_.full(e_.K), J = e_.full_rows();
    integrator_.U = least(0.5 * (K + K.transpose()), J, shape, "displacements");
    integrator_.dU = least(e_.full(e_.M), J, motion, "rates");
  }

  /// One given number: `of` times the coordinates from `first` on is `value`.
  struct Given {
    int first;
    VecX<double> of;
    double value;
  };

  /// The x with the least x^T A x of those with J x = 0 and what is given.
  VecX<double> least(const MatX<double>& A, const MatX<double>& J, const std::vector<Given>& given,
                     const char* what) const {
    const auto n = A.rows(), rows = J.rows() + static_cast<Eigen::Index>(given.size());
    if (given.empty()) return VecX<double>::Zero(n);
    MatX<double> C = MatX<double>::Zero(rows, n);
    VecX<double> d = VecX<double>::Zero(rows);
    C.topRows(J.rows()) = J;
    for (std::size_t i = 0; i < given.size(); ++i) {
      const auto row = J.rows() + static_cast<Eigen::Index>(i);
      C.row(row).segment(given[i].first, given[i].of.size()) = given[i].of.transpose();
      d[row] = given[i].value;
    }
    const VecX<double> one = least_squares(C, d, 1e-9);
    const double missed = (C * one - d).cwiseAbs().maxCoeff();
    if (!(missed <= 1e-6 * d.cwiseAbs().maxCoeff()))
      throw Error(fmt::format(
          "{}: the start: read {} of nodes that the joints do not allow together ({:.2g} m or rad are left), "
          "expected a shape that keeps the joints closed",
          m_.name, what, missed));
    const MatX<double> N = null_space(C);
    if (N.cols() == 0) return one;
    return one - N * least_squares(congruence(A, N), N.transpose() * (A * one), 1e-12);
  }

  bool hand_out(const AlongRow& row) {
    const VecX<double>& U = integrator_.U;
    const VecX<double> none = VecX<double>::Zero(row.w.tau.size());
    const VecX<double> more = full_.size() > row.index ? VecX<double>(full_[row.index] - row.w.tau) : none;
    FlexResult r{row.index,
                 row.t,
                 row,
                 row.w,
                 Vec6<double>::Zero(),
                 none,
                 row.w.tau + more,
                 0,
                 -1,
                 modes_.frequency,
                 {},
                 0,
                 0,
                 e_,
                 rigid_,
                 U,
                 integrator_.dU,
                 integrator_.lambda};
    if (f_.platform.node >= 0) r.error = displacement_of(f_, rigid_, f_.platform, U);
    for (const FlexPoint& p : o_.points) r.points.push_back(displacement_of(f_, rigid_, f_.hold(p.body, p.at), U));
    for (std::size_t k = 0; k < f_.actuator_row.size(); ++k)
      r.tau[static_cast<Eigen::Index>(k)] = -integrator_.lambda[f_.actuator_row[k]];
    r.tau += more;
    const Stress s = largest_stress(e_, U);
    r.stress = s.value;
    r.stressed = s.element;
    r.strain_energy = e_.strain_energy(U);
    r.kinetic_energy = e_.kinetic_energy(integrator_.dU);
    ++answer_.results;
    return on_(r);
  }

  const Mechanism<double>& m_;
  std::span<const KnownState> states_;
  const FlexOptions& o_;
  const OnFlexResult& on_;
  FlexibleModel f_;
  FlexEquations e_;
  Integrator integrator_;
  ModeTracker tracker_;
  FlexModes modes_;
  std::vector<VecX<double>> full_, early_;
  RigidState rigid_;
  std::string singular_;
  std::size_t last_ = 0;
  FlexAnswer answer_;
};

void check_options(const Mechanism<double>& m, const FlexOptions& o) {
  const auto fail = [&](const std::string& what) { throw Error(m.name + ": " + what); };
  if (!(o.rho >= 0 && o.rho <= 1)) fail(fmt::format("read rho = {:g}, expected 0 to 1", o.rho));
  if (!(o.modal_damping >= 0 && o.modal_damping < 1))
    fail(fmt::format("read a modal damping of {:g}, expected 0 or more and below 1", o.modal_damping));
  if (o.damping && !(o.damping->mass >= 0 && o.damping->stiffness >= 0))
    fail("read a negative damping, expected 0 or more");
  if (o.modal_damping > 0 && o.frequencies < 1) fail("read modal damping of no mode, expected some frequencies");
  if (o.every < 1) fail("read every 0th state, expected 1 or more");
  for (const PointLoad& l : o.loads)
    if (l.body < 0 || l.body >= m.tree_size()) fail("read a load on no body, expected one of the robot's");
}

}  // namespace

Vec6<double> displacement_of(const FlexibleModel& f, const RigidState& s, const Held& held, const VecX<double>& U) {
  const FlexNode& n = f.node[at(held.node)];
  const Mat3<double>& R = s.body[at(n.body)].R;
  Vec3<double> u = Vec3<double>::Zero(), turn = u;
  if (f.planar) {
    u.head<2>() = U.segment<2>(n.first);
    turn.z() = U[n.first + 2];
  } else {
    u = U.segment<3>(n.first);
    turn = U.segment<3>(n.first + 3);
  }
  Vec6<double> e = (Vec6<double>() << R * (u + cross<double>(turn, held.arm)), R * turn).finished();
  if (f.planar) e.segment<3>(2).setZero();  // not even rounding leaves the plane
  return e;
}

FlexAnswer flex_along(const Mechanism<double>& m, std::span<const KnownState> states, const FlexOptions& options,
                      const OnFlexResult& on_result) {
  check_options(m, options);
  return Run(m, states, options, on_result).go();
}

}  // namespace gough
