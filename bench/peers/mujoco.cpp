/// MuJoCo, the library of its Python package. Its loops are closed by soft forces, here as stiff as it allows.
///   forward   mj_forward
///   inverse   mj_inverse adds the soft forces of the loops to all joints, passive ones too; instead, from its parts, with
///             t = mj_rne and J the constraints' Jacobian:
///               J_passive^T lambda = t_passive,    tau = t_drives - J_drives^T lambda
#include <mujoco/mujoco.h>

#include <Eigen/Dense>
#include <memory>
#include <sstream>

#include "problem.hpp"

namespace {

using namespace peers;

std::size_t at(int i) { return static_cast<std::size_t>(i); }

// ------------------------------------------------------------------------------------------------ the model as XML

std::string list(std::initializer_list<double> numbers) {
  std::ostringstream text;
  text.precision(17);
  for (const double x : numbers) text << x << ' ';
  return text.str();
}
std::string position(const Numbers3& p) { return " pos='" + list({p[0], p[1], p[2]}) + "'"; }
std::string pose(const Frame& f) {
  const Eigen::Matrix3d R = Eigen::Map<const Eigen::Matrix<double, 3, 3, Eigen::RowMajor>>(f.R.data());
  const Eigen::Quaterniond q(R);
  return position(f.p) + " quat='" + list({q.w(), q.x(), q.y(), q.z()}) + "'";
}
std::string joint_xml(const Body& b) {
  if (b.joint == Joint::free) return "<freejoint name='" + b.name + "'/>";
  const char* type = b.joint == Joint::revolute ? "hinge" : b.joint == Joint::prismatic ? "slide" : "ball";
  return std::string("<joint type='") + type + "' axis='0 0 1' name='" + b.name + "'/>";
}
/// The sites at which cuts hold body j.
std::string sites(const Problem& p, int j) {
  std::string text;
  for (std::size_t c = 0; c < p.cuts.size(); ++c) {
    const std::string number = std::to_string(c);
    if (p.cuts[c].a == j) text += "<site name='a" + number + "'" + position(p.cuts[c].in_a.p) + "/>\n";
    if (p.cuts[c].b == j) text += "<site name='b" + number + "'" + position(p.cuts[c].in_b.p) + "/>\n";
  }
  return text;
}
std::string children(const Problem& p, int parent) {
  std::string text = sites(p, parent);
  for (std::size_t j = 0; j < p.bodies.size(); ++j) {
    const Body& b = p.bodies[j];
    if (b.parent != parent) continue;
    const Numbers9 I = b.positive_inertia();
    text += "<body" + pose(b.placement) + ">" + joint_xml(b) + "<inertial" + position(b.com) + " mass='" +
            list({b.mass}) + "' fullinertia='" + list({I[0], I[4], I[8], I[1], I[2], I[5]}) + "'/>\n" +
            children(p, static_cast<int>(j)) + "</body>\n";
  }
  return text;
}
/// The stiffest loops: solimp's largest impedance, and corrections as fast as the time step.
std::string model_xml(const Problem& p) {
  std::string equality;
  for (std::size_t c = 0; c < p.cuts.size(); ++c)
    equality += "<connect site1='a" + std::to_string(c) + "' site2='b" + std::to_string(c) +
                "' solref='0.0002 1' solimp='0.9999 0.9999 0.001'/>\n";
  return "<mujoco><option timestep='0.0001' solver='Newton' jacobian='dense' tolerance='1e-14' gravity='" +
         list({p.gravity[0], p.gravity[1], p.gravity[2]}) + "'><flag contact='disable'/></option>\n<worldbody>" +
         children(p, -1) + "</worldbody>\n<equality>" + equality + "</equality></mujoco>";
}

// ------------------------------------------------------------------------------------------------ measurements

struct Engine {
  explicit Engine(const Problem& problem) : p(problem) {
    char error[1000] = "";
    const std::unique_ptr<mjSpec, decltype(&mj_deleteSpec)> spec(
        mj_parseXMLString(model_xml(p).c_str(), nullptr, error, sizeof error), mj_deleteSpec);
    if (spec) m.reset(mj_compile(spec.get(), nullptr));
    if (!m) throw std::runtime_error(std::string("MuJoCo: ") + (spec ? mjs_getError(spec.get()) : error));
    d.reset(mj_makeData(m.get()));
    for (const Body& b : p.bodies) {
      const int j = mj_name2id(m.get(), mjOBJ_JOINT, b.name.c_str());
      for (int k = 0; k < b.velocities(); ++k) place.resize(at(p.nv)), place[at(b.v + k)] = m->jnt_dofadr[j] + k;
      for (int k = 0; k < b.positions(); ++k) q_place.resize(at(p.nq)), q_place[at(b.q + k)] = m->jnt_qposadr[j] + k;
    }
    for (const State& s : p.states)
      states.push_back({moved(s.q, q_place), moved(s.v, place), moved(s.a, place), moved(s.force, place)});
  }
  /// MuJoCo has the same coordinates in its own order; the only free joint is at the base's origin.
  static Numbers moved(const Numbers& x, const std::vector<int>& to) {
    Numbers y(x.size());
    for (std::size_t i = 0; i < x.size(); ++i) y[at(to[i])] = x[i];
    return y;
  }
  void put(std::size_t i) {
    std::copy(states[i].q.begin(), states[i].q.end(), d->qpos);
    std::copy(states[i].v.begin(), states[i].v.end(), d->qvel);
  }

