#pragma once
/// Dynamics along a motion, with its files: states from motion files and tables, tables of results, the sizing of
/// actuators and the comparison of formulations as text and as JSON. Columns: docs/dynamics.md.
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "gough/dynamics/compare.hpp"
#include "gough/dynamics/rigid_motion.hpp"
#include "gough/dynamics/sizing.hpp"
#include "gough/io/motion_file.hpp"

namespace gough {

// ------------------------------------------------------------------------------------------------ what is asked

struct KnownMotion {
  std::string file;  ///< for messages
  std::vector<KnownState> states;
  bool rows = false;                          ///< states of a table, each on its own; otherwise samples of a trajectory
  bool timed = true;                          ///< false: a table without t, whose rows are numbered
  std::optional<Trajectory> trajectory = {};  ///< that states are samples of
  WrenchOverTime wrench = {};

  /// The same at any time: between rows that are states by polynomials of the fifth degree. Throws Error where times do not increase.
  TimedMotion in_time() const;
};

/// A motion file or a table; a table may have the wrench fx fy fz mx my mz on the platform and, for
/// ElasticMotion::given, must have q.NAME v.NAME a.NAME of the elastic joints. Throws Error.
KnownMotion load_known_motion(const std::string& path, const Mechanism<double>& m, double step,
                              ElasticMotion elastic = ElasticMotion::locked);
KnownMotion known_motion(const Trajectory& trajectory, const std::string& name, double step);
/// The same from a table; `name` is what messages call it.
KnownMotion known_motion(const Table& table, const std::string& name, const Mechanism<double>& m, double step,
                         ElasticMotion elastic = ElasticMotion::locked);

/// The same motion at other times, which must increase. Before its start and after its end it rests: throws Error for times there where it
/// moves at that end.
KnownMotion at_times(const KnownMotion& motion, std::span<const double> times);
/// With states in between, evenly, so that no two are further apart than `longest` [s].
KnownMotion refined(KnownMotion motion, double longest);
/// The column t of a table: times that increase. Throws Error.
std::vector<double> load_times(const std::string& path);

/// Rows of platform or actuator states with tau.NAME of every actuator, perhaps fx .. mz, perhaps q.NAME v.NAME of
/// elastic joints. Throws Error that names missing columns.
KnownMotion load_driven_states(const std::string& path, const Mechanism<double>& m);
KnownMotion driven_states(const Table& table, const std::string& name, const Mechanism<double>& m);

// ------------------------------------------------------------------------------------------------ inverse dynamics

std::vector<std::string> inverse_columns(const Mechanism<double>& m, bool reactions);
std::vector<double> inverse_values(const Mechanism<double>& m, const AlongRow& row, bool reactions);

struct InverseJob {
  AlongOptions options;
  std::string output;       ///< a table to write row by row; empty: none
  bool keep_table = false;  ///< in the report, for JSON
  /// Called after each state; false ends the work there.
  std::function<bool(const AlongRow& row)> after_row;
};

struct InverseReport {
  std::string robot, motion;
  Formulation by = Formulation::legs;
  std::optional<ElasticMotion> elastic;  ///< of a robot with elastic joints
  double elastic_residual = 0;           ///< the largest of their rows [N or N m]
  std::size_t asked = 0;                 ///< states of the motion
  AlongAnswer answer;
  std::vector<ActuatorLoad> sizing;
  bool in_time = false;
  double start = 0, end = 0;
  std::vector<std::string> beyond;      ///< limits exceeded, in words
  std::vector<std::string> not_unique;  ///< legs whose wrenches are one choice of several
  std::optional<Table> table;

  bool done() const { return answer.ok() && !answer.stopped; }
};

/// Runs it; rows are in the file as they come. Throws Error for what cannot be asked of this robot.
InverseReport report_inverse(const Mechanism<double>& m, const KnownMotion& motion, const InverseJob& job);

/// The sizing table.
std::string inverse_text(const InverseReport& report);
std::string inverse_json(const InverseReport& report);
/// The sizing alone, a JSON list.
std::string sizing_json(const std::vector<ActuatorLoad>& sizing);

// ------------------------------------------------------------------------------------------------ forward dynamics

std::vector<std::string> forward_columns(const Mechanism<double>& m);
std::vector<double> forward_values(const Mechanism<double>& m, const AlongRow& row);
std::string forward_json(const Mechanism<double>& m, Formulation by, const AlongAnswer& answer, const Table& table,
                         bool with_table);

// ------------------------------------------------------------------------------------------------ comparison

/// Fills in states of a motion to compare formulations on, at most `most` of them, spread evenly.
AlongAnswer closed_states(const Mechanism<double>& m, const KnownMotion& motion, std::vector<ComparedState>& states,
                          std::size_t most = 1000);
std::string compare_text(const std::string& robot, const Comparison& c);
std::string compare_json(const std::string& robot, const Comparison& c);

inline constexpr std::size_t most_json_rows = 10'000;

}  // namespace gough
