#pragma once
/// Cost as a robot grows (dynamics/scaling.hpp) as text, JSON, table and page.
#include <string>
#include <vector>

#include "gough/dynamics/scaling.hpp"

namespace gough {

std::string scaling_text(const Scaling& scaling);
std::string scaling_json(const Scaling& scaling);

/// The data of a page with plots and tables and without an animation.                          docs/report_data.md
std::string scaling_data(const Scaling& scaling);

inline constexpr std::string_view scaling_table_file = "scaling.csv";

/// Writes scaling.csv, report.json, and report.html where the library has the page. Makes the folder. Returns the names
/// of the files. Throws Error.
std::vector<std::string> write_scaling(const Scaling& scaling, const std::string& folder);

}  // namespace gough
