/// Pinocchio, from its headers alone, so that it is compiled for this machine like our code.
///   forward   constraintDynamics (sparse Cholesky of the KKT matrix) or lcaba (articulated bodies with loops)
///   inverse   Pinocchio has none for closed loops; from its parts, with t = rnea(q, v, a) and K the constraints' Jacobian:
///               K_passive^T lambda = t_passive,    tau = t_drives - K_drives^T lambda
#include <pinocchio/algorithm/constrained-dynamics.hpp>
#include <pinocchio/algorithm/jacobian.hpp>
#include <pinocchio/algorithm/kinematics.hpp>
#include <pinocchio/algorithm/loop-constrained-aba.hpp>
#include <pinocchio/algorithm/rnea.hpp>

#include "problem.hpp"

namespace {

using namespace peers;
using Eigen::MatrixXd, Eigen::VectorXd, Eigen::Vector3d;
namespace pin = pinocchio;

const std::string engine = "Pinocchio " PINOCCHIO_VERSION;

std::size_t at(int i) { return static_cast<std::size_t>(i); }

pin::SE3 se3(const Frame& f) {
  return {Eigen::Map<const Eigen::Matrix<double, 3, 3, Eigen::RowMajor>>(f.R.data()),
          Eigen::Map<const Vector3d>(f.p.data())};
}

pin::JointModel joint_model(Joint type) {
  switch (type) {
    case Joint::revolute: return pin::JointModelRZ();
    case Joint::prismatic: return pin::JointModelPZ();
    case Joint::spherical: return pin::JointModelSpherical();
    case Joint::free: break;
  }
  return pin::JointModelFreeFlyer();
}

/// The problem with its bodies in depth-first order, as Pinocchio's sparse factorisation wants them, and its states in
/// Pinocchio's coordinates.
class Engine {
 public:
  explicit Engine(const Problem& problem) : p(problem), joint_(p.bodies.size()), data(model) {
    model.gravity.linear() = Eigen::Map<const Vector3d>(p.gravity.data());
    add_children(-1);
    data = pin::Data(model);
    for (const Cut& cut : p.cuts) {
      constraints.emplace_back(pin::CONTACT_3D, model, joint(cut.a), se3(cut.in_a), joint(cut.b), se3(cut.in_b),
                               pin::LOCAL);
      constraint_data.emplace_back(constraints.back());
    }
    for (const State& s : p.states) add_state(s);
    for (const int c : p.drives) drives.push_back(place_[at(c)]);
    for (const int c : p.passive()) passive.push_back(place_[at(c)]);
  }

  struct Vectors {
    VectorXd q, v, a, force;
    Numbers reference;
  };
  const Problem& p;
  pin::Model model;
  std::vector<pin::JointIndex> joint_;
  pin::Data data;
  std::vector<pin::RigidConstraintModel> constraints;
  std::vector<pin::RigidConstraintData> constraint_data;
  std::vector<Vectors> states;
  std::vector<int> drives, passive;

 private:
  pin::JointIndex joint(int body) const { return body < 0 ? 0 : joint_[at(body)]; }

  void add_children(int parent) {
    place_.resize(at(p.nv));
    for (std::size_t j = 0; j < p.bodies.size(); ++j) {
      const Body& b = p.bodies[j];
      if (b.parent != parent) continue;
      joint_[j] = model.addJoint(joint(parent), joint_model(b.joint), se3(b.placement), b.name);
      const Frame about_com{b.inertia, b.com};
      model.appendBodyToJoint(joint_[j], pin::Inertia(b.mass, se3(about_com).translation(), se3(about_com).rotation()));
      for (int k = 0; k < b.velocities(); ++k) place_[at(b.v + k)] = model.joints[joint_[j]].idx_v() + k;
      add_children(static_cast<int>(j));
    }
  }

  /// Pinocchio's quaternions end with w; velocities of its free joint are in the body's axes.
  void add_state(const State& s) {
    Vectors x{VectorXd(model.nq), VectorXd(model.nv), VectorXd(model.nv), VectorXd(model.nv), {}};
    for (std::size_t j = 0; j < p.bodies.size(); ++j) {
      const Body& b = p.bodies[j];
      const auto& joint = model.joints[joint_[j]];
      for (int k = 0; k < b.velocities(); ++k) {
        x.v[joint.idx_v() + k] = s.v[at(b.v + k)];
        x.a[joint.idx_v() + k] = s.a[at(b.v + k)];
        x.force[joint.idx_v() + k] = s.force[at(b.v + k)];
      }
      auto q = x.q.segment(joint.idx_q(), joint.nq());
      for (int k = 0; k < b.positions(); ++k) q[k] = s.q[at(b.q + k)];
      if (b.joint == Joint::revolute || b.joint == Joint::prismatic) continue;
      const Eigen::Vector4d wxyz = q.tail<4>();
      q.tail<4>() << wxyz.tail<3>(), wxyz[0];
      if (b.joint == Joint::spherical) continue;
      const Eigen::Matrix3d R = Eigen::Quaterniond(wxyz[0], wxyz[1], wxyz[2], wxyz[3]).toRotationMatrix();
      auto v = x.v.segment<6>(joint.idx_v()), a = x.a.segment<6>(joint.idx_v());
      v.head<3>() = R.transpose() * v.head<3>().eval();
      a.head<3>() = R.transpose() * a.head<3>().eval();
      a.head<3>() -= Vector3d(v.tail<3>()).cross(Vector3d(v.head<3>()));
    }
    x.reference.assign(x.a.begin(), x.a.end());
    states.push_back(x);
  }

