#include "trace.hpp"

#include <fmt/format.h>

namespace gough {

VecX<Expr> Trace::input(const std::string& name, const std::string& meaning, const std::vector<std::string>& entry) {
  InputArray array{name, meaning, entry, {}};
  VecX<Expr> x(static_cast<Eigen::Index>(entry.size()));
  for (std::size_t i = 0; i < entry.size(); ++i) {
    array.symbol.push_back(static_cast<int>(program.tape.symbols().size()));
    x[static_cast<Eigen::Index>(i)] = variable({fmt::format("{}{}", name, i), false, 0, entry[i]});
  }
  program.inputs.push_back(array);
  return x;
}

void Trace::output(const std::string& name, const std::string& meaning, const std::vector<std::string>& entry,
                   const VecX<Expr>& value) {
  OutputArray array{name, meaning, entry, {}};
  for (const Expr& x : value) array.value.push_back(x.ref());
  program.outputs.push_back(array);
}

void Trace::guard(const std::string& meaning, const Expr& pivot, const VecX<double>& at, double share) {
  if (program.tape.is_constant(pivot.ref())) return;
  std::vector<double> symbol;
  for (const Symbol& s : program.tape.symbols()) symbol.push_back(s.value);
  Eigen::Index next = 0;
  for (const InputArray& array : program.inputs)
    for (const int s : array.symbol) symbol[static_cast<std::size_t>(s)] = next < at.size() ? at[next++] : 0.0;
  const double here = value_of(evaluate(program.tape, symbol), pivot.ref());
  program.guards.push_back({pivot.ref(), share * here, meaning});
}

std::vector<std::string> position_entries(const Structure& m) {
  std::vector<std::string> names(static_cast<std::size_t>(m.nq));
  for (const TreeJoint& joint : m.joint) {
    const auto first = static_cast<std::size_t>(joint.q);
    const auto v = static_cast<std::size_t>(joint.v);
    const bool ball = joint.type == Elementary::spherical, free = joint.type == Elementary::free;
    if (!ball && !free && position_size(joint.type) == 1)
      names[first] = fmt::format("{} [{}]", m.coordinate[v].name, m.coordinate[v].is_length ? "m" : "rad");
    for (std::size_t i = 0; free && i < 3; ++i) names[first + i] = m.coordinate[v + i].name + " [m]";
    const std::size_t turn = first + (free ? 3 : 0);
    for (std::size_t i = 0; (ball || free) && i < 4; ++i)
      names[turn + i] = fmt::format("{}, unit quaternion {}", m.coordinate[v].joint, "wxyz"[i]);
  }
  return names;
}

std::vector<std::string> rate_entries(const Structure& m, const std::string& per) {
  std::vector<std::string> names;
  for (std::size_t c = 0; c < static_cast<std::size_t>(m.nv); ++c)
    names.push_back(fmt::format("{} [{}{}]", m.coordinate[c].name, m.coordinate[c].is_length ? "m" : "rad", per));
  return names;
}

std::vector<std::string> actuator_entries(const Structure& m, const std::string& length, const std::string& angle) {
  std::vector<std::string> names;
  for (const int a : m.actuator) {
    const Coordinate& c = m.coordinate[static_cast<std::size_t>(a)];
    names.push_back(fmt::format("{} [{}]", c.name, c.is_length ? length : angle));
  }
  return names;
}

}  // namespace gough
