#include "gough/io/flex_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>

#include "gough/error.hpp"
#include "gough/flexible/flexible_inverse.hpp"
#include "gough/io/posture_report.hpp"
#include "gough/kinematics/assemble.hpp"
#include "gough/simulation/coupled.hpp"
#include "state_columns.hpp"
//
#include "readers.hpp"

namespace gough {
namespace {

using namespace io;

constexpr std::array<std::string_view, 6> error_names = {"ex", "ey", "ez", "erx", "ery", "erz"};

/// The columns whose extremes are told: name, unit, place in a row.
struct Watched {
  std::string what, unit;
  std::size_t column, minus = 0;  ///< `minus`: a column that is taken off; 0: none
};

std::size_t find(const std::vector<std::string>& columns, const std::string& name) {
  return static_cast<std::size_t>(std::find(columns.begin(), columns.end(), name) - columns.begin());
}

std::vector<Watched> watched_in(const Mechanism<double>& m, const std::vector<std::string>& columns,
                                const std::vector<FlexPoint>& points) {
  std::vector<Watched> all;
  if (m.platform.exists())
    for (std::size_t i = 0; i < 6; ++i) {
      const std::string name(error_names[i]);
      all.push_back({name, i < 3 ? "m" : "rad", find(columns, name)});
    }
  for (const int a : m.actuator) {
    const Coordinate& c = coordinate(m, a);
    const std::string unit = c.is_length ? "N" : "N m";
    all.push_back({"tau." + c.name, unit, find(columns, "tau." + c.name)});
    all.push_back(
        {"tau." + c.name + " - rigid", unit, find(columns, "tau." + c.name), find(columns, "tau_rigid." + c.name)});
  }
  if (find(columns, "stress") < columns.size()) all.push_back({"stress", "Pa", find(columns, "stress")});
  for (const FlexPoint& p : points)
    for (std::size_t i = 0; i < 6; ++i) {
      const std::string name = fmt::format("{}.{}", p.name, error_names[i]);
      all.push_back({name, i < 3 ? "m" : "rad", find(columns, name)});
    }
  return all;
}

void check_times(const KnownMotion& motion, bool vibrates) {
  if (!vibrates && motion.states.size() == 1) return;
  if (motion.timed && motion.states.size() < 2)
    throw Error({motion.file, 0}, "read one state, expected a motion (or --quasistatic, for which one is enough)");
  if (!motion.timed)
    throw Error({motion.file, 0}, "read states without a time, expected a motion that goes on in time");
  for (std::size_t i = 1; i < motion.states.size(); ++i)
    if (const MotionState& s = motion.states[i].motion; !(s.t > motion.states[i - 1].motion.t))
      throw Error({motion.file, s.line}, fmt::format("read t = {:g} s after {:g} s, expected times that grow", s.t,
                                                     motion.states[i - 1].motion.t));
}

/// Mode shapes, one row per time and mode: displacements and turns of all nodes, base axes, phi^T M phi = 1.
class ShapeTable {
 public:
  ShapeTable(const std::string& path, const Mechanism<double>& m, int modes, std::size_t states)
      : path_(path), m_(m), modes_(modes), every_(std::max<std::size_t>(1, (states - 1) / 10)), states_(states) {}

  void add(const FlexResult& r) {
    if (path_.empty() || !(r.index >= next_ || r.index + 1 == states_)) return;
    next_ = r.index + every_;
    const FlexibleModel& f = r.e.model();
    if (!writer_) writer_.emplace(path_, columns(f));
    if (!tracker_) tracker_.emplace(r.e, modes_);
    const FlexModes& modes = tracker_->at(r.e);
    for (Eigen::Index k = 0; k < modes.frequency.size(); ++k) {
      std::vector<double> row = {r.t, static_cast<double>(k + 1), modes.frequency[k]};
      for (int n = 0; n < static_cast<int>(f.node.size()); ++n) {
        const Vec6<double> d = displacement_of(f, r.rigid, {n, Vec3<double>::Zero()}, modes.shape.col(k));
        row.insert(row.end(), d.begin(), d.end());
      }
      writer_->add(row);
    }
  }

 private:
  std::vector<std::string> columns(const FlexibleModel& f) const {
    std::vector<std::string> all = {"t", "mode", "f"};
    for (std::size_t j = 0; j < f.nodes_of.size(); ++j)
      for (std::size_t k = 0; k < f.nodes_of[j].size(); ++k)
        for (const std::string_view name : pose_names)
          all.push_back(f.nodes_of[j].size() == 1 ? fmt::format("{}.{}", m_.body_name[j], name)
                                                  : fmt::format("{}.{}.{}", m_.body_name[j], k, name));
    return all;
  }

