#pragma once
/// Modes of bodies that bend, for JSON of results.
#include <nlohmann/json.hpp>

#include "gough/model/mechanism.hpp"

namespace gough::io {

/// [{bodies, modes, frequencies, lowest_omitted, worst, compliance}], equal bodies together; empty: nothing bends.
nlohmann::json modes_json(const Mechanism<double>& m);

}  // namespace gough::io
