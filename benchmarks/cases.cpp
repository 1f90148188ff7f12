#include "benchmarks.hpp"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <numbers>

#include "gough/gough.hpp"

namespace gough {
namespace {

using nlohmann::json;
using std::numbers::pi;

json data(const std::string& root, const std::string& name) {
  return json::parse(std::ifstream(root + "/benchmarks/" + name + ".json"));
}
Mechanism<double> robot(const std::string& root, const std::string& name) {
  return load_robot(root + "/robots/" + name + ".yaml");
}
Vec3<double> vector(const json& j) { return {j[0].get<double>(), j[1].get<double>(), j[2].get<double>()}; }

/// The run that every case is, with the defaults unless said; `see` gets the states at `times`.
void run(const Mechanism<double>& m, Workspace<double>& w, const std::vector<double>& times,
         const Controller& controller, const std::function<void(const SimulationRow&)>& see,
         const SimulationOptions& options = {}) {
  const SimulationAnswer answer = simulate(m, w, times, options, controller, [&](const SimulationRow& row) {
    see(row);
    return true;
  });
  if (!answer.ok()) throw Error(fmt::format("{}: t = {:g}: {}", m.name, answer.t, answer.reason));
}

std::vector<double> times_of(const json& rows) {
  std::vector<double> times;
  for (const json& row : rows) times.push_back(row[0]);
  return times;
}

/// The largest difference of columns [first, last) of published rows (time first) from ours.
double largest_difference(const json& rows, const std::vector<std::vector<double>>& ours, std::size_t first,
                          std::size_t last) {
  double largest = 0;
  for (std::size_t r = 0; r < rows.size(); ++r)
    for (std::size_t c = first; c < last; ++c)
      largest = std::max(largest, std::abs(rows[r][c].get<double>() - ours.at(r).at(c)));
  return largest;
}

/// Our rows (t, values) at the times of `rows`.
std::vector<std::vector<double>> curve(const Mechanism<double>& m, Workspace<double> w, const json& rows,
                                       const std::function<std::vector<double>(const SimulationRow&)>& values) {
  std::vector<std::vector<double>> ours;
  run(m, w, times_of(rows), {}, [&](const SimulationRow& row) {
    ours.push_back({row.t});
    for (const double x : values(row)) ours.back().push_back(x);
  });
  return ours;
}

/// A row about columns of a curve: shows the values at its end.
BenchmarkRow curve_row(const std::string& quantity, const json& rows, const std::vector<std::vector<double>>& ours,
                       std::size_t column, int digits, double allowed, const std::string& unit) {
  const double end = rows.back()[0];
  return {fmt::format("{}, {} times to {:g} s; at the end", quantity, rows.size(), end),
          fmt::format("{:.{}f}", rows.back()[column].get<double>(), digits),
          fmt::format("{:.{}f}", ours.back()[column], digits),
          largest_difference(rows, ours, column, column + 1),
          allowed,
          unit};
}

}  // namespace

// ------------------------------------------------------------------------------------------------ Andrews

namespace {

/// Angles, rates, accelerations and the joint forces at P, in the order of the data.
std::map<std::string, std::vector<double>> squeezed(const std::string& root, const json& d) {
  const Mechanism<double> m = robot(root, "andrews");
  Workspace<double> w(m);
  w.tau[0] = d["torque"];
  std::map<std::string, std::vector<double>> at_end;
  run(m, w, {0, d["t"]}, {}, [&](const SimulationRow& row) {
    if (row.t == 0) return;
    for (const std::string name : d["coordinates"]) {
      const int c = m.find_coordinate(name);
      at_end["q"].push_back(row.w.q[c]);
      at_end["v"].push_back(row.w.v[c]);
      at_end["a"].push_back(row.w.a[c]);
    }
    Workspace<double> copy = row.w;
    for (const JointReaction& joint : reactions(m, copy, row.d).cut)
      for (int i = 0; i < 2; ++i) at_end["force"].push_back(joint.wrench.force[i]);
  });
  return at_end;
}

}  // namespace

Benchmark andrews_squeezer(const std::string& root) {
  const json d = data(root, "andrews");
  const auto ours = squeezed(root, d);
  Benchmark b{"Andrews' squeezer", d["source"], "build/gough simulate robots/andrews.yaml --time 0.03 --tau 0.033", {}};
  const auto compare = [&](const std::string& what, const std::string& from, bool relative) {
    double largest = 0;
    for (std::size_t i = 0; i < ours.at(what).size(); ++i) {
      const double x = d[from][what][i];
      largest = std::max(largest, std::abs(ours.at(what)[i] - x) / (relative ? std::abs(x) : 1.0));
    }
    return largest;
  };
  for (std::size_t i = 0; i < 7; ++i) {
    const double published = d["published"]["q"][i], x = ours.at("q")[i];
    b.rows.push_back({d["coordinates"][i], fmt::format("{:.9f}", published), fmt::format("{:.9f}", x),
                      std::abs(x - published), 3e-9, "rad"});
  }
  for (std::size_t i = 0; i < 6; ++i) {
    const double published = d["published"]["force"][i], x = ours.at("force")[i];
    b.rows.push_back({"force on " + d["forces_on"][i].get<std::string>(), fmt::format("{:.4f}", published),
                      fmt::format("{:.4f}", x), std::abs(x / published - 1), 3e-6, ""});
  }
  b.rows.push_back({"rates", "", "", compare("v", "published", true), 1e-7, ""});
  b.rows.push_back({"accelerations", "", "", compare("a", "published", true), 3e-6, ""});
  b.rows.push_back({"angles, recomputed", "", "", compare("q", "recomputed", false), 1e-9, "rad"});
  b.rows.push_back({"forces, recomputed", "", "", compare("force", "recomputed", true), 1e-6, ""});
  return b;
}

// ------------------------------------------------------------------------------------------------ IFToMM

Benchmark iftomm_pendulum(const std::string& root) {
  const json all = data(root, "iftomm"), &d = all["A01"];
  const Mechanism<double> m = robot(root, "pendulum");
  const auto bob = [](const SimulationRow& row) {
    return std::vector<double>{std::cos(row.w.q[0]), std::sin(row.w.q[0])};
  };
  const auto published = curve(m, Workspace<double>(m), d["published"], bob);
  const auto recomputed = curve(m, Workspace<double>(m), d["recomputed"], bob);
  Benchmark b{"IFToMM A01, simple pendulum", all["source"], "build/gough simulate robots/pendulum.yaml --time 10", {}};
  b.rows.push_back(curve_row("x", d["published"], published, 1, 6, 1e-6, "m"));
  b.rows.push_back(curve_row("y", d["published"], published, 2, 6, 1e-6, "m"));
  b.rows.push_back(curve_row("x, recomputed", d["recomputed"], recomputed, 1, 8, 1e-8, "m"));
  b.rows.push_back(curve_row("y, recomputed", d["recomputed"], recomputed, 2, 8, 1e-8, "m"));
  return b;
}

Benchmark iftomm_four_bars(const std::string& root) {
  const json all = data(root, "iftomm"), &d = all["A02"];
  const Mechanism<double> m = robot(root, "n_four_bar_40");
  const int first = m.find_coordinate("first");
  Workspace<double> w(m);
  set_rates(m, {{first, 1}}, w);
  std::vector<double> times = times_of(d["published"]);
  for (const double t : times_of(d["recomputed"])) times.push_back(t);
  std::sort(times.begin(), times.end());
  times.erase(std::unique(times.begin(), times.end()), times.end());
  std::map<double, std::vector<double>> states;
  const auto note = [&](const SimulationRow& row) {
    const double phi = row.w.q[first], rate = row.w.v[first];
    states[row.t] = {row.t, std::sin(phi), std::cos(phi), rate * std::cos(phi), -rate * std::sin(phi)};
  };
  SimulationOptions options;
  options.loops = Loops::projected;
  options.integrator.tolerance = 1e-10;
  run(m, w, times, {}, note, options);
  const auto ours = [&](const json& rows) {
    std::vector<std::vector<double>> picked;
    for (const double t : times_of(rows)) picked.push_back(states.at(t));
    return picked;
  };
  Benchmark b{
      "IFToMM A02, forty four-bars that pass a singular position",
      all["source"],
      "build/gough simulate robots/n_four_bar_40.yaml --time 10 --rates first=1 --loops projected --tolerance 1e-10",
      {}};
  b.rows.push_back(curve_row("x", d["published"], ours(d["published"]), 1, 4, 1e-3, "m"));
  b.rows.push_back(curve_row("y", d["published"], ours(d["published"]), 2, 4, 1e-3, "m"));
  b.rows.push_back(curve_row("x, recomputed", d["recomputed"], ours(d["recomputed"]), 1, 4, 1e-3, "m"));
  b.rows.push_back(curve_row("y, recomputed", d["recomputed"], ours(d["recomputed"]), 2, 4, 1e-3, "m"));
  return b;
}

// ------------------------------------------------------------------------------------------------ Modelica

Benchmark modelica_fourbar2(const std::string& root) {
  const json d = data(root, "fourbar2");
  const Mechanism<double> m = robot(root, "fourbar2");
  const int crank = m.find_coordinate("crank");
  Workspace<double> w(m);
  set_rates(m, {{crank, 300 * pi / 180}}, w);
  const auto ours = curve(m, w, d["published"], [&](const SimulationRow& row) {
    return std::vector<double>{row.w.q[crank], row.w.v[crank]};
  });
  Benchmark b{"Modelica Standard Library, Fourbar2",
              d["source"],
              "build/gough simulate robots/fourbar2.yaml --time 5 --rates 'crank=300 deg/s'",
              {}};
  b.rows.push_back(curve_row("phi", d["published"], ours, 1, 4, 2e-3, "rad"));
  b.rows.push_back(curve_row("w", d["published"], ours, 2, 3, 5e-3, "rad/s"));
  b.rows.push_back(curve_row("phi, recomputed", d["recomputed"], ours, 1, 6, 1e-6, "rad"));
  b.rows.push_back(curve_row("w, recomputed", d["recomputed"], ours, 2, 6, 1e-6, "rad/s"));
  return b;
}

// ------------------------------------------------------------------------------------------------ ADAMS

namespace {

std::string list(const Vec3<double>& x) { return fmt::format("[{:.17g}, {:.17g}, {:.17g}]", x[0], x[1], x[2]); }

/// A body on the ground; its frame is at the centre of mass, along the base's axes.
Mechanism<double> body_on_ground(const json& d, const json& c) {
  Mat3<double> R;
  for (int i = 0; i < 3; ++i) R.row(i) = vector(c["axes"][at(i)]);
  const Mat3<double> I = R * vector(c["inertia"]).asDiagonal() * R.transpose();
  const Vec3<double> point = vector(c["point"]), com = vector(c["com"]);
  const std::string text = fmt::format(
      "robot: body\ngravity: {}\nbodies:\n  body: {{mass: {}, inertia: {{ixx: {:.17g}, iyy: {:.17g}, izz: {:.17g}, "
      "ixy: {:.17g}, ixz: {:.17g}, iyz: {:.17g}}}}}\njoints:\n  joint: {{type: {}, parent: base, child: body, "
      "origin: {{xyz: {}}}, child_origin: {{xyz: {}}}{}}}\nlock_idle: false\n",
      list(vector(d["gravity"])), d["mass"].get<double>(), I(0, 0), I(1, 1), I(2, 2), I(0, 1), I(0, 2), I(1, 2),
      c["type"].get<std::string>(), list(point), list(point - com),
      c["type"] == "spherical" ? "" : ", axis: " + list(vector(c["axis"])));
  return prepare(parse_robot(text, "body.yaml")).mechanism;
}

struct Worst {
  double position = 0, force = 0, moment = 0;
};

Worst against_adams(const json& d, const json& c) {
  const Mechanism<double> m = body_on_ground(d, c);
  Workspace<double> w(m);
  std::vector<double> times;
  for (const json& row : c["rows"]) times.push_back(row["t"]);
  std::size_t r = 0;
  Worst worst;
  run(m, w, times, {}, [&](const SimulationRow& row) {
    const json& published = c["rows"][r++];
    Workspace<double> copy = row.w;
    const Reactions all = reactions(m, copy, row.d);
    const std::size_t body = m.parent.size() - 1;
    const Vec3<double> com = row.w.X0[body].R * (m.inertia[body].first / m.inertia[body].mass) + row.w.X0[body].p;
    const Vec3<double> point = vector(c["point"]);
    const Vec3<double> moment = all.on_base.moment - cross<double>(point, all.on_base.force);
    worst.position = std::max(worst.position, (com - vector(published["position"])).cwiseAbs().maxCoeff());
    worst.force = std::max(worst.force, (all.on_base.force - vector(published["force"])).cwiseAbs().maxCoeff());
    worst.moment = std::max(worst.moment, (moment - vector(published["moment"])).cwiseAbs().maxCoeff());
  });
  return worst;
}

}  // namespace

Benchmark adams_joints(const std::string& root) {
  const json d = data(root, "adams_joints");
  Benchmark b{"ADAMS joint cases", d["source"], "single bodies on the ground, built from the data; 5 s", {}};
  for (const auto& [name, c] : d["cases"].items()) {
    const Worst worst = against_adams(d, c);
    b.rows.push_back({name + ", position", "", "", worst.position, 1e-3, "m"});
    b.rows.push_back({name + ", force on the ground", "", "", worst.force, 2e-2, "N"});
    b.rows.push_back({name + ", moment on the ground", "", "", worst.moment, 2e-2, "N m"});
  }
  return b;
}

// ------------------------------------------------------------------------------------------------ Stewart-Gough

namespace {

/// s from 0 to 1 within T, its rate and acceleration: the polynomial that starts and ends without acceleration.
Vec3<double> eased(double t, double T) {
  const double x = t / T;
  return {x * x * x * (10 - 15 * x + 6 * x * x), 30 * x * x * (1 - x) * (1 - x) / T,
          60 * x * (1 - x) * (1 - 2 * x) / (T * T)};
}

}  // namespace

/// Forces of inverse dynamics for the way to the book's waypoint, given to the simulation as functions of time alone.
Benchmark taghirad_platform(const std::string& root) {
  const json all = data(root, "stewart"), &d = all["taghirad"];
  const Mechanism<double> m = robot(root, "taghirad");
  Workspace<double> w(m), aside(m);
  Dynamics<double> inverse(m, aside);
  tree_positions(m, w);
  const Vec3<double> home = platform_pose(m, w).p, way = vector(d["waypoint"]) - home;
  const Vec3<double> turn = vector(d["screw_axis"]).normalized() * d["angle_deg"].get<double>() * pi / 180;
  const double T = d["t"];
  const auto pose = [&](double s) {
    Vec6<double> x;
    x << home + s * way, s * turn;
    return pose_from_vector(x);
  };
  const Controller forces = [&](double t, Workspace<double>& now) {
    const Vec3<double> s = eased(std::clamp(t, 0.0, T), T);
    const PlatformRates<double> rates{s[1] * way, s[1] * turn, s[2] * way, s[2] * turn};
    inverse_dynamics(m, pose(s[0]), rates, aside, inverse);
    now.tau = aside.tau;
  };
  Transform<double> reached;
  run(m, w, {0, T}, forces, [&](const SimulationRow& row) { reached = platform_pose(m, row.w); });
  const Vec6<double> ours = pose_vector(reached), wanted = pose_vector(pose(1));
  const auto text = [](const auto& x) { return fmt::format("{:.6f}", fmt::join(x, ", ")); };
  Benchmark b{"Stewart-Gough platform of Taghirad's book",
              d["source"],
              "forces of inverse dynamics for the way to the book's waypoint, 1 s, without control",
              {}};
  b.rows.push_back({"position reached", text(wanted.head(3)), text(ours.head(3)),
                    (ours - wanted).head(3).cwiseAbs().maxCoeff(), 1e-6, "m"});
  b.rows.push_back({"rotation vector reached", text(wanted.tail(3)), text(ours.tail(3)),
                    (ours - wanted).tail(3).cwiseAbs().maxCoeff(), 1e-6, "rad"});
  return b;
}

namespace {

/// Where the actuators' positions are in q.
std::vector<int> drive_positions(const Mechanism<double>& m) {
  std::vector<int> all;
  for (const int c : m.actuator)
    for (const TreeJoint& j : m.joint)
      if (j.v == c) all.push_back(j.q);
  return all;
}

/// Where springs of stiffness c, relaxed at home, hold the platform: height and the force of the first leg.
std::pair<double, double> on_springs(Mechanism<double> m, double c) {
  const std::vector<int> position = drive_positions(m);
  for (std::size_t i = 0; i < position.size(); ++i) {
    m.stiffness[at(m.actuator[i])] = c;
    m.rest[at(m.actuator[i])] = m.home[position[i]];
  }
  Workspace<double> w(m);
  find_equilibrium(m, w);
  return {platform_pose(m, w).p[2], c * (m.home[position[0]] - w.q[position[0]])};
}

}  // namespace

/// The demonstration's proportional and derivative gains hold the platform: it sags and swings until it rests.
Benchmark mathworks_platform(const std::string& root) {
  const json all = data(root, "stewart"), &d = all["mathworks"];
  const Mechanism<double> m = robot(root, "mathworks_stewart");
  const double Kp = d["Kp"], Kd = d["Kd"];
  const std::vector<int> position = drive_positions(m);
  const Controller control = [&](double, Workspace<double>& now) {
    for (std::size_t i = 0; i < position.size(); ++i)
      now.tau[static_cast<Eigen::Index>(i)] =
          Kp * (m.home[position[i]] - now.q[position[i]]) - Kd * now.v[m.actuator[i]];
  };
  Workspace<double> w(m);
  double height = 0, force = 0;
  run(m, w, {0, 2}, control, [&](const SimulationRow& row) {
    height = platform_pose(m, row.w).p[2];
    force = row.w.tau[0];
  });
  const auto [static_height, static_force] = on_springs(m, Kp);
  Benchmark b{"Stewart platform of the SimMechanics demonstration",
              d["source"],
              "held by the demonstration's proportional and derivative gains, 2 s; reference: static equilibrium",
              {}};
  b.rows.push_back({"height of the platform", fmt::format("{:.6f}", static_height), fmt::format("{:.6f}", height),
                    std::abs(height - static_height), 1e-7, "m"});
  b.rows.push_back({"force of the first leg", fmt::format("{:.2f}", static_force), fmt::format("{:.2f}", force),
                    std::abs(force / static_force - 1), 1e-5, ""});
  return b;
}

}  // namespace gough
