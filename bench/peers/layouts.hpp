#pragma once
/// The robots of the comparison and their states, as mechanisms of gough and as problems for the other engines.
#include "gough/gough.hpp"
#include "problem.hpp"

namespace peers {

/// One robot in gough's own layout, with states of motion and their forces.
struct Case {
  std::string robot, grows;
  int number = 0;
  bool inverse = true;  ///< inverse dynamics is asked for too
  gough::RobotDescription description;
  gough::Mechanism<double> m;
  struct Moving {
    gough::VecX<double> q, v, a, tau;
    gough::Transform<double> platform;
    gough::PlatformRates<double> rates;
  };
  std::vector<Moving> states;
};

/// hexapod and five_bar; then hexapods with 3 to 24 legs, and with 1 to 32 elastic freedoms per chain.
std::vector<Case> all_cases(const std::string& robots_folder);

/// Trees for the other engines: the platform hung on its first joint, the others cut; and, where it floats, as gough has
/// it. Friction is left out everywhere.
std::vector<Problem> problems(const Case& c);

}  // namespace peers
