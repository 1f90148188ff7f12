#pragma once
/// The robot of a command line, from the text that was read once.
#include "gough/gough.hpp"
#include "verbs.hpp"

gough::RobotDescription described(const Options& o, const std::vector<gough::Setting>& settings = {});
/// Its beams are rigid.
gough::Mechanism<double> rigid_robot_of(const Options& o, const std::vector<gough::Setting>& settings = {});
/// Its beams bend where --modes says so.
gough::Mechanism<double> robot_of(const Options& o, const std::vector<gough::Setting>& settings = {});
