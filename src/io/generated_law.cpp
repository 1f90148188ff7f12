#include "generated_law.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <map>

#include "gough/error.hpp"
#include "gough/io/generate.hpp"

namespace gough::io {
namespace fs = std::filesystem;

GeneratedLaw::GeneratedLaw(const Mechanism<double>& model, const JointGains& gains) : feedback_(computed_force(gains)) {
  GenerateWish wish{"inverse", "platform"};
  wish.matrix = true;
  const Program program = generate(model, wish);
  const std::map<std::string, char> kinds = {{"position", 'p'},         {"rotation", 'r'},
                                             {"velocity", 'v'},         {"acceleration", 'a'},
                                             {"angular_velocity", 'w'}, {"angular_acceleration", 'd'}};
  for (const InputArray& array : program.inputs)
    for (const std::string& entry : array.entry) {  // "x [m]", "yz"
      const auto kind = kinds.find(array.name);
      if (kind == kinds.end())
        throw Error(fmt::format("{}: read generated forces that need '{}', expected the platform's motion alone",
                                model.name, array.name));
      inputs_.push_back({kind->second, entry[0] - 'x', entry.size() > 1 && entry[1] != ' ' ? entry[1] - 'x' : 0});
    }
  std::string name = (fs::temp_directory_path() / "gough_control_XXXXXX").string();
  if (mkdtemp(name.data()) == nullptr) throw Error({name, 0}, "cannot be made, expected a place for generated code");
  folder_ = name;
  const std::string file = (fs::path(folder_) / "forces.so").string();
  compile(program, file);
  code_ = std::make_unique<CompiledProgram>(file);
  in_.resize(code_->input_size());
  tau_.resize(code_->output_size());
  if (in_.size() != inputs_.size() || tau_.size() != model.actuator.size())
    throw Error(fmt::format("{}: read {} numbers in and {} out of generated forces, expected {} and {}", model.name,
                            in_.size(), tau_.size(), inputs_.size(), model.actuator.size()));
}

GeneratedLaw::~GeneratedLaw() {
  std::error_code ignored;
  if (!folder_.empty()) fs::remove_all(folder_, ignored);
}

VecX<double> GeneratedLaw::operator()(const ControlSample& s) {
  const PlatformMotion& x = s.ahead.state.platform();
  for (std::size_t n = 0; n < inputs_.size(); ++n) {
    const auto [what, i, k] = inputs_[n];
    in_[n] = what == 'p'   ? x.pose.p[i]
             : what == 'r' ? x.pose.R(i, k)
             : what == 'v' ? x.v[i]
             : what == 'w' ? x.w[i]
             : what == 'a' ? x.a[i]
                           : x.dw[i];
  }
  const auto start = std::chrono::steady_clock::now();
  const int status = (*code_)(in_, tau_);
  seconds_.push_back(std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
  if (status != 0) throw Error(fmt::format("generated forces: the pose at t = {:g} s is singular", s.t));
  Reference::Row ahead = s.ahead;
  ahead.tau = Eigen::Map<const VecX<double>>(tau_.data(), s.q.size());
  return feedback_({s.t, s.period, s.q, s.v, s.desired_q, s.desired_v, ahead, s.standing, s.resting, s.clipped});
}

double GeneratedLaw::per_sample() const {
  if (seconds_.empty()) return 0;
  std::vector<double> sorted = seconds_;
  std::nth_element(sorted.begin(), sorted.begin() + static_cast<std::ptrdiff_t>(sorted.size() / 2), sorted.end());
  return sorted[sorted.size() / 2];
}

}  // namespace gough::io
