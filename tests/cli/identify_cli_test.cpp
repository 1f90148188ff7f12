/// parameters, excite, simulate's sensors and identify as a user meets them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "cli/tool.hpp"
#include "gough/io/robot_file.hpp"
#include "robots.hpp"

namespace gough::identify_cli_test {
namespace {

using nlohmann::json;
using testing::HasSubstr;

class Identifying : public Tool {
 protected:
  const std::string palida = robot_path("palida"), flags = " --identical-legs --symmetric";

  /// palida with a platform a fifth too heavy, sliders too light, and other friction: what a user starts from.
  std::string wrong() const {
    std::string text = contents(palida);
    text = with(text, "platform: {mass: 4.5 kg", "platform: {mass: 5.4 kg");
    text = with(text, "slider: {mass: 2.2 kg", "slider: {mass: 1.9 kg");
    text = with(text, "dry: 12 N", "dry: 6 N");
    text = with(text, "alpha: 0.25 N m", "alpha: 0.1 N m");
    write("wrong.yaml", text);
    return "wrong.yaml";
  }
  static double value_of(const json& found, const std::string& name) {
    for (const json& p : found["parameters"])
      if (p["name"] == name) return p["value"];
    ADD_FAILURE() << "no parameter " << name;
    return 0;
  }

  void excite_and_measure() {
    const Outcome e = run("excite " + palida + flags + " --evaluations 30 --acceleration 20 -o excitation");
    ASSERT_EQ(e.code, 0) << e.err;
    const Outcome s =
        run("simulate " + palida +
            " --motion excitation/palida_excitation.yaml --step 5e-3 --encoder 1e-6 --noise 1 --seed 3 -o data.csv");
    ASSERT_EQ(s.code, 0) << s.err;
  }
};

TEST_F(Identifying, ParametersInWordsAndJson) {
  const Outcome text = run("parameters " + palida + flags);
  ASSERT_EQ(text.code, 0) << text.err;
  EXPECT_THAT(text.out,
              HasSubstr("22 inertial parameters, of which motions show 10 combinations; 14 friction coefficients"));
  EXPECT_THAT(text.out, HasSubstr("Izz_ring + Iyy_stator + Izz_slider"));
  EXPECT_THAT(text.out, HasSubstr("ring.m stator.m: no effect on any motion"));
  const json j = json::parse(run("parameters " + palida + flags + " --json").out);
  EXPECT_EQ(j["parameters"], 22);
  EXPECT_EQ(j["rank"], 10);
  EXPECT_EQ(j["friction"], 14);
  EXPECT_TRUE(j["rules"]["agree"]);
  const json legs = json::parse(run("parameters " + palida + " --json").out);
  bool found = false;
  for (const json& b : legs["base"]) found = found || b["terms"].contains("leg1.ring.Izz");
  EXPECT_TRUE(found);
}

TEST_F(Identifying, FromExcitationToARobotFile) {
  excite_and_measure();
  EXPECT_THAT(read("data.csv"), testing::StartsWith("t,q.leg1.drive,"));
  const Outcome o = run("identify " + wrong() + " data.csv --validate data.csv --period 10 -o found" + flags);
  ASSERT_EQ(o.code, 0) << o.err;
  EXPECT_THAT(o.out, HasSubstr("validation:"));
  EXPECT_THAT(o.out, HasSubstr("m_platform + 6 m_slider"));
  const json j = json::parse(read("found/identification.json"));
  EXPECT_LT(j["validation"]["relative"], 0.03);
  EXPECT_GT(j["validation"]["relative_with_file"], 0.1);
  const Mechanism<double> robot = load_robot((folder() / "found/wrong_identified.yaml").string());
  EXPECT_NEAR(value_of(j, "friction.leg1.dry"), 12, 0.5);
  const auto slider = static_cast<std::size_t>(robot.find_body("leg1.slider")),
             platform = static_cast<std::size_t>(robot.find_body("platform"));
  EXPECT_NEAR(robot.inertia[platform].mass + 6 * robot.inertia[slider].mass, 17.7, 0.1);
  EXPECT_TRUE(std::filesystem::exists(folder() / "found/residuals.csv"));
  EXPECT_TRUE(std::filesystem::exists(folder() / "found/report.json"));
}

/// Legs that differ go into their placements; all formulations and generated code know them.
TEST_F(Identifying, LegByLeg) {
  excite_and_measure();
  const Outcome o = run("identify " + wrong() + " data.csv --symmetric --period 10 -o found");
  ASSERT_EQ(o.code, 0) << o.err;
  const Mechanism<double> robot = load_robot((folder() / "found/wrong_identified.yaml").string());
  const auto first = static_cast<std::size_t>(robot.find_body("leg1.slider")),
             second = static_cast<std::size_t>(robot.find_body("leg2.slider"));
  EXPECT_NE(robot.inertia[first].first.z(), robot.inertia[second].first.z());
  EXPECT_EQ(run("compare found/wrong_identified.yaml").code, 0);
}

TEST_F(Identifying, OneAfterTheOther) {
  ASSERT_EQ(run("excite " + palida + " --scheme friction --velocity 0.5 --acceleration 10 -o runs").code, 0);
  ASSERT_EQ(run("simulate " + palida + " --motion runs/palida_friction.yaml --step 0.01 --noise 0.5 -o slow.csv").code,
            0);
  const Outcome o = run("identify " + wrong() + " slow.csv --what friction --json -o found" + flags);
  ASSERT_EQ(o.code, 0) << o.err;
  EXPECT_NEAR(value_of(json::parse(o.out), "friction.leg1.dry"), 12, 0.5);
}

TEST_F(Identifying, SaysWhatIsWrongWithData) {
  excite_and_measure();
  const std::string data = read("data.csv");
  const auto refused = [&](const std::string& text, const std::string& options = "") {
    write("bad.csv", text);
    const Outcome o = run("identify " + palida + " bad.csv -o found" + flags + options);
    EXPECT_EQ(o.code, 2) << o.out;
    EXPECT_FALSE(std::filesystem::exists(folder() / "found"));
    return o.err;
  };
  std::vector<std::string> lines;
  std::stringstream stream(data);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  const auto with = [&](std::size_t at, const std::string& line) {
    std::string text;
    for (std::size_t i = 0; i < lines.size(); ++i) text += (i == at ? line : lines[i]) + "\n";
    return text;
  };
  EXPECT_THAT(refused(with(100, "1,2")), HasSubstr("bad.csv:101: read 2 values"));
  EXPECT_THAT(refused(with(100, "nan" + lines[100].substr(lines[100].find(',')))),
              HasSubstr("bad.csv:101: column 't'"));
  EXPECT_THAT(refused(with(100, lines[50])), HasSubstr("bad.csv:101: read t ="));
  EXPECT_THAT(refused(lines[0] + "\n" + lines[1] + "\n"), HasSubstr("rows, expected at least"));
  EXPECT_THAT(refused(with(0, "t,x")), HasSubstr("values, expected 2"));
  std::string still = lines[0] + "\n";
  for (std::size_t i = 1; i < lines.size(); ++i)
    still += lines[i].substr(0, lines[i].find(',')) + lines[1].substr(lines[1].find(',')) + "\n";
  EXPECT_THAT(refused(still), HasSubstr("read 'q.leg1.drive' that moves by"));
  write("up.yaml",
        "motion: up\nharmonic:\n  duration: 5 s\n  coordinates:\n    z: {offset: -0.65, rate: 0.4 Hz, sin: [30 mm]}\n");
  ASSERT_EQ(run("simulate " + palida + " --motion up.yaml --step 5e-3 --noise 0.1 -o up.csv").code, 0);
  EXPECT_THAT(refused(read("up.csv")), HasSubstr("read data in which '"));
  EXPECT_THAT(refused(data, " --constant 2"), HasSubstr("without current.leg1.drive"));
  EXPECT_THAT(refused(data, " --period 50"), HasSubstr("--period: read 50 s"));
}

/// Bad data for the validation: said, exit 2, and what was found is there.
TEST_F(Identifying, KeepsTheEstimateWithoutValidation) {
  excite_and_measure();
  std::string data = read("data.csv");
  const std::size_t line = data.find('\n', data.size() / 2) + 1, comma = data.find(',', line);
  data.replace(comma + 1, data.find(',', comma + 1) - comma - 1, "9.9");
  write("bad.csv", data);
  const Outcome o = run("identify " + palida + " data.csv --validate bad.csv --period 10 -o found" + flags);
  EXPECT_EQ(o.code, 2);
  EXPECT_THAT(o.err, HasSubstr("bad.csv:"));
  EXPECT_THAT(o.err, HasSubstr("the estimate is kept"));
  EXPECT_TRUE(std::filesystem::exists(folder() / "found/palida_identified.yaml"));
}

TEST_F(Identifying, TakesCurrents) {
  excite_and_measure();
  std::string data = read("data.csv");
  for (std::size_t at = data.find("tau."); at != std::string::npos; at = data.find("tau."))
    data.replace(at, 4, "current.");
  write("currents.csv", data);
  const Outcome o = run("identify " + palida + " currents.csv --constant 2 --period 10 --json -o found" + flags);
  ASSERT_EQ(o.code, 0) << o.err;
  EXPECT_NEAR(value_of(json::parse(o.out), "m_platform + 6 m_slider"), 2 * 17.7, 0.2);
}

}  // namespace
}  // namespace gough::identify_cli_test
