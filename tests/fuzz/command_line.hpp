#pragma once
/// What mutations of command lines are made of.
#include <string>
#include <vector>

#include "mutator.hpp"

namespace gough::fuzz {

/// All verbs with their options, from the tool's own help.
const std::vector<Verb>& verbs();
/// Files that are there, names and numbers that suit them.
const std::vector<std::string>& values();

}  // namespace gough::fuzz
