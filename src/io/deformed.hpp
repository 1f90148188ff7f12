#pragma once
/// The deformed mechanism at the frames of a report: beams as curves, rigid bodies as outlines of their joints.
#include "gough/flexible/elastodynamics.hpp"
#include "report_parts.hpp"

namespace gough::io {

class Deformed {
 public:
  /// One more frame.
  void add(const FlexResult& r, const Mechanism<double>& m);
  /// "deformed" of a report: curves of all frames, displacements times `exaggeration` (0: so that they can be seen).
  json data(double exaggeration, double size) const;

 private:
  struct Curve {
    std::string name;
    std::vector<float> place, displacement;  ///< frames x points x 3
    std::size_t points = 0;                  ///< per frame
  };
  void begin(std::size_t curve, const std::string& name);
  void put(std::size_t curve, const Vec3<double>& place, const Vec3<double>& displacement);

  std::vector<Curve> curves_;
  double largest_ = 0;
};

/// 1, 2 or 5 times a power of ten, at most x.
double round_down(double x);

}  // namespace gough::io
