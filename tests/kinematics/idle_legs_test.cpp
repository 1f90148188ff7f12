#include <gtest/gtest.h>

#include "gough/gough.hpp"

namespace gough::idle_legs_test {
namespace {

/// The frames and start of a leg's joints seen from its own placement, which turns with the leg.
void expect_equal_legs(const Mechanism<double>& m, double azimuth_step) {
  const Leg& first = m.leg.front();
  for (std::size_t l = 1; l < m.leg.size(); ++l) {
    const Leg& leg = m.leg[l];
    ASSERT_EQ(leg.bodies, first.bodies);
    const Mat3<double> turn = rotation_z(azimuth_step * static_cast<double>(l));
    for (int b = 0; b < leg.bodies; ++b) {
      const auto i = static_cast<std::size_t>(first.first_body + b), j = static_cast<std::size_t>(leg.first_body + b);
      const bool on_base = m.parent[i] == base;
      const Mat3<double> expected = on_base ? Mat3<double>(turn * m.placement[i].R) : m.placement[i].R;
      EXPECT_LT((m.placement[j].R - expected).norm(), 1e-9) << m.name << " " << m.body_name[j];
      ASSERT_EQ(m.joint[j].type, m.joint[i].type);
    }
    EXPECT_LT((m.home.segment(m.joint[static_cast<std::size_t>(leg.first_body)].q, leg.coordinates) -
               m.home.segment(m.joint[static_cast<std::size_t>(first.first_body)].q, first.coordinates))
                  .norm(),
              1e-9)
        << m.name << " " << leg.name;
  }
}

TEST(IdleLegs, EqualLegsStayEqualWhenTheirIdleSpinsAreLocked) {
  for (const char* robot : {"delta", "delta_flexible", "triglide"})
    expect_equal_legs(load_robot(std::string(GOUGH_SOURCE_DIR "/robots/") + robot + ".yaml"), 2 * M_PI / 3);
}

}  // namespace
}  // namespace gough::idle_legs_test
