/// Every robot with one thing more or less than its file says (robot_variants.hpp): every formulation, the fast paths that a robot is given,
/// and what a simulation visits, against Newton's and Euler's equations. Those know the mechanism after bodies that are fixed to each other
/// became one; so the author's bodies, each by itself, are compared with it as well.
///
/// `make test` looks at a share of the large robots' variants; GOUGH_VARIANT_SEEDS=n at all of them, in n random states each.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numbers>
#include <set>

#include "dynamics/evaluations.hpp"
#include "dynamics/robot_variants.hpp"

namespace gough::variant_matrix_test {
namespace {

using newton_euler::Load;

const std::set<std::string> without_platform = {"andrews",  "bricard",       "four_bar",
                                                "fourbar2", "n_four_bar_40", "pendulum"};

/// Large robots take some hundred times what small ones take.
std::size_t share_of(const RobotDescription& robot) {
  return robot.bodies.size() > 50 ? 24 : robot.bodies.size() >= 10 ? 4 : 1;
}

/// Calls visit(variant, its description) for those that make sense. `fewer`: of the large robots an even smaller share.
template <class Visit>
void for_each_variant(const std::string& robot, std::size_t fewer, const Visit& visit) {
  const RobotDescription& description = described(robot);
  const std::size_t share = share_of(description) > 1 ? fewer * share_of(description) : 1;
  for (const RobotVariant& v : robot_variants()) {
    SCOPED_TRACE(robot + ", " + v.name);
    const bool drawn = (place_of_variant(v.name) + place_of_robot(robot)) % share == 0;
    if (!drawn && !every_variant() && v.name != "tool_on_platform") continue;
    try {
      if (const auto variant = v.of(description)) visit(v.name, *variant);
    } catch (const std::exception& e) { ADD_FAILURE() << e.what(); }
  }
}

// ------------------------------------------------------------------------------------------------ where variants are

std::vector<std::string> robots_without(const std::string& variant) {
  std::vector<std::string> none;
  for (const std::string& robot : shipped_robots())
    if (!variant_of(described(robot), variant)) none.push_back(robot);
  return none;
}

TEST(RobotVariants, AreThereWhereTheyMakeSense) {
  for (const std::string& tool : tool_variants())
    EXPECT_THAT(robots_without(tool), testing::ElementsAreArray(without_platform)) << tool;
  for (const std::string variant : {"payload_on_platform", "driven_on_platform"})
    EXPECT_THAT(robots_without(variant), testing::ElementsAreArray(without_platform)) << variant;
  for (const std::string variant :
       {"payload_on_leg", "payload_on_base", "driven_on_base", "body_on_leg", "fixture_on_base", "heavier_leg",
        "lopsided_leg", "spring_between_bodies", "rotors_on_drives"})
    EXPECT_THAT(robots_without(variant), testing::IsEmpty()) << variant;
  for (const std::string variant : {"springs_in_joints", "viscous_friction", "dry_friction"})
    EXPECT_THAT(robots_without(variant), testing::ElementsAre("pendulum")) << variant;
}

/// A star's slides are driven and its arms touch the platform; the rods of three robots have ball joints only; in flight_simulator the
/// universal joints are the platform's, and hips of six_r have no mass that a drive could push.
TEST(RobotVariants, OfDrivesAndLegsAreThereWhereTheyMakeSense) {
  EXPECT_THAT(
      robots_without("rotors_on_passive_joints"),
      testing::ElementsAre("delta", "delta_flexible", "flight_simulator", "par4", "pendulum", "psp3", "triglide"));
  EXPECT_THAT(robots_without("drive_added"), testing::ElementsAre("delta", "delta_flexible", "flight_simulator", "par4",
                                                                  "pendulum", "psp3", "six_r", "triglide"));
  EXPECT_THAT(robots_without("drive_removed"), testing::ElementsAreArray(without_platform));  // one drive each
  EXPECT_THAT(robots_without("legs_doubled"),
              testing::ElementsAre("agile_eye", "andrews", "bricard", "elastic_five_bar", "five_bar",
                                   "five_bar_flexible", "four_bar", "fourbar2", "n_four_bar_40", "palletizer", "par4",
                                   "pendulum", "psp3", "redundant_five_bar", "rps3"));
  const std::vector<std::string> rigid = robots_without("elastic_legs");
  for (const std::string robot : {"delta", "five_bar", "hexa", "hexapod", "palida", "psp3", "rrr3", "triglide"})
    EXPECT_THAT(rigid, testing::Not(testing::Contains(robot)));
  for (const std::string robot : {"bricard", "hexapod_flexible", "pendulum"})
    EXPECT_THAT(rigid, testing::Contains(robot));
}

// ------------------------------------------------------------------------------------------------ the author's bodies

/// Of all bodies that move, about the base's origin.
struct Sums {
  double mass = 0, kinetic = 0;
  Vec3<double> first = Vec3<double>::Zero(), momentum = Vec3<double>::Zero();

