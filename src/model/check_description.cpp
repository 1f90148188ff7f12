#include <fmt/format.h>

#include <cmath>
#include <set>

#include "gough/model/build.hpp"
#include "gough/spatial/eigen_pairs.hpp"

namespace gough {
namespace {

void check_inertia(const BodyDescription& body) {
  const auto fail = [&](const std::string& why) {
    throw Error(body.where, fmt::format("body '{}': {}", body.name, why));
  };
  for (const auto& [m, at] : body.points)
    if (m < 0) fail(fmt::format("read a point mass of {} kg, expected a mass of at least 0", m));
  if (body.mass < 0) fail(fmt::format("read a mass of {} kg, expected a mass of at least 0", body.mass));
  const Eigen::Vector3d moments = eigen_pairs(body.inertia).s;
  const double slack = 1e-9 * moments.cwiseAbs().maxCoeff();  // room for rounded numbers of a thin rod
  if (moments.minCoeff() < -slack)
    fail(fmt::format("read an inertia with the principal moment {:g} kg m^2, expected none below 0",
                     moments.minCoeff()));
  if (moments[0] + moments[1] < moments[2] - slack)
    fail(
        fmt::format("read an inertia with principal moments {:g}, {:g}, {:g} kg m^2, expected the two smaller ones to "
                    "add up to at least the largest, as for every mass distribution",
                    moments[0], moments[1], moments[2]));
  if (body.mass == 0 && slack > 0) fail("read an inertia for a mass of 0 kg, expected a mass or no inertia");
  if (body.symmetric) {
    const Inertia<double> I = body.total();
    const Mat3<double>& J = I.second;
    const std::array<double, 9> value = {J(0, 0), J(0, 1),     J(0, 2),     J(1, 1),    J(1, 2),
                                         J(2, 2), I.first.x(), I.first.y(), I.first.z()};
    for (std::size_t i = 0; i < 9; ++i)
      if (!(*body.symmetric)[i] && std::abs(value[i]) > 1e-9 * (J.norm() + I.first.norm()))
        fail(fmt::format("read {} = {:g} about the body's origin, expected 0 because `symmetric` does not list it",
                         inertia_entry_names[i], value[i]));
  }
}

/// Whether the k-th coordinate belongs to a spherical (or free) part of the joint.
bool is_turn_of_ball(const JointDescription& joint, std::size_t k) {
  for (const Elementary e : joint_run(joint.kind, 1.0).joint) {
    const auto size = static_cast<std::size_t>(velocity_size(e));
    if (k < size) return size > 1;
    k -= size;
  }
  return false;
}

void check_piece(const BodyDescription& body, const BeamDescription& beam) {
  const auto fail = [&](const std::string& why) {
    throw Error(beam.where, fmt::format("body '{}': beam: {}", body.name, why));
  };
  const auto positive = [&](const char* what, double x, const char* unit) {
    if (!(x > 0 && std::isfinite(x))) fail(fmt::format("read {} = {:g}{}, expected one above 0", what, x, unit));
  };
  if (!(beam.length() > 1e-9)) fail(fmt::format("read a length of {:g} m, expected one above 0", beam.length()));
  positive("A", beam.A, " m^2");
  positive("Iy", beam.Iy, " m^4");
  positive("Iz", beam.Iz, " m^4");
  positive("J", beam.J, " m^4");
  positive("E", beam.E, " Pa");
  positive("G", beam.G, " Pa");
  positive("rho", beam.rho, " kg/m^3");
  if (!(beam.shear_factor > 0 && beam.shear_factor <= 1))
    fail(fmt::format("read a shear factor of {:g}, expected one above 0 and at most 1", beam.shear_factor));
  if (beam.elements < 1 || beam.elements > most_elements)
    fail(fmt::format("read {} elements, expected 1 to {}", beam.elements, most_elements));
  if (!(beam.damping >= 0 && beam.half_y >= 0 && beam.half_z >= 0))
    fail("read a negative damping or distance of outermost fibres, expected none");
}

void check_beam(const BodyDescription& body) {
  for (std::size_t i = 0; i < body.beam.size(); ++i) {
    const BeamDescription& piece = body.beam[i];
    check_piece(body, piece);
    if (i == 0) continue;
    if (const double gap = (piece.from - body.beam[i - 1].to).norm(); gap > 1e-9)
      throw Error(piece.where,
                  fmt::format("body '{}': beam: read a piece that begins {:g} m from the end of the one before it, "
                              "expected one that begins there",
                              body.name, gap));
    if (piece.shear != body.beam[0].shear)
      throw Error(piece.where,
                  fmt::format("body '{}': beam: read pieces with and without shear, expected one of both", body.name));
  }
}

void check_joint(const RobotDescription& robot, const JointDescription& joint) {
  const auto fail = [&](const std::string& why) {
    throw Error(joint.where, fmt::format("joint '{}': {}", joint.name, why));
  };
  const auto known = [&](const std::string& name) { return name == base_name || robot.body(name) != nullptr; };
  for (const std::string& end : {joint.parent, joint.child})
    if (!known(end)) fail(fmt::format("read the body '{}', expected 'base' or a body of this robot", end));
  if (joint.parent == joint.child)
    fail(fmt::format("read '{}' as parent and as child, expected two bodies", joint.child));
  if (joint.child == base_name && robot.welded.empty() && robot.merged.empty())
    fail("read 'base' as child, expected the base as parent");
  if (joint.kind == JointKind::distance && !(joint.length > 0))
    fail(fmt::format("read a length of {} m, expected one above 0", joint.length));
  if ((joint.kind == JointKind::modal) != (joint.modal != nullptr))
    fail("read a modal joint and modes apart, expected them together");
  const std::size_t wanted =
      joint.modal ? static_cast<std::size_t>(joint.modal->modes()) : coordinate_kinds(joint.kind).size();
  if (joint.coordinates.size() != wanted)
    fail(fmt::format("read {} coordinates, expected {} for a {} joint", joint.coordinates.size(), wanted,
                     name(joint.kind)));
  for (const CoordinateDescription& c : joint.coordinates) {
    if (!(c.position.lower < c.position.upper))
      fail(fmt::format("read the limits [{:g}, {:g}], expected the lower one first", c.position.lower,
                       c.position.upper));
    if (c.stiffness < 0 || c.damping < 0 || c.rotor_inertia < 0)
      fail("read a negative stiffness, damping or rotor inertia, expected at least 0");
    if (!(c.velocity > 0 && c.acceleration > 0 && c.force > 0))
      fail("read a limit of velocity, acceleration or force that is not above 0, expected one that is");
    if (!(c.ratio > 0)) fail(fmt::format("read a gear or screw ratio of {:g}, expected one above 0", c.ratio));
    if (c.locked && is_turn_of_ball(joint, static_cast<std::size_t>(&c - joint.coordinates.data())))
      fail(
          fmt::format("read the role locked for a turn of a {} joint, expected it for a single axis (use a universal, "
                      "revolute or fixed joint)",
                      name(joint.kind)));
    if (c.locked && (c.actuated || c.elastic)) fail("read the role locked together with another, expected it alone");
    if (c.elastic && !(c.stiffness > 0)) fail("read the role elastic without a stiffness, expected one above 0");
    for (const FrictionTerm& f : c.friction)
      if (!robot.coefficients.contains(f.coefficient))
        fail(fmt::format("read the friction coefficient '{}', expected a number or a name listed under `friction`",
                         f.coefficient));
    for (const bool driven : {c.actuated, c.elastic})
      if (driven && joint.cut.value_or(false))
        fail("read `cut: true`, expected an actuated or elastic joint to stay uncut");
  }
}

template <class T>
void check_names(const std::vector<T>& all, const char* what) {
  std::set<std::string> seen;
  for (const T& x : all) {
    if (x.name == base_name)
      throw Error(x.where,
                  fmt::format("read '{}' as the name of a {}, expected another: the base has it", x.name, what));
    if (!seen.insert(x.name).second)
      throw Error(x.where, fmt::format("read the {} '{}' a second time, expected every name once", what, x.name));
  }
}

/// Coordinates head the columns of tables: each name must be one's own.
void check_coordinate_names(const RobotDescription& robot) {
  std::set<std::string> seen;
  for (const JointDescription& j : robot.joints)
    for (std::size_t k = 0; k < j.coordinates.size(); ++k)
      if (const std::string name = coordinate_name(j, k); !seen.insert(name).second)
        throw Error(j.where,
                    fmt::format("joint '{}': read a second coordinate '{}', expected every name once", j.name, name));
}

/// Every body must reach the base through joints.
void check_connected(const RobotDescription& robot) {
  std::map<std::string, std::vector<std::string>> neighbours;
  for (const JointDescription& j : robot.joints) {
    neighbours[j.parent].push_back(j.child);
    neighbours[j.child].push_back(j.parent);
  }
  std::set<std::string> reached = {std::string(base_name)};
  std::vector<std::string> front(reached.begin(), reached.end());
  while (!front.empty()) {
    const std::string at = front.back();
    front.pop_back();
    for (const std::string& next : neighbours[at])
      if (reached.insert(next).second) front.push_back(next);
  }
  std::vector<std::string> lost;
  const BodyDescription* first = nullptr;
  for (const BodyDescription& b : robot.bodies)
    if (!reached.contains(b.name)) {
      lost.push_back("'" + b.name + "'");
      if (first == nullptr) first = &b;
    }
  if (first != nullptr)
    throw Error(first->where, fmt::format("read {} without a way to the base, expected joints that connect every body "
                                          "with the base (a ring of parents floats by itself)",
                                          fmt::join(lost, ", ")));
}

}  // namespace

namespace {

/// Files have no other numbers; programs may.
void expect_numbers(const Where& where, const std::string& what, std::initializer_list<double> all) {
  for (const double x : all)
    if (!std::isfinite(x)) throw Error(where, fmt::format("{}: read {}, expected a number", what, x));
}
void expect_numbers(const Where& where, const std::string& what, const Transform<double>& X) {
  if (!X.R.allFinite() || !X.p.allFinite())
    throw Error(where, fmt::format("{}: read a frame that is not made of numbers, expected one that is", what));
}

void check_numbers(const RobotDescription& robot) {
  expect_numbers(robot.where, "gravity", {robot.gravity[0], robot.gravity[1], robot.gravity[2]});
  for (const auto& [name, value] : robot.coefficients)
    expect_numbers(robot.where, "coefficient '" + name + "'", {value});
  for (const BodyDescription& b : robot.bodies) {
    expect_numbers(b.where, "body '" + b.name + "'", {b.mass, b.com.sum(), b.inertia.sum()});
    for (const auto& [mass, p] : b.points) expect_numbers(b.where, "points of body '" + b.name + "'", {mass, p.sum()});
    for (const BeamDescription& x : b.beam)
      expect_numbers(x.where, "beam of body '" + b.name + "'",
                     {x.from.sum(), x.to.sum(), x.A, x.Iy, x.Iz, x.J, x.E, x.G, x.rho, x.damping, x.half_y, x.half_z,
                      x.shear_factor});
  }
  for (const JointDescription& j : robot.joints) {
    const std::string what = "joint '" + j.name + "'";
    expect_numbers(j.where, what, j.origin);
    expect_numbers(j.where, what, j.child_origin);
    expect_numbers(j.where, what, {j.length});
    for (const CoordinateDescription& c : j.coordinates)
      expect_numbers(
          j.where, what,
          {c.stiffness, c.damping, c.rest, c.rotor_inertia, c.ratio, c.home.value_or(0), c.guess.value_or(0)});
  }
  for (const SpringDescription& s : robot.springs)
    expect_numbers(s.where, "spring '" + s.name + "'",
                   {s.stiffness, s.damping, s.free_length, s.point_a.sum(), s.point_b.sum()});
  if (!robot.platform) return;
  expect_numbers(robot.platform->where, "platform", robot.platform->frame);
  expect_numbers(robot.platform->where, "platform", robot.platform->tool);
  for (const auto& x : robot.platform->home) expect_numbers(robot.platform->where, "home", {x.value_or(0)});
}

}  // namespace

void check_description(const RobotDescription& robot) {
  check_numbers(robot);
  if (robot.bodies.empty()) throw Error(robot.where, "read no bodies, expected at least one");
  if (robot.bodies.size() > most_bodies || robot.joints.size() > most_joints)
    throw Error(robot.where, fmt::format("read {} bodies and {} joints, expected at most {} and {}",
                                         robot.bodies.size(), robot.joints.size(), most_bodies, most_joints));
  check_names(robot.bodies, "body");
  check_names(robot.joints, "joint");
  for (const BodyDescription& body : robot.bodies) {
    check_beam(body);
    check_inertia(body);
  }
  for (const JointDescription& joint : robot.joints) check_joint(robot, joint);
  check_coordinate_names(robot);
  for (const SpringDescription& s : robot.springs) {
    for (const std::string& end : {s.body_a, s.body_b})
      if (end != base_name && robot.body(end) == nullptr)
        throw Error(s.where, fmt::format("spring '{}': read the body '{}', expected 'base' or a body of this robot",
                                         s.name, end));
    if (s.stiffness < 0 || s.damping < 0 || s.free_length < 0)
      throw Error(s.where, fmt::format("spring '{}': read a negative number, expected at least 0", s.name));
  }
  if (robot.platform && robot.body(robot.platform->body) == nullptr)
    throw Error(robot.platform->where,
                fmt::format("platform: read the body '{}', expected a body of this robot", robot.platform->body));
  check_connected(robot);
}

}  // namespace gough
