/// Robots as their authors describe them: from files, from text, built and changed in code.
#include "descriptions.hpp"

#include <Eigen/LU>

#include "gough/flexible/bending.hpp"
#include "gough/io/robot_file.hpp"
#include "gough/kinematics/answer.hpp"
#include "gough/model/build.hpp"
#include "gough/model/variants.hpp"
#include "gough/spatial/rotation.hpp"

namespace gough::python {
namespace {

/// A vector of three that can be set from a list; read, it is a view.
template <class Class, class Member>
void point(nb::class_<Class>& c, const char* name, Member Class::*member, const char* doc) {
  c.def_prop_rw(
      name, [member](Class& x) -> Member& { return x.*member; },
      [member, name](Class& x, const Vector& v) { x.*member = fixed<3>(name, v); }, nb::rv_policy::reference_internal,
      doc);
}

Mat3<double> three_by_three(const char* what, const Rows& x) {
  if (x.rows != 3 || x.columns != 3)
    throw Error(std::string(what) + ": read " + std::to_string(x.rows) + " x " + std::to_string(x.columns) +
                " numbers, expected 3 x 3");
  return Eigen::Map<const Eigen::Matrix<double, 3, 3, Eigen::RowMajor>>(x.x.data());
}

/// What is copied out is a tuple: what is changed in it would be lost.
template <class Item>
nb::typed<nb::tuple, Item, nb::ellipsis> as_tuple(const std::vector<Item>& all) {
  return nb::cast<nb::typed<nb::tuple, Item, nb::ellipsis>>(nb::tuple(nb::cast(all)));
}

/// The pieces themselves. The vector never moves: it has room for all there can be.
nb::typed<nb::tuple, BeamDescription, nb::ellipsis> beam_of(nb::handle_t<BodyDescription> self) {
  std::vector<BeamDescription>& beam = nb::cast<BodyDescription&>(self).beam;
  beam.reserve(most_beam_parts);
  nb::list all;
  for (BeamDescription& piece : beam) all.append(nb::cast(&piece, nb::rv_policy::reference_internal, self));
  return nb::cast<nb::typed<nb::tuple, BeamDescription, nb::ellipsis>>(nb::tuple(all));
}
void set_beam(BodyDescription& body, const std::vector<BeamDescription>& pieces) {
  if (pieces.size() > most_beam_parts)
    throw Error("beam: read " + std::to_string(pieces.size()) + " pieces, expected at most " +
                std::to_string(most_beam_parts));
  body.beam.reserve(most_beam_parts);
  body.beam.assign(pieces.begin(), pieces.end());
}

std::vector<Setting> settings_from(const std::map<std::string, nb::object>& given) {
  std::vector<Setting> all;
  for (const auto& [path, value] : given) {
    Setting s{{"settings", 0}, path, {}, nb::isinstance<nb::list>(value) || nb::isinstance<nb::tuple>(value)};
    const auto text = [](nb::handle x) { return std::string(nb::str(x).c_str()); };
    if (s.is_list)
      for (const nb::handle x : value) s.values.push_back(text(x));
    else s.values.push_back(text(value));
    all.push_back(std::move(s));
  }
  return all;
}

void bind_transform(nb::module_& m) {
  nb::class_<Transform<double>> c(m, "Transform", "The pose of frame B in frame A: a point moves as x_A = R x_B + p.");
  c.def(
       "__init__",
       [](Transform<double>* t, const std::optional<Vector>& xyz, const std::optional<Vector>& rpy) {
         new (t) Transform<double>();
         if (xyz) t->p = fixed<3>("xyz", *xyz);
         if (!rpy) return;
         const Vec3<double> a = fixed<3>("rpy", *rpy);
         const auto turn = [](double angle, const Vec3<double>& axis) {
           Vec6<double> x;
           x << 0, 0, 0, angle * axis;
           return pose_from_vector(x).R;
         };
         t->R =
             turn(a[2], Vec3<double>::UnitZ()) * turn(a[1], Vec3<double>::UnitY()) * turn(a[0], Vec3<double>::UnitX());
       },
       "xyz"_a = nb::none(), "rpy"_a = nb::none(),
       "From a position [m] and roll, pitch and yaw [rad] about fixed x, y and z, as URDF has them.")
      .def_prop_rw(
          "R", [](Transform<double>& t) -> Mat3<double>& { return t.R; },
          [](Transform<double>& t, const Rows& given) {
            const Mat3<double> R = three_by_three("R", given);
            if (!((R.transpose() * R - Mat3<double>::Identity()).cwiseAbs().maxCoeff() < 1e-9) || R.determinant() < 0)
              throw Error("R: read a matrix that is no rotation, expected one");
            t.R = R;
          },
          nb::rv_policy::reference_internal, "3 x 3 rotation")
      .def_static(
          "from_vector", [](const Vector& x) { return pose_from_vector(fixed<6>("pose", x)); }, "pose"_a,
          "From x y z rx ry rz: position [m] and rotation vector [rad].")
      .def(
          "vector", [](const Transform<double>& t) { return pose_vector(t); }, "x y z rx ry rz")
      .def("inverse", &Transform<double>::inverse)
      .def("__mul__", [](const Transform<double>& a, const Transform<double>& b) { return a * b; })
      .def("__mul__", [](const Transform<double>& a, const Vector& x) { return Vec3<double>(a * fixed<3>("x", x)); })
      .def("__repr__", [](const Transform<double>& t) {
        const Vec6<double> x = pose_vector(t);
        std::string s = "Transform.from_vector([";
        for (int i = 0; i < 6; ++i) s += (i ? ", " : "") + std::string(nb::str(nb::float_(x[i])).c_str());
        return s + "])";
      });
  point(c, "p", &Transform<double>::p, "position [m]");
  copies(c);
}

void bind_parts(nb::module_& m) {
  nb::class_<Where>(m, "Where", "A place in a file; empty for what was built in code.")
      .def(nb::init<>())
      .def_rw("file", &Where::file)
      .def_rw("line", &Where::line)
      .def("__repr__", &Where::text);
  nb::class_<Range>(m, "Range", "From lower to upper; infinite where there is no limit.")
      .def(
          "__init__",
          [](Range* r, double lower, double upper) {
            new (r) Range{lower, upper};
          },
          "lower"_a = Range{}.lower, "upper"_a = Range{}.upper)
      .def_rw("lower", &Range::lower)
      .def_rw("upper", &Range::upper);

  nb::class_<BeamDescription> beam(m, "BeamDescription",
                                   "A straight beam of a body, clamped at `start`, or the next piece of one.");
  beam.def(nb::init<>())
      .def_rw("A", &BeamDescription::A, "area [m^2]")
      .def_rw("Iy", &BeamDescription::Iy, "[m^4]")
      .def_rw("Iz", &BeamDescription::Iz, "[m^4]")
      .def_rw("J", &BeamDescription::J, "torsion constant [m^4]")
      .def_rw("E", &BeamDescription::E, "[Pa]")
      .def_rw("G", &BeamDescription::G, "[Pa]")
      .def_rw("rho", &BeamDescription::rho, "[kg/m^3]")
      .def_rw("damping", &BeamDescription::damping, "of the material, in proportion to stiffness [s]")
      .def_rw("half_y", &BeamDescription::half_y, "from the axis to the outermost fibres [m]; 0: not known")
      .def_rw("half_z", &BeamDescription::half_z)
      .def_rw("round", &BeamDescription::round)
      .def_rw("shear_factor", &BeamDescription::shear_factor)
      .def_rw("shear", &BeamDescription::shear, "False: without shear deformation")
      .def_rw("rotary_inertia", &BeamDescription::rotary_inertia,
              "False: sections turn without inertia as the beam bends")
      .def_rw("elements", &BeamDescription::elements)
      .def("length", &BeamDescription::length);
  point(beam, "start", &BeamDescription::from, "`from` of the robot file [m]");
  point(beam, "end", &BeamDescription::to, "`to` of the robot file [m]");

  nb::class_<BodyDescription> body(m, "BodyDescription", "A rigid body, perhaps with a beam.");
  body.def(nb::init<>())
      .def_rw("where", &BodyDescription::where)
      .def_rw("name", &BodyDescription::name)
      .def_rw("mass", &BodyDescription::mass, "[kg]")
      .def_prop_rw(
          "inertia", [](BodyDescription& b) -> Mat3<double>& { return b.inertia; },
          [](BodyDescription& b, const Rows& I) { b.inertia = three_by_three("inertia", I); },
          nb::rv_policy::reference_internal, "3 x 3 about the centre of mass, body axes [kg m^2]")
      .def_prop_rw("beam", &beam_of, &set_beam,
                   "piece by piece: what is changed in a piece is changed in the body; assign a list to "
                   "have more or fewer")
      .def_prop_rw(
          "points",
          [](const BodyDescription& b) {
            std::vector<std::pair<double, std::array<double, 3>>> all;
            for (const auto& [mass, p] : b.points) all.push_back({mass, {p[0], p[1], p[2]}});
            return as_tuple(all);
          },
          [](BodyDescription& b, const std::vector<std::pair<double, std::array<double, 3>>>& all) {
            b.points.clear();
            for (const auto& [mass, p] : all) b.points.emplace_back(mass, Vec3<double>(p[0], p[1], p[2]));
          },
          "point masses: (mass [kg], [x, y, z])")
      .def("__repr__", [](const BodyDescription& b) { return "<body '" + b.name + "'>"; });
  point(body, "com", &BodyDescription::com, "centre of mass [m]");
  copies(body);

  using C = CoordinateDescription;
  nb::class_<C>(m, "CoordinateDescription", "A free coordinate of a joint.")
      .def(nb::init<>())
      .def_rw("name", &C::name)
      .def_rw("actuated", &C::actuated)
      .def_rw("elastic", &C::elastic)
      .def_rw("locked", &C::locked)
      .def_rw("stiffness", &C::stiffness, "[N/m or N m/rad]")
      .def_rw("damping", &C::damping, "[N s/m or N m s/rad]")
      .def_rw("rest", &C::rest, "where the spring is relaxed [m or rad]")
      .def_prop_rw(
          "friction",
          [](const C& c) {
            std::vector<std::pair<std::string, std::string>> all;
            for (const FrictionTerm& t : c.friction) all.emplace_back(t.function, t.coefficient);
            return as_tuple(all);
          },
          [](C& c, const std::vector<std::pair<std::string, std::string>>& all) {
            c.friction.clear();
            for (const auto& [function, coefficient] : all) c.friction.push_back({function, coefficient});
          },
          "(function, coefficient) by name (a copy: assign a list to change it)")
      .def_rw("rotor_inertia", &C::rotor_inertia, "at the motor's side [kg m^2]")
      .def_rw("ratio", &C::ratio, "motor radians per joint unit")
      .def_rw("has_drive", &C::has_drive)
      .def_rw("position", &C::position)
      .def_rw("velocity", &C::velocity)
      .def_rw("acceleration", &C::acceleration)
      .def_rw("force", &C::force)
      .def_rw("home", &C::home)
      .def_rw("guess", &C::guess);
}

/// The part of that name, the very object of the list.
template <class Part>
nb::object named(const Description& r, const nb::list& all, const char* what, const std::string& wanted) {
  for (const nb::handle h : all)
    if (nb::cast<const Part&>(h).name == wanted) return nb::borrow(h);
  throw Error(r.name + ": read the " + what + " '" + wanted + "', expected one of the robot's");
}

template <class Part>
void collect(const char* what, const nb::list& from, std::vector<Part>& to) {
  for (const nb::handle h : from) {
    if (!nb::isinstance<Part>(h))
      throw Error(std::string(what) + ": read " + nb::repr(h).c_str() + ", expected descriptions of them");
    to.push_back(nb::cast<const Part&>(h));
  }
}

void bind_robot(nb::module_& m) {
  using J = JointDescription;
  nb::class_<J> joint(m, "JointDescription", "A joint between frame A on its parent and frame B on its child.");
  joint
      .def(
          "__init__",
          [](J* j, std::string name, JointKind kind, std::string parent, std::string child) {
            if (kind == JointKind::modal)
              throw Error("joint '" + name + "': read the kind modal, expected another: Robot.with_modes makes those");
            new (j) J();
            j->name = std::move(name), j->kind = kind;
            j->parent = std::move(parent), j->child = std::move(child);
            j->coordinates.resize(static_cast<std::size_t>(free_coordinates(kind)));
          },
          "name"_a = "", "kind"_a = JointKind::revolute, "parent"_a = "base", "child"_a = "")
      .def_rw("where", &J::where)
      .def_rw("name", &J::name)
      .def_ro("kind", &J::kind)
      .def_rw("parent", &J::parent)
      .def_rw("child", &J::child)
      .def_rw("origin", &J::origin, "frame A in the parent")
      .def_rw("child_origin", &J::child_origin, "frame B in the child")
      .def_rw("length", &J::length, "of `distance` [m]")
      .def_rw("cut", &J::cut, "True, False, or None: gough decides")
      .def_prop_ro(
          "coordinates",
          [](nb::handle_t<J> self) {
            nb::typed<nb::list, CoordinateDescription> all;
            for (CoordinateDescription& c : nb::cast<J&>(self).coordinates)
              all.append(nb::cast(&c, nb::rv_policy::reference_internal, self));
            return all;
          },
          "one for each free motion of its kind; what is changed in them is changed in the joint")
      .def("__repr__", [](const J& j) { return "<" + std::string(name(j.kind)) + " joint '" + j.name + "'>"; });
  copies(joint);

  using S = SpringDescription;
  nb::class_<S> spring(m, "SpringDescription", "A spring between points of two bodies.");
  spring.def(nb::init<>())
      .def_rw("name", &S::name)
      .def_rw("body_a", &S::body_a)
      .def_rw("body_b", &S::body_b)
      .def_rw("stiffness", &S::stiffness, "[N/m]")
      .def_rw("damping", &S::damping, "[N s/m]")
      .def_rw("free_length", &S::free_length, "[m]");
  point(spring, "point_a", &S::point_a, "[m]");
  point(spring, "point_b", &S::point_b, "[m]");

  using P = PlatformDescription;
  nb::class_<P>(m, "PlatformDescription", "The body that does the task.")
      .def(nb::init<>())
      .def_rw("body", &P::body)
      .def_rw("frame", &P::frame, "in the body")
      .def_rw("tool", &P::tool, "in the platform's frame")
      .def_prop_rw(
          "limits", [](const P& p) { return as_tuple(std::vector<Range>(p.limits.begin(), p.limits.end())); },
          [](P& p, const std::array<Range, 6>& limits) { p.limits = limits; },
          "of x y z rx ry rz (copies: assign six to change them)")
      .def_prop_rw(
          "home", [](const P& p) { return as_tuple(std::vector<std::optional<double>>(p.home.begin(), p.home.end())); },
          [](P& p, const std::array<std::optional<double>, 6>& home) { p.home = home; },
          "of x y z rx ry rz, None where it is not given (a copy: assign six to change it)")
      .def_prop_rw(
          "coordinates",
          [](const P& p) {
            std::vector<std::string> names;
            for (std::size_t i = 0; i < 6; ++i)
              if (p.coordinates[i]) names.emplace_back(pose_names[i]);
            return as_tuple(names);
          },
          [](P& p, const std::vector<std::string>& names) {
            p.coordinates = {};
            for (const std::string& n : names) {
              const auto found = std::find(pose_names.begin(), pose_names.end(), n);
              if (found == pose_names.end())
                throw Error("coordinates: read '" + n + "', expected some of x y z rx ry rz");
              p.coordinates[static_cast<std::size_t>(found - pose_names.begin())] = true;
            }
          },
          "names of those that describe its task");
  nb::class_<LegDescription>(m, "LegDescription", "A leg and the bodies that belong to it.")
      .def(nb::init<>())
      .def_rw("name", &LegDescription::name)
      .def_prop_rw(
          "bodies", [](const LegDescription& l) { return as_tuple(l.bodies); },
          [](LegDescription& l, const std::vector<std::string>& bodies) { l.bodies = bodies; },
          "names (a copy: assign a list to change it)");

  using R = Description;
  nb::class_<R> robot(m, "RobotDescription", "A robot as its author describes it, before any choice of tree and cuts.");
  robot.def(nb::init<>())
      .def_rw("name", &R::name)
      .def_rw("description", &R::description)
      .def_rw("bodies", &R::bodies)
      .def_rw("joints", &R::joints)
      .def_rw("legs", &R::legs)
      .def_rw("springs", &R::springs)
      .def_rw("coefficients", &R::coefficients, "friction coefficients by name")
      .def_rw("platform", &R::platform, nb::for_getter(nb::sig("def platform(self) -> PlatformDescription | None")),
              nb::for_setter(nb::sig("def platform(self, arg: PlatformDescription | None, /) -> None")),
              "PlatformDescription, or None", nb::for_setter(nb::arg().none()))
      .def_rw("lock_idle", &R::lock_idle)
      .def_rw("closure_tolerance", &R::closure_tolerance, nb::arg().none(),
              "[m] how far the geometry may miss one whose loops fit; 0: it is meant as it is; None: 1e-9 of the "
              "robot's length")
      .def_ro("merged", &R::merged)
      .def(
          "body",
          [](const R& r, const std::string& wanted) { return named<BodyDescription>(r, r.bodies, "body", wanted); },
          "name"_a, nb::sig("def body(self, name: str) -> BodyDescription"))
      .def(
          "joint",
          [](const R& r, const std::string& wanted) { return named<JointDescription>(r, r.joints, "joint", wanted); },
          "name"_a, nb::sig("def joint(self, name: str) -> JointDescription"))
      .def("copy", [](const R& r) { return R(r.made()); })
      .def("__copy__", [](const R& r) { return R(r.made()); })
      .def(
          "__deepcopy__", [](const R& r, const nb::object&) { return R(r.made()); }, "memo"_a)
      .def("__repr__", [](const R& r) { return "<description of robot '" + r.name + "'>"; });
  point(robot, "gravity", &R::gravity, "[m/s^2]");
}

}  // namespace

Description::Description(const RobotDescription& r)
    : where(r.where),
      name(r.name),
      description(r.description),
      gravity(r.gravity),
      lock_idle(r.lock_idle),
      closure_tolerance(r.closure_tolerance),
      merged(r.merged) {
  for (const BodyDescription& x : r.bodies) bodies.append(x);
  for (const JointDescription& x : r.joints) joints.append(x);
  for (const LegDescription& x : r.legs) legs.append(x);
  for (const SpringDescription& x : r.springs) springs.append(x);
  for (const auto& [key, value] : r.coefficients) coefficients[key.c_str()] = value;
  if (r.platform) platform = nb::cast(*r.platform);
}

RobotDescription Description::made() const {
  RobotDescription r;
  r.where = where, r.name = name, r.description = description;
  r.gravity = gravity, r.lock_idle = lock_idle, r.closure_tolerance = closure_tolerance, r.merged = merged;
  collect("bodies", bodies, r.bodies);
  collect("joints", joints, r.joints);
  collect("legs", legs, r.legs);
  collect("springs", springs, r.springs);
  for (const auto& [key, value] : coefficients) {
    double x = 0;
    if (!nb::try_cast(value, x))
      throw Error("coefficients: read " + std::string(nb::repr(value).c_str()) + ", expected a number");
    r.coefficients[nb::cast<std::string>(key)] = x;
  }
  if (!platform.is_none()) {
    if (!nb::isinstance<PlatformDescription>(platform))
      throw Error("platform: read another thing, expected a PlatformDescription");
    r.platform = nb::cast<const PlatformDescription&>(platform);
  }
  return r;
}

void bind_descriptions(nb::module_& m) {
  bind_transform(m);
  bind_parts(m);
  bind_robot(m);
  m.def(
      "read_robot",
      [](const std::string& path, const std::map<std::string, nb::object>& settings) {
        return Description(read_robot(path, settings_from(settings)));
      },
      "path"_a, "settings"_a = std::map<std::string, nb::object>{},
      "A robot file. `settings` puts other values into it first: {\"legs.joints.drive.screw\": \"5 mm\", "
      "\"bodies.*.mass\": 2}.");
  m.def(
      "parse_robot",
      [](const std::string& text, const std::string& file, const std::map<std::string, nb::object>& settings) {
        return Description(parse_robot(text, file, settings_from(settings)));
      },
      "text"_a, "file"_a = "text", "settings"_a = std::map<std::string, nb::object>{},
      "The same from text; `file` stands in messages.");
  m.def("robot_schema", &robot_schema, "The JSON Schema of robot files.");
  m.def(
      "check_description", [](const Description& robot) { check_description(robot.made()); }, "robot"_a,
      "Throws Error unless the description makes sense by itself.");
  m.def(
      "with_elastic_chains",
      [](const Description& robot, int n) { return Description(with_elastic_chains(robot.made(), n)); }, "robot"_a,
      "n"_a, "The robot with n more elastic freedoms in each chain.");
  m.def(
      "with_repeated_legs",
      [](const Description& robot, int times, const Transform<double>& home) {
        return Description(with_repeated_legs(robot.made(), times, home));
      },
      "robot"_a, "times"_a, "home"_a, "The robot with all its legs placed `times` times, evenly turned.");
  m.def(
      "with_modes",
      [](const Description& robot, int modes, double modal_damping, bool refine) {
        ModesOptions o;
        o.modes = modes, o.modal_damping = modal_damping, o.refine = refine;
        return Description(with_modes(robot.made(), o).robot);
      },
      "robot"_a, "modes"_a = 4, "modal_damping"_a = 0.0, "refine"_a = false,
      "The robot whose beams bend in modes: rigid motion and bending unknown together.");
}

}  // namespace gough::python
