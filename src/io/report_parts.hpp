#pragma once
/// The parts of a report's data (docs/report_data.md).
#include <nlohmann/json.hpp>
#include <span>

#include "gough/io/report.hpp"
#include "gough/kinematics/mobility.hpp"

namespace gough::io {

using json = nlohmann::ordered_json;

/// Numbers as base64 of little-endian IEEE 754.
json packed(std::span<const double> values, bool single);
json packed(std::span<const float> values);

json report_plots(const Study& study, const StudyResult& result, const RunRecord& record);
json report_tables(const Study& study, const StudyResult& result);
/// What the check found.
json mobility_table(const MobilityReport& r);
/// Warnings and remarks of the check and of the run: severity, text.
json report_notes(const Study& study, const StudyResult& result);

}  // namespace gough::io
