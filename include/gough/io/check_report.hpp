#pragma once
/// The mobility check as text for people and as JSON for programs.
#include <string>
#include <vector>

#include "gough/io/csv.hpp"
#include "gough/kinematics/mobility.hpp"
#include "gough/kinematics/survey.hpp"

namespace gough {

std::string check_text(const MobilityReport& report);
std::string check_json(const MobilityReport& report);

/// A survey along a motion; `t` has the time of each pose.
std::string survey_text(const Survey& survey, const std::vector<double>& t);
std::string survey_json(const Survey& survey, const std::vector<double>& t);

/// The platform's poses in a table (columns x y z rx ry rz; missing ones are 0) and their times (column t, else the
/// row).
struct PoseList {
  std::vector<double> t;
  std::vector<int> line;
  std::vector<Transform<double>> poses;
};
/// `read`: the coordinates that count.
PoseList poses_of_table(const Table& table, const std::string& file, const PoseMask& read);

/// What `check --along` walks through: a motion file (NAME.yaml) at every `step` seconds, otherwise a table of poses or any motion's.
std::vector<MotionState> states_along(const std::string& path, const Mechanism<double>& m, double step);

}  // namespace gough
