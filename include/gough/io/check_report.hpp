#pragma once
/// The mobility check as text for people and as JSON for programs.
#include <string>

#include "gough/kinematics/mobility.hpp"

namespace gough {

std::string check_text(const MobilityReport& report);
std::string check_json(const MobilityReport& report);

}  // namespace gough
