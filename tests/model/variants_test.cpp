/// Chains with more elastic freedoms and robots with more legs: against the link that was split, against a robot file
/// with the same parts, and against what weight alone says.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "robots.hpp"

namespace gough::variants_test {
namespace {

using testing::HasSubstr;

/// A link of a robot that with_elastic_chains splits, and how many chains there are.
struct Split {
  std::string robot, link;
  int chains;
};
const std::vector<Split> splits = {{"five_bar", "left_distal", 2},   {"five_bar", "right_distal", 2},
                                   {"triglide", "leg2.carriage", 3}, {"hexa", "leg1.rod", 6},
                                   {"hexapod", "leg6.slider", 6},    {"delta", "leg1.arm", 3},
                                   {"rrr3", "leg3.distal", 3},       {"four_bar", "coupler", 2}};

class ElasticChains : public testing::TestWithParam<Split> {
 protected:
  const RobotDescription robot = read_robot(robot_path(GetParam().robot));
  const BodyDescription link = *robot.body(GetParam().link);

  std::vector<BodyDescription> parts(const RobotDescription& variant) const {
    std::vector<BodyDescription> all;
    for (const BodyDescription& b : variant.bodies)
      if (b.name == link.name || b.name.starts_with(link.name + ".part")) all.push_back(b);
    return all;
  }
};
INSTANTIATE_TEST_SUITE_P(Variants, ElasticChains, testing::ValuesIn(splits), [](const auto& of) {
  std::string name = of.param.robot + "_" + of.param.link;
  std::replace(name.begin(), name.end(), '.', '_');
  return name;
});

TEST_P(ElasticChains, PartsTogetherAreTheLink) {
  for (const int n : {1, 2, 7, 32}) {
    const std::vector<BodyDescription> all = parts(with_elastic_chains(robot, n));
    ASSERT_EQ(all.size(), at(n + 1));
    Inertia<double> sum;
    for (const BodyDescription& part : all) sum = sum + part.total();
    const Inertia<double> whole = link.total();
    EXPECT_NEAR(sum.mass, whole.mass, 1e-14 * whole.mass);
    EXPECT_LT((sum.first - whole.first).norm(), 1e-14 * whole.mass);
    EXPECT_LT((sum.second - whole.second).norm(), 1e-13 * std::max(whole.second.norm(), 1e-3));
  }
}

TEST_P(ElasticChains, SpringsInSeriesAreOneSpring) {
  const double c = link.total().mass * std::pow(2 * std::numbers::pi * chain_frequency, 2);
  for (const int n : {1, 2, 7, 32}) {
    double compliance = 0;
    int springs = 0;
    for (const JointDescription& j : with_elastic_chains(robot, n).joints)
      if (j.name.starts_with(link.name + ".stretch")) {
        compliance += 1 / j.coordinates[0].stiffness;
        ++springs;
      }
    EXPECT_EQ(springs, n);
    EXPECT_NEAR(compliance, 1 / c, 1e-12 / c);
  }
}

/// Every slide is a freedom, and without them nothing has changed: the platform stands where it stood.
TEST_P(ElasticChains, AddFreedomsAndLeaveHome) {
  const Mechanism<double> rigid = load_robot(robot_path(GetParam().robot));
  const auto platform = [](const Mechanism<double>& m) {
    Workspace<double> w(m);
    tree_positions(m, w);
    return w.X0[at(m.platform.body)] * m.platform_frame;
  };
  for (const int n : {1, 5}) {
    const Prepared p = prepare(with_elastic_chains(robot, n));
    ASSERT_TRUE(p.home.assembly.closed);
    const Mechanism<double>& m = p.mechanism;
    EXPECT_EQ(m.nv - m.rank, rigid.nv - rigid.rank + n * GetParam().chains);
    EXPECT_EQ(m.elastic.size(), at(n * GetParam().chains));
    EXPECT_EQ(m.leg.size(), at(GetParam().chains));
    if (!m.platform.exists()) continue;
    EXPECT_LT((platform(m).p - platform(rigid).p).norm(), 1e-9);
    EXPECT_LT((platform(m).R - platform(rigid).R).norm(), 1e-9);
  }
}

TEST(ElasticChain, AlongARodHasPartsOfRods) {
  const RobotDescription robot = with_elastic_chains(read_robot(robot_path("hexa")), 4);
  for (int i = 0; i < 5; ++i) {  // 0.12 kg and 0.5 m in five
    const BodyDescription& part = *robot.body(i < 4 ? "leg1.rod.part" + std::to_string(i + 1) : "leg1.rod");
    EXPECT_NEAR(part.mass, 0.024, 1e-15);
    EXPECT_LT((part.com - Vec3<double>(0.1 * i + 0.05, 0, 0)).norm(), 1e-14);
    const double moment = 0.024 * 0.1 * 0.1 / 12;
    EXPECT_LT((part.inertia - Mat3<double>(Vec3<double>(0, moment, moment).asDiagonal())).norm(), 1e-15);
  }
}

/// robots/elastic_five_bar.yaml has the same parts under other names: the mass matrices are equal.
TEST(ElasticChain, OfTheFiveBarIsTheElasticFiveBar) {
  const Mechanism<double> ours = prepare(with_elastic_chains(read_robot(robot_path("five_bar")), 1)).mechanism;
  const Mechanism<double> file = load_robot(robot_path("elastic_five_bar"));
  const std::vector<std::pair<std::string, std::string>> same = {{"left", "left"},
                                                                 {"right", "right"},
                                                                 {"left_elbow", "left_elbow"},
                                                                 {"right_elbow", "right_elbow"},
                                                                 {"left_distal.stretch1", "left_stretch"},
                                                                 {"right_distal.stretch1", "right_stretch"}};
  const auto masses = [&](const Mechanism<double>& m, bool first) {
    Workspace<double> w(m);
    for (std::size_t j = 0; j < m.joint.size(); ++j)
      for (std::size_t i = 0; i < same.size(); ++i)
        if (m.coordinate[at(m.joint[j].v)].name == (first ? same[i].first : same[i].second))
          w.q[m.joint[j].q] = 0.3 * static_cast<double>(i) - 0.4;  // any position of the opened tree
    tree_positions(m, w);
    std::vector<Inertia<double>> composite(m.parent.size());
    MatX<double> M(m.nv, m.nv), sorted(m.nv, m.nv);
    mass_matrix(m, w, composite, M);
    for (int r = 0; r < m.nv; ++r)
      for (int c = 0; c < m.nv; ++c)
        sorted(r, c) = M(m.find_coordinate(first ? same[at(r)].first : same[at(r)].second),
                         m.find_coordinate(first ? same[at(c)].first : same[at(c)].second));
    return sorted;
  };
  ASSERT_EQ(ours.nv, 6);
  EXPECT_LT((masses(ours, true) - masses(file, false)).norm(), 1e-14);
}

std::string refusal(const std::string& robot, int n) {
  try {
    with_elastic_chains(read_robot(robot_path(robot)), n);
  } catch (const Error& e) { return e.what(); }
  return {};
}

TEST(ElasticChain, IsRefusedWhereThereIsNone) {
  EXPECT_THAT(refusal("pendulum", 1),
              HasSubstr("read a robot without loops, expected chains between base and platform"));
  EXPECT_THAT(refusal("hexapod_flexible", 1), HasSubstr("body 'leg1.slider': read a beam, expected a rigid link"));
  EXPECT_THAT(refusal("hexa", 0), HasSubstr("read 0 elastic freedoms per chain, expected 1 to"));
}

// ------------------------------------------------------------------------------------------------ more legs

Mechanism<double> repeated(const std::string& robot, int times) {
  const RobotDescription one = read_robot(robot_path(robot));
  const Mechanism<double> m = load_robot(robot_path(robot));
  Workspace<double> w(m);
  tree_positions(m, w);
  const Prepared p = prepare(with_repeated_legs(one, times, w.X0[at(m.platform.body)] * m.platform_frame));
  EXPECT_LT(p.home.assembly.residual, 1e-12);
  return p.mechanism;
}

TEST(RepeatedLegs, KeepThePlatformsFreedoms) {
  for (const auto& [robot, freedoms] : {std::pair("triglide", 3), std::pair("hexa", 6), std::pair("rrr3", 3)})
    for (const int times : {1, 2, 4}) {
      const Mechanism<double> m = repeated(robot, times);
      EXPECT_EQ(m.nv - m.rank, freedoms) << robot;
      EXPECT_EQ(m.leg.size(), read_robot(robot_path(robot)).legs.size() * at(times)) << robot;
    }
}

/// All carriages raised alike raise everything: together they carry the weight, and by symmetry each its share.
TEST(RepeatedLegs, OfTheTriglideShareTheWeight) {
  for (const int times : {1, 2, 4}) {
    const Mechanism<double> m = repeated("triglide", times);
    Workspace<double> w(m);
    ASSERT_TRUE(inverse_dynamics(m, w).ok());
    const int legs = 3 * times;
    const double weight = (0.6 + legs * (1.5 + 2 * 0.15)) * 9.81;
    for (const double tau : w.tau) EXPECT_NEAR(tau, weight / legs, 1e-9 * weight);
  }
}

TEST(RepeatedLegs, AreRefusedWhereThereAreNone) {
  EXPECT_THROW(with_repeated_legs(read_robot(robot_path("five_bar")), 2, {}), Error);
  EXPECT_THROW(with_repeated_legs(read_robot(robot_path("hexa")), 0, {}), Error);
  EXPECT_THROW(with_repeated_legs(read_robot(robot_path("hexa")), 1000, {}), Error);
}

}  // namespace
}  // namespace gough::variants_test