  /// A body whose frame stands at X, turns with w, and whose origin moves with v.
  void add(const Inertia<double>& I, const Transform<double>& X, const Vec3<double>& w, const Vec3<double>& v) {
    const Vec3<double> s = X.R * I.first, Jw = X.R * I.second * (X.R.transpose() * w);
    mass += I.mass;
    first += X.p * I.mass + s;
    momentum += v * I.mass + w.cross(s);
    kinetic += (I.mass * v.squaredNorm() + w.dot(Jw)) / 2 + v.dot(w.cross(s));
  }
};

/// The author's bodies where the mechanism has them.
class AuthorsBodies {
 public:
  AuthorsBodies(const RobotDescription& robot, const newton_euler::FreeBodies& b) : robot_(robot), m_(b.m), b_(b) {}

  /// Massless bodies may become part of a joint.
  bool knows(const std::string& body) const { return m_.find_body(body) >= base; }
  Transform<double> pose(const std::string& body) const {
    if (body == base_name) return {};
    return b_.body_at(m_.find_body(body)).X * m_.author_frame(body);
  }

  newton_euler::Body<double> moving(const std::string& body) const {
    const auto carrier = b_.body_at(m_.find_body(body));
    const Transform<double> X = pose(body);
    return {X, carrier.w, carrier.velocity_at(X.p)};
  }

  void expect_the_mechanisms_masses() const {
    Sums author, mechanism;
    for (const BodyDescription& one : robot_.bodies) {
      const Inertia<double> I = one.total();
      const int j = m_.find_body(one.name);
      EXPECT_TRUE(knows(one.name) || I.mass == 0) << "'" << one.name << "' is lost";
      if (j < 0) continue;  // lost, or part of the base
      const auto body = moving(one.name);
      author.add(I, body.X, body.w, body.v);
    }
    for (std::size_t j = 0; j < b_.body.size(); ++j)
      mechanism.add(m_.inertia[j], b_.body[j].X, b_.body[j].w, b_.body[j].v);
    EXPECT_NEAR(mechanism.mass, author.mass, 1e-13 * author.mass);
    EXPECT_LT((mechanism.first - author.first).norm(), 1e-12 * author.mass);  // robots of about a metre
    EXPECT_LT((mechanism.momentum - author.momentum).norm(), 1e-12 * author.mass);
    EXPECT_NEAR(mechanism.kinetic, author.kinetic, 1e-12 * std::max(author.mass, author.kinetic));
    EXPECT_GT(author.kinetic, 0);
  }

  void expect_joints_to_hold() const {
    for (const JointDescription& j : robot_.joints) {
      if (!knows(j.parent) || !knows(j.child)) continue;
      EXPECT_LT(gap(j, pose(j.parent) * j.origin, pose(j.child) * j.child_origin), 1e-10) << j.name;
    }
  }

  /// Positions and rates of joints with single axes are the author's: rests, limits and friction belong to them.
  void expect_the_same_coordinates() const {
    for (const JointDescription& j : robot_.joints) {
      const bool axes = j.kind == JointKind::revolute || j.kind == JointKind::prismatic ||
                        j.kind == JointKind::cylindrical || j.kind == JointKind::universal;
      if (!axes || !knows(j.parent) || !knows(j.child)) continue;
      const newton_euler::Joint joint{j.kind, base, base, j.origin, j.child_origin, 0};
      const Vec6<double> q = newton_euler::positions(joint, moving(j.parent), moving(j.child)),
                         v = newton_euler::rates(joint, moving(j.parent), moving(j.child));
      for (std::size_t k = 0; k < j.coordinates.size(); ++k) {
        const int c = m_.find_coordinate(coordinate_name(j, k)), i = static_cast<int>(k);
        if (c < 0) continue;  // locked
        const double apart = b_.position[c] - q[i];
        const bool turns = !coordinate_kinds(j.kind)[k].is_length;
        EXPECT_NEAR(turns ? std::remainder(apart, 2 * std::numbers::pi) : apart, 0, 1e-10) << coordinate_name(j, k);
        EXPECT_NEAR(b_.rate[c], v[i], 1e-10) << coordinate_name(j, k);
      }
    }
  }

