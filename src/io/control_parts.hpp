#pragma once
/// Parts of a study of control: what its file asks for, and its report.
#include <string>

#include "gough/io/control_study.hpp"

namespace gough::io {

struct FileControl;

/// Throws Error where the file asks for what cannot be.
ControlPlan control_plan(const FileControl& read, const Trajectory& trajectory, const Mechanism<double>& m);

std::string control_report(const Study& study, const ControlStudyResult& result, const RunRecord& record);

}  // namespace gough::io
