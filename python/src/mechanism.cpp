/// Mechanisms and workspaces: what the library computes with.
#include "descriptions.hpp"
#include "gough/control/control.hpp"
#include "gough/dynamics/along.hpp"
#include "gough/io/bent_robot.hpp"
#include "gough/io/robot_file.hpp"
#include "gough/model/workspace.hpp"
#include "gough/trace/prepare.hpp"

namespace gough::python {
namespace {

template <class Enum, std::size_t N>
void values(nb::enum_<Enum>& e, const std::array<std::string_view, N>& names) {
  for (std::size_t i = 0; i < N; ++i) e.value(std::string(names[i]).c_str(), static_cast<Enum>(i));
}
template <class Enum, std::size_t N>
void enumeration(nb::module_& m, const char* name, const std::array<std::string_view, N>& names, const char* doc) {
  nb::enum_<Enum> e(m, name, doc);
  values(e, names);
}

std::vector<std::string> coordinate_names(const Mechanism<double>& m, int first, std::size_t last) {
  std::vector<std::string> names;
  for (std::size_t i = static_cast<std::size_t>(first); i < last; ++i) names.push_back(m.coordinate[i].name);
  return names;
}

/// One of the workspace's vectors: read, a view; written, copied into it.
template <class Class>
void vector(nb::class_<Class>& c, const char* name, VecX<double> Class::*member, const char* doc) {
  c.def_prop_rw(
      name, [member](Class& x) { return Eigen::Map<VecX<double>>((x.*member).data(), (x.*member).size()); },
      [member, name](Class& x, const Vector& v) {
        expect_size(name, static_cast<std::size_t>(v.size()), static_cast<std::size_t>((x.*member).size()));
        x.*member = v;
      },
      nb::rv_policy::reference_internal, doc);
}

}  // namespace

void bind_enumerations(nb::module_& m) {
  nb::enum_<JointKind> kinds(m, "JointKind", "What a joint lets free; see the table in docs/robot_files.md.");
  values(kinds, joint_kind_names);
  kinds.value("modal", JointKind::modal, "of a beam that bends: Robot.with_modes makes them");
  enumeration<Status>(m, "Status", status_names, "How a computation ended.");
  enumeration<Formulation>(m, "Formulation", formulation_names, "The formulations of dynamics.");
  enumeration<ElasticMotion>(m, "ElasticMotion", elastic_motion_names,
                             "Where the motion of elastic joints comes from.");
  nb::enum_<Independent>(m, "Independent", "Which coordinates are independent.")
      .value("drives", Independent::drives)
      .value("platform", Independent::platform);
}

void bind_mechanism(nb::module_& m) {
  using M = Mechanism<double>;
  nb::class_<M> c(m, "Mechanism",
                  "A tree of bodies, the cut joints that close its loops, and their parameters, with an assembled "
                  "home. It is never "
                  "changed: threads may share it.");
  c.def_ro("name", &M::name)
      .def_ro("nq", &M::nq, "numbers of a position")
      .def_ro("nv", &M::nv, "numbers of its rates")
      .def_ro("equations", &M::equations, "of the loops")
      .def_ro("rank", &M::rank, "of the loops' equations at a general pose")
      .def_ro("loops", &M::loops)
      .def_ro("idle", &M::idle)
      .def_prop_ro(
          "bodies", [](const M& x) { return x.body_name; }, "names, in the order of the tree")
      .def_prop_ro(
          "parents", [](const M& x) { return x.parent; }, "of each body in the tree; -1: the base")
      .def_prop_ro(
          "coordinates", [](const M& x) { return coordinate_names(x, 0, static_cast<std::size_t>(x.nv)); },
          "names of the tree's coordinates, in the order of v")
      .def_prop_ro(
          "cut_coordinates", [](const M& x) { return coordinate_names(x, x.nv, x.coordinate.size()); },
          "names of the cut joints' free coordinates")
      .def_prop_ro(
          "actuators",
          [](const M& x) {
            std::vector<std::string> names;
            for (const int a : x.actuator) names.push_back(x.coordinate[static_cast<std::size_t>(a)].name);
            return names;
          },
          "names, in the order of tau")
      .def_prop_ro(
          "actuator_index", [](const M& x) { return x.actuator; }, "where each actuator stands in v")
      .def_prop_ro(
          "actuator_position",
          [](const M& x) {
            std::vector<int> all;
            for (const int a : x.actuator) all.push_back(position_index(x, a));
            return all;
          },
          "where each actuator stands in q")
      .def_prop_ro(
          "elastic_index", [](const M& x) { return x.elastic; }, "where each elastic coordinate stands in v")
      .def_prop_ro("legs",
                   [](const M& x) {
                     std::vector<std::string> names;
                     for (const Leg& l : x.leg) names.push_back(l.name);
                     return names;
                   })
      .def_prop_ro(
          "home", [](const M& x) { return VecX<double>(x.home); }, "the assembled home position, nq numbers (a copy)")
      .def_prop_ro(
          "gravity", [](const M& x) { return Vec3<double>(x.gravity); }, "[m/s^2] (a copy)")
      .def_prop_ro("has_platform", [](const M& x) { return x.platform.exists(); })
      .def_prop_ro(
          "coefficients",
          [](const M& x) {
            std::map<std::string, double> all;
            for (std::size_t i = 0; i < x.coefficient_name.size(); ++i) all[x.coefficient_name[i]] = x.coefficient[i];
            return all;
          },
          "friction coefficients by name")
      .def(
          "position_index",
          [](const M& x, const std::string& name) {
            const int found = x.find_coordinate(name);
            if (found < 0 || found >= x.nv)
              throw Error(x.name + ": read the coordinate '" + name + "', expected one of the opened tree's");
            return position_index(x, found);
          },
          "name"_a, "Where a coordinate stands in q; -1 where it has no number of its own there.")
      .def("__repr__", [](const M& x) {
        return "<mechanism '" + x.name + "': " + std::to_string(x.bodies()) + " bodies, " + std::to_string(x.nv) +
               " coordinates, " + std::to_string(x.equations) + " equations>";
      });

  nb::class_<Prepared>(m, "Prepared", "A mechanism, and how its home came about.")
      .def_prop_ro(
          "mechanism", [](const Prepared& p) -> const M& { return p.mechanism; }, nb::rv_policy::reference_internal)
      .def_prop_ro("closed", [](const Prepared& p) { return p.home.assembly.closed; })
      .def("explain", [](const Prepared& p) { return p.home.assembly.explain(p.mechanism); });
  m.def(
      "prepare",
      [](const Description& described) {
        const RobotDescription robot = described.made();
        nb::gil_scoped_release unlocked;
        return prepare(robot);
      },
      "robot"_a,
      "From a description to a mechanism: massless bodies merged, built, home assembled, idle motions locked.");
  m.def(
      "load_robot", [](const std::string& path) { return load_robot(path); }, "path"_a,
      nb::call_guard<nb::gil_scoped_release>(), "A mechanism ready to compute with, from a robot file.");
  m.def("modes_text", &modes_text, "m"_a,
        "Modes of a robot whose beams bend, frequencies, and what the reduction costs.");

  m.def("without_friction", &without_friction, "m"_a, "The same mechanism without friction.");
  m.def("with_payload", &with_payload, "m"_a, "mass"_a,
        "The platform carries a point mass [kg] at its frame's origin.");

  using W = Workspace<double>;
  nb::class_<W> w(m, "Workspace",
                  "Everything that is computed, one field per symbol; belongs to one thread. Arrays are views.");
  w.def(nb::init<const M&>(), "m"_a, "At home, at rest.");
  vector(w, "q", &W::q, "nq: positions of the tree joints");
  vector(w, "v", &W::v, "nv: their rates");
  vector(w, "a", &W::a, "nv: accelerations");
  vector(w, "tau", &W::tau, "actuators: forces along +q, at the joint [N or N m]");
  vector(w, "lambda_", &W::lambda, "equations: forces that close the loops");
  vector(w, "phi", &W::phi, "equations: residuals of the loops");
  vector(w, "k", &W::k, "equations: -K' v");
  vector(w, "cq", &W::cq, "free coordinates of the cut joints");
  vector(w, "cv", &W::cv, "their rates");
  vector(w, "ca", &W::ca, "their accelerations");
  vector(w, "load", &W::load, "coordinates: springs, dampers, friction");
  w.def_prop_ro(
       "K", [](W& x) -> MatX<double>& { return x.K; }, nb::rv_policy::reference_internal,
       "equations x nv: derivative of the loops' equations")
      .def(
          "set_external",
          [](W& x, std::size_t body, const Vector& moment_force) {
            const Vec6<double> f = fixed<6>("wrench", moment_force);
            x.external.at(body) = {f.head<3>(), f.tail<3>()};
          },
          "body"_a, "wrench"_a, "Moment about the base's origin and force on a body from outside, base axes.")
      .def(
          "set_platform_wrench",
          [](W& x, const M& mechanism, const Vector& wrench) {
            const Vec6<double> f = fixed<6>("wrench", wrench);
            expect_made_for(mechanism, x);
            if (!mechanism.platform.exists())
              throw Error(mechanism.name + ": wrench: read one, expected a robot with a platform");
            tree_positions(mechanism, x);
            apply_platform_wrench(mechanism, {f.tail<3>(), f.head<3>()}, x);
          },
          "m"_a, "wrench"_a,
          "fx fy fz mx my mz on the platform at its origin, base axes [N, N m]; at the present q: set it again where q "
          "changes.")
      .def("copy", [](const W& x) { return W(x); });
  copies(w);
}

}  // namespace gough::python
