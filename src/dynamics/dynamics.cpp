#include "gough/dynamics/dynamics.hpp"

#include <fmt/format.h>

#include <Eigen/Geometry>
#include <algorithm>

#include "choose_again.hpp"
#include "gough/dynamics/legs.hpp"
#include "gough/error.hpp"
#include "gough/kinematics/inverse.hpp"
#include "gough/kinematics/singularity.hpp"
#include "gough/spatial/eigen_pairs.hpp"
#include "gough/spatial/rank.hpp"

namespace gough {

namespace {

constexpr double singular_pivot = 1e-9;     ///< relative: below, a matrix counts as singular
constexpr double moves_nothing = 1e-12;     ///< square of a drive's rate for unit rates of the freedoms
constexpr double massless = 1e-12;          ///< smallest over largest eigenvalue of a mass matrix that can be inverted
constexpr double inertia_rounding = 1e-15;  ///< of an inertia, over the largest of its chain
constexpr double diverged = 1e12;           ///< sum of accelerations at which a fed-back iteration is given up

Selection choose(const Mechanism<double>& m, Workspace<double>& at, const DynamicsOptions& o) {
  tree_positions(m, at);
  closure(m, at);
  return o.independent == Independent::platform && m.platform.floats ? select_platform(m, at, m.rank)
                                                                     : select_driven(m, at, m.rank);
}

bool leg_wise(Formulation by) { return by == Formulation::scdd || by == Formulation::legs; }
bool goes_leg_wise(const Structure& m) { return m.may_use(fast_paths::leg_wise) && splits_into_legs(m); }

/// The name of the coordinate that moves most in the direction that M can hardly feel.
std::string lightest(const Mechanism<double>& m, const MatX<double>& M, const MatX<double>& motions) {
  Eigen::Index c = 0;
  (motions * eigen_pairs(M).X.col(0)).cwiseAbs().maxCoeff(&c);
  return m.coordinate[static_cast<std::size_t>(c)].name;
}

bool invertible(const MatX<double>& M) {
  if (M.rows() == 0) return true;
  const VecX<double> s = eigen_pairs(M).s;
  return s[0] > massless * s[s.size() - 1];
}

/// Of a chain, whose coordinates are of different sizes (hinges, slides, modes): each is measured by its own inertia first.
bool chain_invertible(const MatX<double>& M) {
  if (M.rows() == 0) return true;
  const VecX<double> own = M.diagonal();
  if (!(own.minCoeff() > inertia_rounding * own.maxCoeff())) return false;
  const VecX<double> unit = own.cwiseSqrt().cwiseInverse();
  return invertible(unit.asDiagonal() * M * unit.asDiagonal());
}

/// Whether the platform's motion and the legs' elastic joints are all the freedoms there are, and the actuators as many
/// as the platform's: then the platform's balance gives their forces.
bool elastic_leg_wise(const Structure& m, const PlatformSplit& s) {
  const std::vector<int> drives = m.driven();
  std::size_t open = 0;
  for (const LegSplit& leg : s.leg) open += leg.free_columns.size();
  const auto is_open = [&](int c) {
    return std::any_of(s.leg.begin(), s.leg.end(), [&](const LegSplit& leg) {
      return std::find(leg.free_columns.begin(), leg.free_columns.end(), c) != leg.free_columns.end();
    });
  };
  return !s.rigid && m.actuator.size() == s.independent.size() && drives.size() == m.actuator.size() + open &&
         std::all_of(drives.begin() + static_cast<std::ptrdiff_t>(m.actuator.size()), drives.end(), is_open);
}

/// Pivots of A^T where as many drives as freedoms meet in other coordinates than their own.
void choose_pivots(Efforts<double>& efforts) {
  if (efforts.kind != Efforts<double>::Kind::square) return;
  const Pivots p = find_pivots(efforts.A.transpose(), std::vector<int>(efforts.coordinate.size(), 0), efforts.size());
  efforts.rows = p.rows;
  efforts.columns = p.columns;
  for (int i = 0; i < efforts.size(); ++i) {  // a singular A: any order will do, the pivot tells
    if (std::find(efforts.rows.begin(), efforts.rows.end(), i) == efforts.rows.end()) efforts.rows.push_back(i);
    if (std::find(efforts.columns.begin(), efforts.columns.end(), i) == efforts.columns.end())
      efforts.columns.push_back(i);
  }
}

}  // namespace

std::optional<Formulation> formulation_from(std::string_view wanted) {
  for (std::size_t i = 0; i < formulation_names.size(); ++i)
    if (formulation_names[i] == wanted) return static_cast<Formulation>(i);
  return std::nullopt;
}

Formulation inverse_code(const Dynamics<double>& d) {
  switch (d.options.by) {
    case Formulation::scdd:
    case Formulation::scdd_iterative: return Formulation::dalembert;
    case Formulation::legs: return d.inverse_is_leg_wise() ? Formulation::legs : Formulation::dalembert;
    default: return d.options.by;
  }
}
Formulation forward_code(const Dynamics<double>& d) { return d.options.by; }

std::string not_applicable(const Mechanism<double>& m, const Workspace<double>& w, Formulation by) {
  if (!leg_wise(by)) return "";
  VecX<double> unit = VecX<double>::Ones(m.nv);
  for (int c = 0; c < m.nv; ++c)
    if (m.coordinate[static_cast<std::size_t>(c)].is_length) unit[c] = m.length_unit;
  const MatX<double> M = unit.asDiagonal() * mass_matrix(m, w) * unit.asDiagonal();
  const Selection s = select_driven(m, w, m.rank);
  if (by == Formulation::legs && goes_leg_wise(m) && split_platform(m, w).rigid) return "";
  for (const Chain& c : find_chains(m, s)) {
    const bool platform = m.platform.floats && c.first == m.joint[static_cast<std::size_t>(m.platform.body)].v;
    if (platform && goes_leg_wise(m)) continue;  // it is joined, not inverted
    const MatX<double> block = M.block(c.first, c.first, c.n, c.n);
    if (!chain_invertible(block)) {
      MatX<double> motions = MatX<double>::Zero(m.nv, c.n);
      motions.middleRows(c.first, c.n).setIdentity();
      return fmt::format("the mass matrix of the chain of '{}' is singular on its own: '{}' moves without inertia",
                         m.body_name[static_cast<std::size_t>(c.first_body)], lightest(m, block, motions));
    }
  }
  return "";
}

namespace {

/// A motion that the loops allow and no inertia resists, in words; empty when there is none. Lengths become angles by the
/// characteristic length and motions an orthonormal basis, so that only the inertia decides, not the coordinates chosen.
std::string without_inertia(const Mechanism<double>& m, const Workspace<double>& w, const MatX<double>& G) {
  if (G.cols() == 0) return "";
  const MatX<double> M = mass_matrix(m, w);
  const double length = characteristic_length(m, w);
  VecX<double> unit = VecX<double>::Ones(m.nv);
  for (int c = 0; c < m.nv; ++c)
    if (m.coordinate[static_cast<std::size_t>(c)].is_length) unit[c] = length;
  const MatX<double> N = orthonormal_basis(unit.cwiseInverse().asDiagonal() * G);
  const MatX<double> M_N = congruence(M, unit.asDiagonal() * N);
  if (!M_N.allFinite() || invertible(M_N)) return "";
  return fmt::format("the reduced mass matrix is singular: '{}' moves without inertia", lightest(m, M_N, N));
}

std::string why_not_forward(const Mechanism<double>& m, const Workspace<double>& w, Formulation by,
                            const MatX<double>& G) {
  const std::string chain = leg_wise(by) ? not_applicable(m, w, by) : "";
  return chain.empty() ? without_inertia(m, w, G) : chain;
}

}  // namespace

template <>
Dynamics<double>::Dynamics(const Mechanism<double>& m, Workspace<double>& at, const DynamicsOptions& o)
    : options(o), loads(m), y(choose(m, at, o)), form(m, y), chosen_at(at.q) {
  programs.reserve();
  // a chain that has no inertia of its own cannot be taken alone: the default then takes all loops at once
  if (o.by == Formulation::legs && y.rank() == m.rank) instead = not_applicable(m, at, o.by);
  if (!instead.empty()) options.by = Formulation::dalembert;
  if (leg_wise(options.by) && goes_leg_wise(m)) {
    split = split_platform(m, at);
    if (split->rank() == m.rank) reduction.emplace(*split);
    else split.reset();  // a position where the legs alone lose an equation: all loops are taken at once
  }
  const std::vector<int> drives = m.driven();
  if (!o.weights.empty() && o.weights.size() != m.actuator.size())
    throw Error(
        fmt::format("read {} weights, expected one for each of the {} actuators", o.weights.size(), m.actuator.size()));
  const auto freedoms = static_cast<int>(by_legs() ? split->independent.size() : y.independent.size());
  efforts = make_efforts<double>(drives, freedoms, !by_legs() && drives == y.independent);
  for (std::size_t i = 0; i < o.weights.size(); ++i) efforts.weight[i] = o.weights[i];
  const PlatformSplit* s = split ? &*split : nullptr;
  switch (options.by) {
    case Formulation::multipliers: multipliers.emplace(m, y); break;
    case Formulation::dalembert:
    case Formulation::scdd_iterative: dalembert.emplace(m, y); break;
    case Formulation::scdd: scdd.emplace(m, y, s); break;
    case Formulation::noc: noc.emplace(m, y); break;
    case Formulation::virtual_power: virtual_power.emplace(m, y); break;
    case Formulation::legs:
      legs.emplace(m, y, s);
      if (s != nullptr && elastic_leg_wise(m, *s)) elastic_legs.emplace(m, *s);
      if (o.lanes && !o.open && o.alpha == 0 && o.beta == 0 && m.may_use(fast_paths::lanes))
        lanes = make_lanes(m, loads);
      break;
  }
  size(m);
  if (split) reduce_legs(*split, at, *reduction);
  explicit_form(at, y, form);
  if (by_legs()) leg_effort_rates(*split, *reduction, efforts);
  else effort_rates(form.G, efforts);
  choose_pivots(efforts);
  if (elastic_legs) {
    leg_effort_rates(*split, *reduction, elastic_legs->actuated);
    choose_pivots(elastic_legs->actuated);
  }
  first_pivot = smallest_pivot(false);
  if (split) first_leg_pivot = smallest_pivot(true);
  leaves_out = y.rank() < at.K.rows();
  row_rates = VecX<double>::Zero(at.K.rows());
  if (split) {
    legs_leave_out = static_cast<Eigen::Index>(split->rows.size()) < reduction->Z.rows();
    leg_row_rates = VecX<double>::Zero(reduction->Z.rows());
  }
  if (at.K.size() > 0) K_size = std::max(at.K.cwiseAbs().maxCoeff(), std::numeric_limits<double>::min());
  if (y.rank() == m.rank) no_forward = why_not_forward(m, at, options.by, form.G);
}

namespace {

/// Coordinates chosen for another position may be poor here. The pivots are compared with those where they were chosen; what that says
/// depends on the place. So the loops' equations that the choice leaves out must hold as well, and that depends on nothing.
bool is_conditioned(const Mechanism<double>& m, const Workspace<double>& w, Dynamics<double>& d, bool leg_wise) {
  const double first = leg_wise ? d.first_leg_pivot : d.first_pivot;
  if (d.y.rank() != m.rank || !(d.smallest_pivot(leg_wise) > choose_again * first)) return false;
  const double open = leg_wise ? open_rate(d.reduction->Z, d.legs_leave_out, d.reduction->D, d.K_size, d.leg_row_rates)
                               : open_rate(w.K, d.leaves_out, d.form.G, d.K_size, d.row_rates);
  return open <= rates_close || open <= rates_close + still_open * w.phi.cwiseAbs().maxCoeff();
}

void choose_anew(const Mechanism<double>& m, Workspace<double>& w, Dynamics<double>& d) {
  const bool external = d.external;
  const std::string instead = d.instead;
  d = Dynamics<double>(m, w, d.options);
  d.external = external;
  if (!instead.empty()) d.instead = instead;
}

constexpr double stretched = 1e-4;

/// A leg is at the end of its reach: the platform's rates no longer give those of its joints, though the loops as a whole are regular.
bool is_stretched(const Dynamics<double>& d, bool leg_wise) {
  return leg_wise && d.first_pivot > 0 && !(d.smallest_pivot(true) > stretched * d.first_pivot);
}

/// The same robot and state by a formulation that does not go leg by leg.
Dynamics<double> as_a_whole(const Mechanism<double>& m, Workspace<double>& w, const Dynamics<double>& d) {
  DynamicsOptions o = d.options;
  o.by = Formulation::dalembert;
  Dynamics<double> whole(m, w, o);
  whole.external = d.external;
  return whole;
}

DynamicsAnswer singular(std::string reason) { return {Status::singular, 0, std::move(reason)}; }

/// The loops at this position, whatever is asked of them.
DynamicsAnswer loops_answer(const Mechanism<double>& m, const Dynamics<double>& d) {
  if (d.y.rank() < m.rank)
    return singular(fmt::format("the loops' equations lose rank here: {} of {}", d.y.rank(), m.rank));
  return {};
}

/// Stages up to the loops, to see whether the chosen coordinates still serve.
void look(const Mechanism<double>& m, Workspace<double>& w, Dynamics<double>& d) {
  tree_positions(m, w);
  closure(m, w);
  if (d.forward_is_leg_wise()) reduce_legs(*d.split, w, *d.reduction);
  else explicit_form(w, d.y, d.form);
}

/// What the smallest pivot of the efforts is small against: the largest entry of the matrix that was factored. Drives that hardly move with
/// anything are not large against themselves.
double effort_size(const Efforts<double>& a) {
  using Kind = Efforts<double>::Kind;
  double largest = a.kind == Kind::same ? 1.0 : a.kind == Kind::square ? std::sqrt(moves_nothing) : moves_nothing;
  if (a.kind == Kind::square) largest = a.A.size() > 0 ? std::max(largest, a.A.cwiseAbs().maxCoeff()) : 1.0;
  for (Eigen::Index i = 0; a.kind == Kind::under && i < a.A.rows(); ++i)
    largest = std::max(largest, a.A.row(i).squaredNorm());
  for (Eigen::Index j = 0; a.kind == Kind::redundant && j < a.A.cols(); ++j) {
    double sum = 0;
    for (Eigen::Index i = 0; i < a.A.rows(); ++i) sum += a.A(i, j) * a.A(i, j) / a.weight[static_cast<std::size_t>(i)];
    largest = std::max(largest, sum);
  }
  return largest;
}

std::string missing_force(const Mechanism<double>& m, const Dynamics<double>& d, double& largest) {
  Eigen::Index y = 0;
  largest = d.efforts.rest.size() > 0 ? d.efforts.rest.cwiseAbs().maxCoeff(&y) : 0.0;
  if (largest == 0) return "";
  const int c = d.inverse_by_legs() ? d.split->first + d.split->independent[static_cast<std::size_t>(y)]
                                    : d.y.independent[static_cast<std::size_t>(y)];
  return m.coordinate[static_cast<std::size_t>(c)].name;
}

}  // namespace

namespace {

/// The external wrench on the platform about its body's origin; none where some other body feels one too.
std::optional<Force<double>> platform_external(const Mechanism<double>& m, const Workspace<double>& w,
                                               const Dynamics<double>& d, const Vec3<double>& origin) {
  Force<double> f;
  if (!d.external) return f;
  for (std::size_t j = 0; j < w.external.size(); ++j) {
    const Force<double>& x = w.external[j];
    if (static_cast<int>(j) == m.platform.body) f = {x.moment - origin.cross(x.force), x.force};
    else if (!(x.moment.isZero(0) && x.force.isZero(0))) return std::nullopt;
  }
  return f;
}

/// " (pivot 1e-12)"; where there is no number, nothing.
std::string shown_pivot(double pivot) { return std::isfinite(pivot) ? fmt::format(" (pivot {:.1e})", pivot) : ""; }

DynamicsAnswer lanes_answer(double pivot, const VecX<double>& result) {
  if (pivot > singular_pivot && result.allFinite()) return {};
  return singular("the position is singular for the actuators or the legs" + shown_pivot(pivot));
}

BodyMotion body_of(const Mechanism<double>& m, const Transform<double>& pose, const PlatformRates<double>& x) {
  const Transform<double> X = pose * m.platform_frame.inverse();
  const Vec3<double> r = X.p - pose.p, turn = x.w.cross(r);
  return {X, x.v + turn, x.w, x.a + x.dw.cross(r) + x.w.cross(turn), x.dw};
}

}  // namespace

DynamicsAnswer inverse_dynamics(const Mechanism<double>& m, const Transform<double>& pose,
                                const PlatformRates<double>& rates, Workspace<double>& w, Dynamics<double>& d) {
  if (d.programs.run(m, pose, rates, w, d)) return {};
  if (d.lanes.usable() && !w.coulomb.given) {
    const BodyMotion body = body_of(m, pose, rates);
    if (const auto wrench = platform_external(m, w, d, body.X.p)) {
      const double pivot = inverse_by_lanes(m, body, false, *wrench, d.lanes, w);
      if (pivot > singular_pivot && w.tau.allFinite()) return {};
    }
  }
  InverseOptions anywhere;
  anywhere.check_limits = false;
  if (const Answer position = inverse_kinematics(m, pose, w, anywhere); !position.ok())
    return {position.status, position.residual, position.reason};
  if (!d.from_platform || !(d.from_platform->smallest_pivot > 1e-3))
    d.from_platform = make_master_form(m, w, Master::platform);
  motion_from_platform(m, w, *d.from_platform, rates);
  return inverse_dynamics(m, w, d);
}

namespace {

[[gnu::noinline]] DynamicsAnswer inverse_by_kernels(const Mechanism<double>& m, Workspace<double>& w,
                                                    Dynamics<double>& d) {
  if (d.lanes.usable() && !w.coulomb.given) {
    const BodyMotion body = platform_body(m, w);
    if (const auto wrench = platform_external(m, w, d, body.X.p))
      return lanes_answer(inverse_by_lanes(m, body, true, *wrench, d.lanes, w), w.tau);
  }
  inverse_kernel(m, w, d);
  if (!is_conditioned(m, w, d, d.inverse_is_leg_wise())) {
    choose_anew(m, w, d);
    inverse_kernel(m, w, d);
  }
  if (is_stretched(d, d.inverse_is_leg_wise())) {
    Dynamics<double> whole = as_a_whole(m, w, d);
    const DynamicsAnswer answer = inverse_dynamics(m, w, whole);
    if (whole.efforts.e.size() == d.efforts.e.size()) d.efforts.e = whole.efforts.e;
    return answer;
  }
  if (DynamicsAnswer a = loops_answer(m, d); !a.ok()) return a;
  const Efforts<double>& efforts = d.elastic_legs ? d.elastic_legs->actuated : d.efforts;
  const double size = effort_size(efforts);
  if (!w.tau.allFinite() || (efforts.size() > 0 && !(efforts.smallest_pivot > singular_pivot * size)))
    return singular("the actuators cannot hold the platform here: a type-2 singularity" +
                    shown_pivot(efforts.smallest_pivot / size));
  DynamicsAnswer a;
  if (d.efforts.kind == Efforts<double>::Kind::under) {
    const std::string where = missing_force(m, d, a.residual);
    const double scale = std::max(1.0, d.F.cwiseAbs().maxCoeff());
    if (a.residual > 1e-9 * scale) {
      a.status = Status::under_actuated;
      a.reason = fmt::format("{} actuators for {} freedoms: along '{}' {:.3g} N or N m are missing for this motion",
                             m.actuator.size(), d.F.size(), where, a.residual);
    }
  }
  return a;
}

[[gnu::noinline]] DynamicsAnswer forward_by_kernels(const Mechanism<double>& m, Workspace<double>& w,
                                                    Dynamics<double>& d) {
  if (d.lanes.usable() && !w.coulomb.given) {
    const BodyMotion body = platform_body(m, w);
    if (const auto wrench = platform_external(m, w, d, body.X.p))
      return d.no_forward.empty() ? lanes_answer(forward_by_lanes(m, body, *wrench, d.lanes, w), w.a)
                                  : singular(d.no_forward);
  }
  look(m, w, d);
  if (!is_conditioned(m, w, d, d.forward_is_leg_wise())) choose_anew(m, w, d);
  if (is_stretched(d, d.forward_is_leg_wise())) {
    Dynamics<double> whole = as_a_whole(m, w, d);
    return forward_dynamics(m, w, whole);
  }
  forward_from_poses(m, w, d);
  if (DynamicsAnswer a = loops_answer(m, d); !a.ok()) return a;
  const bool feeds_back = d.options.iteration.feed_back && d.iteration.y.cwiseAbs().sum() < diverged;
  if (d.options.by == Formulation::scdd_iterative && !d.iteration.converged && !feeds_back)
    return {Status::not_converged, d.iteration.change,
            fmt::format("scdd_iterative: not converged after {} iterations; the eigenvalue that decides is {:.3f}, "
                        "relaxation {:g} needs it below {:.3f}",
                        d.iteration.iterations, d.iteration.eigenvalue, d.options.iteration.relaxation,
                        2 / d.options.iteration.relaxation)};
  if (!w.a.allFinite()) {  // here, if not where the coordinates were chosen
    explicit_form(w, d.y, d.form);
    const std::string why = why_not_forward(m, w, d.options.by, d.form.G);
    return singular(why.empty() ? "the accelerations are not finite: a state or a force is not, or an inertia" : why);
  }
  if (!d.no_forward.empty()) {  // where coordinates were chosen; here it may be otherwise
    explicit_form(w, d.y, d.form);
    if (const std::string why = why_not_forward(m, w, d.options.by, d.form.G); !why.empty()) return singular(why);
  }
  return {};
}

}  // namespace

DynamicsAnswer inverse_dynamics(const Mechanism<double>& m, Workspace<double>& w, Dynamics<double>& d) {
  if (d.programs.run(m, w, d, true)) return {};
  return inverse_by_kernels(m, w, d);
}
DynamicsAnswer forward_dynamics(const Mechanism<double>& m, Workspace<double>& w, Dynamics<double>& d) {
  if (d.programs.run(m, w, d, false)) return {};
  return forward_by_kernels(m, w, d);
}

DynamicsAnswer inverse_dynamics(const Mechanism<double>& m, Workspace<double>& w, const DynamicsOptions& o) {
  Dynamics<double> d(m, w, o);
  return inverse_dynamics(m, w, d);
}

DynamicsAnswer forward_dynamics(const Mechanism<double>& m, Workspace<double>& w, const DynamicsOptions& o) {
  Dynamics<double> d(m, w, o);
  return forward_dynamics(m, w, d);
}

}  // namespace gough
