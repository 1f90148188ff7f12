/// The robot file that identification writes: read again, it is the robot with the identified values.
#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <filesystem>
#include <fstream>

#include "kinematics/states.hpp"
#include "robots.hpp"

namespace gough::identified_robot_test {
namespace {

class Written : public testing::Test {
 protected:
  void TearDown() override { std::filesystem::remove(path_); }

  /// `text` with bodies and friction a little heavier or lighter, written to a file's copy and read again; what it should be.
  struct Pair {
    Mechanism<double> expected, read;
    std::string text;
  };
  Pair changed(const std::string& text, const ParameterOptions& options) {
    std::ofstream(path_) << text;
    const Mechanism<double> m = load_robot(path_.string());
    Identification r;
    r.base = base_parameters(m, options);
    r.full = r.base.space.value;
    const VecX<double> off = random_vector(1000, 3) * 0.1;  // the same for all ten of a body: it can still exist
    for (int i = 0; i < r.base.space.size(); ++i) {
      const int body = r.base.space.entry[static_cast<std::size_t>(i)].body;
      r.full[i] *= 1 + off[body >= 0 ? body : 500 + i];
    }
    r.data_name = "data.csv";
    const std::string out = identified_robot_file(read_robot_text(path_.string()), path_.string(), m, r);
    std::ofstream(path_) << out;
    return {with_parameters(m, r.base.space, r.full), load_robot(path_.string()), out};
  }
  static void expect_same(const Pair& p) {
    ASSERT_EQ(p.read.body_name, p.expected.body_name);
    for (std::size_t j = 0; j < p.read.inertia.size(); ++j) {
      const Inertia<double>&a = p.read.inertia[j], &b = p.expected.inertia[j];
      EXPECT_NEAR(a.mass, b.mass, 1e-7 * b.mass) << p.read.body_name[j];
      EXPECT_LT((a.first - b.first).norm(), 1e-7 * (1e-3 + b.first.norm())) << p.read.body_name[j];
      EXPECT_LT((a.second - b.second).norm(), 1e-7 * (1e-3 + b.second.norm())) << p.read.body_name[j];
    }
    ASSERT_EQ(p.read.coefficient.size(), p.expected.coefficient.size());
    for (std::size_t i = 0; i < p.read.coefficient.size(); ++i) {
      const auto found =
          std::find(p.expected.coefficient_name.begin(), p.expected.coefficient_name.end(), p.read.coefficient_name[i]);
      ASSERT_NE(found, p.expected.coefficient_name.end()) << p.read.coefficient_name[i];
      const double wanted =
          p.expected.coefficient[static_cast<std::size_t>(found - p.expected.coefficient_name.begin())];
      EXPECT_NEAR(p.read.coefficient[i], wanted, 1e-7 * std::abs(wanted)) << p.read.coefficient_name[i];
    }
  }

 private:
  std::filesystem::path path_ =
      std::filesystem::temp_directory_path() / ("gough_identified_" + std::to_string(getpid()) + ".yaml");
};

TEST_F(Written, IsTheRobotWithItsValues) {
  expect_same(changed(robot_text("palida"), {true, true}));
  expect_same(changed(robot_text("palida"), {false, true}));
  expect_same(changed(robot_text("palida"), {false, false}));
  expect_same(changed(robot_text("five_bar"), {}));
  expect_same(changed(robot_text("delta"), {true, false}));
}

/// What a leg had of its own is gone where all legs share what was found.
TEST_F(Written, SharedBodiesReplaceThoseOfSingleLegs) {
  const std::string own =
      with(robot_text("palida"), "      friction: {dry: 13 N, damping: 27 N s/m}",
           "      friction: {dry: 13 N, damping: 27 N s/m}\n      bodies: {slider: {mass: 3 kg, com: "
           "[0, 0, -0.30], inertia: [0.05, 0.05, 0.002], symmetric: [Ixx, Iyy, Izz, sz]}}");
  const Pair p = changed(own, {true, true});
  const auto mass = [&](const char* body) {
    return p.read.inertia[static_cast<std::size_t>(p.read.find_body(body))].mass;
  };
  EXPECT_EQ(mass("leg3.slider"), mass("leg1.slider"));
  const Pair single = changed(own, {false, true});
  expect_same(single);
}

/// `*name` in a file is the same entry twice until it is written to.
TEST_F(Written, KeepsAliasesApart) {
  const std::string aliases = with(with(robot_text("palida"), "friction: {dry: 12 N, damping: 25 N s/m}",
                                        "friction: &f {dry: 12 N, damping: 25 N s/m}"),
                                   "friction: {dry: 11 N, damping: 24 N s/m}", "friction: *f");
  expect_same(changed(aliases, {false, true}));
}

}  // namespace
}  // namespace gough::identified_robot_test