  std::vector<int> place_;  ///< per velocity coordinate of the problem: its place in the model
};

void measure_inverse(Engine& e, Result& r) {
  const auto rows = static_cast<Eigen::Index>(3 * e.constraints.size());
  const auto n = static_cast<Eigen::Index>(e.passive.size());
  std::vector<Eigen::Index> used;  // a planar cut has no third row
  for (std::size_t c = 0; c < e.p.cuts.size(); ++c)
    for (int i = 0; i < e.p.cuts[c].equations(); ++i) used.push_back(static_cast<Eigen::Index>(3 * c) + i);
  MatrixXd K = MatrixXd::Zero(rows, e.model.nv), K_passive(n, n);
  VectorXd lambda(n), tau(e.drives.size());
  Eigen::PartialPivLU<MatrixXd> lu(n);
  r.inverse_call = "rnea, computeJointJacobians, getConstraintsJacobian, LU";
  check_and_time_inverse(
      e.p,
      [&](std::size_t s) -> const VectorXd& {
        const Engine::Vectors& x = e.states[s];
        pin::rnea(e.model, e.data, x.q, x.v, x.a);
        pin::computeJointJacobians(e.model, e.data, x.q);
        for (std::size_t c = 0; c < e.constraints.size(); ++c)
          e.constraints[c].calc(e.model, e.data, e.constraint_data[c]);
        K.setZero();
        pin::getConstraintsJacobian(e.model, e.data, e.constraints, e.constraint_data, K);
        for (Eigen::Index i = 0; i < n; ++i) {
          lambda[i] = e.data.tau[e.passive[static_cast<std::size_t>(i)]];
          for (Eigen::Index k = 0; k < n; ++k)
            K_passive(i, k) = K(used[static_cast<std::size_t>(k)], e.passive[static_cast<std::size_t>(i)]);
        }
        lu.compute(K_passive);
        lambda = lu.solve(lambda);
        for (Eigen::Index i = 0; i < tau.size(); ++i) {
          const int c = e.drives[static_cast<std::size_t>(i)];
          tau[i] = e.data.tau[c];
          for (Eigen::Index k = 0; k < n; ++k) tau[i] -= K(used[static_cast<std::size_t>(k)], c) * lambda[k];
        }
        return tau;
      },
      r);
}

template <class Evaluate>
void measure_forward(const Engine& e, Evaluate&& evaluate, Result& r) {
  check_and_time(
      e.states.size(), [&](std::size_t i) -> const Numbers& { return e.states[i].reference; }, evaluate,
      r.forward_error, r.forward_us);
}

Result by_cholesky(Engine& e) {
  Result r(engine, e.p);
  const bool planar = e.p.cuts.front().planar;  // an equation is always true: a small mu, as its headers advise
  pin::ProximalSettings settings(1e-12, planar ? 1e-12 : 0, 1);
  pin::initConstraintDynamics(e.model, e.data, e.constraints, e.constraint_data);
  r.forward_call = "constraintDynamics";
  measure_forward(
      e,
      [&](std::size_t i) -> const VectorXd& {
        const Engine::Vectors& x = e.states[i];
        return pin::constraintDynamics(e.model, e.data, x.q, x.v, x.force, e.constraints, e.constraint_data, settings);
      },
      r);
  if (!e.p.states.front().tau.empty()) measure_inverse(e, r);
  return r;
}

Result by_articulated_bodies(Engine& e) {
  Result r(engine, e.p);
  pin::ProximalSettings settings(1e-7, 1e-5, 20);  // the fastest that stays within the allowed error on all problems
  pin::computeJointMinimalOrdering(e.model, e.data, e.constraints);
  r.forward_call = "lcaba";
  measure_forward(
      e,
      [&](std::size_t i) -> const VectorXd& {
        const Engine::Vectors& x = e.states[i];
        return pin::lcaba(e.model, e.data, x.q, x.v, x.force, e.constraints, e.constraint_data, settings);
      },
      r);
  return r;
}

std::vector<Result> all(const Problem& p) {
  Engine first(p), second(p);
  return {by_cholesky(first), by_articulated_bodies(second)};
}

}  // namespace

int main(int argc, char** argv) { return peers::run(argc, argv, all); }
