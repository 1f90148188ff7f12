/// DART, as Debian builds it, so this file is not compiled for this machine alone: Eigen's alignment must match.
///   forward   World::step, for the loops are closed by impulses within a time step; the accelerations are the change of the
///             velocities over the step, which leaves out that the constraints' Jacobian changes (-J' v)
///   inverse   from its parts, with t = computeInverseDynamics of the open tree and J the constraints' Jacobian:
///               J_passive^T lambda = t_passive,    tau = t_drives - J_drives^T lambda
#include <dart/dart.hpp>

#include "problem.hpp"

namespace {

using namespace peers;
using dart::dynamics::BodyNode;
using Eigen::Vector3d, Eigen::VectorXd, Eigen::MatrixXd;

constexpr double step = 1e-4;  // s

std::size_t at(int i) { return static_cast<std::size_t>(i); }
Vector3d vec(const Numbers3& x) { return {x[0], x[1], x[2]}; }
Eigen::Matrix3d matrix(const Numbers9& R) {
  return Eigen::Map<const Eigen::Matrix<double, 3, 3, Eigen::RowMajor>>(R.data());
}

template <class JointType>
BodyNode* add_joint(dart::dynamics::Skeleton& robot, BodyNode* parent, const Body& b,
                    typename JointType::Properties joint) {
  joint.mName = b.name;
  joint.mT_ParentBodyToJoint.linear() = matrix(b.placement.R);
  joint.mT_ParentBodyToJoint.translation() = vec(b.placement.p);
  BodyNode::Properties body;
  body.mName = b.name;
  body.mInertia = dart::dynamics::Inertia(b.mass, vec(b.com), matrix(b.positive_inertia()));
  return robot.createJointAndBodyNodePair<JointType>(parent, joint, body).second;
}

BodyNode* add(dart::dynamics::Skeleton& robot, BodyNode* parent, const Body& b) {
  using dart::dynamics::BallJoint, dart::dynamics::PrismaticJoint, dart::dynamics::RevoluteJoint;
  switch (b.joint) {
    case Joint::revolute: {
      RevoluteJoint::Properties joint;
      joint.mAxis = Vector3d::UnitZ();
      return add_joint<RevoluteJoint>(robot, parent, b, joint);
    }
    case Joint::prismatic: {
      PrismaticJoint::Properties joint;
      joint.mAxis = Vector3d::UnitZ();
      return add_joint<PrismaticJoint>(robot, parent, b, joint);
    }
    case Joint::spherical: return add_joint<BallJoint>(robot, parent, b, BallJoint::Properties());
    case Joint::free: break;
  }
  throw std::runtime_error("DART: free joints are not used here");
}

struct Engine {
  explicit Engine(const Problem& problem) : p(problem) {
    for (const Body& b : p.bodies) bodies.push_back(add(*robot, b.parent < 0 ? nullptr : bodies[at(b.parent)], b));
    world->addSkeleton(robot);
    world->setGravity(vec(p.gravity));
    world->setTimeStep(step);
    place.resize(at(p.nv));
    for (std::size_t j = 0; j < bodies.size(); ++j)
      for (int k = 0; k < p.bodies[j].velocities(); ++k)
        place[at(p.bodies[j].v + k)] = static_cast<int>(bodies[j]->getParentJoint()->getIndexInSkeleton(at(k)));
    for (const State& s : p.states) add_state(s);
    robot->setPositions(states.front().q);  // a constraint holds the points that coincide when it is made
    for (const Cut& cut : p.cuts)
      world->getConstraintSolver()->addConstraint(std::make_shared<dart::constraint::BallJointConstraint>(
          bodies[at(cut.a)], bodies[at(cut.b)], bodies[at(cut.a)]->getTransform() * vec(cut.in_a.p)));
  }
  /// DART has rotation vectors for quaternions; its angular velocities are in the body's axes like ours.
  void add_state(const State& s) {
    Vectors x{VectorXd(p.nv), VectorXd(p.nv), VectorXd(p.nv), VectorXd(p.nv), {}};
    for (const Body& b : p.bodies) {
      for (int k = 0; k < b.velocities(); ++k) {
        x.v[place[at(b.v + k)]] = s.v[at(b.v + k)];
        x.a[place[at(b.v + k)]] = s.a[at(b.v + k)];
        x.force[place[at(b.v + k)]] = s.force[at(b.v + k)];
      }
      const double* q = &s.q[at(b.q)];
      if (b.joint == Joint::spherical)
        x.q.segment<3>(place[at(b.v)]) = dart::dynamics::BallJoint::convertToPositions(
            Eigen::Quaterniond(q[0], q[1], q[2], q[3]).toRotationMatrix());
      else x.q[place[at(b.v)]] = q[0];
    }
    x.reference.assign(x.a.data(), x.a.data() + x.a.size());
    states.push_back(x);
  }

