#include "gough/io/excitation_report.hpp"

#include <fmt/format.h>

#include <cmath>
#include <filesystem>

#include "gough/dynamics/along.hpp"
#include "gough/error.hpp"
#include "gough/io/motion_file.hpp"
#include "report_parts.hpp"

namespace gough {
namespace {

using namespace io;
constexpr std::size_t shown_limits = 8, plotted = 1000;
std::string nine_digits(double x) { return fmt::format("{:.9g}", x); }

std::string in_brackets(const Eigen::RowVectorXd& x) {
  std::string out;
  for (const double v : x) out += (out.empty() ? "" : ", ") + nine_digits(v);
  return "[" + out + "]";
}

/// A name as YAML: whatever stands in it.
std::string quoted(const std::string& name) { return json(name).dump(-1, ' ', false, json::error_handler_t::replace); }

std::string head(const Mechanism<double>& m, const std::string& what, Moves moves) {
  return fmt::format("motion: {}\ndescription: {}\n{}\n", quoted(m.name + "_" + what), quoted("For " + m.name + "."),
                     moves == Moves::actuators ? "moves: actuators\n" : "");
}

}  // namespace

std::string excitation_text(const Mechanism<double>& m, const Excitation& e) {
  std::string out = fmt::format("{}: {} harmonics of {:g} Hz in {}, {:g} s\n", m.name, e.sine.cols(), 1 / e.period,
                                fmt::join(e.coordinate, ", "), e.period);
  out += fmt::format("condition number of the regressor {:.3g}, {:.3g} before {} evaluations{}\n\n", e.condition,
                     e.first_condition, e.evaluations, e.stopped ? " (interrupted)" : "");
  out += "nearest limits\n";
  for (std::size_t i = 0; i < std::min(shown_limits, e.limits.size()); ++i)
    out += fmt::format("  {:>6.1f} %  {} at t = {:.3g} s\n", 100 * e.limits[i].share, e.limits[i].what, e.limits[i].t);
  return out;
}

std::string excitation_json(const Mechanism<double>& m, const Excitation& e) {
  json coordinates = json::object();
  for (Eigen::Index i = 0; i < e.sine.rows(); ++i) {
    const std::vector<double> s(e.sine.row(i).begin(), e.sine.row(i).end()),
        c(e.cosine.row(i).begin(), e.cosine.row(i).end());
    coordinates[e.coordinate[at(i)]] = {{"offset", e.offset[i]}, {"sin", s}, {"cos", c}};
  }
  json limits = json::array();
  for (const LimitUse& u : e.limits) limits.push_back({{"what", u.what}, {"share", u.share}, {"t", u.t}});
  return json{{"robot", m.name},
              {"period", e.period},
              {"condition", e.condition},
              {"first_condition", e.first_condition},
              {"evaluations", e.evaluations},
              {"stopped", e.stopped},
              {"moves", e.moves == Moves::platform ? "platform" : "actuators"},
              {"coordinates", coordinates},
              {"limits", limits}}
             .dump(2, ' ', false, json::error_handler_t::replace) +
         "\n";
}

std::string excitation_motion(const Mechanism<double>& m, const Excitation& e) {
  std::string out = head(m, "excitation", e.moves);
  out += fmt::format("harmonic:\n  duration: {} s\n  rate: {} Hz\n  coordinates:\n", nine_digits(e.period),
                     nine_digits(1 / e.period));
  for (Eigen::Index i = 0; i < e.sine.rows(); ++i)
    out += fmt::format("    {}:\n      offset: {}\n      sin: {}\n      cos: {}\n", quoted(e.coordinate[at(i)]),
                       nine_digits(e.offset[i]), in_brackets(e.sine.row(i)), in_brackets(e.cosine.row(i)));
  return out;
}

std::string line_runs_motion(const Mechanism<double>& m, const LineRuns& runs, const std::string& purpose) {
  std::string out = head(m, purpose, runs.moves) + "sequence:\n";
  Workspace<double> w(m);
  tree_positions(m, w);
  const Vec6<double> pose = m.platform.exists() ? pose_vector(platform_pose(m, w)) : Vec6<double>::Zero();
  const auto home = [&](int c) {
    const auto k = runs.index[at(c)];
    return runs.moves == Moves::platform ? pose[k] : m.home[position_index(m, m.actuator[at(k)])];
  };
  const auto go = [&](int c, double offset, const std::string& how) {
    out +=
        fmt::format("  - line: {{to: {{{}: {}}}, {}}}\n", quoted(runs.name[at(c)]), nine_digits(home(c) + offset), how);
  };
  /// A quintic's largest speed is 15/8 of the mean one.
  const auto gently = [](double way, const LineRuns::Run& r) {
    return fmt::format("duration: {} s", nine_digits(std::max(2.0, 2 * std::abs(way) / r.speed)));
  };
  const LineRuns::Run* last = nullptr;
  for (const LineRuns::Run& r : runs.runs) {
    const bool turns = runs.moves == Moves::platform && !runs.is_length[at(r.coordinate)];
    const std::string run = fmt::format("profile: trapezoid, {0}velocity: {1}, {0}acceleration: {2}",
                                        turns ? "angular_" : "", nine_digits(r.speed), nine_digits(r.acceleration));
    const bool same = last != nullptr && last->coordinate == r.coordinate;
    if (last != nullptr && !same) go(last->coordinate, 0, gently(last->from, *last));
    go(r.coordinate, r.from, gently(same ? r.from - last->from : r.from, r));
    go(r.coordinate, r.to, run);
    go(r.coordinate, r.from, run);
    last = &r;
  }
  if (last != nullptr) go(last->coordinate, 0, gently(last->from, *last));
  return out;
}

// ------------------------------------------------------------------------------------------------ page

std::vector<std::string> write_excitation(const Mechanism<double>& m, const std::string& motion,
                                          const std::string& title, const std::string& folder,
                                          const std::string& name) {
  make_folder(folder);
  const std::string file = name + ".yaml", path = (std::filesystem::path(folder) / file).string();
  write_text(path, motion);
  const Trajectory trajectory = parse_motion(motion, path, m);
  std::vector<KnownState> states;
  for (std::size_t i = 0; i <= plotted; ++i)
    states.push_back({sample(trajectory, trajectory.duration * static_cast<double>(i) / plotted), {}, {}, {}, {}, {}});
  std::vector<double> t;
  const auto n = m.actuator.size();
  std::array<std::vector<std::vector<double>>, 4> curves;
  curves.fill(std::vector<std::vector<double>>(n));
  RunRecord record(m, states.size());
  const AlongAnswer answer = inverse_along(m, states, {}, [&](const AlongRow& row) {
    t.push_back(row.t);
    record.add(row);
    for (std::size_t a = 0; a < n; ++a) {
      const int c = m.actuator[a];
      curves[0][a].push_back(row.w.q[position_index(m, c)]);
      curves[1][a].push_back(row.w.v[c]);
      curves[2][a].push_back(row.w.a[c]);
      curves[3][a].push_back(row.w.tau[static_cast<Eigen::Index>(a)]);
    }
    return true;
  });
  if (!answer.ok()) throw Error(answer.explain(path));
  record.finish();
  const bool length = n > 0 && m.coordinate[at(m.actuator[0])].is_length;
  const std::array<std::array<const char*, 3>, 4> titles = {
      {{"positions", "Actuator positions", length ? "m" : "rad"},
       {"speeds", "Actuator speeds", length ? "m/s" : "rad/s"},
       {"accelerations", "Actuator accelerations", length ? "m/s²" : "rad/s²"},
       {"forces", "Actuator forces", length ? "N" : "N m"}}};
  std::vector<Plot> plots;
  for (std::size_t k = 0; k < 4; ++k) {
    Plot plot{titles[k][0], titles[k][1], titles[k][2], "", false, false, {}};
    for (std::size_t a = 0; a < n; ++a) plot.series.push_back({m.coordinate[at(m.actuator[a])].name, "", curves[k][a]});
    plots.push_back(std::move(plot));
  }
  json out = report_head(m.name + ": excitation", title);
  out.update({{"facts", json::array({json::array({"robot", m.name}), json::array({"motion", file}),
                                     json::array({"duration", fmt::format("{:.4g} s", trajectory.duration)})})},
              {"notes", json::array()}});
  out.update(report_motion(m, record));
  out.update({{"plots", packed_plots(plots, "")}, {"tables", json::array()}});
  std::vector<std::string> files = {file};
  for (std::string& f : write_report_files(folder, report_text(out))) files.push_back(std::move(f));
  return files;
}

}  // namespace gough