  void expect_springs_to_reach_as_far() const {
    for (const SpringDescription& s : robot_.springs) {
      const auto i = std::find_if(m_.spring.begin(), m_.spring.end(), [&](const auto& x) { return x.name == s.name; }) -
                     m_.spring.begin();
      ASSERT_LT(at(i), m_.spring.size()) << s.name;
      const double length = (pose(s.body_b) * s.point_b - pose(s.body_a) * s.point_a).norm();
      EXPECT_NEAR(newton_euler::stretched(b_, at(i)).length, length, 1e-12 * std::max(1.0, length)) << s.name;
    }
  }

 private:
  /// How far frame B is from where the joint lets it be.
  static double gap(const JointDescription& j, const Transform<double>& A, const Transform<double>& B) {
    const Vec3<double> p = A.R.transpose() * (B.p - A.p);
    Mat3<double> R = A.R.transpose() * B.R;
    const double off_axis = std::hypot(p.x(), p.y()), tilt = std::hypot(R(0, 2), R(1, 2));
    if (j.kind == JointKind::revolute && j.coordinates[0].locked) {
      R = rotation_z(-j.coordinates[0].home.value_or(0)) * R;
      return p.norm() + (R - Mat3<double>::Identity()).norm();
    }
    switch (j.kind) {
      case JointKind::fixed: return p.norm() + (R - Mat3<double>::Identity()).norm();
      case JointKind::revolute: return p.norm() + tilt;
      case JointKind::prismatic: return off_axis + (R - Mat3<double>::Identity()).norm();
      case JointKind::universal: return p.norm() + std::abs(R(2, 0));
      case JointKind::cylindrical: return off_axis + tilt;
      case JointKind::spherical: return p.norm();
      case JointKind::planar: return std::abs(p.z()) + tilt;
      case JointKind::point_on_line: return off_axis;
      case JointKind::point_on_plane: return std::abs(p.z());
      case JointKind::distance: return std::abs(p.norm() - j.length);
      case JointKind::free:
      case JointKind::modal: break;
    }
    return 0;
  }

  const RobotDescription& robot_;
  const Mechanism<double>& m_;
  const newton_euler::FreeBodies& b_;
};

// ------------------------------------------------------------------------------------------------ formulations

/// A way to compute, and whether it takes its coordinates at home and not where it is asked.
struct Way {
  std::string name;
  DynamicsOptions options;
  bool from_home = false;
};

std::vector<Way> all_ways(const Mechanism<double>& m) {
  std::vector<Way> ways = {{"default, from home", {}, true}};
  for (const Formulation f : all_formulations) ways.push_back({std::string(name(f)), by(f)});
  DynamicsOptions no_lanes;
  no_lanes.lanes = false;
  ways.push_back({"legs, no lanes", no_lanes});
  if (!m.platform.floats) return ways;
  DynamicsOptions platform = by(Formulation::dalembert);
  platform.independent = Independent::platform;
  ways.push_back({"dalembert, the platform independent", platform});
  return ways;
}

constexpr double unknown = std::numeric_limits<double>::quiet_NaN();

/// A robot at one state, and what the witness says there.
struct Moment {
  const Mechanism<double>& m;
  ClosedState s;
  Witness witness;
  Condition condition;

  Moment(const Mechanism<double>& robot, const ClosedState& state)
      : m(robot), s(state), witness(robot, state), condition(condition_estimate(robot, state.q)) {}

  /// Where drives are not as many as freedoms, normal equations are solved.
  double forces_rounding() const {
    const bool square = static_cast<int>(m.driven().size()) == m.nv - m.rank;
    return rounding(square ? condition.inverse : condition.inverse * condition.inverse);
  }

