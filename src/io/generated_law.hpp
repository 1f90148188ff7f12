#pragma once
/// Computed force whose model is generated C, timed.
#include <memory>
#include <string>

#include "gough/control/control.hpp"
#include "gough/io/compiled.hpp"

namespace gough::io {

class GeneratedLaw {
 public:
  /// Generates and compiles. Throws Error where the model has no such code. References must tell the platform's motion.
  GeneratedLaw(const Mechanism<double>& model, const JointGains& gains);
  ~GeneratedLaw();
  GeneratedLaw(const GeneratedLaw&) = delete;
  GeneratedLaw& operator=(const GeneratedLaw&) = delete;

  VecX<double> operator()(const ControlSample& s);
  /// The median time that forces took [s].
  double per_sample() const;

 private:
  struct Input {
    char what;  ///< p position, r rotation, v, w, a, d: velocities and accelerations
    int i, k;   ///< component
  };

  std::string folder_;
  ControlLaw feedback_;
  std::unique_ptr<CompiledProgram> code_;
  std::vector<Input> inputs_;
  std::vector<double> in_, tau_, seconds_;
};

}  // namespace gough::io
