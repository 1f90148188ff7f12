/// Simbody, as Debian builds it: with its assertions, so this file too is compiled without NDEBUG.
///   forward   realize(Acceleration)
///   inverse   from its parts, with r = calcResidualForceIgnoringConstraints, the forces that an open tree needs, and G the
///             constraints' Jacobian:
///               G_passive^T lambda = -r_passive,    tau = r_drives + G_drives^T lambda
#include <Simbody.h>

#include <Eigen/Dense>

#include "problem.hpp"

namespace {

using namespace peers;
using SimTK::MobilizedBody, SimTK::Stage, SimTK::Transform, SimTK::Vec3, SimTK::Vector;

std::string engine() {
  int major = 0, minor = 0, patch = 0;
  SimTK_version_simbody(&major, &minor, &patch);
  return "Simbody " + std::to_string(major) + "." + std::to_string(minor);
}

std::size_t at(int i) { return static_cast<std::size_t>(i); }

Vec3 vec(const Numbers3& x) { return {x[0], x[1], x[2]}; }
Transform transform(const Frame& f) {
  const Numbers9& R = f.R;
  return {SimTK::Rotation(SimTK::Mat33(R[0], R[1], R[2], R[3], R[4], R[5], R[6], R[7], R[8])), vec(f.p)};
}
SimTK::Body::Rigid rigid(const Body& b) {
  const Numbers9& I = b.inertia;
  const SimTK::Inertia about_com(I[0], I[4], I[8], I[1], I[2], I[5]);
  return SimTK::Body::Rigid(
      SimTK::MassProperties(b.mass, vec(b.com), about_com.shiftFromMassCenter(vec(b.com), b.mass)));
}

class Engine {
 public:
  explicit Engine(const Problem& problem)
      : p(problem), matter(system), general(system), gravity(general, matter, vec(p.gravity)), forces(general, matter) {
    for (const Body& b : p.bodies) bodies.push_back(add(b));
    for (const Cut& cut : p.cuts) {
      MobilizedBody &a = body(cut.a), &b = body(cut.b);
      if (cut.planar)
        SimTK::Constraint::PointOnLine(a, SimTK::UnitVec3(transform(cut.in_a).z()), vec(cut.in_a.p), b,
                                       vec(cut.in_b.p));
      else SimTK::Constraint::Ball(a, vec(cut.in_a.p), b, vec(cut.in_b.p));
    }
    system.realizeTopology();
    state = system.getDefaultState();
    system.realizeModel(state);
    for (const State& s : p.states) add_state(s);
    for (const Body& b : p.bodies)
      for (int k = 0; k < b.velocities(); ++k) {
        const bool driven = std::find(p.drives.begin(), p.drives.end(), b.v + k) != p.drives.end();
        if (!driven) passive.push_back(first_u(b) + k);
      }
    for (const int c : p.drives)
      for (const Body& b : p.bodies)
        if (b.v == c) drives.push_back(first_u(b));
  }

  struct Vectors {
    Vector q, u, udot, force;
    Numbers reference;
  };
  const Problem& p;
  SimTK::MultibodySystem system;
  SimTK::SimbodyMatterSubsystem matter;
  SimTK::GeneralForceSubsystem general;
  SimTK::Force::UniformGravity gravity;
  SimTK::Force::DiscreteForces forces;
  SimTK::State state;
  std::vector<MobilizedBody> bodies;
  std::vector<Vectors> states;
  std::vector<int> drives, passive;

 private:
  MobilizedBody& body(int j) { return j < 0 ? matter.updGround() : bodies[at(j)]; }
  const MobilizedBody& moving(const Body& b) const { return bodies[at(static_cast<int>(&b - p.bodies.data()))]; }
  int first_u(const Body& b) const { return moving(b).getFirstUIndex(state); }

  MobilizedBody add(const Body& b) {
    const Transform X = transform(b.placement);
    // Simbody slides along x
    const Transform x_to_z(SimTK::Rotation(-SimTK::Pi / 2, SimTK::YAxis));
    switch (b.joint) {
      case Joint::revolute: return MobilizedBody::Pin(body(b.parent), X, rigid(b), Transform());
      case Joint::prismatic: return MobilizedBody::Slider(body(b.parent), X * x_to_z, rigid(b), x_to_z);
      case Joint::spherical: return MobilizedBody::Ball(body(b.parent), X, rigid(b), Transform());
      case Joint::free: break;
    }
    return MobilizedBody::Free(body(b.parent), X, rigid(b), Transform());
  }