  Workspace<double> with(const Load& load) const {
    Workspace<double> w = set_up(m, s, load);
    w.lambda.setConstant(unknown);
    return w;
  }
};

void expect_newtons_motion(const Moment& x, const Load& load, Dynamics<double>& d) {
  const VecX<double> a = x.witness.accelerations(load);
  Workspace<double> w = x.with(load);
  w.a.setConstant(unknown);
  const DynamicsAnswer forward = forward_dynamics(x.m, w, d);
  EXPECT_TRUE(forward.ok()) << "forward: " << forward.reason;
  EXPECT_LT(error_of(w.a, a), rounding(x.condition.forward)) << "forward";
  EXPECT_TRUE(w.lambda.allFinite()) << "forward";

  w = x.with(load);
  w.a = a;
  w.tau.setConstant(unknown);
  const DynamicsAnswer inverse = inverse_dynamics(x.m, w, d);
  if (!std::isfinite(x.condition.inverse)) {  // as many drives as freedoms, and one that they do not reach
    EXPECT_FALSE(inverse.ok());
    return;
  }
  EXPECT_TRUE(inverse.ok()) << "inverse: " << inverse.reason;
  const VecX<double> expected = x.witness.least_efforts(load.tau);
  VecX<double> all(expected.size());
  all << w.tau, d.elastic_residual();
  EXPECT_LT(error_of(all, expected), x.forces_rounding()) << "inverse";
  EXPECT_TRUE(w.lambda.allFinite()) << "inverse";
}

void expect_newtons_motion(const Moment& x, unsigned seed) {
  ASSERT_TRUE(x.witness.unique());
  ASSERT_LT(x.condition.forward, ill_conditioned);
  ASSERT_TRUE(x.condition.inverse < ill_conditioned || !std::isfinite(x.condition.inverse));
  for (const Way& way : all_ways(x.m)) {
    SCOPED_TRACE(way.name);
    Workspace<double> there(x.m);
    if (!way.from_home) there = x.with({VecX<double>::Zero(static_cast<Eigen::Index>(x.m.actuator.size())), {}});
    if (!not_applicable(x.m, placed(x.m, there.q), way.options.by).empty()) continue;
    Dynamics<double> d(x.m, there, way.options);
    for (const Wrenches on : all_wrenches) {
      SCOPED_TRACE(on == Wrenches::none       ? "no wrench"
                   : on == Wrenches::platform ? "a wrench on the platform"
                                              : "wrenches");
      expect_newtons_motion(x, weighty_load(x.m, seed, on), d);
    }
  }
}

/// A path that is refused would have computed something else than the general kernels: a defect, though one that is seen.
void expect_no_path_to_be_refused(const Mechanism<double>& m) {
  for (const FastPath& p : m.fast_path) EXPECT_FALSE(p.refused) << p.name << ": " << p.why;
}

std::size_t count_drives(const RobotDescription& robot) {
  std::size_t n = 0;
  for (const JointDescription& j : robot.joints)
    for (const CoordinateDescription& c : j.coordinates) n += c.actuated ? 1 : 0;
  return n;
}

class EveryVariantOf : public testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(Dynamics, EveryVariantOf, testing::ValuesIn(shipped_robots()),
                         [](const auto& of) { return of.param; });

TEST_P(EveryVariantOf, ObeysNewtonByEveryFormulation) {
  for_each_variant(GetParam(), 1, [](const std::string&, const RobotDescription& robot) {
    const Prepared ready = prepare(robot);
    ASSERT_TRUE(ready.home.assembly.closed) << ready.home.assembly.explain(ready.mechanism);
    ASSERT_EQ(ready.mechanism.actuator.size(), count_drives(robot));
    expect_no_path_to_be_refused(ready.mechanism);
    const Mechanism<double> m = without_standing_friction(ready.mechanism);
    for (unsigned seed = 1; seed <= variant_seeds(); ++seed) {
      SCOPED_TRACE("seed " + std::to_string(seed));
      const Moment x(m, nearby_state(m, seed));
      const AuthorsBodies author(robot, x.witness.bodies);
      author.expect_the_mechanisms_masses();
      author.expect_joints_to_hold();
      author.expect_the_same_coordinates();
      author.expect_springs_to_reach_as_far();
      expect_newtons_motion(x, seed);
    }
  });
}

// ------------------------------------------------------------------------------------------------ tools

/// What a body is with others mounted on it, by hand: masses, centres, and moments about the common centre.
BodyDescription with_mounted(const BodyDescription& carrier, const std::vector<MountedBody>& mounted) {
  struct Piece {
    double mass;
    Vec3<double> centre;
    Mat3<double> moments;
  };
  std::vector<Piece> pieces = {{carrier.mass, carrier.com, carrier.inertia}};
  for (const auto& [mass, p] : carrier.points) pieces.push_back({mass, p, Mat3<double>::Zero()});
  for (const MountedBody& x : mounted)
    pieces.push_back({x.body.mass, x.pose * x.body.com, x.pose.R * x.body.inertia * x.pose.R.transpose()});
  BodyDescription sum;
  sum.name = carrier.name;
  for (const Piece& x : pieces) {
    sum.mass += x.mass;
    sum.com += x.mass * x.centre;
  }
  sum.com /= sum.mass;
  for (const Piece& x : pieces) {
    const Vec3<double> r = x.centre - sum.com;
    sum.inertia += x.moments + x.mass * (r.squaredNorm() * Mat3<double>::Identity() - r * r.transpose());
  }
  return sum;
}

RobotDescription with_heavier_platform(RobotDescription robot) {
  for (BodyDescription& b : robot.bodies)
    if (b.name == robot.platform->body) b = with_mounted(b, mounted_on_platform());
  return robot;
}

/// Of the default way, from joints and from the platform's motion alone.
struct DriveForces {
  VecX<double> from_joints, from_platform;

