#include "gough/identification/base_parameters.hpp"

#include <fmt/format.h>

#include <Eigen/QR>
#include <Eigen/SVD>
#include <algorithm>
#include <cmath>
#include <map>
#include <random>

#include "gough/dynamics/dynamics.hpp"
#include "gough/dynamics/regroup.hpp"
#include "gough/error.hpp"
#include "gough/kinematics/sampling.hpp"

namespace gough {
namespace {

using Ten = Eigen::Matrix<double, 10, 1>;
constexpr std::array<std::string_view, 10> entry_names = {"Ixx", "Ixy", "Ixz", "Iyy", "Iyz",
                                                          "Izz", "sx",  "sy",  "sz",  "m"};
constexpr double tiny = 1e-9;  // of columns scaled to one, for independence
std::size_t at(int i) { return static_cast<std::size_t>(i); }

Inertia<double> inertia_of(const Ten& p) {
  Inertia<double> I;
  I.second << p[0], p[1], p[2], p[1], p[3], p[4], p[2], p[4], p[5];
  I.first = p.segment<3>(6);
  I.mass = p[9];
  return I;
}

/// Parameters about the author's frame to ours.
Eigen::Matrix<double, 10, 10> to_our_frame(const Transform<double>& author) {
  Eigen::Matrix<double, 10, 10> T;
  for (int k = 0; k < 10; ++k) T.col(k) = body_parameters<double>(author * inertia_of(Ten::Unit(k)));
  return T;
}

/// The leg a body belongs to; -1: none.
int leg_of(const Structure& m, std::size_t body) {
  for (std::size_t i = 0; i < m.leg.size(); ++i)
    if (static_cast<int>(body) >= m.leg[i].first_body && static_cast<int>(body) < m.leg[i].first_body + m.leg[i].bodies)
      return static_cast<int>(i);
  return -1;
}

/// The platform first, then the bodies in the tree's order.
std::vector<std::size_t> body_order(const Structure& m) {
  std::vector<std::size_t> order;
  if (m.platform.exists()) order.push_back(at(m.platform.body));
  for (std::size_t j = 0; j < m.parent.size(); ++j)
    if (static_cast<int>(j) != m.platform.body) order.push_back(j);
  return order;
}

/// The name that equal parts of all legs share.
std::string part_of(const Structure& m, std::size_t body) {
  const int leg = leg_of(m, body);
  if (leg < 0) return m.body_name[body];
  const std::string prefix = m.leg[at(leg)].name + ".";
  const std::string& name = m.body_name[body];
  return name.starts_with(prefix) ? name.substr(prefix.size()) : name;
}

void check_identical(const Mechanism<double>& m) {
  std::map<std::string, int> parts;
  for (std::size_t j = 0; j < m.parent.size(); ++j)
    if (leg_of(m, j) >= 0 && m.has_inertia[j]) ++parts[part_of(m, j)];
  if (m.leg.size() < 2) throw Error(m.name + ": read --identical-legs, expected a robot with several legs");
  for (const auto& [part, times] : parts)
    if (times != static_cast<int>(m.leg.size()))
      throw Error(fmt::format("{}: read --identical-legs, expected every leg to have a '{}' (read {} in {} legs)", m.name,
                              part, times, m.leg.size()));
}

std::string in_words(const ParameterSpace& space, const std::vector<BaseParameter::Term>& terms) {
  std::string text;
  for (const BaseParameter::Term& t : terms) {
    const std::string& full = space.name[at(t.parameter)];
    const std::size_t dot = full.rfind('.');
    const std::string name = full.substr(dot + 1) + "_" + full.substr(0, dot);
    const double size = std::abs(t.coefficient);
    const std::string factor = std::abs(size - 1) < 1e-12 ? "" : fmt::format("{:.6g} ", size);
    if (text.empty()) text = factor + name;
    else text += fmt::format(" {} {}{}", t.coefficient < 0 ? '-' : '+', factor, name);
  }
  return text;
}

/// Whole numbers but for rounding.
double snapped(double x) {
  const double whole = std::round(x);
  return std::abs(x - whole) < 1e-7 ? whole : x;
}

VecX<double> column_norms(const MatX<double>& H) { return H.colwise().norm(); }

/// Columns in order: independent ones, and how the others depend on them.
struct Dependences {
  std::vector<int> independent, zero;
  std::map<int, VecX<double>> of;  ///< per dependent column: coefficients of the independent ones before it
};

Dependences dependences(const MatX<double>& H) {
  const VecX<double> norm = column_norms(H);
  const double largest = norm.size() > 0 ? norm.maxCoeff() : 0;
  Dependences d;
  MatX<double> Q(H.rows(), 0);
  for (Eigen::Index j = 0; j < H.cols(); ++j) {
    if (norm[j] <= 1e-12 * largest) {
      d.zero.push_back(static_cast<int>(j));
      continue;
    }
    VecX<double> rest = H.col(j) / norm[j];
    for (int pass = 0; pass < 2; ++pass) rest -= Q * (Q.transpose() * rest);  // twice is enough
    if (rest.norm() > tiny) {
      Q.conservativeResize(Eigen::NoChange, Q.cols() + 1);
      Q.rightCols(1) = rest.normalized();
      d.independent.push_back(static_cast<int>(j));
      continue;
    }
    MatX<double> basis(H.rows(), static_cast<Eigen::Index>(d.independent.size()));
    for (std::size_t i = 0; i < d.independent.size(); ++i)
      basis.col(static_cast<Eigen::Index>(i)) = H.col(d.independent[i]) / norm[d.independent[i]];
    VecX<double> a = basis.colPivHouseholderQr().solve(H.col(j));
    for (std::size_t i = 0; i < d.independent.size(); ++i) a[static_cast<Eigen::Index>(i)] /= norm[d.independent[i]];
    d.of[static_cast<int>(j)] = a;
  }
  return d;
}

double condition_of(const MatX<double>& H) {
  if (H.cols() == 0) return 1;
  const MatX<double> scaled = H * column_norms(H).cwiseInverse().asDiagonal();
  const Eigen::BDCSVD<MatX<double>> svd(scaled);
  const auto& s = svd.singularValues();
  return s[0] / s[s.size() - 1];
}

/// The rules on every standard parameter: what regrouping makes of a unit of it.
MatX<double> regrouping(const Mechanism<double>& m) {
  const auto n = 10 * static_cast<Eigen::Index>(m.parent.size());
  MatX<double> R = MatX<double>::Zero(n, n);
  for (Eigen::Index k = 0; k < n; ++k) {
    Mechanism<double> unit = m;
    for (Inertia<double>& I : unit.inertia) I = Inertia<double>{};
    unit.inertia[static_cast<std::size_t>(k / 10)] = inertia_of(Ten::Unit(k % 10));
    pass_inertias(unit);
    for (std::size_t j = 0; j < m.parent.size(); ++j)
      R.col(k).segment<10>(10 * static_cast<Eigen::Index>(j)) = body_parameters(unit.inertia[j]);
  }
  return R;
}

}  // namespace

ParameterSpace parameter_space(const Mechanism<double>& m, const ParameterOptions& options) {
  if (options.identical_legs) check_identical(m);
  const auto standard = 10 * static_cast<Eigen::Index>(m.parent.size()) + static_cast<Eigen::Index>(m.coefficient.size());
  ParameterSpace space;
  std::vector<VecX<double>> columns;
  std::vector<double> values;
  std::map<std::string, std::size_t> known;  // shared parameters
  for (const std::size_t j : body_order(m)) {
    if (!m.has_inertia[j]) continue;
    const Eigen::Matrix<double, 10, 10> T = to_our_frame(m.body_frame[j]);
    const Ten own = body_parameters<double>(m.body_frame[j].inverse() * m.inertia[j]);
    const std::string body = options.identical_legs ? part_of(m, j) : m.body_name[j];
    for (int k = 0; k < 10; ++k) {
      if (options.symmetric && k < 9 && !m.entries[j][at(k)]) continue;
      VecX<double> column = VecX<double>::Zero(standard);
      column.segment<10>(10 * static_cast<Eigen::Index>(j)) = T.col(k);
      const std::string name = fmt::format("{}.{}", body, entry_names[at(k)]);
      if (const auto [place, is_new] = known.try_emplace(name, columns.size()); !is_new) {
        columns[place->second] += column;
        continue;
      }
      space.name.push_back(name);
      columns.push_back(column);
      values.push_back(own[k]);
    }
  }
  space.inertial = static_cast<int>(columns.size());
  for (std::size_t i = 0; i < m.coefficient.size(); ++i) {
    space.name.push_back("friction." + m.coefficient_name[i]);
    columns.push_back(VecX<double>::Unit(standard, 10 * static_cast<Eigen::Index>(m.parent.size()) + static_cast<Eigen::Index>(i)));
    values.push_back(m.coefficient[i]);
  }
  space.standard.resize(standard, static_cast<Eigen::Index>(columns.size()));
  for (std::size_t i = 0; i < columns.size(); ++i) space.standard.col(static_cast<Eigen::Index>(i)) = columns[i];
  space.value = Eigen::Map<VecX<double>>(values.data(), static_cast<Eigen::Index>(values.size()));
  return space;
}

MatX<double> stacked_regressor(const Mechanism<double>& m, const ParameterSpace& space, int states) {
  std::mt19937 random(3);
  const auto any = [&] { return 2.0 * static_cast<double>(random()) / 4294967295.0 - 1; };
  const std::vector<VecX<double>> positions = positions_around_home(m, states);
  DynamicsOptions options;
  options.by = Formulation::virtual_power;
  std::vector<MatX<double>> blocks;
  Eigen::Index rows = 0;
  for (int i = 0; i < states; ++i) {
    Workspace<double> w(m);
    w.q = positions[at(i) % positions.size()];
    Dynamics<double> d(m, w, options);
    d.external = false;
    const auto n = static_cast<Eigen::Index>(d.y.independent.size());
    VecX<double> yd(n), ydd(n);
    for (Eigen::Index k = 0; k < n; ++k) yd[k] = any(), ydd[k] = 5 * any();
    explicit_motion(m, w, d.y, d.form, yd, ydd);
    inverse_kernel(m, w, d);
    blocks.push_back(d.virtual_power->H * space.standard);
    rows += n;
  }
  MatX<double> H(rows, space.standard.cols());
  rows = 0;
  for (const MatX<double>& block : blocks) {
    H.middleRows(rows, block.rows()) = block;
    rows += block.rows();
  }
  return H;
}

BaseParameters base_parameters(const Mechanism<double>& m, const ParameterOptions& options) {
  BaseParameters b;
  b.space = parameter_space(m, options);
  const auto all = b.space.standard.cols();
  const MatX<double> H = stacked_regressor(m, b.space, static_cast<int>(std::max<Eigen::Index>(30, 2 * all)));
  const MatX<double> inertial = H.leftCols(b.space.inertial);
  const Dependences d = dependences(inertial);
  b.without_effect = d.zero;
  for (std::size_t i = 0; i < d.independent.size(); ++i) {
    BaseParameter group{{{d.independent[i], 1.0}}, ""};
    for (const auto& [j, a] : d.of)
      if (static_cast<Eigen::Index>(i) < a.size() && std::abs(a[static_cast<Eigen::Index>(i)]) > 1e-8)
        group.terms.push_back({j, snapped(a[static_cast<Eigen::Index>(i)])});
    group.name = in_words(b.space, group.terms);
    b.base.push_back(group);
  }
  VecX<double> norm = column_norms(inertial);
  for (double& x : norm) x = x > 0 ? 1 / x : 0;
  const Eigen::BDCSVD<MatX<double>> svd(inertial * norm.asDiagonal());
  b.singular_values.assign(svd.singularValues().begin(), svd.singularValues().end());
  const auto rank = d.independent.size();
  const double next = rank < b.singular_values.size() ? b.singular_values[rank] : 0.0;
  b.gap = rank > 0 ? b.singular_values[rank - 1] / std::max(next, 1e-300) : 0;
  MatX<double> reduced(H.rows(), static_cast<Eigen::Index>(rank));
  for (std::size_t i = 0; i < rank; ++i) reduced.col(static_cast<Eigen::Index>(i)) = H.col(d.independent[i]);
  b.condition = condition_of(reduced);
  MatX<double> with_friction(H.rows(), reduced.cols() + all - b.space.inertial);
  with_friction << reduced, H.rightCols(all - b.space.inertial);
  b.friction_condition = condition_of(with_friction);

  // by the rules: regrouped standard parameters, then what has no effect and what identical legs and symmetries join
  const MatX<double> R = regrouping(m);
  ParameterSpace regrouped = b.space;
  const auto bodies = 10 * static_cast<Eigen::Index>(m.parent.size());
  regrouped.standard.topRows(bodies) = R * b.space.standard.topRows(bodies);
  const MatX<double> by_rules = stacked_regressor(m, regrouped, 20), as_is = stacked_regressor(m, b.space, 20);
  b.rules_error = (by_rules - as_is).leftCols(b.space.inertial).norm() / as_is.norm();
  Eigen::ColPivHouseholderQR<MatX<double>> qr(regrouped.standard.topLeftCorner(bodies, b.space.inertial));
  qr.setThreshold(1e-10);
  MatX<double> effective = regrouped.standard.topLeftCorner(bodies, b.space.inertial);
  const ParameterSpace every = parameter_space(m, {});
  const VecX<double> effect = column_norms(stacked_regressor(m, [&] {
    ParameterSpace identity = every;
    identity.standard = MatX<double>::Identity(every.standard.rows(), every.standard.rows());
    return identity;
  }(), 20));
  for (Eigen::Index r = 0; r < bodies; ++r)
    if (effect[r] < 1e-12 * effect.maxCoeff()) effective.row(r).setZero();
  Eigen::ColPivHouseholderQR<MatX<double>> left(effective);
  left.setThreshold(1e-10);
  b.rules_rank = static_cast<int>(left.rank());
  return b;
}

std::string why_not_alone(const BaseParameters& b, int parameter) {
  if (std::find(b.without_effect.begin(), b.without_effect.end(), parameter) != b.without_effect.end())
    return "no effect on any motion";
  std::vector<std::string> groups;
  for (const BaseParameter& group : b.base)
    for (const BaseParameter::Term& t : group.terms)
      if (t.parameter == parameter) {
        if (t.coefficient == 1 && &t == &group.terms.front() && group.terms.size() == 1) return "";
        groups.push_back(group.name);
      }
  return fmt::format("seen only in {}", fmt::join(groups, "; "));
}

}  // namespace gough
