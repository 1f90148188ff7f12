/// What `gough view` answers: postures for sliders, a file that changes, requests that nobody should send.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <numbers>
#include <thread>

#include "gough/gough.hpp"
#include "robots.hpp"

namespace gough::view_test {
namespace {

using namespace std::chrono_literals;
using nlohmann::json;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

json robot_of(const View& view) { return json::parse(view.robot()).at("robot"); }

const json& group(const json& robot, const std::string& by) {
  for (const json& g : robot.at("groups"))
    if (g.at("by") == by) return g;
  throw std::runtime_error("no sliders " + by);
}

/// Where the sliders of a group stand.
std::vector<double> values(const json& robot, const std::string& by, const json& posture) {
  std::vector<double> x;
  for (const json& s : group(robot, by).at("sliders")) x.push_back(posture.at(by).at(s.at("index").get<std::size_t>()));
  return x;
}

json request(const json& robot, const json& posture, const std::string& by, const std::vector<double>& x) {
  return {{"number", robot.at("number")}, {"q", posture.at("q")}, {"by", by}, {"values", x}};
}

json moved(const View& view, const json& posture, const std::string& by, const std::vector<double>& x) {
  const ViewReply reply = view.move(request(robot_of(view), posture, by, x).dump());
  EXPECT_EQ(reply.status, 200) << reply.json;
  return json::parse(reply.json);
}

void expect_near(const std::vector<double>& a, const std::vector<double>& b, double tolerance) {
  ASSERT_EQ(a.size(), b.size());
  for (std::size_t i = 0; i < a.size(); ++i) EXPECT_NEAR(a[i], b[i], tolerance) << i;
}

TEST(View, MovesThePlatformAsInverseKinematicsDoes) {
  const View view(robot_path("hexapod"));
  const json robot = robot_of(view);
  const std::vector<double> pose = {0.05, -0.02, -0.62, 0.1, -0.05, 0.2};
  const json reply = moved(view, robot.at("home"), "pose", pose);
  EXPECT_EQ(reply.at("status"), "ok");
  const auto m = load_robot(robot_path("hexapod"));
  Workspace<double> w(m);
  ASSERT_TRUE(inverse_kinematics(m, pose_from_vector(Eigen::Map<const Vec6<double>>(pose.data())), w).ok());
  const auto named = named_positions(m, w);
  for (std::size_t i = 0; i < named.size(); ++i)
    EXPECT_NEAR(reply.at("posture").at("joints").at(i).get<double>(), named[i].second, 1e-12) << named[i].first;
  EXPECT_LT(reply.at("posture").at("residual").get<double>(), 1e-12);
  EXPECT_EQ(reply.at("posture").at("poses").size(), 7 * m.parent.size());
}

TEST(View, ActuatorsLeadToThePoseTheyCameFrom) {
  for (const std::string name : {"hexapod", "psp3", "five_bar", "delta"}) {
    const View view(robot_path(name));
    const json robot = robot_of(view), home = robot.at("home");
    std::vector<double> pose = values(robot, "pose", home);
    for (double& x : pose) x += 0.03;
    const json there = moved(view, home, "pose", pose);
    ASSERT_EQ(there.at("status"), "ok") << name;
    expect_near(values(robot, "pose", there.at("posture")), pose, 1e-9);
    const json back = moved(view, home, "joints", values(robot, "joints", there.at("posture")));
    ASSERT_EQ(back.at("status"), "ok") << name;
    expect_near(values(robot, "pose", back.at("posture")), pose, 1e-9);
  }
}

TEST(View, OffersTheTaskOnly) {
  const json robot = robot_of(View(robot_path("psp3")));
  std::vector<std::string> names;
  for (const json& s : group(robot, "pose").at("sliders")) names.push_back(s.at("name"));
  EXPECT_THAT(names, testing::ElementsAre("z", "rx", "ry"));
}

TEST(View, TakesRangesFromTheFile) {
  const json robot = robot_of(View(robot_path("hexapod")));
  const json drive = group(robot, "joints").at("sliders").at(0);
  EXPECT_EQ(drive.at("name"), "leg1.drive");
  EXPECT_EQ(drive.at("lower"), 0.55);
  EXPECT_EQ(drive.at("upper"), 1.0);
}

TEST(View, StaysWhereAPoseIsOutOfReach) {
  const View view(robot_path("five_bar"));  // arms of 0.25 and 0.35 m, 0.2 m apart: (0.19, 0.59) is too far
  const json reply = moved(view, robot_of(view).at("home"), "pose", {0.19, 0.59});
  EXPECT_EQ(reply.at("status"), "unreachable");
  EXPECT_THAT(reply.at("reason"), HasSubstr("leg"));
  EXPECT_TRUE(reply.at("posture").is_null());
}

TEST(View, NamesLimitsThatAreNotKept) {
  const View view(robot_path("hexapod"));
  const json robot = robot_of(view);
  std::vector<double> pose = values(robot, "pose", robot.at("home"));
  pose[2] += 0.3;
  const json reply = moved(view, robot.at("home"), "pose", pose);
  ASSERT_EQ(reply.at("status"), "ok");
  std::size_t outside = 0;
  for (const double length : values(robot, "joints", reply.at("posture")))
    outside += length < 0.55 || length > 1 ? 1 : 0;
  EXPECT_GT(outside, 0u);
  const std::string beyond = reply.at("posture").at("beyond").dump();
  std::size_t named = 0;
  for (std::size_t i = beyond.find(".drive'"); i != std::string::npos; i = beyond.find(".drive'", i + 1)) ++named;
  EXPECT_EQ(named, outside);
}

class ViewedRobot : public testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(Io, ViewedRobot, testing::ValuesIn(shipped_robots()), [](const auto& of) { return of.param; });

/// Each slider alone goes a little way, to where it is asked; the loops stay closed.
TEST_P(ViewedRobot, FollowsEverySlider) {
  const View view(robot_path(GetParam()));
  ASSERT_EQ(view.error(), "");
  const json robot = robot_of(view), home = robot.at("home");
  ASSERT_FALSE(robot.at("groups").empty());
  for (const json& g : robot.at("groups")) {
    const std::string by = g.at("by");
    for (std::size_t i = 0; i < g.at("sliders").size(); ++i) {
      const json& s = g.at("sliders").at(i);
      std::vector<double> x = values(robot, by, home);
      const double lower = s.at("lower"), upper = s.at("upper");
      ASSERT_LT(lower, upper);
      EXPECT_GE(x[i], lower);
      EXPECT_LE(x[i], upper);
      x[i] += (x[i] < (lower + upper) / 2 ? 0.01 : -0.01) * (upper - lower);
      const json reply = moved(view, home, by, x);
      ASSERT_EQ(reply.at("status"), "ok") << by << " " << s.at("name") << ": " << reply.at("reason");
      expect_near(values(robot, by, reply.at("posture")), x, 1e-9);
      EXPECT_LT(reply.at("posture").at("residual").get<double>(), 1e-11);
    }
  }
}

// ------------------------------------------------------------------------------------------------ files

class ViewedFile : public testing::Test {
 protected:
  void SetUp() override { std::filesystem::create_directories(folder_); }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  /// As most editors save: another file takes the name.
  void write(const std::string& text) const {
    std::ofstream(folder_ / "new") << text;
    std::filesystem::rename(folder_ / "new", path());
  }
  std::string path() const { return (folder_ / "robot.yaml").string(); }
  std::filesystem::path folder_ = std::filesystem::temp_directory_path() / fmt::format("gough_view_test_{}", getpid());
};

const std::string pendulum = R"(robot: pendulum
bodies:
  bob: {points: [{mass: 1 kg, xyz: [1, 0, 0]}]}
joints:
  swing: {type: revolute, parent: base, child: bob}
)";

/// Two looks: one sees the change, the next that it is over.
bool read_again(View& view) {
  const bool early = view.look();
  return view.look() && !early;
}

TEST_F(ViewedFile, MovesAPendulumWithoutActuators) {
  write(pendulum);
  const View view(path());
  const json robot = robot_of(view);
  EXPECT_EQ(group(robot, "joints").at("title"), "Joints");
  const double angle = std::numbers::pi / 6;
  const json poses = moved(view, robot.at("home"), "joints", {angle}).at("posture").at("poses");
  EXPECT_NEAR(poses.at(5).get<double>(), std::sin(angle / 2), 1e-12);  // about z, through the origin
  EXPECT_NEAR(poses.at(6).get<double>(), std::cos(angle / 2), 1e-12);
  for (const std::size_t i : {0u, 1u, 2u}) EXPECT_NEAR(poses.at(i).get<double>(), 0, 1e-12);
}

TEST_F(ViewedFile, ShowsAnErrorAndKeepsTheRobotUntilItIsMended) {
  write(pendulum);
  View view(path());
  EXPECT_FALSE(read_again(view));
  write(with(pendulum, "revolute", "revolte"));
  EXPECT_TRUE(read_again(view));
  EXPECT_THAT(view.error(), StartsWith(path() + ":5: "));
  EXPECT_THAT(view.error(), HasSubstr("did you mean 'revolute'?"));
  EXPECT_EQ(json::parse(view.robot()).at("error"), view.error());
  EXPECT_EQ(robot_of(view).at("title"), "pendulum");
  std::filesystem::remove(path());
  EXPECT_TRUE(read_again(view));
  EXPECT_THAT(view.error(), HasSubstr("cannot be opened"));
  write(with(pendulum, "robot: pendulum", "robot: mended"));
  EXPECT_TRUE(read_again(view));
  EXPECT_EQ(view.error(), "");
  EXPECT_TRUE(json::parse(view.robot()).at("error").is_null());
  EXPECT_EQ(robot_of(view).at("title"), "mended");
  EXPECT_EQ(view.number(), 4);
}

TEST_F(ViewedFile, StartsWithABadFile) {
  View view(path());
  EXPECT_THAT(view.error(), HasSubstr("cannot be opened"));
  EXPECT_TRUE(robot_of(view).is_null());
  EXPECT_EQ(view.move("{}").status, 409);
  write(with(pendulum, "type: revolute, parent: base", "type: revolute, parent: bob"));
  EXPECT_TRUE(read_again(view));
  EXPECT_THAT(view.error(), StartsWith(path()));
  write(pendulum);
  EXPECT_TRUE(read_again(view));
  EXPECT_EQ(robot_of(view).at("title"), "pendulum");
}

TEST_F(ViewedFile, RefusesMovesOfARobotThatHasChanged) {
  write(pendulum);
  View view(path());
  const json robot = robot_of(view);
  write(with(pendulum, "1 kg", "2 kg"));
  EXPECT_TRUE(read_again(view));
  EXPECT_EQ(view.move(request(robot, robot.at("home"), "joints", {0.1}).dump()).status, 409);
}

TEST_F(ViewedFile, TellsThoseWhoWait) {
  write(pendulum);
  View view(path());
  EXPECT_EQ(view.wait(0, 10s), 1);  // at once: it is another one
  EXPECT_EQ(view.wait(1, 1ms), 1);
  std::thread editor([&] {
    std::this_thread::sleep_for(20ms);
    write(pendulum + "\n");
    read_again(view);
  });
  EXPECT_EQ(view.wait(1, 10s), 2);
  editor.join();
  std::thread ender([&] { view.stop(); });
  EXPECT_EQ(view.wait(2, 10s), 2);
  ender.join();
}

TEST_F(ViewedFile, KeepsHostileNamesText) {
  const std::string nasty = "</script><img src=x onerror=alert(1)>";
  write(with(with(pendulum, "bob", "'" + nasty + "'"), "robot: pendulum", "robot: pendulum\ndescription: '<b>&'"));
  const View view(path());
  const json robot = robot_of(view);
  EXPECT_EQ(robot.at("mechanism").at("bodies").at(1).at("name"), nasty);
  EXPECT_EQ(robot.at("description"), "<b>&");
}

// ------------------------------------------------------------------------------------------------ requests

class ViewRequest : public testing::Test {
 protected:
  ViewRequest() : view_(robot_path("five_bar")), robot_(robot_of(view_)) {
    good_ = request(robot_, robot_.at("home"), "pose", {0.02, 0.41});
  }
  void expect_refused(const std::string& text, const std::string& why) const {
    const ViewReply reply = view_.move(text);
    EXPECT_EQ(reply.status, 400) << text.substr(0, 200);
    EXPECT_THAT(json::parse(reply.json).at("error"), HasSubstr(why));
  }
  void expect_refused(const std::string& key, const json& value, const std::string& why) const {
    json bad = good_;
    bad[key] = value;
    expect_refused(bad.dump(), why);
  }