  /// Simbody's angular velocities are in the parent's axes and come before velocities, quaternions before positions.
  void add_state(const State& s) {
    Vectors x{Vector(state.getNQ()), Vector(state.getNU()), Vector(state.getNU()), Vector(state.getNU()), {}};
    for (const Body& b : p.bodies) {
      const int q = moving(b).getFirstQIndex(state), u = first_u(b);
      const double *from_q = &s.q[at(b.q)], *from_v = &s.v[at(b.v)], *from_a = &s.a[at(b.v)];
      if (b.velocities() == 1) {
        x.q[q] = from_q[0];
        x.u[u] = from_v[0];
        x.udot[u] = from_a[0];
        x.force[u] = s.force[at(b.v)];
        continue;
      }
      const int skip = b.joint == Joint::free ? 3 : 0;
      const Eigen::Quaterniond turn(from_q[skip], from_q[skip + 1], from_q[skip + 2], from_q[skip + 3]);
      const Eigen::Vector3d w = turn * Eigen::Vector3d(from_v + skip), dw = turn * Eigen::Vector3d(from_a + skip);
      for (int k = 0; k < 4; ++k) x.q[q + k] = from_q[skip + k];
      for (int k = 0; k < 3; ++k) {
        x.u[u + k] = w[k];
        x.udot[u + k] = dw[k];
        x.force[u + k] = 0;
      }
      for (int k = 0; k < skip; ++k) {
        x.q[q + 4 + k] = from_q[k];
        x.u[u + 3 + k] = from_v[k];
        x.udot[u + 3 + k] = from_a[k];
        x.force[u + 3 + k] = 0;
      }
    }
    for (int k = 0; k < x.udot.size(); ++k) x.reference.push_back(x.udot[k]);
    states.push_back(x);
  }
};

void measure_forward(Engine& e, Result& r) {
  r.forward_call = "realize(Acceleration)";
  check_and_time(
      e.states.size(), [&](std::size_t i) -> const Numbers& { return e.states[i].reference; },
      [&](std::size_t i) -> const Vector& {
        e.state.updQ() = e.states[i].q;
        e.state.updU() = e.states[i].u;
        e.forces.setAllMobilityForces(e.state, e.states[i].force);
        e.system.realize(e.state, Stage::Acceleration);
        return e.state.getUDot();
      },
      r.forward_error, r.forward_us);
}

void measure_inverse(Engine& e, Result& r) {
  const auto n = static_cast<Eigen::Index>(e.passive.size());
  e.forces.setAllMobilityForces(e.state, Vector(e.state.getNU(), 0.0));
  Vector residual;
  SimTK::Matrix Gt;
  Eigen::MatrixXd G_passive(n, n);
  Eigen::VectorXd lambda(n), tau(e.drives.size());
  Eigen::PartialPivLU<Eigen::MatrixXd> lu(n);
  r.inverse_call = "calcResidualForceIgnoringConstraints, calcGTranspose, LU";
  check_and_time_inverse(
      e.p,
      [&](std::size_t s) -> const Eigen::VectorXd& {
        e.state.updQ() = e.states[s].q;
        e.state.updU() = e.states[s].u;
        e.system.realize(e.state, Stage::Dynamics);
        e.matter.calcResidualForceIgnoringConstraints(
            e.state, Vector(), e.system.getRigidBodyForces(e.state, Stage::Dynamics), e.states[s].udot, residual);
        e.matter.calcGTranspose(e.state, Gt);
        for (int i = 0; i < n; ++i) {
          lambda[i] = -residual[e.passive[at(i)]];
          for (int k = 0; k < n; ++k) G_passive(i, k) = Gt(e.passive[at(i)], k);
        }
        lu.compute(G_passive);
        lambda = lu.solve(lambda);
        for (int i = 0; i < tau.size(); ++i) {
          tau[i] = residual[e.drives[at(i)]];
          for (int k = 0; k < n; ++k) tau[i] += Gt(e.drives[at(i)], k) * lambda[k];
        }
        return tau;
      },
      r);
}

std::vector<Result> all(const Problem& p) {
  Engine e(p);
  Result r(engine(), p);
  measure_forward(e, r);
  if (!p.states.front().tau.empty()) measure_inverse(e, r);
  return {r};
}

}  // namespace

int main(int argc, char** argv) { return peers::run(argc, argv, all); }
