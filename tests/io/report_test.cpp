/// The report's data and page: what is drawn, what is stored, and that text in it stays text.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "gough/gough.hpp"
#include "robots.hpp"

namespace gough::report_test {
namespace {

using nlohmann::json;
using testing::HasSubstr;
using testing::Not;

class Report : public testing::Test {
 protected:
  void SetUp() override { std::filesystem::create_directories(folder_); }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  std::string text_of(const std::string& file) const {
    std::ifstream in(folder_ / file, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  /// Runs a study of a shipped robot; returns the data of its report.
  json ran(const std::string& text) {
    const Study study = parse_study(text, std::string(GOUGH_SOURCE_DIR) + "/studies/test.yaml");
    result_ = run_study(study, folder_.string());
    return json::parse(text_of("report.json"));
  }

  std::filesystem::path folder_ =
      std::filesystem::temp_directory_path() / fmt::format("gough_report_test_{}", getpid());
  StudyResult result_;
};

std::vector<unsigned char> bytes_of(const std::string& base64) {
  std::vector<unsigned char> out;
  unsigned word = 0;
  int bits = 0;
  for (const char c : base64) {
    if (c == '=') break;
    const std::string digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    word = word << 6 | static_cast<unsigned>(digits.find(c));
    if ((bits += 6) >= 8) out.push_back(static_cast<unsigned char>(word >> (bits -= 8)));
  }
  return out;
}

template <class T>
std::vector<double> unpacked_as(const json& packed) {
  const auto bytes = bytes_of(packed.at("base64").get<std::string>());
  std::vector<T> values(bytes.size() / sizeof(T));
  std::memcpy(values.data(), bytes.data(), values.size() * sizeof(T));
  EXPECT_EQ(values.size(), packed.at("n").get<std::size_t>());
  return {values.begin(), values.end()};
}
std::vector<double> unpacked(const json& packed) {
  return packed.at("type") == "f64" ? unpacked_as<double>(packed) : unpacked_as<float>(packed);
}

const json& plot(const json& data, const std::string& id) {
  for (const json& p : data.at("plots"))
    if (p.at("id") == id) return p;
  throw std::runtime_error("no plot " + id);
}

const std::string short_hexapod =
    "study: short\nrobot: ../robots/hexapod.yaml\nmotion: ../motions/hexapod_circle.yaml\nstep: 50 ms\nby: [legs, "
    "noc]\n";

TEST_F(Report, HasPosesOfAllBodiesAtAllFrames) {
  const json data = ran(short_hexapod);
  const auto bodies = data.at("mechanism").at("bodies").size() - 1;
  EXPECT_EQ(bodies, 19u);
  EXPECT_EQ(unpacked(data.at("samples").at("x")).size(), 41u);
  const auto poses = unpacked(data.at("frames").at("poses"));
  ASSERT_EQ(poses.size(), 41 * bodies * 7);
  const Table table = read_table((folder_ / "inverse.csv").string());
  const auto body = data.at("mechanism").at("platform").at("body").get<std::size_t>();
  for (std::size_t row = 0; row < 41; ++row)
    for (std::size_t i = 0; i < 3; ++i)
      EXPECT_NEAR(poses[(row * bodies + body - 1) * 7 + i], table.rows[row][1 + i], 1e-7);  // single precision
}

TEST_F(Report, PlotsTheNumbersOfTheTables) {
  const json data = ran(short_hexapod);
  const Table table = read_table((folder_ / "inverse_legs.csv").string());
  const json& forces = plot(data, "forces");
  ASSERT_EQ(forces.at("series").size(), 12u);
  for (std::size_t k = 0; k < 6; ++k) {
    const json& series = forces.at("series").at(k);
    EXPECT_EQ("tau." + series.at("name").get<std::string>(), table.columns[k + 1]);
    const auto values = unpacked(series.at("values"));
    for (std::size_t row = 0; row < values.size(); ++row) EXPECT_EQ(values[row], table.rows[row][k + 1]);
  }
  const json& residual = plot(data, "residual");
  for (const double x : unpacked(residual.at("series").at(0).at("values"))) EXPECT_LT(x, closure_tolerance);
}

std::vector<std::string> ids(const json& all, const std::string& part) {
  std::vector<std::string> found;
  for (const json& one : all)
    if (one.value("part", "") == part) found.push_back(one.at("id"));
  return found;
}

/// What people look for first: motion, then forces; numerical noise last.
TEST_F(Report, StandsInTheOrderOfWhatIsLookedFor) {
  const json data = ran(short_hexapod);
  const json& plots = data.at("plots");
  EXPECT_THAT(ids(plots, "Motion"),
              testing::ElementsAre("platform_position", "platform_velocity", "platform_acceleration", "positions",
                                   "speeds", "accelerations"));
  EXPECT_THAT(ids(plots, "Forces and powers"), testing::ElementsAre("forces", "powers", "energies"));
  EXPECT_THAT(ids(plots, "Singularities"), testing::ElementsAre("singularity"));
  EXPECT_THAT(ids(plots, ""), testing::ElementsAre("disagreement", "residual"));
  std::vector<std::string> parts;
  for (const json& one : plots) {
    const std::string part = one.value("part", "");
    EXPECT_EQ(one.value("check", false), part.empty()) << one.at("id");
    if (parts.empty() || parts.back() != part) parts.push_back(part);
  }
  EXPECT_THAT(parts, testing::ElementsAre("Motion", "Forces and powers", "Singularities", ""));
  const json& tables = data.at("tables");
  EXPECT_EQ(tables.back().at("id"), "agreement");
  for (const json& one : tables) EXPECT_EQ(one.value("check", false), one.at("id") == "agreement") << one.at("id");
}

/// Work by the trapezoid rule, energies from the state: the rule's error at 50 ms is some percent of the energy.
TEST_F(Report, EnergyAndWorkAgree) {
  const json data = ran(short_hexapod);
  const json& energies = plot(data, "energies");
  const auto change = unpacked(energies.at("series").at(2).at("values"));
  const auto work = unpacked(energies.at("series").at(3).at("values"));
  const double largest = *std::max_element(change.begin(), change.end());
  for (std::size_t i = 0; i < change.size(); ++i) EXPECT_NEAR(work[i], change[i], 0.03 * largest);
}

TEST_F(Report, MarksJointsByTypeAndDrives) {
  const json data = ran(short_hexapod);
  std::map<std::string, int> count;
  int actuated = 0;
  for (const json& body : data.at("mechanism").at("bodies"))
    for (const json& shape : body.at("shapes"))
      if (shape.at("kind") == "joint") {
        ++count[shape.at("type").get<std::string>()];
        actuated += shape.at("actuated").get<bool>() ? 1 : 0;
      }
  EXPECT_EQ(count["revolute"], 12);
  EXPECT_EQ(count["sleeve"], 6);
  EXPECT_EQ(count["spherical"], 6);
  EXPECT_EQ(actuated, 6);
}

TEST_F(Report, KeepsFewFramesAndAllSamplesOfLongRuns) {
  const json data = ran(
      "study: long\nrobot: ../robots/five_bar.yaml\nmotion: ../motions/five_bar_line.yaml\nstep: 0.03 ms\nby: legs\n");
  const auto samples = unpacked(data.at("samples").at("x")), frames = unpacked(data.at("frames").at("x"));
  EXPECT_EQ(samples.size(), 5001u);
  EXPECT_LE(frames.size(), most_frames + 1);
  EXPECT_GE(frames.size(), most_frames / 2);
  EXPECT_EQ(frames.front(), samples.front());
  EXPECT_EQ(frames.back(), samples.back());
}

TEST_F(Report, SetsPublishedNumbersBesideOurs) {
  const json data = ran(short_hexapod +
                        "published:\n  source: a book\n  numbers:\n"
                        "    - {what: start of leg 1, value: 700 mm, column: q.leg1.drive}\n"
                        "    - {what: force of leg 2, value: 42 N, column: tau.leg2.drive, take: peak}\n");
  ASSERT_EQ(result_.published.size(), 2u);
  EXPECT_DOUBLE_EQ(result_.published[0].published.value, 0.7);
  EXPECT_NEAR(result_.published[1].ours, -42.6, 0.05);  // of the sizing table, `gough run studies/hexapod_circle.yaml`
  EXPECT_EQ(data.at("tables").at(0).at("id"), "published");
  EXPECT_EQ(data.at("tables").at(0).at("rows").at(0).at(2), "700 mm");
}

TEST_F(Report, RefusesPublishedNumbersOfUnknownColumns) {
  try {
    ran(short_hexapod + "published:\n  source: a book\n  numbers:\n    - {what: x, value: 1, column: tau.leg1.drve}\n");
    FAIL();
  } catch (const Error& e) {
    EXPECT_THAT(e.what(), HasSubstr("studies/test.yaml:9: read the column 'tau.leg1.drve'"));
    EXPECT_THAT(e.what(), HasSubstr("did you mean 'tau.leg1.drive'?"));
  }
}

class DrawnRobot : public Report, public testing::WithParamInterface<std::string> {};
INSTANTIATE_TEST_SUITE_P(Io, DrawnRobot, testing::ValuesIn(shipped_robots()), [](const auto& of) { return of.param; });

void expect_finite(const json& j) {
  if (j.is_structured())
    for (const json& x : j) expect_finite(x);
  EXPECT_FALSE(j.is_null());
}

/// Before any state is done there is no motion, but the mechanism is drawn.
TEST_P(DrawnRobot, HasShapes) {
  Study study;
  study.robot = load_robot(robot_path(GetParam()));
  StudyResult result;
  result.folder = folder_.string();
  std::ofstream(folder_ / "inverse.csv") << "t\n";
  const json data = json::parse(report_data(study, result, RunRecord(study.robot, 0)));
  const json& mechanism = data.at("mechanism");
  expect_finite(mechanism);  // JSON has no infinity: it would be null
  EXPECT_EQ(mechanism.at("bodies").size(), study.robot.parent.size() + 1);
  std::size_t joints = 0, solids = 0;
  for (const json& body : mechanism.at("bodies"))
    for (const json& shape : body.at("shapes")) ++(shape.at("kind") == "joint" ? joints : solids);
  EXPECT_GE(joints, study.robot.actuator.size());
  EXPECT_GT(solids, 0u);
}

// ------------------------------------------------------------------------------------------------ simulations

/// Runs along a line of 40 ms, one row every millisecond.
class SimulationReported : public Report {
 protected:
  json simulated(const std::string& runs) {
    const std::string text =
        "study: s\nrobot: ../robots/elastic_five_bar.yaml\nmotion:\n  motion: there\n  line: {from: {x: -0.08, y: "
        "0.36}, to: {x: 0.08, y: 0.42}, duration: 0.04 s}\nstep: 1 ms\ncompute: simulate\nsimulate:\n  runs:\n" +
        runs;
    simulated_ =
        run_simulation_study(parse_study(text, std::string(GOUGH_SOURCE_DIR) + "/studies/test.yaml"), folder_.string());
    return json::parse(text_of("report.json"));
  }
  static std::string fact(const json& data, const std::string& name) {
    for (const json& one : data.at("facts"))
      if (one.at(0) == name) return one.at(1);
    return "";
  }
  std::vector<double> column_of(const std::string& file, const std::string& name) const {
    const Table table = read_table((folder_ / file).string());
    std::vector<double> all;
    for (const auto& row : table.rows) all.push_back(row[static_cast<std::size_t>(table.find(name))]);
    return all;
  }
  SimulationStudyResult simulated_;
};

/// The matrix of this iteration has an eigenvalue above 2, so it diverges (simulation_study_test).
const std::string breaks =
    "    - {name: breaks, by: scdd_iterative, feed_back: true, method: semi_implicit, fixed_step: 20 us}\n";

TEST_F(SimulationReported, AFailedFirstRunLeavesTheOthers) {
  const json data = simulated(breaks + "    - {name: good}\n    - {name: other, by: multipliers, loops: projected}\n");
  ASSERT_FALSE(simulated_.runs[0].answer.ok());
  EXPECT_EQ(unpacked(data.at("samples").at("x")).size(), 41u);
  EXPECT_EQ(fact(data, "animation"), "good, the first of those that came farthest");
  for (const std::string axis : {"x", "y"}) {
    const json& series = plot(data, "platform_" + axis).at("series");
    ASSERT_EQ(series.size(), 3u);
    EXPECT_EQ(unpacked(series.at(1).at("values")), column_of("good.csv", axis));
    EXPECT_EQ(unpacked(series.at(2).at("values")), column_of("other.csv", axis));
    const auto broken = unpacked(series.at(0).at("values")), rows = column_of("breaks.csv", axis);
    ASSERT_EQ(broken.size(), 41u);
    for (std::size_t i = 0; i < broken.size(); ++i)
      if (i < rows.size()) EXPECT_EQ(broken[i], rows[i]);
      else EXPECT_TRUE(std::isnan(broken[i])) << i;
  }
  const auto poses = unpacked(data.at("frames").at("poses"));
  EXPECT_EQ(poses.size(), 41 * 7 * (data.at("mechanism").at("bodies").size() - 1));
  EXPECT_EQ(data.at("tables").at(0).at("columns").at(1), "outcome");
  EXPECT_THAT(data.at("tables").at(0).at("rows").at(0).at(1), testing::StartsWith("not_converged at t = "));
  EXPECT_EQ(data.at("plots").back().at("id"), "gap");
  EXPECT_TRUE(data.at("plots").back().at("check"));
}

TEST_F(SimulationReported, AMotionThatCannotBeFollowedLeavesTheOthers) {
  const json data = simulated(
      "    - {name: far, motion: {motion: far, line: {from: {x: -0.08, y: 0.36}, to: {x: 0.08, y: 2}, duration: 0.04 "
      "s}}}\n"
      "    - {name: good}\n"
      "    - {name: longer, motion: {motion: longer, line: {from: {x: -0.08, y: 0.36}, to: {x: 0, y: 0.4}, duration: "
      "0.06 s}}}\n");
  EXPECT_THAT(simulated_.files, Not(testing::Contains("far.csv")));
  EXPECT_THAT(data.at("notes").dump(), HasSubstr("far ended at t = 0 s: unreachable: its motion cannot be followed"));
  EXPECT_THAT(fact(data, "animation"), testing::StartsWith("longer"));
  const json& of_good = plot(data, "platform_x_2");  // the second motion: 40 ms of its own, not the animation's 60
  EXPECT_EQ(unpacked(of_good.at("x")), column_of("good.csv", "t"));
  EXPECT_EQ(unpacked(of_good.at("series").at(0).at("values")), column_of("good.csv", "x"));
  const json& of_longer = plot(data, "platform_x_3");
  EXPECT_EQ(of_longer.at("at"), "samples");
  EXPECT_EQ(unpacked(of_longer.at("series").at(0).at("values")), column_of("longer.csv", "x"));
}

TEST_F(SimulationReported, WithoutAnyMotionThatCanBeFollowedThereIsNoReport) {
  EXPECT_THROW(simulated("    - {name: far, motion: {motion: far, line: {from: {x: -0.08, y: 0.36}, to: {x: 0.08, y: "
                         "2}, duration: 0.04 s}}}\n"),
               Error);
  EXPECT_FALSE(std::filesystem::exists(folder_ / "report.json"));
}

TEST_F(SimulationReported, ARunAloneThatFailsIsShownAsFarAsItCame) {
  const json data = simulated(breaks);
  EXPECT_EQ(unpacked(data.at("samples").at("x")), column_of("breaks.csv", "t"));
  EXPECT_EQ(fact(data, "animation"), "");
}

// ------------------------------------------------------------------------------------------------ the page

class Page : public testing::Test {
 protected:
  void SetUp() override {
    if (!has_report_page()) GTEST_SKIP() << "built without GOUGH_VIEWER";
  }
};

std::string data_in(const std::string& page) {
  const std::string open = "<script type=\"application/json\" id=\"data\">";
  const std::size_t from = page.find(open) + open.size();
  return page.substr(from, page.find("</script>", from) - from);
}

TEST_F(Page, KeepsTextText) {
  const json data = {{"name", "</script><script>alert(1)</script>"}, {"more", "a & b <!-- \u2028 \u2029 ]]>"}};
  const std::string page = report_page(data.dump()), inside = data_in(page);
  EXPECT_EQ(json::parse(inside), data);
  EXPECT_THAT(inside, Not(testing::ContainsRegex("[<>&]")));
  EXPECT_THAT(page, Not(HasSubstr("alert(1)</script>")));
  EXPECT_THAT(page, Not(HasSubstr("GOUGH-REPORT-DATA")));
}

TEST_F(Page, AllowsOnlyItsOwnScripts) {
  const std::string page = report_page("{}");
  EXPECT_THAT(page, HasSubstr("default-src 'none'; script-src 'sha256-"));
  EXPECT_THAT(page, Not(HasSubstr("<link")));
  EXPECT_LT(page.size(), 1'500'000u);
}

}  // namespace
}  // namespace gough::report_test
