#include "in_words.hpp"

#include <fmt/format.h>

#include <cmath>

namespace gough {
namespace {

constexpr double rounding = 1e-9;
constexpr std::size_t most_lengths = 20;

/// Distances that joints have in their bodies, along axes and straight, each once.
std::vector<double> lengths_of(const Mechanism<double>& m) {
  std::vector<double> all;
  const auto add = [&](double x) {
    x = std::abs(x);
    if (x < 1e-6 || all.size() >= most_lengths) return;
    for (const double y : all)
      if (std::abs(x - y) < rounding * y) return;
    all.push_back(x);
  };
  const auto look = [&](const Transform<double>& T) {
    add(T.p.norm());
    for (const double x : T.p) add(x);
  };
  for (const auto& frames : {m.placement, m.cut_a, m.cut_b})
    for (const Transform<double>& T : frames) look(T);
  return all;
}

}  // namespace

InWords::InWords(const Mechanism<double>& m, const ParameterSpace& space) : space_(space) {
  const std::vector<double> lengths = lengths_of(m);
  std::vector<int> times = {1, 2};
  const int legs = static_cast<int>(m.leg.size());
  if (legs > 2 && legs % 2 == 0) times.push_back(legs / 2);
  if (legs > 2) times.push_back(legs);
  for (const int n : times) add(n, n == 1 ? "" : fmt::format("{}", n));
  add(0.5, "1/2");
  const auto with = [](int n, const std::string& words) { return n == 1 ? words : fmt::format("{} {}", n, words); };
  for (const int n : times)
    for (const double a : lengths) add(n * a, with(n, fmt::format("{:.9g}", a)));
  for (const int n : times)
    for (const double a : lengths) add(n * a * a, with(n, fmt::format("{:.9g}^2", a)));
  for (const int n : times)
    for (const double a : lengths) add(n / a, fmt::format("{}/{:.9g}", n, a));
  for (const double a : lengths)
    for (const double b : lengths) {
      add(a / b, fmt::format("{:.9g}/{:.9g}", a, b));
      add(a * a / b, fmt::format("{:.9g}^2/{:.9g}", a, b));
    }
}

void InWords::add(double value, const std::string& words) {
  for (const Candidate& c : candidates_)
    if (std::abs(c.value - value) < rounding * value) return;
  candidates_.push_back({value, words});
}

bool InWords::counts(double coefficient) const { return std::abs(coefficient) > 1e-8; }

BaseParameter::Term InWords::term(int parameter, double coefficient) const {
  const double size = std::abs(coefficient);
  for (const Candidate& c : candidates_)
    if (std::abs(c.value - size) < 10 * rounding * c.value)
      return {parameter, std::copysign(c.value, coefficient), c.words};
  return {parameter, coefficient, fmt::format("{:.6g}", size)};
}

std::string InWords::name(const std::vector<BaseParameter::Term>& terms) const {
  std::string text;
  for (const BaseParameter::Term& t : terms) {
    const std::string& full = space_.name[static_cast<std::size_t>(t.parameter)];
    const std::size_t dot = full.rfind('.');
    const std::string one =
        fmt::format("{}{}{}_{}", t.words, t.words.empty() ? "" : " ", full.substr(dot + 1), full.substr(0, dot));
    text += text.empty() ? one : fmt::format(" {} {}", t.coefficient < 0 ? '-' : '+', one);
  }
  return text;
}

}  // namespace gough
