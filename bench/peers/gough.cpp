/// Writes the problems for all engines and measures gough on them: peers_gough ROBOTS PROBLEMS.json.
#include "layouts.hpp"

namespace {

using namespace gough;
using peers::Case;
using peers::Numbers;
using peers::Result;

Numbers plain(const VecX<double>& x) { return {x.begin(), x.end()}; }

Result result(const Case& c, const std::string& engine) {
  peers::Problem p;
  p.robot = c.robot;
  p.grows = c.grows;
  p.number = c.number;
  return {engine, p};
}

/// Inverse dynamics from all joints' motion, and forward dynamics.
Result by_joints(const Case& c, Formulation by, bool lanes) {
  Workspace<double> w(c.m);
  Dynamics<double> d(c.m, w, {.by = by, .lanes = lanes});
  d.external = false;
  const auto put = [&](const Case::Moving& s) {
    w.q = s.q;
    w.v = s.v;
  };
  const bool marked = lanes && !c.grows.empty();
  Result r = result(c, fmt::format("gough {}{}", name(by), marked ? ", as lanes" : ""));
  r.forward_call = "forward_dynamics";
  const auto forward = [&](std::size_t i) -> const VecX<double>& {
    put(c.states[i]);
    w.tau = c.states[i].tau;
    forward_dynamics(c.m, w, d);
    return w.a;
  };
  peers::check_and_time(
      c.states.size(), [&](std::size_t i) { return plain(c.states[i].a); }, forward, r.forward_error, r.forward_us);
  if (!c.inverse) return r;
  r.inverse_call = "inverse_dynamics from all joints' motion";
  const auto inverse = [&](std::size_t i) -> const VecX<double>& {
    put(c.states[i]);
    w.a = c.states[i].a;
    inverse_dynamics(c.m, w, d);
    return w.tau;
  };
  peers::check_and_time(
      c.states.size(), [&](std::size_t i) { return plain(c.states[i].tau); }, inverse, r.inverse_error, r.inverse_us);
  return r;
}

/// Inverse dynamics from the platform's motion alone.
Result by_platform(const Case& c) {
  Workspace<double> w(c.m);
  Dynamics<double> d(c.m, w);
  d.external = false;
  Result r = result(c, "gough legs, from the platform");
  r.inverse_call = "inverse_dynamics from the platform's motion";
  const auto inverse = [&](std::size_t i) -> const VecX<double>& {
    inverse_dynamics(c.m, c.states[i].platform, c.states[i].rates, w, d);
    return w.tau;
  };
  peers::check_and_time(
      c.states.size(), [&](std::size_t i) { return plain(c.states[i].tau); }, inverse, r.inverse_error, r.inverse_us);
  return r;
}

std::vector<Result> measure(const Case& c) {
  if (c.grows.empty()) return {by_joints(c, Formulation::legs, true), by_platform(c)};
  std::vector<Result> all;
  for (const Formulation by : {Formulation::legs, Formulation::scdd, Formulation::dalembert})
    all.push_back(by_joints(c, by, false));
  if (c.grows == "legs" && c.number == 6) all.push_back(by_joints(c, Formulation::legs, true));
  return all;
}

}  // namespace

int main(int argc, char** argv) {
  bool agrees = true;
  try {
    if (argc != 3) throw Error(fmt::format("usage: {} ROBOTS PROBLEMS.json", argv[0]));
    const std::vector<Case> cases = peers::all_cases(argv[1]);
    std::vector<peers::Problem> problems;
    for (const Case& c : cases)
      for (peers::Problem& p : peers::problems(c)) problems.push_back(std::move(p));
    std::ofstream(argv[2]) << nlohmann::json(problems);
    for (const Case& c : cases)
      for (const Result& r : measure(c)) agrees = peers::print(r) && agrees;
  } catch (const std::exception& e) {
    std::cerr << e.what() << "\n";
    return 2;
  }
  return agrees ? 0 : 1;
}