  std::string path_;
  const Mechanism<double>& m_;
  int modes_;
  std::size_t every_, states_, next_ = 0;
  std::optional<TableWriter> writer_;
  std::optional<ModeTracker> tracker_;
};

}  // namespace

std::vector<std::string> flex_columns(const Mechanism<double>& m, int frequencies,
                                      const std::vector<FlexPoint>& points) {
  std::vector<std::string> columns = {"t"};
  if (m.platform.exists()) {
    columns.insert(columns.end(), pose_names.begin(), pose_names.end());
    columns.insert(columns.end(), error_names.begin(), error_names.end());
  }
  for (const std::string_view what : {"tau.", "tau_rigid."})
    for (const int a : m.actuator) columns.push_back(std::string(what) + coordinate(m, a).name);
  for (const int a : m.actuator)
    if (coordinate(m, a).has_drive) columns.push_back("motor_tau." + coordinate(m, a).name);
  columns.emplace_back("stress");
  for (int i = 1; i <= frequencies; ++i) columns.push_back(fmt::format("f{}", i));
  for (const FlexPoint& p : points)
    for (const std::string_view name : error_names) columns.push_back(fmt::format("{}.{}", p.name, name));
  return columns;
}

std::vector<double> flex_values(const Mechanism<double>& m, const FlexResult& r, int frequencies) {
  std::vector<double> x = {r.t};
  if (m.platform.exists()) {
    const Vec6<double> pose = pose_vector(platform_pose(m, r.w));
    x.insert(x.end(), pose.begin(), pose.end());
    x.insert(x.end(), r.error.begin(), r.error.end());
  }
  x.insert(x.end(), r.tau.begin(), r.tau.end());
  x.insert(x.end(), r.tau_rigid.begin(), r.tau_rigid.end());
  for (std::size_t i = 0; i < m.actuator.size(); ++i)
    if (const int a = m.actuator[i]; coordinate(m, a).has_drive)
      x.push_back(r.tau[static_cast<Eigen::Index>(i)] / m.ratio[at(a)]);
  x.push_back(r.stress < 0 ? std::nan("") : r.stress);
  for (int i = 0; i < frequencies; ++i) x.push_back(i < r.frequency.size() ? r.frequency[i] : std::nan(""));
  for (const Vec6<double>& p : r.points) x.insert(x.end(), p.begin(), p.end());
  return x;
}

namespace {

/// What every row of a table goes into: the file, the report's table, the largest values.
class FlexRows {
 public:
  FlexRows(const Mechanism<double>& m, const KnownMotion& motion, std::vector<std::string> columns,
           const std::vector<FlexPoint>& points, const std::string& output, bool keep_table, FlexReport& report)
      : columns_(std::move(columns)), watched_(watched_in(m, columns_, points)), output_(output), report_(report) {
    has_platform_ = m.platform.exists();
    const double start = motion.states.front().motion.t;
    for (const Watched& w : watched_) report.extremes.push_back({w.what, w.unit, 0, start});
    if (has_platform_) report.extremes.push_back({"e", "m", 0, start});
    if (keep_table) report.table = gough::Table{columns_, {}, {}};
    report.robot = m.name;
    report.motion = motion.file;
    report.asked = motion.states.size();
    report.start = start;
  }

  void add(const std::vector<double>& row) {
    if (!output_.empty() && !writer_) writer_.emplace(output_, columns_);
    for (std::size_t i = 0; i < watched_.size(); ++i) {
      const double x = std::abs(row[watched_[i].column] - (watched_[i].minus > 0 ? row[watched_[i].minus] : 0));
      FlexExtreme& e = report_.extremes[i];
      if (std::isnan(x) && e.value == 0) e.value = x;  // a stress that nothing gives
      if (x > e.value) e.value = x, e.t = row[0];
    }
    if (has_platform_) {
      const double square = row[7] * row[7] + row[8] * row[8] + row[9] * row[9];  // ex, ey, ez
      squares_ += square;
      FlexExtreme& e = report_.extremes.back();
      if (std::sqrt(square) > e.value) e.value = std::sqrt(square), e.t = row[0];
    }
    ++rows_;
    report_.end = row[0];
    if (writer_) writer_->add(row);
    if (report_.table) report_.table->rows.push_back(row);
  }

  void finish() {
    report_.time = std::chrono::duration<double>(std::chrono::steady_clock::now() - began_).count();
    if (has_platform_ && rows_ > 0)
      report_.extremes.push_back({"e rms", "m", std::sqrt(squares_ / static_cast<double>(rows_)), report_.end});
  }

