/// generate: code for one robot.
#include <fmt/format.h>

#include "gough/gough.hpp"
#include "verbs.hpp"

int generate(const Options& o) {
  const auto m = gough::load_robot(o.robot);
  gough::GenerateWish wish{o.code.what, o.code.from, o.code.fold, o.code.generic, o.code.rotation == "matrix"};
  wish.newton = o.code.newton;
  if (wish.generic && wish.from == "actuators") wish.tree = gough::load_tree(o.robot);
  const gough::Program program = gough::generate(m, wish);
  if (o.code.count) return print(o.json ? gough::count_json(program, wish) : gough::count_text(program, wish));
  const std::vector<std::string> files = gough::write_code(program, o.output.empty() ? "." : o.output, o.code.lang);
  if (o.json) return print(gough::generated_json(program, files));
  const gough::Count c = gough::count(program).call;
  return print(fmt::format("{}: {} operations a call\n", fmt::join(files, ", "), c.total()));
}
