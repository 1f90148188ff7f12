/// Kinematics: the check, positions, Jacobians, singularities.
#include "core.hpp"
#include "gough/io/check_report.hpp"
#include "gough/io/posture_report.hpp"
#include "gough/kinematics/assemble.hpp"
#include "gough/kinematics/forward.hpp"
#include "gough/kinematics/idle.hpp"
#include "gough/kinematics/inverse.hpp"
#include "gough/kinematics/jacobian.hpp"
#include "gough/kinematics/mobility.hpp"
#include "gough/kinematics/survey.hpp"
#include "gough/kinematics/task_motion.hpp"
#include "gough/trace/prepare.hpp"

namespace gough::python {
namespace {

using M = Mechanism<double>;
using W = Workspace<double>;

/// Bodies and loops where w.q stands. Throws Error where w is of another mechanism.
void place(const M& m, W& w) {
  expect_made_for(m, w);
  tree_positions(m, w);
  closure(m, w);
}

InverseOptions options_from(const std::optional<std::vector<std::string>>& coordinates, const std::string& mode,
                            bool check_limits) {
  InverseOptions o;
  o.mode = mode, o.check_limits = check_limits;
  if (!coordinates) return o;
  o.coordinates.emplace();
  for (const std::string& c : *coordinates) {
    const auto found = std::find(pose_names.begin(), pose_names.end(), c);
    if (found == pose_names.end()) throw Error("coordinates: read '" + c + "', expected some of x y z rx ry rz");
    (*o.coordinates)[static_cast<std::size_t>(found - pose_names.begin())] = true;
  }
  return o;
}

Transform<double> pose_read(const char* what, const Vector& pose, const M& m, const InverseOptions& o) {
  try {
    return pose_from_vector(fixed<6>(what, pose), o.coordinates.value_or(m.platform.coordinates));
  } catch (const Error& e) { throw Error(std::string(what) + ": " + e.what()); }
}

void bind_check(nb::module_& m) {
  using F = Finding;
  nb::class_<F>(m, "Finding", "Something that the check has to say.")
      .def_prop_ro(
          "severity",
          [](const F& f) {
            return f.severity == F::Severity::info ? "info" : f.severity == F::Severity::warning ? "warning" : "error";
          })
      .def_ro("what", &F::what)
      .def_ro("repair", &F::repair)
      .def("__repr__", [](const F& f) { return "<" + f.what + ">"; });
  using S = SingularityIndices;
  nb::class_<S>(m, "SingularityIndices", "Distances to singularities in [0, 1]; None where the notion does not apply.")
      .def_ro("type1", &S::type1, "a leg at the end of its reach")
      .def_ro("type1_leg", &S::type1_leg)
      .def_ro("type2", &S::type2, "the platform moves while the actuators stand")
      .def_ro("held", &S::held)
      .def_ro("constraint", &S::constraint, "the loops lose a constraint")
      .def("__repr__", [](const S& s) {
        const auto text = [](const std::optional<double>& x) {
          return x ? std::string(nb::str(nb::float_(*x)).c_str()) : "None";
        };
        return "<type1=" + text(s.type1) + ", type2=" + text(s.type2) + ", constraint=" + text(s.constraint) + ">";
      });
  using R = MobilityReport;
  nb::class_<R>(m, "MobilityReport", "What the mechanism can do at home and around it; print it.")
      .def_ro("name", &R::name)
      .def_ro("bodies", &R::bodies)
      .def_ro("joints", &R::joints)
      .def_ro("loops", &R::loops)
      .def_ro("equations", &R::equations)
      .def_ro("rank", &R::rank)
      .def_ro("redundant", &R::redundant, "dependent equations by name")
      .def_ro("mobility", &R::mobility, "degrees of freedom without idle ones")
      .def_ro("gruebler", &R::gruebler, "the same by counting")
      .def_ro("idle", &R::idle)
      .def_ro("merged", &R::merged)
      .def_ro("cuts", &R::cuts)
      .def_ro("actuators", &R::actuators)
      .def_ro("actuation", &R::actuation, "full, redundant or under")
      .def_ro("closed", &R::closed)
      .def_ro("closure_residual", &R::closure_residual)
      .def_ro("characteristic_length", &R::characteristic_length)
      .def_ro("singularity", &R::singularity)
      .def_ro("findings", &R::findings)
      .def(
          "to_dict", [](const R& r) { return from_json(check_json(r)); }, "What `gough check --json` prints.")
      .def("__str__", [](const R& r) { return check_text(r); })
      .def("__repr__", [](const R& r) { return check_text(r); });
  m.def(
      "check_mobility", [](const Prepared& p) { return check_robot(p); }, "prepared"_a,
      nb::call_guard<nb::gil_scoped_release>());
  m.def(
      "singularity_indices",
      [](const M& mechanism, W& w) {
        place(mechanism, w);
        return singularity_indices(mechanism, w);
      },
      "m"_a, "w"_a, "Where w.q stands.");
  m.def(
      "transmission_indices",
      [](const M& mechanism, W& w) {
        place(mechanism, w);
        std::map<std::string, std::pair<double, double>> all;
        for (const LegTransmissionIndex& i : transmission_indices(mechanism, w)) all[i.leg] = {i.input, i.output};
        return all;
      },
      "m"_a, "w"_a, "How well each leg passes its drive's force on: (input, output), 1 best, 0 not at all.");
}

void bind_positions(nb::module_& m) {
  nb::class_<Answer>(m, "Answer", "What a position problem returns.")
      .def_ro("status", &Answer::status)
      .def_ro("residual", &Answer::residual)
      .def_ro("iterations", &Answer::iterations, "0: closed form")
      .def_ro("reason", &Answer::reason)
      .def("ok", &Answer::ok)
      .def("explain", &Answer::explain)
      .def("__bool__", &Answer::ok)
      .def("__repr__", &Answer::explain);
  nb::class_<Posture>(m, "Posture", "A closed position, or where a search for one ended.")
      .def_ro("q", &Posture::q)
      .def_ro("mode", &Posture::mode, "working mode, of inverse kinematics")
      .def_ro("answer", &Posture::answer)
      .def_prop_ro("status", [](const Posture& p) { return p.answer.status; })
      .def("__bool__", [](const Posture& p) { return p.answer.ok(); });
  m.def(
      "inverse_kinematics",
      [](const M& mechanism, const Vector& pose, W& w, const std::optional<std::vector<std::string>>& coordinates,
         const std::string& mode, bool check_limits) {
        expect_made_for(mechanism, w);
        expect_finite("pose", pose);
        const InverseOptions o = options_from(coordinates, mode, check_limits);
        return inverse_kinematics(mechanism, pose_read("pose", pose, mechanism, o), w, o);
      },
      "m"_a, "pose"_a, "w"_a, "coordinates"_a = nb::none(), "mode"_a = "", "check_limits"_a = true,
      "Writes w.q from x y z rx ry rz of the platform, continued from where w.q stands.");
  m.def(
      "all_inverse_kinematics",
      [](const M& mechanism, const Vector& pose, const std::optional<std::vector<std::string>>& coordinates,
         bool check_limits) {
        expect_finite("pose", pose);
        const InverseOptions o = options_from(coordinates, "", check_limits);
        return all_inverse_kinematics(mechanism, pose_read("pose", pose, mechanism, o), o);
      },
      "m"_a, "pose"_a, "coordinates"_a = nb::none(), "check_limits"_a = true, "Every working mode and every answer.");
  m.def(
      "forward_kinematics",
      [](const M& mechanism, const Vector& actuators, W& w, bool check_limits) {
        expect_made_for(mechanism, w);
        expect_size("actuators", static_cast<std::size_t>(actuators.size()), mechanism.actuator.size());
        expect_finite("actuators", actuators);
        return forward_kinematics(mechanism, actuators, w, check_limits);
      },
      "m"_a, "actuators"_a, "w"_a, "check_limits"_a = true,
      "Writes w.q from the actuators' positions, continued from where w.q stands.");
  nb::class_<AllPostures>(m, "AllPostures", "Every assembly mode that was found.")
      .def_ro("postures", &AllPostures::postures)
      .def_ro("complete", &AllPostures::complete)
      .def_ro("method", &AllPostures::method);
  m.def(
      "all_forward_kinematics",
      [](const M& mechanism, const Vector& actuators) {
        expect_size("actuators", static_cast<std::size_t>(actuators.size()), mechanism.actuator.size());
        expect_finite("actuators", actuators);
        return all_forward_kinematics(mechanism, actuators);
      },
      "m"_a, "actuators"_a, "Every assembly mode.");
  m.def(
      "close_loops",
      [](const M& mechanism, W& w) {
        expect_made_for(mechanism, w);
        const Assembly a = close_loops(mechanism, w);
        if (!a.closed) throw Failure("not_converged: " + a.explain(mechanism));
        return a.residual;
      },
      "m"_a, "w"_a, "Moves w.q to the nearest closed position; returns the residual.");
  m.def(
      "named_positions",
      [](const M& mechanism, W& w) {
        place(mechanism, w);
        nb::dict all;
        for (const auto& [name, x] : named_positions(mechanism, w)) all[name.c_str()] = x;
        return all;
      },
      "m"_a, "w"_a, "All coordinates by name, those of cut joints too [m or rad].");
  m.def(
      "platform_pose",
      [](const M& mechanism, W& w) {
        expect_made_for(mechanism, w);
        if (!mechanism.platform.exists()) throw Error(mechanism.name + ": read no platform, expected one");
        tree_positions(mechanism, w);
        return pose_vector(platform_pose(mechanism, w));
      },
      "m"_a, "w"_a, "x y z rx ry rz of the platform's frame.");
  m.def(
      "body_poses",
      [](const M& mechanism, W& w) {
        expect_made_for(mechanism, w);
        tree_positions(mechanism, w);
        nb::typed<nb::dict, nb::str, Transform<double>> all;
        for (std::size_t i = 0; i < mechanism.body_name.size(); ++i)
          if (!mechanism.hidden[i])
            all[mechanism.body_name[i].c_str()] = Transform<double>(w.X0[i] * mechanism.body_frame[i]);
        for (const WeldedPart& part : mechanism.welded)
          all[part.name.c_str()] = Transform<double>(
              part.body == base ? part.frame : w.X0[static_cast<std::size_t>(part.body)] * part.frame);
        return all;
      },
      "m"_a, "w"_a, "The pose of every body's own frame in the base, where w.q stands.");
  m.def(
      "limits_exceeded",
      [](const M& mechanism, W& w) {
        place(mechanism, w);
        return all_limits_exceeded(mechanism, w);
      },
      "m"_a, "w"_a, "Positions outside their limits, in words.");
}

void bind_jacobians(nb::module_& m) {
  m.def(
      "platform_jacobian",
      [](const M& mechanism, W& w) {
        expect_made_for(mechanism, w);
        if (!mechanism.platform.exists()) throw Error(mechanism.name + ": read no platform, expected one");
        tree_positions(mechanism, w);
        closure(mechanism, w);
        const Selection s = select_driven(mechanism, w, mechanism.rank);
        ExplicitForm<double> form(mechanism, s);
        explicit_form(w, s, form);
        MatX<double> J = MatX<double>::Zero(6, mechanism.nv);
        platform_jacobian(mechanism, w, J);
        const MatX<double> twist = J * form.G;
        MatX<double> rows(6, twist.cols());
        rows << twist.bottomRows(3), twist.topRows(3);
        std::vector<std::string> names;
        for (const int c : s.independent) names.push_back(mechanism.coordinate[static_cast<std::size_t>(c)].name);
        return std::make_pair(std::move(rows), std::move(names));
      },
      "m"_a, "w"_a,
      "6 x independent coordinates: vx vy vz wx wy wz of the platform per rate, and the coordinates' names (the "
      "actuators where they "
      "are as many as freedoms).");
}

}  // namespace

void bind_kinematics(nb::module_& m) {
  bind_check(m);
  bind_positions(m);
  bind_jacobians(m);
}

}  // namespace gough::python
