#include "gough/identification/parameter_space.hpp"

#include <fmt/format.h>

#include <functional>
#include <map>
#include <random>

#include "gough/dynamics/along.hpp"
#include "gough/error.hpp"
#include "gough/kinematics/continuation.hpp"
#include "gough/kinematics/sampling.hpp"

namespace gough {
namespace {

using Ten = Eigen::Matrix<double, 10, 1>;

/// Parameters about the author's frame to ours.
Eigen::Matrix<double, 10, 10> to_our_frame(const Transform<double>& author) {
  Eigen::Matrix<double, 10, 10> T;
  for (int k = 0; k < 10; ++k) T.col(k) = body_parameters<double>(author * inertia_of(Ten::Unit(k)));
  return T;
}

/// The platform first, then the bodies in the tree's order.
std::vector<std::size_t> body_order(const Structure& m) {
  std::vector<std::size_t> order;
  if (m.platform.exists()) order.push_back(at(m.platform.body));
  for (std::size_t j = 0; j < m.parent.size(); ++j)
    if (static_cast<int>(j) != m.platform.body) order.push_back(j);
  return order;
}

void check_identical(const Mechanism<double>& m) {
  std::map<std::string, int> parts;
  for (const Leg& leg : m.leg)
    for (std::size_t j = at(leg.first_body); j < at(leg.first_body + leg.bodies); ++j)
      if (m.has_inertia[j]) ++parts[m.in_leg(m.body_name[j]).second];
  if (m.leg.size() < 2) throw Error(m.name + ": read --identical-legs, expected a robot with several legs");
  for (const auto& [part, times] : parts)
    if (times != static_cast<int>(m.leg.size()))
      throw Error(fmt::format("{}: read --identical-legs, expected every leg to have a '{}' (read {} in {} legs)",
                              m.name, part, times, m.leg.size()));
}

/// Fills a space body by body.
class Collector {
 public:
  Collector(const Mechanism<double>& m, const ParameterOptions& options)
      : m_(m),
        options_(options),
        standard_(10 * static_cast<Eigen::Index>(m.parent.size()) + static_cast<Eigen::Index>(m.coefficient.size())) {
    space_.fixed = VecX<double>::Zero(standard_);
  }

  ParameterSpace made() {
    for (const std::size_t j : body_order(m_))
      if (m_.has_inertia[j]) add_body(j);
    space_.inertial = static_cast<int>(columns_.size());
    for (std::size_t i = 0; i < m_.coefficient.size(); ++i) {
      const auto row = 10 * static_cast<Eigen::Index>(m_.parent.size()) + static_cast<Eigen::Index>(i);
      add("friction." + m_.coefficient_name[i], {-1, static_cast<int>(i), 0}, VecX<double>::Unit(standard_, row),
          m_.coefficient[i]);
    }
    space_.standard.resize(standard_, static_cast<Eigen::Index>(columns_.size()));
    for (std::size_t i = 0; i < columns_.size(); ++i) space_.standard.col(static_cast<Eigen::Index>(i)) = columns_[i];
    space_.value = Eigen::Map<VecX<double>>(values_.data(), static_cast<Eigen::Index>(values_.size()));
    return space_;
  }

 private:
  void add_body(std::size_t j) {
    const auto first = 10 * static_cast<Eigen::Index>(j);
    const Eigen::Matrix<double, 10, 10> T = to_our_frame(m_.body_frame[j]);
    const Ten own = body_parameters<double>(m_.body_frame[j].inverse() * m_.inertia[j]);
    const std::string body = options_.identical_legs ? m_.in_leg(m_.body_name[j]).second : m_.body_name[j];
    for (int k = 0; k < 10; ++k) {
      if (options_.symmetric && k < 9 && !m_.entries[j][at(k)]) {
        space_.fixed.segment<10>(first) += T.col(k) * own[k];
        continue;
      }
      VecX<double> column = VecX<double>::Zero(standard_);
      column.segment<10>(first) = T.col(k);
      add(fmt::format("{}.{}", body, parameter_names[at(k)]), {static_cast<int>(j), k, 1}, column, own[k]);
    }
  }
  void add(const std::string& name, const ParameterSpace::Entry& entry, const VecX<double>& column, double value) {
    if (const auto [place, is_new] = known_.try_emplace(name, columns_.size()); !is_new) {
      columns_[place->second] += column;
      ++space_.entry[place->second].bodies;
      return;
    }
    space_.name.push_back(name);
    space_.entry.push_back(entry);
    columns_.push_back(column);
    values_.push_back(value);
  }