  DriveForces(const Mechanism<double>& m, const ClosedState& s) {
    Workspace<double> w =
        set_up(m, s, {VecX<double>::Constant(static_cast<Eigen::Index>(m.actuator.size()), unknown), {}});
    Dynamics<double> d(m, w);
    EXPECT_TRUE(inverse_dynamics(m, w, d).ok());
    from_joints = w.tau;
    tree_positions(m, w);
    closure(m, w);
    tree_velocities(m, w);
    tree_accelerations(m, w);
    const Transform<double> pose = platform_pose(m, w);
    const PlatformRates<double> rates = platform_rates(m, w);
    w.tau.setConstant(unknown);
    EXPECT_TRUE(inverse_dynamics(m, pose, rates, w, d).ok());
    from_platform = w.tau;
  }
};

class ToolsOn : public testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(Dynamics, ToolsOn,
                         testing::Values("hexapod", "palida", "hexa", "delta", "psp3", "five_bar", "rrr3", "six_r"),
                         [](const auto& of) { return of.param; });

/// However a tool is fixed to the platform, the forces are those of a platform with its mass; without it they are others.
TEST_P(ToolsOn, ThePlatformAreAHeavierPlatform) {
  const RobotDescription& robot = described(GetParam());
  const Mechanism<double> heavier = prepare(with_heavier_platform(robot)).mechanism;
  const ClosedState s = nearby_state(heavier, 1);
  const DriveForces expected(heavier, s), bare(shipped(GetParam()), s);
  const double size = std::max(1.0, expected.from_joints.norm());
  EXPECT_GT((bare.from_joints - expected.from_joints).norm(), 0.01 * size);
  EXPECT_GT((bare.from_platform - expected.from_platform).norm(), 0.01 * size);
  for (const std::string& variant : tool_variants()) {
    SCOPED_TRACE(variant);
    const Mechanism<double> m = prepare(*variant_of(robot, variant)).mechanism;
    ASSERT_EQ(m.nq, heavier.nq);
    const DriveForces tau(m, s);
    EXPECT_LT(error_of(tau.from_joints, expected.from_joints), 1e-10);
    EXPECT_LT(error_of(tau.from_platform, expected.from_joints),
              1e-8);  // positions are found to 1e-12, and followed by rates
  }
}

// ------------------------------------------------------------------------------------------------ simulations

class SimulatedVariantsOf : public testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(Simulation, SimulatedVariantsOf,
                         testing::Values("hexapod", "palida", "delta", "psp3", "five_bar", "rrr3"),
                         [](const auto& of) { return of.param; });

/// A millisecond under constant drives and wrenches: default options, whatever state the run comes through.
TEST_P(SimulatedVariantsOf, KeepToNewton) {
  for_each_variant(GetParam(), 2, [](const std::string&, const RobotDescription& robot) {
    const Mechanism<double> m = without_standing_friction(prepare(robot).mechanism);
    const Load load = weighty_load(m, 5, Wrenches::platform);
    for (unsigned seed = 1; seed <= variant_seeds(); ++seed) {
      SCOPED_TRACE("seed " + std::to_string(seed));
      const ClosedState start = nearby_state(m, 10 + seed);
      Workspace<double> w = set_up(m, start, load);
      std::vector<ClosedState> rows;
      const SimulationAnswer run = simulate(m, w, std::vector<double>{0, 1e-3}, {}, {}, [&](const SimulationRow& row) {
        rows.push_back({row.w.q, row.w.v, row.w.a});
        return true;
      });
      if (run.reason.find("stop and start again without end") != std::string::npos)
        continue;  // said, and smooth friction advised
      EXPECT_TRUE(run.ok()) << run.reason;
      ASSERT_EQ(rows.size(), 2U);
      EXPECT_LT((rows[0].v - start.v).norm(), 1e-9) << "a joint with dry friction that moves was stopped";
      EXPECT_GT((rows[1].q - start.q).norm(), 1e-6);
      for (const ClosedState& row : rows) {
        if (slowest_dry_rate(m, row) < 1e-6) continue;  // such a joint may be held by any force
        const Condition condition = condition_estimate(m, row.q);
        ASSERT_LT(condition.forward, ill_conditioned);
        EXPECT_LT(error_of(row.a, Witness(m, row).accelerations(load)), rounding(condition.forward));
      }
    }
  });
}

}  // namespace
}  // namespace gough::variant_matrix_test
