#include "gough/codegen/optimise.hpp"

#include <array>
#include <functional>
#include <tuple>

#include "graph.hpp"

namespace gough {
namespace {

using Pass = std::function<void(Graph&)>;

/// What a call costs; divisions decide between equals.
std::tuple<int, int, int> cost(const Program& p) {
  const Count c = count(p).call;
  return {c.total(), c.special(), c.div};
}

Program after(const Program& p, const Pass& pass) {
  Graph graph(p);
  pass(graph);
  return graph.program();
}

}  // namespace

Program optimised(const Program& p, const std::function<void()>& between) {
  const std::array<Pass, 7> passes = {
      [](Graph& g) { g.group_parameters(); },
      [](Graph& g) { g.divide_at_once(); },
      [](Graph& g) { g.factor(); },
      [](Graph& g) { g.extract_pairs(Op::sum); },
      [](Graph& g) { g.extract_pairs(Op::product); },
      [](Graph& g) {
        g.share_reciprocals();
        g.extract_pairs(Op::product);
      },
      [](Graph& g) { g.factor(), g.extract_pairs(Op::sum), g.extract_pairs(Op::product); }};
  Program best = after(after(p, [](Graph& g) { g.use_reciprocals(); }), [](Graph& g) { g.sort_operands(); });
  for (bool better = true; better;) {
    better = false;
    for (const Pass& pass : passes) {
      if (between) between();
      Program next = after(best, pass);
      if (cost(next) < cost(best)) best = std::move(next), better = true;
    }
  }
  return best;
}

}  // namespace gough
