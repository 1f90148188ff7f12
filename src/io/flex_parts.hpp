#pragma once
/// Parts of a study of beams: what its file asks for, and its report.
#include "deformed.hpp"
#include "gough/io/flex_study.hpp"

namespace gough::io {

struct FileFlex;

/// Throws Error where the file asks for what cannot be.
FlexPlan flex_plan(const FileFlex& read, const Mechanism<double>& m, const RobotDescription& robot);

/// The runs' tables must have been kept.
std::string flex_report_data(const Study& study, const FlexStudyResult& result, const RunRecord& record,
                             const Deformed& deformed);

}  // namespace gough::io