  const Mechanism<double>& m_;
  const ParameterOptions& options_;
  Eigen::Index standard_;
  ParameterSpace space_;
  std::vector<VecX<double>> columns_;
  std::vector<double> values_;
  std::map<std::string, std::size_t> known_;  // shared parameters
};

/// For mechanisms with a single freedom, which show little near home: step by step along their motion, to and fro.
std::vector<VecX<double>> wandering(const Mechanism<double>& m, int wanted, const std::function<double()>& any) {
  std::vector<VecX<double>> positions = {m.home};
  Workspace<double> w(m);
  for (int i = 0; i < 2 * wanted && static_cast<int>(positions.size()) < wanted; ++i) {
    w.q = positions.back();
    tree_positions(m, w);
    closure(m, w);
    const Selection y = select_any(m, w, m.rank);
    const int place = y.independent.size() == 1 ? position_index(m, y.independent[0]) : -1;
    if (place < 0) break;
    Hold hold;
    hold.coordinates.assign(at(m.nv), false);
    hold.coordinates[at(y.independent[0])] = true;
    const double from = w.q[place], step = 0.6 * any();
    const Answer answer = walk(m, w, [&](double s, VecX<double>& q) {
      q[place] = from + s * step;
      return hold;
    });
    if (answer.ok()) positions.push_back(w.q);
  }
  return positions;
}

DynamicsOptions by_virtual_power() {
  DynamicsOptions options;
  options.by = Formulation::virtual_power;
  return options;
}

}  // namespace

Inertia<double> inertia_of(const Ten& p) {
  Inertia<double> I;
  I.second << p[0], p[1], p[2], p[1], p[3], p[4], p[2], p[4], p[5];
  I.first = p.segment<3>(6);
  I.mass = p[9];
  return I;
}

std::string parameter_unit(const Structure& m, const ParameterSpace::Entry& entry) {
  if (entry.body >= 0) return entry.index < 6 ? "kg m^2" : entry.index < 9 ? "kg m" : "kg";
  for (const Coordinate& c : m.coordinate)
    for (const FrictionUse& f : c.friction) {
      if (f.coefficient != entry.index) continue;
      if (f.function == "viscous") return c.is_length ? "N s/m" : "N m s/rad";
      if (f.function == "coulomb") return c.is_length ? "N" : "N m";
    }
  return "";
}

ParameterSpace parameter_space(const Mechanism<double>& m, const ParameterOptions& options) {
  if (options.identical_legs) check_identical(m);
  return Collector(m, options).made();
}

Mechanism<double> with_parameters(const Mechanism<double>& m, const ParameterSpace& space, const VecX<double>& value) {
  Mechanism<double> other = m;
  const VecX<double> p = space.standard * value + space.fixed;
  for (std::size_t j = 0; j < m.parent.size(); ++j)
    if (m.has_inertia[j]) other.inertia[j] = inertia_of(p.segment<10>(10 * static_cast<Eigen::Index>(j)));
  for (std::size_t i = 0; i < m.coefficient.size(); ++i)
    other.coefficient[i] = p[10 * static_cast<Eigen::Index>(m.parent.size()) + static_cast<Eigen::Index>(i)];
  return other;
}

RegressorRow regressor_row(const Mechanism<double>& m, const ParameterSpace& space, const Dynamics<double>& d) {
  const VirtualPower<double>& v = *d.virtual_power;
  RegressorRow row{v.H * space.standard, d.F - v.H * v.p + v.H * space.fixed,
                   MatX<double>(d.form.G.cols(), static_cast<Eigen::Index>(m.actuator.size()))};
  for (std::size_t i = 0; i < m.actuator.size(); ++i)
    row.drives.col(static_cast<Eigen::Index>(i)) = d.form.G.row(m.actuator[i]).transpose();
  return row;
}

RandomStates random_motions(const Mechanism<double>& m, int wanted) {
  std::mt19937 random(3);
  const auto any = [&] { return 2.0 * static_cast<double>(random()) / 4294967295.0 - 1; };
  RandomStates all;
  const std::vector<VecX<double>> positions =
      m.nv - m.rank == 1 ? wandering(m, wanted, any) : positions_around_home(m, wanted);
  Workspace<double> w(m);
  for (int i = 0; i < wanted; ++i) {
    w.q = positions[at(i) % positions.size()];
    tree_positions(m, w);
    closure(m, w);
    const Selection y = select_any(m, w, m.rank);
    ExplicitForm<double> form(m, y);
    const auto n = static_cast<Eigen::Index>(y.independent.size());
    VecX<double> yd(n), ydd(n);
    for (Eigen::Index k = 0; k < n; ++k) yd[k] = any(), ydd[k] = 5 * any();
    explicit_motion(m, w, y, form, yd, ydd);
    all.q.push_back(w.q), all.v.push_back(w.v), all.a.push_back(w.a);
  }
  return all;
}

MatX<double> stacked_regressor(const Mechanism<double>& m, const ParameterSpace& space, int states) {
  const RandomStates at_random = random_motions(m, states);
  std::vector<MatX<double>> blocks;
  Eigen::Index rows = 0;
  for (std::size_t i = 0; i < at_random.q.size(); ++i) {
    Workspace<double> w(m);
    w.q = at_random.q[i];
    Dynamics<double> d(m, w, by_virtual_power());
    d.external = false;
    w.v = at_random.v[i], w.a = at_random.a[i];
    tree_velocities(m, w);
    tree_accelerations(m, w);
    inverse_kernel(m, w, d);
    blocks.emplace_back(d.virtual_power->H * space.standard);
    rows += blocks.back().rows();
  }
  MatX<double> H(rows, space.standard.cols());
  rows = 0;
  for (const MatX<double>& block : blocks) {
    H.middleRows(rows, block.rows()) = block;
    rows += block.rows();
  }
  return H;
}

}  // namespace gough
