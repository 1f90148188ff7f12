/// Any bytes are a motion file, a table of a motion, of forces or of measurements, and a study: read them for a five-bar. Bad input may
/// throw Error, and nothing else may happen. Started in the project's folder.
#include <cstddef>
#include <cstdint>
#include <string>

#include "gough/gough.hpp"

namespace {

template <class Read>
void attempt(Read read) {
  try {
    read();
  } catch (const gough::Error&) { return; }  // refused, as bad input should be
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const gough::Mechanism<double> robot = gough::load_robot("robots/five_bar.yaml");
  const std::string text(reinterpret_cast<const char*>(data), size);
  attempt([&] {
    const gough::Trajectory t = gough::parse_motion(text, "motions/fuzz.yaml", robot);
    for (const double share : {0.0, 0.37, 1.0}) gough::sample(t, share * t.duration);
  });
  attempt([&] {
    const gough::Table table = gough::parse_table(text, "fuzz.csv");
    attempt([&] { gough::motion_from_table(table, "fuzz.csv", robot); });
    attempt([&] { gough::with_rates(gough::measurement_from_table(table, "fuzz.csv", robot), {}); });
    attempt([&] {
      gough::Workspace<double> w(robot);
      gough::tree_positions(robot, w);
      gough::ForceTable(table, "fuzz.csv", robot).apply(0.1, robot, w);
    });
  });
  attempt([&] { gough::parse_study(text, "studies/fuzz.yaml"); });
  return 0;
}