 private:
  std::vector<std::string> columns_;
  std::vector<Watched> watched_;
  std::string output_;
  FlexReport& report_;
  std::optional<TableWriter> writer_;
  bool has_platform_ = false;
  double squares_ = 0;
  std::size_t rows_ = 0;
  std::chrono::steady_clock::time_point began_ = std::chrono::steady_clock::now();
};

/// Pose and error of a row against the motion that was meant, when drives do something else than the rigid robot's.
void put_error(const Transform<double>& wanted, const Transform<double>& pose, std::vector<double>& row) {
  const Vec6<double> meant = pose_vector(wanted);
  const Vec3<double> off = pose.p - wanted.p, turn = vector_from_rotation(pose.R * wanted.R.transpose());
  for (std::size_t i = 0; i < 6; ++i) row[1 + i] = meant[static_cast<Eigen::Index>(i)];
  for (std::size_t i = 0; i < 3; ++i) {
    row[7 + i] = off[static_cast<Eigen::Index>(i)];
    row[10 + i] = turn[static_cast<Eigen::Index>(i)];
  }
}

/// Displacement and turn of places against the rigid robot.
void put_points(const Mechanism<double>& m, const BentMechanism& bent, const DesiredPath& wanted,
                const std::vector<FlexPoint>& points, const SimulationRow& now, std::vector<double>& row) {
  if (points.empty()) return;
  const Workspace<double>& rigid = wanted.motion.at(now.t, false);
  for (std::size_t i = 0; i < points.size(); ++i) {
    const FlexPoint& p = points[i];
    const Transform<double> here = pose_of_place(bent.mechanism, now.w, bent.places[i]);
    const Transform<double> X = rigid.X0[at(p.body)];
    const Mat3<double> R = X.R * m.body_frame[at(p.body)].R;
    const Vec3<double> off = here.p - X * p.at, turn = vector_from_rotation(here.R * R.transpose());
    row.insert(row.end(), off.begin(), off.end());
    row.insert(row.end(), turn.begin(), turn.end());
  }
}

}  // namespace

FlexReport report_flex(const Mechanism<double>& m, const KnownMotion& motion, const FlexJob& job) {
  check_times(motion, job.options.vibrates);
  FlexReport report;
  report.options = job.options;
  const int frequencies = job.options.frequencies;
  const std::vector<FlexPoint>& points = job.options.points;
  FlexRows rows(m, motion, flex_columns(m, frequencies, points), points, job.output, job.keep_table, report);
  double largest_stress = -1;
  ShapeTable shapes(job.shapes, m, std::max(1, frequencies), motion.states.size());
  const std::vector<KnownState>& states = job.drives.empty() ? motion.states : job.drives;
  std::vector<Transform<double>> wanted;
  if (!job.drives.empty()) wanted = poses_along(m, motion.states);
  report.answer = flex_along(m, states, job.options, [&](const FlexResult& r) {
    std::vector<double> row = flex_values(m, r, frequencies);
    if (!job.drives.empty()) {
      const Transform<double> rigid = platform_pose(m, r.w);
      const Vec3<double> turn = r.error.tail<3>();
      put_error(wanted[r.index], {rotation_from_vector<double>(turn) * rigid.R, rigid.p + r.error.head<3>()}, row);
    }
    rows.add(row);
    if (r.stress > largest_stress) {
      largest_stress = r.stress;
      report.stressed = m.body_name[at(r.e.model().element[at(r.stressed)].body)];
    }
    constexpr double infinite = std::numeric_limits<double>::infinity();
    report.range.resize(static_cast<std::size_t>(r.frequency.size()), {infinite, -infinite});
    for (std::size_t i = 0; i < report.range.size(); ++i) {
      const double f = r.frequency[static_cast<Eigen::Index>(i)];
      report.range[i] = {std::min(report.range[i][0], f), std::max(report.range[i][1], f)};
    }
    shapes.add(r);
    return !job.after_row || job.after_row(r);
  });
  rows.finish();
  return report;
}

FlexReport report_coupled(const Mechanism<double>& m, const BentMechanism& bent, const KnownMotion& motion,
                          const CoupledJob& job) {
  check_times(motion, true);
  FlexReport report;
  report.modes = job.modes.modes;
  report.answer.range.coupled = true;
  const std::vector<FlexPoint>& points = job.modes.points;
  std::vector<std::string> columns = flex_columns(m, 0, points);
  std::erase(columns, "stress");
  FlexRows rows(m, motion, columns, points, job.output, job.keep_table, report);
  const DesiredPath wanted(m, motion.in_time(), motion.states);
  report.answer.along = wanted.motion.answer();
  if (!report.answer.along.ok()) return report;  // the rigid robot cannot follow
  const DriveMotion drives = job.drives.empty() ? DriveMotion(wanted.motion) : DriveMotion(job.drives);
  CoupledOptions options;
  options.every = job.every;
  options.start = report.options.start = job.start;
  options.elastic_q = job.elastic_q;
  options.elastic_v = job.elastic_v;
  options.longest_step = job.longest_step;
  options.go_on = job.go_on;
  const CoupledPath path = coupled_path(bent.mechanism, wanted, drives, options, [&](const CoupledRow& r) {
    std::vector<double> row = {r.row.t};
    if (m.platform.exists()) {
      row.resize(13);
      put_error(wanted.pose[r.index], platform_pose(bent.mechanism, r.row.w), row);
    }
    row.insert(row.end(), r.row.w.tau.begin(), r.row.w.tau.end());
    row.insert(row.end(), wanted.tau[r.index].begin(), wanted.tau[r.index].end());
    for (std::size_t i = 0; i < m.actuator.size(); ++i)
      if (coordinate(m, m.actuator[i]).has_drive)
        row.push_back(r.row.w.tau[static_cast<Eigen::Index>(i)] / m.ratio[at(m.actuator[i])]);
    put_points(m, bent, wanted, points, r.row, row);
    rows.add(row);
    see_range(bent.mechanism, r.row.w, r.row.d, r.row.t, report.answer.range);
    ++report.answer.results;
    return !job.after_row || job.after_row();
  });
  rows.finish();
  report.steps = path.answer.steps;
  report.answer.along.status = path.answer.status;
  report.answer.along.reason = path.answer.reason;
  report.answer.along.stopped = path.answer.stopped;
  report.answer.along.t = path.answer.t;
  report.answer.coordinates = static_cast<int>(bent.mechanism.elastic.size());
  report.answer.rows = bent.mechanism.equations;
  report.answer.planar = bent.planar;
  report.modes_told = modes_text(bent.mechanism);
  return report;
}

std::string flex_text(const FlexReport& r) {
  const FlexOptions& o = r.options;
  const std::string how = r.modes > 0  ? fmt::format("coupled, Runge-Kutta 8(7) in {} steps", r.steps)
                          : o.vibrates ? fmt::format("generalised-alpha with rho = {:g}", o.rho)
                                       : "quasi-static";
  std::string out = fmt::format(
      "{}: {} elastic coordinates and {} rows of joints, {}\n  {:g} to {:g} s of {}, {}, started {}; {:.2f} s of "
      "computing\n",
      r.robot, r.answer.coordinates, r.answer.rows, r.answer.planar ? "in a plane" : "in space", r.start, r.end,
      r.motion, how, name(o.start), r.time);
  if (!r.follow.empty()) out += fmt::format("  drives corrected by {}\n", r.follow);
  out += r.modes_told + "\n";
  out += fmt::format("  {:<32} {:>12} {:<4} {:>10}\n", "largest", "", "", "at t [s]");
  for (const FlexExtreme& e : r.extremes)
    if (!r.leaves_out(e) && std::isfinite(e.value))
      out += fmt::format("  {:<32} {:>12.5g} {:<4} {:>10}{}\n", e.what, e.value, e.unit,
                         e.what == "e rms" ? "" : fmt::format("{:.4g}", e.t),
                         e.what == "stress" && !r.stressed.empty() ? "  in " + r.stressed : "");
  for (std::size_t i = 0; i < r.range.size(); ++i)
    out += fmt::format("  f{:<31} {:>12.5g} to {:.5g} Hz\n", i + 1, r.range[i][0], r.range[i][1]);
  return out;
}

std::string flex_json(const FlexReport& r) {
  json largest = json::object(), frequencies = json::array(), warnings = json::array();
  for (const FlexExtreme& e : r.extremes)
    largest[e.what] = {{"value", e.value}, {"unit", e.unit}, {"t", e.t}};  // NaN becomes null
  for (const auto& f : r.range) frequencies.push_back({{"lowest", f[0]}, {"highest", f[1]}});
  for (const std::string& w : r.answer.range.warnings()) warnings.push_back(w);
  const AlongAnswer& along = r.answer.along;
  json out = {{"robot", r.robot},
              {"motion", r.motion},
              {"status", along.stopped ? "interrupted" : std::string(name(along.status))},
              {"rows", r.answer.results},
              {"coordinates", r.answer.coordinates},
              {"joint_rows", r.answer.rows},
              {"planar", r.answer.planar},
              {"start", name(r.options.start)},
              {"modes", r.modes},
              {"largest", largest},
              {"stressed", r.stressed},
              {"frequencies", frequencies},
              {"range",
               {{"turn", r.answer.range.turn.value},
                {"compression", r.answer.range.compression.value},
                {"second_order", r.answer.range.second_order.value}}},
              {"warnings", warnings}};
  if (!along.ok()) out["reason"] = along.reason, out["failed_at"] = along.t;
  if (r.table) out["columns"] = r.table->columns, out["table"] = r.table->rows;
  return out.dump(2, ' ', false, json::error_handler_t::replace) + "\n";
}

}  // namespace gough
