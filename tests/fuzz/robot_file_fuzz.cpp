/// Any bytes are a robot file: read, build and assemble them. Bad input may throw Error, and nothing else may happen.
#include <cstddef>
#include <cstdint>
#include <string>

#include "gough/gough.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  try {
    const gough::RobotDescription robot = gough::parse_robot(text, "fuzz.yaml");
    gough::build(robot);
    if (robot.bodies.size() > 30) return 0;
    const gough::Prepared ready = gough::prepare(robot);
    gough::check_json(gough::check_mobility(ready.mechanism, ready.home));
  } catch (const gough::Error&) {
    return 0;  // refused, as bad input should be
  }
  return 0;
}
