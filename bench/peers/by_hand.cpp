/// The hand-written hexapod, and the C code that gough generates.
#include "../handwritten_hexapod.hpp"
#include "../set_up.hpp"
#include "five_bar_forward.h"
#include "five_bar_inverse.h"
#include "hexapod_forward.h"
#include "hexapod_inverse.h"
#include "problem.hpp"

namespace {

using namespace peers;
using Vec3 = HandwrittenHexapod::Vec3;
using Vec6 = HandwrittenHexapod::Vec6;

Vec3 vec(const Numbers3& x) { return {x[0], x[1], x[2]}; }
Numbers tau_of(const State& s) { return s.tau; }
/// What forward dynamics of the hexapod must give.
Numbers platform_of(const State& s) {
  return {s.acceleration[0], s.acceleration[1], s.acceleration[2], s.domega[0], s.domega[1], s.domega[2]};
}

Result result(const std::string& name, const Problem& p) {
  Result r(name, p);
  r.layout.clear();  // there is no tree
  return r;
}

/// As check_and_time, with what the state must give.
template <class Reference, class Evaluate>
void measure(const Problem& p, Reference&& reference, Evaluate&& evaluate, double& error, double& us) {
  check_and_time(
      p.states.size(), [&](std::size_t i) { return reference(p.states[i]); }, evaluate, error, us);
}

Result hexapod_by_hand(const Problem& p) {
  const HandwrittenHexapod h;
  struct Motion {
    Eigen::Matrix3d R;
    Vec3 p, v, w, a, dw;
    Vec6 tau;
  };
  std::vector<Motion> motion;
  for (const State& s : p.states)
    motion.push_back({Eigen::Map<const Eigen::Matrix<double, 3, 3, Eigen::RowMajor>>(s.platform.R.data()),
                      vec(s.platform.p), vec(s.velocity), vec(s.omega), vec(s.acceleration), vec(s.domega),
                      Eigen::Map<const Vec6>(s.tau.data())});
  Result r = result("hand-written", p);
  r.inverse_call = r.forward_call = "from the platform's motion, bench/handwritten_hexapod.hpp";
  Vec6 answer;
  measure(
      p, tau_of,
      [&](std::size_t i) -> const Vec6& {
        const Motion& m = motion[i];
        return answer = h.inverse(m.R, m.p, m.v, m.w, m.a, m.dw);
      },
      r.inverse_error, r.inverse_us);
  HandwrittenHexapod::ForwardResult all;
  measure(
      p, platform_of,
      [&](std::size_t i) -> const Vec6& {
        const Motion& m = motion[i];
        all = h.forward(m.R, m.p, m.v, m.w, m.tau);
        answer << all.a, all.dw;
        return answer;
      },
      r.forward_error, r.forward_us);
  return r;
}

Result hexapod_generated(const Problem& p) {
  const auto inverse_constants = gough::set_up(hexapod_inverse_default, hexapod_inverse_setup);
  const auto forward_constants = gough::set_up(hexapod_forward_default, hexapod_forward_setup);

  Result r = result("gough generated C", p);
  r.inverse_call = r.forward_call = "gough generate --from platform --rotation matrix";
  std::array<double, 6> answer{};
  measure(
      p, tau_of,
      [&](std::size_t i) -> const auto& {
        const State& s = p.states[i];
        hexapod_inverse(&inverse_constants, s.platform.p.data(), s.platform.R.data(), s.velocity.data(), s.omega.data(),
                        s.acceleration.data(), s.domega.data(), answer.data());
        return answer;
      },
      r.inverse_error, r.inverse_us);
  measure(
      p, platform_of,
      [&](std::size_t i) -> const auto& {
        const State& s = p.states[i];
        hexapod_forward(&forward_constants, s.platform.p.data(), s.platform.R.data(), s.velocity.data(), s.omega.data(),
                        s.tau.data(), answer.data(), answer.data() + 3);
        return answer;
      },
      r.forward_error, r.forward_us);
  return r;
}

Result five_bar_generated(const Problem& p) {
  const auto inverse_constants = gough::set_up(five_bar_inverse_default, five_bar_inverse_setup);
  const auto forward_constants = gough::set_up(five_bar_forward_default, five_bar_forward_setup);

  Result r = result("gough generated C", p);
  r.inverse_call = r.forward_call = "gough generate --from actuators";
  struct Drives {
    double q[2], v[2], a[2], tau[2];
  };
  std::vector<Drives> drives;
  const auto a = static_cast<std::size_t>(p.drives[0]), b = static_cast<std::size_t>(p.drives[1]);
  for (const State& s : p.states)  // all joints of this robot have one coordinate
    drives.push_back({{s.q[a], s.q[b]}, {s.v[a], s.v[b]}, {s.a[a], s.a[b]}, {s.tau[0], s.tau[1]}});
  std::array<double, 2> answer{};
  measure(
      p, tau_of,
      [&](std::size_t i) -> const auto& {
        five_bar_inverse(&inverse_constants, drives[i].q, drives[i].v, drives[i].a, answer.data());
        return answer;
      },
      r.inverse_error, r.inverse_us);
  measure(
      p,
      [&](const State& s) {
        return Numbers{s.a[a], s.a[b]};
      },
      [&](std::size_t i) -> const auto& {
        five_bar_forward(&forward_constants, drives[i].q, drives[i].v, drives[i].tau, answer.data());
        return answer;
      },
      r.forward_error, r.forward_us);
  return r;
}

std::vector<Result> all(const Problem& p) {
  if (!p.grows.empty() || p.layout == "platform floating") return {};
  if (p.robot == "hexapod") return {hexapod_by_hand(p), hexapod_generated(p)};
  return {five_bar_generated(p)};
}

}  // namespace

int main(int argc, char** argv) { return peers::run(argc, argv, all); }
