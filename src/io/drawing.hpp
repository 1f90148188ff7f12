#pragma once
/// A mechanism as a picture: what each body looks like in its own frame, derived from its joints.
/// The format is docs/report_data.md's `mechanism`.
#include <nlohmann/json.hpp>

#include "gough/io/run_record.hpp"

namespace gough::io {

/// Bodies are numbered from 0, the base; body j of the tree is j + 1. Slides are drawn as long as `record` has them go.
nlohmann::ordered_json drawing(const Mechanism<double>& m, const RunRecord& record);

}  // namespace gough::io
