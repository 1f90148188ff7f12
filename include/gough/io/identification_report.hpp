#pragma once
/// What identification found: as text, JSON, a robot file, and a page.
#include "gough/identification/identify.hpp"

namespace gough {

std::string identification_text(const Mechanism<double>& m, const Identification& r);
std::string identification_json(const Mechanism<double>& m, const Identification& r);

/// The text of a robot file with the identified values in it; `file` stands in messages. Comments and layout of the file are lost, numbers that were not
/// identified stay as they are written. Throws Error where the file's form has no place for a value.
std::string identified_robot_file(const std::string& robot, const std::string& file, const Mechanism<double>& m,
                                  const Identification& r);

/// NAME.yaml (the text of identified_robot_file), residuals.csv (t, tau.NAME, predicted.NAME), identification.json,
/// report.json and, where the library has it, the page. Returns the files. Throws Error.
std::vector<std::string> write_identification(const Mechanism<double>& m, const Identification& r,
                                              const std::string& robot, const std::string& folder,
                                              const std::string& name);

}  // namespace gough