  struct Vectors {
    VectorXd q, v, a, force;
    Numbers reference;
  };
  const Problem& p;
  dart::dynamics::SkeletonPtr robot = dart::dynamics::Skeleton::create("robot");
  dart::simulation::WorldPtr world = dart::simulation::World::create();
  std::vector<BodyNode*> bodies;
  std::vector<int> place;
  std::vector<Vectors> states;
};

void measure_forward(Engine& e, Result& r) {
  VectorXd a;
  r.forward_call = "World::step";
  check_and_time(
      e.states.size(), [&](std::size_t i) -> const Numbers& { return e.states[i].reference; },
      [&](std::size_t i) -> const VectorXd& {
        e.robot->setPositions(e.states[i].q);
        e.robot->setVelocities(e.states[i].v);
        e.robot->setForces(e.states[i].force);
        e.world->step();
        a = (e.robot->getVelocities() - e.states[i].v) / step;
        return a;
      },
      r.forward_error, r.forward_us);
}

void measure_inverse(Engine& e, Result& r) {
  const std::vector<int> passive = e.p.passive();
  const auto n = static_cast<int>(passive.size()), nv = e.p.nv;
  MatrixXd J(n, nv), J_passive(n, n);
  VectorXd t(nv), lambda(n), tau(e.p.drives.size());
  Eigen::PartialPivLU<MatrixXd> lu(n);
  // The rows of a cut, in the axes of its frame on a; the columns are those that move the body.
  const auto add_side = [&](const BodyNode* body, const Numbers3& point, const Eigen::Matrix3d& to_cut, double sign,
                            int row, int rows) {
    const Eigen::MatrixXd side = to_cut * body->getLinearJacobian(vec(point));
    const auto& columns = body->getDependentGenCoordIndices();
    for (std::size_t k = 0; k < columns.size(); ++k)
      J.block(row, static_cast<int>(columns[k]), rows, 1) += sign * side.col(static_cast<int>(k)).head(rows);
  };
  r.inverse_call = "computeInverseDynamics, getLinearJacobian, LU";
  check_and_time_inverse(
      e.p,
      [&](std::size_t s) -> const VectorXd& {
        e.robot->setPositions(e.states[s].q);
        e.robot->setVelocities(e.states[s].v);
        e.robot->setAccelerations(e.states[s].a);
        e.robot->computeInverseDynamics();
        t = e.robot->getForces();
        J.setZero();
        int row = 0;
        for (const Cut& cut : e.p.cuts) {
          const BodyNode *a = e.bodies[at(cut.a)], *b = e.bodies[at(cut.b)];
          const Eigen::Matrix3d to_cut = (a->getTransform().linear() * matrix(cut.in_a.R)).transpose();
          add_side(a, cut.in_a.p, to_cut, -1, row, cut.equations());
          add_side(b, cut.in_b.p, to_cut, 1, row, cut.equations());
          row += cut.equations();
        }
        for (int i = 0; i < n; ++i) {
          lambda[i] = t[e.place[at(passive[at(i)])]];
          J_passive.row(i) = J.col(e.place[at(passive[at(i)])]).transpose();
        }
        lu.compute(J_passive);
        lambda = lu.solve(lambda);
        for (int i = 0; i < tau.size(); ++i) {
          const int c = e.place[at(e.p.drives[at(i)])];
          tau[i] = t[c] - J.col(c).dot(lambda);
        }
        return tau;
      },
      r);
}

std::vector<Result> all(const Problem& p) {
  if (!p.grows.empty() || p.bodies.front().joint == Joint::free) return {};
  Engine e(p);
  Result r("DART " DART_VERSION, p);
  r.exact = false;
  measure_forward(e, r);
  measure_inverse(e, r);
  return {r};
}

}  // namespace

int main(int argc, char** argv) { return peers::run(argc, argv, all); }
