#pragma once
/// Answers of inverse and forward kinematics as text and as JSON.
#include <string>
#include <vector>

#include "gough/kinematics/forward.hpp"

namespace gough {

std::string posture_text(const Mechanism<double>& m, const Posture& posture);
std::string posture_json(const Mechanism<double>& m, const Posture& posture);
/// A list of postures; `method` says how they were found.
std::string postures_text(const Mechanism<double>& m, const std::vector<Posture>& all, const std::string& method);
std::string postures_json(const Mechanism<double>& m, const std::vector<Posture>& all);

/// Numbers separated by commas, each with a unit if need be: "0.01, 0, -650 mm, 5 deg, 0, 0". `lengths[i]` says whether
/// number i is a length; more or fewer numbers than that are refused, unless `lengths` is empty. Throws Error with
/// `what`.
std::vector<double> parse_numbers(const std::string& text, const std::vector<bool>& lengths, const std::string& what);
/// A rate, "300 deg/s" or "0.1".
double parse_rate(const std::string& text, const std::string& what);
/// A length or an angle, with or without its unit.
double parse_position(const std::string& text, const std::string& what);

}  // namespace gough