  View view_;
  json robot_, good_;
};

TEST_F(ViewRequest, MustBeAnObject) {
  for (const std::string text : {"", "[]", "1", "{", "null", "\xff\xfe", "{\"q\": 1e999}"})
    expect_refused(text, "expected");
  expect_refused(std::string(30'000, '['), "nested too deeply");
  expect_refused("{\"q\":" + std::string(30'000, '[') + std::string(30'000, ']') + "}", "nested too deeply");
  expect_refused(std::string(largest_view_request + 1, ' '), "too long");
  EXPECT_EQ(view_.move(good_.dump()).status, 200);
}

TEST_F(ViewRequest, MustHaveNumbersOfTheRightCount) {
  const json home = robot_.at("home").at("q");
  json q = home;
  q.push_back(0);
  expect_refused("q", q, "expected a list of");
  expect_refused("q", nullptr, "expected a list of");
  expect_refused("q", "all", "expected a list of");
  for (const json& value : {json("1"), json(nullptr), json(1e300), json::array(), json(true)}) {
    q = home;
    q[0] = value;
    expect_refused("q", q, "number 1 is none, or too large");
  }
  expect_refused("values", json::array({0.1}), "expected a list of 2 numbers");
  expect_refused("values", json::array({0.1, "0.4"}), "number 2 is none");
}

TEST_F(ViewRequest, MustStandOnAClosedMechanism) {
  json q = robot_.at("home").at("q");
  q.back() = q.back().get<double>() + 0.1;
  expect_refused("q", q, "the loops are open");
  json zero = json::array();
  for (std::size_t i = 0; i < q.size(); ++i) zero.push_back(0);
  expect_refused("q", zero, "quaternion");
}

TEST_F(ViewRequest, MustStayInsideTheSliders) {
  expect_refused("values", json::array({1e5, 0.4}), "read x = 100000, expected");
  expect_refused("by", "magic", "expected \"pose\" or \"joints\"");
  expect_refused("by", 7, "another kind");
}

TEST_F(ViewRequest, MustBeForThisRobot) {
  for (const json& number : {json(2), json("1"), json(nullptr)}) {
    json stale = good_;
    stale["number"] = number;
    EXPECT_EQ(view_.move(stale.dump()).status, 409);
  }
}

TEST(ViewPage, MayAskItsServerAndNobodyElse) {
  if (!has_report_page()) {
    EXPECT_THROW(View::page(), Error);
    return;
  }
  const std::string page = View::page();
  EXPECT_THAT(page, HasSubstr("content=\"default-src 'none'; connect-src 'self'; script-src 'sha256-"));
  EXPECT_THAT(page, HasSubstr("\"format\":\"gough-view\""));
  EXPECT_THAT(report_page("{}"), Not(HasSubstr("connect-src")));
}

}  // namespace
}  // namespace gough::view_test
