#pragma once
/// The robot of a command line.
#include "gough/gough.hpp"
#include "verbs.hpp"

/// Its beams bend where --modes says so.
gough::Mechanism<double> robot_of(const Options& o, const std::vector<gough::Setting>& settings = {});
