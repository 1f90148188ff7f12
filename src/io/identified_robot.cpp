/// A robot file with other inertias and friction coefficients.
#include <fmt/format.h>
#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <set>

#include "gough/error.hpp"
#include "gough/io/identification_report.hpp"
#include "gough/io/robot_file.hpp"
#include "gough/io/text.hpp"
#include "readers.hpp"

namespace gough {
namespace {

using Ten = Eigen::Matrix<double, 10, 1>;
std::string yaml_number(double x) { return fmt::format("{:.9g}", std::abs(x) < 1e-15 ? 0.0 : x); }

YAML::Node list(std::initializer_list<double> values) {
  YAML::Node node;
  for (const double x : values) node.push_back(yaml_number(x));
  node.SetStyle(YAML::EmitterStyle::Flow);
  return node;
}

/// A copy in which aliases (`*link`) have become entries of their own: what is written to one must not show in the others.
YAML::Node unshared(const YAML::Node& node) {
  if (node.IsScalar() || node.IsNull()) return YAML::Clone(node);
  YAML::Node copy(node.Type());
  copy.SetStyle(node.Style());
  if (node.IsMap())
    for (const auto& each : node) copy[each.first.Scalar()] = unshared(each.second);
  else
    for (const auto& each : node) copy.push_back(unshared(each));
  return copy;
}

class Writer {
 public:
  Writer(const YAML::Node& root, std::string file, const Mechanism<double>& m, const Identification& r)
      : root_(root), file_(std::move(file)), m_(m), space_(r.base.space), p_(r.full) {}

  void inertias() {
    std::set<int> bodies;
    for (int i = 0; i < space_.inertial; ++i) bodies.insert(space_.entry[at(i)].body);
    for (const int j : bodies) body(j);
  }
  void friction() {
    for (int i = space_.inertial; i < space_.size(); ++i)
      coefficient(m_.coefficient_name[at(space_.entry[at(i)].index)], p_[i]);
  }

 private:
  void body(int j) {
    Ten x = body_parameters<double>(m_.body_frame[at(j)].inverse() * m_.inertia[at(j)]);
    int shared = 1;
    entries_ = 0;
    for (int i = 0; i < space_.inertial; ++i)
      if (space_.entry[at(i)].body == j)
        x[space_.entry[at(i)].index] = p_[i], shared = space_.entry[at(i)].bodies, ++entries_;
    for (const WeldedPart& part : m_.welded)  // they keep what the file says of them
      if (part.body == j) x -= body_parameters<double>(m_.body_frame[at(j)].inverse() * (part.frame * part.inertia));
    const auto [leg, name] = m_.in_leg(m_.body_name[at(j)]);
    if (leg < 0) return put(root_["bodies"], name, root_["bodies"][name], x);
    YAML::Node common = root_["legs"]["bodies"][name];
    if (shared > 1 || m_.leg.size() == 1) {
      for (YAML::Node each : root_["legs"]["placements"])  // what single legs had of their own is gone
        if (each["bodies"] && each["bodies"][name]) each["bodies"].remove(name);
      return put(root_["legs"]["bodies"], name, common, x);
    }
    YAML::Node placement = root_["legs"]["placements"][at(leg)];
    const YAML::Node own = placement["bodies"] && placement["bodies"][name] ? placement["bodies"][name] : common;
    put(placement["bodies"], name, own, x);
  }

  /// A body's entry, made anew.
  void put(YAML::Node bodies, const std::string& name, const YAML::Node& old, const Ten& x) {
    if (!old || !old.IsMap()) throw Error({file_, 0}, fmt::format("read no body '{}' to write to", name));
    if (old["beam"])
      throw Error(
          {file_, old.Mark().line + 1},
          fmt::format("read a beam in the body '{}', expected bodies without: its mass is its section's", name));
    YAML::Node entry = YAML::Clone(old);
    for (const char* key : {"rod", "points", "com", "inertia"}) entry.remove(key);
    if (entries_ == 10) entry.remove("symmetric");  // no entry was taken for zero
    const Inertia<double> I = inertia_of(x);
    const Vec3<double> c = I.mass > 0 ? Vec3<double>(I.first / I.mass) : Vec3<double>::Zero();
    const Mat3<double> J = I.second - steiner<double>(c, c) * I.mass;
    entry["mass"] = yaml_number(I.mass) + " kg";
    entry["com"] = list({c.x(), c.y(), c.z()});
    YAML::Node inertia;
    static constexpr std::array<std::tuple<const char*, int, int>, 6> places = {
        {{"ixx", 0, 0}, {"iyy", 1, 1}, {"izz", 2, 2}, {"ixy", 0, 1}, {"ixz", 0, 2}, {"iyz", 1, 2}}};
    for (const auto& [key, row, col] : places) inertia[key] = yaml_number(J(row, col));
    inertia.SetStyle(YAML::EmitterStyle::Flow);
    entry["inertia"] = inertia;
    bodies[name] = entry;
  }

  /// Named at the top, named by a leg, or a number in a joint.
  void coefficient(const std::string& name, double value) {
    if (YAML::Node shared = root_["friction"]; shared && shared[name]) return put_number(shared, name, value);
    const auto [leg, rest] = m_.in_leg(name);
    if (leg >= 0) {
      YAML::Node placement = root_["legs"]["placements"][at(leg)];
      if (placement["friction"] && placement["friction"][rest]) {
        YAML::Node own = placement["friction"];
        return put_number(own, rest, value);
      }
    }
    const std::size_t dot = rest.rfind('.');
    const std::string joint = rest.substr(0, dot), function = dot == std::string::npos ? "" : rest.substr(dot + 1);
    YAML::Node joints = leg >= 0 ? root_["legs"]["joints"] : root_["joints"];
    YAML::Node terms = joints && joints[joint] ? joints[joint]["friction"] : YAML::Node();
    if (terms && terms.IsMap() && !terms[function] && terms["functions"]) terms = terms["functions"];
    if (!terms || !terms.IsMap() || !terms[function])
      throw Error({file_, 0},
                  fmt::format("read the friction coefficient '{}' where it cannot be written, expected a name "
                              "under `friction`, or a number in a joint with one coordinate",
                              name));
    if (leg < 0) return put_number(terms, function, value);
    const std::string own = joint + "_" + function;  // a number of all legs: now one for each
    terms[function] = own;
    YAML::Node placement = root_["legs"]["placements"][at(leg)];
    YAML::Node map = placement["friction"];
    put_number(map, own, value);
  }
  static void put_number(YAML::Node map, const std::string& key, double value) { map[key] = yaml_number(value); }

  YAML::Node root_;
  std::string file_;
  const Mechanism<double>& m_;
  const ParameterSpace& space_;
  const VecX<double>& p_;
  int entries_ = 0;  ///< of the body being written that were looked for
};

}  // namespace

std::string identified_robot_file(const std::string& robot, const std::string& file, const Mechanism<double>& m,
                                  const Identification& r) {
  YAML::Node root = unshared(YAML::Load(robot));
  Writer writer(root, file, m, r);
  writer.inertias();
  writer.friction();
  root["description"] = fmt::format("{}{}Parameters identified from {}.",
                                    root["description"] ? root["description"].as<std::string>() : "",
                                    root["description"] ? " " : "", shown(r.data_name));
  YAML::Emitter out;
  out << root;
  const std::string text = std::string(out.c_str()) + "\n";
  (void)parse_robot(text, file + " with identified values");  // what is written can be read
  return text;
}

}  // namespace gough
