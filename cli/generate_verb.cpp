/// generate and compile: code for one robot.
#include <fmt/format.h>

#include "gough/gough.hpp"
#include "robot_of.hpp"
#include "verbs.hpp"

namespace {

gough::GenerateWish wish_of(const Options& o) {
  const CodeWishes& c = o.code;
  gough::GenerateWish wish{c.what, c.from, c.fold, c.generic, c.rotation == "matrix"};
  wish.newton = c.newton;
  wish.lanes = c.lanes;
  wish.many_states = c.batch || c.gpu || c.lang == "cuda";
  if (c.lanes && wish.many_states)
    throw gough::Error(fmt::format("--lanes: read with {}, which takes many states at once, expected one of the two",
                                   c.batch ? "--batch"
                                   : c.gpu ? "--gpu"
                                           : "--lang cuda"));
  if (wish.generic && wish.from == "actuators") wish.tree = gough::other_tree(described(o));
  return wish;
}

}  // namespace

int generate(const Options& o) {
  const auto m = rigid_robot_of(o);
  const gough::GenerateWish wish = wish_of(o);
  const gough::Program program = gough::generate(m, wish);
  if (o.code.count) return print(o.json ? gough::count_json(program, wish) : gough::count_text(program, wish));
  const std::vector<std::string> files =
      gough::write_code(program, o.output.empty() ? "." : o.output, o.code.lang, o.code.batch);
  if (o.json) return print(gough::generated_json(program, files));
  const gough::Count c = gough::count(program).call;
  return print(fmt::format("{}: {} operations a call\n", fmt::join(files, ", "), c.total()));
}

int compile(const Options& o) {
  const gough::Program program = gough::generate(rigid_robot_of(o), wish_of(o));
  const std::string file = o.output.empty() ? program.name + ".so" : o.output;
  gough::compile(program, file, {o.code.native, o.code.batch, o.code.gpu});
  if (o.json) return print(gough::generated_json(program, {file}));
  return print(fmt::format("{}: {} operations a call\n", file, gough::count(program).call.total()));
}
