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

std::vector<Watched> watched_in(const Mechanism<double>& m, const std::vector<std::string>& columns) {
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

std::vector<std::string> flex_columns(const Mechanism<double>& m, int frequencies) {
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
  return x;
}

namespace {

/// What every row of a table goes into: the file, the report's table, the largest values.
class FlexRows {
 public:
  FlexRows(const Mechanism<double>& m, const KnownMotion& motion, std::vector<std::string> columns,
           const std::string& output, bool keep_table, FlexReport& report)
      : columns_(std::move(columns)), watched_(watched_in(m, columns_)), output_(output), report_(report) {
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

}  // namespace

FlexReport report_flex(const Mechanism<double>& m, const KnownMotion& motion, const FlexJob& job) {
  check_times(motion, job.options.vibrates);
  FlexReport report;
  report.options = job.options;
  const int frequencies = job.options.frequencies;
  FlexRows rows(m, motion, flex_columns(m, frequencies), job.output, job.keep_table, report);
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
  std::vector<std::string> columns = flex_columns(m, 0);
  columns.pop_back();  // stress
  FlexRows rows(m, motion, columns, job.output, job.keep_table, report);
  report.answer.along = inverse_along(m, motion.states, {}, [](const AlongRow&) { return true; });
  if (!report.answer.along.ok()) return report;  // the rigid robot cannot follow
  const DesiredPath wanted(m, motion.states);
  const std::vector<KnownState>& drives = job.drives.empty() ? wanted.drives : job.drives;
  CoupledOptions options;
  options.every = job.every;
  options.start = report.options.start = job.start;
  const CoupledPath path = coupled_path(bent.mechanism, wanted, DriveMotion(drives), options, [&](const CoupledRow& r) {
    std::vector<double> row(columns.size());
    row[0] = r.row.t;
    put_error(wanted.pose[r.index], platform_pose(bent.mechanism, r.row.w), row);
    const std::size_t n = m.actuator.size();
    std::size_t motor = 13 + 2 * n;
    for (std::size_t i = 0; i < n; ++i) {
      row[13 + i] = r.row.w.tau[static_cast<Eigen::Index>(i)];
      row[13 + n + i] = wanted.tau[r.index][static_cast<Eigen::Index>(i)];
      if (coordinate(m, m.actuator[i]).has_drive) row[motor++] = row[13 + i] / m.ratio[at(m.actuator[i])];
    }
    rows.add(row);
    ++report.answer.results;
    return !job.after_row || job.after_row();
  });
  rows.finish();
  report.step = path.step;
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
  const std::string how = r.modes > 0  ? fmt::format("coupled, Runge-Kutta with steps of {:.3g} us", 1e6 * r.step)
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

std::vector<PointLoad> parse_loads(const std::string& text, const Mechanism<double>& m) {
  std::vector<PointLoad> all;
  std::size_t from = 0;
  while (from < text.size()) {
    const std::size_t end = std::min(text.find(';', from), text.size());
    const std::string one = text.substr(from, end - from);
    from = end + 1;
    const std::size_t at_sign = one.find('@'), colon = one.find(':');
    if (at_sign == std::string::npos || colon == std::string::npos || colon < at_sign)
      throw Error(fmt::format("--load: read '{}', expected BODY@x,y,z:fx,fy,fz", one.substr(0, 80)));
    const std::string body = one.substr(0, at_sign);
    const int j = m.find_body(body);
    if (j < 0) {
      const std::string near = nearest(body, m.body_name);
      throw Error(fmt::format("--load: read the body '{}', expected a moving one of {}{}", body.substr(0, 80), m.name,
                              near.empty() ? "" : "; did you mean '" + near + "'?"));
    }
    const std::vector<bool> lengths(3, true);
    const std::vector<double> p = parse_numbers(one.substr(at_sign + 1, colon - at_sign - 1), lengths, "--load"),
                              f = parse_numbers(one.substr(colon + 1), std::vector<bool>(3, false), "--load");
    if (p.size() != 3 || f.size() != 3)
      throw Error(
          fmt::format("--load: read '{}', expected three numbers before ':' and three behind", one.substr(0, 80)));
    all.push_back({j, m.author_frame(body) * Vec3<double>(p[0], p[1], p[2]), {f[0], f[1], f[2]}});
  }
  return all;
}

}  // namespace gough
