#include "gough/kinematics/guide.hpp"

#include <algorithm>

#include "gough/kinematics/continuation.hpp"
#include "gough/kinematics/forward.hpp"

namespace gough {
namespace {

/// How much a coordinate is wished for as an independent one.
std::vector<int> wishes(const Mechanism<double>& m) {
  std::vector<int> wish(at(m.nv), 0);
  for (const TreeJoint& j : m.joint)
    if (single_coordinates(j) == 1) wish[at(j.v)] = 1;
  for (const int e : m.elastic) wish[at(e)] = 2;
  for (const int a : m.actuator) wish[at(a)] = 3;
  return wish;
}

std::vector<int> independent_at_home(const Mechanism<double>& m) {
  Workspace<double> w(m);
  tree_positions(m, w);
  closure(m, w);
  return select_coordinates(m, w, wishes(m), m.rank).independent;
}

bool has_one_axis(const Mechanism<double>& m, int v) {
  return std::any_of(m.joint.begin(), m.joint.end(),
                     [&](const TreeJoint& j) { return j.v == v && velocity_size(j) == 1; });
}
bool have_one_axis(const Mechanism<double>& m, const std::vector<int>& coordinates) {
  return std::all_of(coordinates.begin(), coordinates.end(), [&](int v) { return has_one_axis(m, v); });
}

Vec3<double> turned(const TreeJoint& j, const Vec3<double>& r) { return j.reversed ? Vec3<double>(-r) : r; }

/// Puts a tree joint where its coordinates are x: the inverse of named_positions.
void set_position(const TreeJoint& j, const VecX<double>& x, VecX<double>& q) {
  if (!has_turns(j)) q.segment(j.q, position_size(j)) = x.segment(j.v, position_size(j));
  if (j.type == Elementary::spherical)
    q.segment<4>(j.q) = quaternion_from_rotation(rotation_from_vector<double>(turned(j, x.segment<3>(j.v))));
  if (j.type == Elementary::free) {
    const Mat3<double> R = rotation_from_vector<double>(turned(j, x.segment<3>(j.v + 3)));
    const Vec3<double> p = x.segment<3>(j.v);
    q.segment<3>(j.q) = j.reversed ? Vec3<double>(-(R * p)) : p;
    q.segment<4>(j.q + 3) = quaternion_from_rotation(R);
  }
}

VecX<double> positions(const Mechanism<double>& m, Workspace<double>& w) {
  VecX<double> x(m.nv);
  const auto named = named_positions(m, w);
  for (int v = 0; v < m.nv; ++v) x[v] = named[at(v)].second;
  return x;
}

}  // namespace

std::vector<int> guiding_coordinates(const Mechanism<double>& m) {
  const bool all_driven = static_cast<int>(m.driven().size()) == m.nv - m.rank;
  if (all_driven && !m.actuator.empty() && have_one_axis(m, m.actuator)) return m.actuator;
  const std::vector<int> independent = independent_at_home(m);
  std::vector<int> all;
  for (const int a : m.actuator)  // in the order of the file
    if (contains(independent, a) && has_one_axis(m, a)) all.push_back(a);
  for (const TreeJoint& j : m.joint) {
    const int n = velocity_size(j);
    bool whole = true;
    for (int v = j.v; v < j.v + n; ++v)
      whole = whole && contains(independent, v) && !contains(all, v) &&
              (m.actuator.empty() || !m.coordinate[at(v)].elastic);
    for (int v = j.v; whole && v < j.v + n; ++v) all.push_back(v);
  }
  return all;
}

Answer guide(const Mechanism<double>& m, const std::vector<int>& coordinates, const VecX<double>& values,
             Workspace<double>& w) {
  if (coordinates == m.actuator && have_one_axis(m, coordinates)) return forward_kinematics(m, values, w, false);
  tree_positions(m, w);
  closure(m, w);
  const VecX<double> from = positions(m, w);
  VecX<double> to = from;
  Hold hold;
  hold.coordinates.assign(at(m.nv), false);
  for (const int e : m.elastic) hold.coordinates[at(e)] = true;
  for (std::size_t i = 0; i < coordinates.size(); ++i) {
    to[coordinates[i]] = values[static_cast<Eigen::Index>(i)];
    hold.coordinates[at(coordinates[i])] = true;
  }
  return walk(m, w, [&](double s, VecX<double>& q) {
    for (const TreeJoint& j : m.joint)
      if (velocity_size(j) > 0 && contains(coordinates, j.v)) set_position(j, from + (to - from) * s, q);
    return hold;
  });
}

}  // namespace gough
