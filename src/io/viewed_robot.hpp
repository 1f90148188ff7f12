#pragma once
/// A robot file as the page of `gough view` needs it: what is drawn, its sliders, and postures for their values.
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "gough/kinematics/answer.hpp"
#include "gough/model/workspace.hpp"

namespace gough::io {

using json = nlohmann::ordered_json;

/// A coordinate that the page can set: of the platform's pose, or of a joint.
struct Slider {
  std::string name;
  std::string role;  ///< "pose", "actuated", "elastic", "passive"
  int index = 0;     ///< in a posture's pose or joints
  bool is_length = false;
  Range range;
};

class ViewedRobot {
 public:
  /// Reads the file. Throws Error if it is bad or the home pose cannot be assembled.
  ViewedRobot(const std::string& file, int number);

  /// What does not change while the sliders move, and home's posture.
  const json& document() const { return document_; }
  /// From a request to where it leads. Throws Error on a request that cannot be meant.
  json move(const json& request) const;
  int number() const { return number_; }

 private:
  void add_sliders();
  json sliders_json() const;
  json joints_json() const;
  json drawn() const;
  json posture(Workspace<double>& w) const;
  Workspace<double> at(const json& q) const;
  VecX<double> values(const json& given, const std::vector<Slider>& sliders, Workspace<double>& w) const;
  Answer pose_moved(const VecX<double>& values, Workspace<double>& w) const;
  Answer joints_moved(const VecX<double>& values, Workspace<double>& w) const;

  int number_;
  Mechanism<double> m_;
  double size_ = 1;  ///< the characteristic length
  std::vector<Slider> pose_, joints_;
  json document_;
};

}  // namespace gough::io