  struct Vectors {
    Numbers q, v, a, force;
  };
  const Problem& p;
  std::unique_ptr<mjModel, decltype(&mj_deleteModel)> m{nullptr, mj_deleteModel};
  std::unique_ptr<mjData, decltype(&mj_deleteData)> d{nullptr, mj_deleteData};
  std::vector<int> place, q_place;
  std::vector<Vectors> states;
};

void measure_forward(Engine& e, Result& r) {
  r.forward_call = "mj_forward";
  check_and_time(
      e.states.size(), [&](std::size_t i) -> const Numbers& { return e.states[i].a; },
      [&](std::size_t i) {
        e.put(i);
        std::copy(e.states[i].force.begin(), e.states[i].force.end(), e.d->qfrc_applied);
        mj_forward(e.m.get(), e.d.get());
        return e.d->qacc;
      },
      r.forward_error, r.forward_us);
}

void measure_inverse(Engine& e, Result& r) {
  const std::vector<int> passive = e.p.passive();
  const auto n = static_cast<int>(passive.size());
  std::vector<int> rows;  // of J; three per cut in the base's axes, a planar cut lies in their x-y plane
  for (std::size_t c = 0; c < e.p.cuts.size(); ++c)
    for (int i = 0; i < e.p.cuts[c].equations(); ++i) rows.push_back(static_cast<int>(3 * c) + i);
  Eigen::MatrixXd J_passive(n, n);
  Eigen::VectorXd t(e.m->nv), lambda(n), tau(e.p.drives.size());
  Eigen::PartialPivLU<Eigen::MatrixXd> lu(n);
  r.inverse_call = "mj_kinematics, mj_comPos, mj_comVel, mj_makeConstraint, mj_rne, LU";
  check_and_time_inverse(
      e.p,
      [&](std::size_t s) -> const Eigen::VectorXd& {
        e.put(s);
        std::copy(e.states[s].a.begin(), e.states[s].a.end(), e.d->qacc);
        mj_kinematics(e.m.get(), e.d.get());
        mj_comPos(e.m.get(), e.d.get());
        mj_makeConstraint(e.m.get(), e.d.get());
        mj_comVel(e.m.get(), e.d.get());
        mj_rne(e.m.get(), e.d.get(), 1, t.data());
        const auto J = [&](int k, int c) { return e.d->efc_J[rows[at(k)] * e.m->nv + e.place[at(c)]]; };
        for (int i = 0; i < n; ++i) {
          lambda[i] = t[e.place[at(passive[at(i)])]];
          for (int k = 0; k < n; ++k) J_passive(i, k) = J(k, passive[at(i)]);
        }
        lu.compute(J_passive);
        lambda = lu.solve(lambda);
        for (int i = 0; i < tau.size(); ++i) {
          const int c = e.p.drives[at(i)];
          tau[i] = t[e.place[at(c)]];
          for (int k = 0; k < n; ++k) tau[i] -= J(k, c) * lambda[k];
        }
        return tau;
      },
      r);
}

std::vector<Result> all(const Problem& p) {
  if (!p.grows.empty()) return {};
  Engine e(p);
  Result r(std::string("MuJoCo ") + mj_versionString(), p);
  r.exact = false;
  measure_forward(e, r);
  measure_inverse(e, r);
  return {r};
}

}  // namespace

int main(int argc, char** argv) { return peers::run(argc, argv, all); }
