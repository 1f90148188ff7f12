#pragma once
/// Excitations: as text, JSON, a motion file, and a page with plots.
#include "gough/identification/excitation.hpp"

namespace gough {

std::string excitation_text(const Mechanism<double>& m, const Excitation& e);
std::string excitation_json(const Mechanism<double>& m, const Excitation& e);

/// Motion files.
std::string excitation_motion(const Mechanism<double>& m, const Excitation& e);
std::string line_runs_motion(const Mechanism<double>& m, const LineRuns& runs, const std::string& purpose);

/// NAME.yaml, report.json and, where the library has it, the page: positions, speeds, accelerations and forces of a motion
/// file's text. Returns the files.
std::vector<std::string> write_excitation(const Mechanism<double>& m, const std::string& motion,
                                          const std::string& title, const std::string& folder, const std::string& name);

}  // namespace gough
