/// The command-line tool: one small function per verb. Exit 0 done, 2 bad input, 3 a numerical outcome.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdio>

#include "gough/gough.hpp"

namespace {

enum Exit { done = 0, bad_input = 2, numerical = 3 };

/// Text goes out whole or the failure is said: a full disk or a closed pipe is not success.
int print(const std::string& text) {
  const bool written = std::fwrite(text.data(), 1, text.size(), stdout) == text.size() && std::fflush(stdout) == 0;
  if (!written) fmt::print(stderr, "gough: the output could not be written\n");
  return written ? done : bad_input;
}

struct Options {
  std::string robot;
  std::string schema = "robot";
  bool json = false;
};

int check(const Options& o) {
  const gough::Prepared ready = gough::prepare(gough::read_robot(o.robot));
  const gough::MobilityReport report = gough::check_mobility(ready.mechanism, ready.home);
  if (const int failed = print(o.json ? gough::check_json(report) : gough::check_text(report)); failed != done)
    return failed;
  if (ready.home.assembly.closed) return done;
  fmt::print(stderr, "{}: the home pose cannot be assembled: {}\n", o.robot,
             ready.home.assembly.explain(ready.mechanism));
  return numerical;
}

int schema(const Options&) { return print(gough::robot_schema()); }

void add_robot(CLI::App* verb, Options& o) {
  verb->add_option("ROBOT", o.robot, "robot file")->required();
  verb->add_flag("--json", o.json, "print JSON instead of text");
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app{"gough: kinematics and dynamics of parallel robots"};
  app.require_subcommand(1);
  app.set_version_flag("--version", std::string("gough ") + GOUGH_VERSION);
  Options o;
  CLI::App* check_verb =
      app.add_subcommand("check", "what the mechanism can do: mobility, redundant equations, actuation");
  add_robot(check_verb, o);
  CLI::App* schema_verb = app.add_subcommand("schema", "the JSON Schema of a kind of file, for editors");
  schema_verb->add_option("KIND", o.schema, "robot")->check(CLI::IsMember({"robot"}));
  try {
    app.parse(argc, argv);
    if (check_verb->parsed()) return check(o);
    if (schema_verb->parsed()) return schema(o);
  } catch (const CLI::ParseError& e) { return app.exit(e) == 0 ? done : bad_input; } catch (const gough::Error& e) {
    fmt::print(stderr, "{}\n", e.what());
    return bad_input;
  } catch (const std::exception& e) {
    fmt::print(stderr, "gough: unexpected: {}\n", e.what());
    return bad_input;
  }
  return done;
}
