#pragma once
/// Everything a program needs.
#include <fmt/format.h>

#include "gough/error.hpp"
#include "gough/io/check_report.hpp"
#include "gough/io/posture_report.hpp"
#include "gough/io/robot_file.hpp"
#include "gough/kinematics/assemble.hpp"
#include "gough/kinematics/closure.hpp"
#include "gough/kinematics/explicit_form.hpp"
#include "gough/kinematics/forward.hpp"
#include "gough/kinematics/idle.hpp"
#include "gough/kinematics/inverse.hpp"
#include "gough/kinematics/jacobian.hpp"
#include "gough/kinematics/mobility.hpp"
#include "gough/kinematics/motion.hpp"
#include "gough/kinematics/singularity.hpp"
#include "gough/kinematics/survey.hpp"
#include "gough/model/build.hpp"
#include "gough/model/workspace.hpp"
#include "gough/scalar/dual.hpp"
#include "gough/spatial/rotation.hpp"
