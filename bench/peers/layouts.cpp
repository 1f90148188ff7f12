#include "layouts.hpp"

namespace peers {
namespace {

using namespace gough;

std::size_t at(int i) { return static_cast<std::size_t>(i); }

// ------------------------------------------------------------------------------------------------ robots

Mechanism<double> ready(const RobotDescription& robot) {
  Prepared p = prepare(robot);
  if (!p.home.assembly.closed) throw Error(robot.where, "the home pose cannot be assembled");
  return std::move(p.mechanism);
}

RobotDescription without_friction(RobotDescription robot) {
  for (JointDescription& j : robot.joints)
    for (CoordinateDescription& c : j.coordinates) c.friction.clear();
  return robot;
}

bool touches(const JointDescription& j, const std::string& body) { return j.parent == body || j.child == body; }

/// The platform on its first joint, cut from all others.
RobotDescription hung(RobotDescription robot) {
  bool first = true;
  for (JointDescription& j : robot.joints)
    if (touches(j, robot.platform->body)) {
      j.cut = !first;
      first = false;
    }
  return robot;
}

/// The legs 1, 3, 5 alone.
RobotDescription every_other_leg(RobotDescription robot) {
  for (std::size_t i = 1; i < robot.legs.size(); ++i) {
    for (const std::string& body : robot.legs[i].bodies) {
      std::erase_if(robot.joints, [&](const JointDescription& j) { return touches(j, body); });
      std::erase_if(robot.bodies, [&](const BodyDescription& b) { return b.name == body; });
    }
    robot.legs.erase(robot.legs.begin() + static_cast<std::ptrdiff_t>(i));
  }
  return robot;
}

// ------------------------------------------------------------------------------------------------ states

/// Closed motions near home with the forces that legs finds; accelerations are those of these forces.
void add_states(Case& c, int count) {
  Workspace<double> w(c.m);
  Dynamics<double> d(c.m, w);
  for (const ComparedState& s : random_states(c.m, count)) {
    w.q = s.q;
    w.v = s.v;
    w.a = s.a;
    inverse_dynamics(c.m, w, d);
    forward_dynamics(c.m, w, d);
    tree_positions(c.m, w);
    tree_velocities(c.m, w);
    tree_accelerations(c.m, w);
    c.states.push_back({w.q, w.v, w.a, w.tau, platform_pose(c.m, w), platform_rates(c.m, w)});
  }
}

Case make_case(const RobotDescription& robot, const std::string& grows, int number, int states) {
  Case c{robot.name, grows, number, grows.empty(), robot, ready(robot), {}};
  for (const double rotor : c.m.rotor_inertia)
    if (rotor != 0) throw Error(robot.where, "rotor inertias are not carried over to other engines");
  add_states(c, states);
  return c;
}

// ------------------------------------------------------------------------------------------------ another layout

Frame plain(const Transform<double>& X) {
  Frame f;
  for (int i = 0; i < 3; ++i) {
    f.p[at(i)] = X.p[i];
    for (int k = 0; k < 3; ++k) f.R[at(3 * i + k)] = X.R(i, k);
  }
  return f;
}
Numbers plain(const VecX<double>& x) { return {x.begin(), x.end()}; }
Numbers3 plain(const Vec3<double>& x) { return {x[0], x[1], x[2]}; }

Joint plain(Elementary e) {
  switch (e) {
    case Elementary::revolute: return Joint::revolute;
    case Elementary::prismatic: return Joint::prismatic;
    case Elementary::spherical: return Joint::spherical;
    case Elementary::free: return Joint::free;
    case Elementary::fixed: break;
  }
  throw Error("fixed joints are not carried over to other engines");
}

Problem tree_of(const Case& c, const Mechanism<double>& m, const std::string& layout) {
  Problem p;
  p.robot = c.robot;
  p.layout = layout;
  p.grows = c.grows;
  p.number = c.number;
  p.gravity = plain(m.gravity);
  p.drives = m.actuator;
  p.nq = m.nq;
  p.nv = m.nv;
  for (std::size_t j = 0; j < m.parent.size(); ++j) {
    const Inertia<double>& I = m.inertia[j];
    Body b{m.body_name[j], m.parent[j],  plain(m.joint[j].type),
           m.joint[j].q,   m.joint[j].v, plain(m.placement[j]),
           I.mass,         {},           {}};
    const Vec3<double> com = I.first / I.mass;
    const Mat3<double> about_com = I.second - steiner<double>(com, com) * I.mass;
    b.com = plain(com);
    b.inertia = plain(Transform<double>{about_com, com}).R;
    p.bodies.push_back(b);
  }
  for (std::size_t i = 0; i < m.cut.size(); ++i)
    p.cuts.push_back(
        {m.cut[i].a, m.cut[i].b, plain(m.cut_a[i]), plain(m.cut_b[i]), m.cut[i].kind == JointKind::revolute});
  return p;
}

/// The coordinates of a joint from poses or relative motions.
void put_position(const Transform<double>& placement, const Transform<double>& X, const Body& b, Numbers& q) {
  const Transform<double> E = placement.inverse() * X;
  const Eigen::Vector4d turn = quaternion_from_rotation(E.R);
  const auto x = q.begin() + b.q;
  switch (b.joint) {
    case Joint::revolute: *x = std::atan2(E.R(1, 0), E.R(0, 0)); break;
    case Joint::prismatic: *x = E.p.z(); break;
    case Joint::spherical: std::copy(turn.begin(), turn.end(), x); break;
    case Joint::free:
      std::copy(E.p.begin(), E.p.end(), x);
      std::copy(turn.begin(), turn.end(), x + 3);
      break;
  }
}
void put_rate(const Transform<double>& placement, const Transform<double>& X, const Motion<double>& rate, const Body& b,
              Numbers& v) {
  const Vec3<double> linear = placement.R.transpose() * (X.R * rate.linear);
  const auto x = v.begin() + b.v;
  switch (b.joint) {
    case Joint::revolute: *x = rate.angular.z(); break;
    case Joint::prismatic: *x = rate.linear.z(); break;
    case Joint::spherical: std::copy(rate.angular.begin(), rate.angular.end(), x); break;
    case Joint::free:
      std::copy(linear.begin(), linear.end(), x);
      std::copy(rate.angular.begin(), rate.angular.end(), x + 3);
      break;
  }
}

/// The state of `from`, in the coordinates of the same bodies in another tree.
///   v_j - X_j^-1 v_i = S_j q'_j,      a_j - X_j^-1 a_i - v_j x S_j q'_j = S_j q''_j + S'_j q'_j
State moved(const Case& c, const Workspace<double>& from, const Case::Moving& s, const Mechanism<double>& to,
            const Problem& p) {
  State out;
  out.q.resize(at(to.nq));
  out.v.resize(at(to.nv));
  out.a.resize(at(to.nv));
  out.force.resize(at(to.nv));
  const auto n = to.parent.size();
  std::vector<Transform<double>> X0(n);
  std::vector<Motion<double>> V(n), A(n);
  for (std::size_t j = 0; j < n; ++j) {
    const int old = c.m.find_body(to.body_name[j]);
    if (old < 0) throw Error("the layouts have different bodies");
    const Transform<double> ours = to.body_frame[j] * c.m.body_frame[at(old)].inverse();  // the old frame in the new
    X0[j] = from.X0[at(old)] * ours.inverse();
    V[j] = ours * from.V[at(old)];
    A[j] = ours * from.A[at(old)];
    const int i = to.parent[j];
    const Transform<double> X = i == base ? X0[j] : X0[at(i)].inverse() * X0[j];
    const Motion<double> rate = i == base ? V[j] : V[j] - X.from_outside(V[at(i)]);
    Motion<double> change = (i == base ? A[j] : A[j] - X.from_outside(A[at(i)])) - cross(V[j], rate);
    if (p.bodies[j].joint == Joint::free) change.linear += cross<double>(rate.angular, rate.linear);
    put_position(to.placement[j], X, p.bodies[j], out.q);
    put_rate(to.placement[j], X, rate, p.bodies[j], out.v);
    put_rate(to.placement[j], X, change, p.bodies[j], out.a);
  }
  for (std::size_t k = 0; k < to.actuator.size(); ++k) out.force[at(to.actuator[k])] = s.tau[static_cast<int>(k)];
  for (const Body& b : p.bodies)
    if (const auto e = at(b.v); to.coordinate[e].elastic)
      out.force[e] -= to.stiffness[e] * (out.q[at(b.q)] - to.rest[e]) + to.damping[e] * out.v[e];
  if (c.inverse) out.tau = plain(s.tau);
  out.platform = plain(s.platform);
  out.velocity = plain(s.rates.v);
  out.omega = plain(s.rates.w);
  out.acceleration = plain(s.rates.a);
  out.domega = plain(s.rates.dw);
  return out;
}

Problem problem(const Case& c, const Mechanism<double>& to, const std::string& layout) {
  Problem p = tree_of(c, to, layout);
  Workspace<double> w(c.m);
  for (const Case::Moving& s : c.states) {
    w.q = s.q;
    w.v = s.v;
    w.a = s.a;
    tree_positions(c.m, w);
    tree_velocities(c.m, w);
    tree_accelerations(c.m, w);
    p.states.push_back(moved(c, w, s, to, p));
  }
  return p;
}

}  // namespace

std::vector<Case> all_cases(const std::string& robots_folder) {
  const auto read = [&](const std::string& name) { return without_friction(read_robot(robots_folder + "/" + name)); };
  const RobotDescription hexapod = read("hexapod.yaml");
  constexpr int states = 100, few = 10;
  std::vector<Case> cases = {make_case(hexapod, "", 0, states), make_case(read("five_bar.yaml"), "", 0, states)};
  cases.push_back(make_case(every_other_leg(hexapod), "legs", 3, few));
  for (const int times : {1, 2, 3, 4})
    cases.push_back(make_case(with_repeated_legs(hexapod, times, cases[0].states[0].platform), "legs", 6 * times, few));
  for (const int n : {1, 2, 4, 8, 16, 32})
    cases.push_back(make_case(with_elastic_chains(hexapod, n), "elastic", n, few));
  return cases;
}

std::vector<Problem> problems(const Case& c) {
  std::vector<Problem> all = {problem(c, ready(hung(c.description)), "platform hung on a leg")};
  const bool balls =
      std::all_of(c.m.cut.begin(), c.m.cut.end(), [](const CutJoint& cut) { return cut.kind == JointKind::spherical; });
  if (balls && c.m.platform.floats) all.push_back(problem(c, c.m, "platform floating"));
  return all;
}

}  // namespace peers
