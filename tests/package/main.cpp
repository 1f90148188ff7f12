#include <gough/gough.hpp>

int main(int, char** argv) {
  const auto robot = gough::load_robot(argv[1]);
  fmt::print("{} has {} bodies\n", robot.name, robot.bodies());
}
