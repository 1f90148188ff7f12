#pragma once
/// Simulations with their files: forces from tables, tables of states, the outcome as text and as JSON. Columns:
/// docs/simulation.md.
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "gough/io/csv.hpp"
#include "gough/simulation/simulate.hpp"

namespace gough {

/// Forces over time: tau.NAME of every actuator, perhaps the wrench fx .. mz on the platform at its origin. Straight lines between
/// rows; before the first and after the last row, theirs. Two rows with the same time are a jump: the second counts from there on.
class ForceTable {
 public:
  /// Throws Error for what is missing, or times that go back.
  ForceTable(const std::string& path, const Mechanism<double>& m);
  ForceTable(Table table, const std::string& file, const Mechanism<double>& m);
  void apply(double t, const Mechanism<double>& m, Workspace<double>& w) const;
  /// Times at which the lines bend or jump.
  std::vector<double> knots() const;

 private:
  Table table_;
  std::size_t time_ = 0;
  std::vector<std::size_t> tau_;
  std::array<int, 6> wrench_{};  ///< columns; -1: none
};

/// The forces of a table as what drives the mechanism, which must outlive it.
Controller forces_of(ForceTable table, const Mechanism<double>& m);

std::vector<std::string> simulation_columns(const Mechanism<double>& m);
std::vector<double> simulation_values(const Mechanism<double>& m, const SimulationRow& row);

struct SimulationReport {
  std::string robot;
  std::string parameter_name, parameter_text;  ///< what was varied, its value here; empty: nothing
  std::string output;
  SimulationOptions options;
  SimulationAnswer answer;
  std::size_t asked = 0;                                                             ///< rows
  double energy_start = 0, energy_end = 0, largest_kinetic = 0, largest_change = 0;  ///< [J]
  double eigenvalue = 0;                                                             ///< of scdd_iterative, the largest
  bool conservative = false;        ///< no losses, drives or loads: the change of energy is an error
  std::vector<std::string> beyond;  ///< the first limit that was exceeded, in words
  std::string bending;              ///< of beams that bend: their modes, in words
  std::string bending_json;         ///< the same for programs
  std::optional<Table> table;

  bool done() const { return answer.ok() && !answer.stopped; }
};

struct SimulationJob {
  SimulationOptions options;
  std::vector<double> times;
  Controller controller;
  std::string output;       ///< a table to write row by row; empty: none
  bool keep_table = false;  ///< in the report, for JSON
  std::function<bool(const SimulationRow&)> after_row;
};

/// Runs from the closed state in w. Rows are in the file as they come.
SimulationReport report_simulation(const Mechanism<double>& m, Workspace<double>& w, const SimulationJob& job);

std::string simulation_text(const SimulationReport& report);
std::string simulation_json(const std::vector<SimulationReport>& reports);

}  // namespace gough
