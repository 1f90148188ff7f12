/// The JSON Schemas of robot and motion files: current, sound, and of one mind with the parser.
#include <gtest/gtest.h>
#include <yaml-cpp/yaml.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "robots.hpp"

namespace gough::schema_test {
namespace {

using nlohmann::json;

std::string contents(const std::string& path) {
  std::ifstream file(path);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

/// YAML as JSON, with the types of YAML's core schema.
json as_json(const YAML::Node& node) {
  json all;
  if (node.IsMap()) {
    all = json::object();
    for (const auto& entry : node) all[entry.first.Scalar()] = as_json(entry.second);
  } else if (node.IsSequence()) {
    all = json::array();
    for (const auto& item : node) all.push_back(as_json(item));
  } else if (node.IsScalar()) {
    const std::string& text = node.Scalar();
    const json parsed = node.Tag() == "!" ? json() : json::parse(text, nullptr, false);
    all = parsed.is_number() || parsed.is_boolean() ? parsed : json(text);
  }
  return all;
}

/// The part of JSON Schema that the robot schema uses; `unknown` collects anything else it finds.
class Validator {
 public:
  explicit Validator(json schema) : root_(std::move(schema)) {}
  bool accepts(const json& value) { return valid(root_, value); }
  std::set<std::string> unknown;

 private:
  bool valid(const json& schema, const json& value) {
    bool ok = true;
    for (const auto& [word, rule] : schema.items()) ok = follows(word, rule, schema, value) && ok;
    return ok;
  }

  bool follows(const std::string& word, const json& rule, const json& schema, const json& value) {
    if (word == "$ref") return valid(root_.at(json::json_pointer(rule.get<std::string>().substr(1))), value);
    if (word == "type") return is_of(rule, value);
    if (word == "enum") return std::find(rule.begin(), rule.end(), value) != rule.end();
    if (word == "required")
      return std::all_of(rule.begin(), rule.end(), [&](const json& key) { return value.contains(key); });
    if (word == "minItems") return !value.is_array() || value.size() >= rule.get<std::size_t>();
    if (word == "maxItems") return !value.is_array() || value.size() <= rule.get<std::size_t>();
    if (word == "minimum") return !value.is_number() || value >= rule;
    if (word == "maximum") return !value.is_number() || value <= rule;
    if (word == "oneOf")
      return std::count_if(rule.begin(), rule.end(), [&](const json& one) { return valid(one, value); }) == 1;
    if (word == "items")
      return !value.is_array() ||
             std::all_of(value.begin(), value.end(), [&](const json& x) { return valid(rule, x); });
    if (word == "properties") return members(rule, value);
    if (word == "additionalProperties") return additional(rule, schema, value);
    if (!std::set<std::string>{"$schema", "$defs", "$comment", "title", "description"}.contains(word))
      unknown.insert(word);
    return true;
  }

  bool members(const json& properties, const json& value) {
    bool ok = true;
    for (const auto& [key, rule] : properties.items())
      if (value.is_object() && value.contains(key)) ok = valid(rule, value.at(key)) && ok;
    return ok;
  }

  bool additional(const json& rule, const json& schema, const json& value) {
    bool ok = true;
    if (!value.is_object()) return ok;
    for (const auto& [key, member] : value.items()) {
      if (schema.contains("properties") && schema.at("properties").contains(key)) continue;
      ok = (rule.is_boolean() ? rule.get<bool>() : valid(rule, member)) && ok;
    }
    return ok;
  }

  static bool is_of(const json& types, const json& value) {
    if (types.is_array())
      return std::any_of(types.begin(), types.end(), [&](const json& one) { return is_of(one, value); });
    const std::string type = types;
    return (type == "object" && value.is_object()) || (type == "array" && value.is_array()) ||
           (type == "string" && value.is_string()) || (type == "number" && value.is_number()) ||
           (type == "integer" && value.is_number_integer()) || (type == "boolean" && value.is_boolean());
  }

  json root_;
};

bool schema_accepts(const std::string& text, const std::string& schema = robot_schema()) {
  return Validator(json::parse(schema)).accepts(as_json(YAML::Load(text)));
}

bool parser_accepts(const std::string& text) {
  try {
    robot_from(text);
  } catch (const Error&) { return false; }
  return true;
}

/// Every key of a motion file but samples, which need a table.
const std::string good_motion = R"(
motion: m
description: d
moves: platform
sequence:
  - line: {from: [0, 0, -0.65, 0, 0, 0], to: {x: 0.1}, profile: trapezoid, duration: 1 s, ramp: 0.2 s}
  - wait: 1
  - line: {to: {x: 0, rz: 1}, velocity: 1, acceleration: 1, angular_velocity: 1, angular_acceleration: 1}
  - line: {to: {x: 0.1, rz: 0}, duration: 1}
  - circle: {centre: [0, 0, -0.65], radius: 0.1, normal: [0, 0, 1], start: 0, turns: 1, duration: 1, profile: constant,
             orientation: [0, 0, 0]}
  - circle: {centre: [0, 0, -0.65], radius: 0.1, axes: [[1, 0, 0], [0, 1, 0]], duration: 1}
  - harmonic: {rate: 1 Hz, duration: 1, coordinates: {x: {offset: 0.1, rate: 1, sin: [0.1], cos: [0]},
               y: {terms: [{amplitude: 1 mm, rate: 1, phase: 0}]}}}
)";

TEST(Schema, TheFileInTheRepositoryIsCurrent) {
  EXPECT_EQ(contents(std::string(GOUGH_SOURCE_DIR) + "/schema/robot.schema.json"), robot_schema())
      << "run `make schema`";
  EXPECT_EQ(contents(std::string(GOUGH_SOURCE_DIR) + "/schema/motion.schema.json"), motion_schema())
      << "run `make schema`";
}

TEST(StudySchema, IsCurrentAndAcceptsEveryShippedStudy) {
  EXPECT_EQ(contents(std::string(GOUGH_SOURCE_DIR) + "/schema/study.schema.json"), study_schema())
      << "run `make schema`";
  Validator validator(json::parse(study_schema()));
  for (const auto& entry : std::filesystem::directory_iterator(std::string(GOUGH_SOURCE_DIR) + "/studies"))
    EXPECT_TRUE(validator.accepts(as_json(YAML::LoadFile(entry.path().string())))) << entry.path();
  EXPECT_TRUE(validator.unknown.empty()) << *validator.unknown.begin();
  EXPECT_TRUE(schema_accepts("{study: s, robot: r, motion: {motion: m, wait: 1 s}, by: [legs, noc]}", study_schema()));
  for (const std::string bad :
       {"{study: s, robot: r}", "{study: s, robot: r, motion: m, sett: {}}",
        "{study: s, robot: r, motion: {motion: m, wiat: 1 s}}", "{study: s, robot: r, motion: m, by: newton}"})
    EXPECT_FALSE(schema_accepts(bad, study_schema())) << bad;
}

TEST(Schema, UsesOnlyWordsThatThisTestChecks) {
  Validator validator(json::parse(robot_schema()));
  validator.accepts(as_json(YAML::LoadFile(robot_path("hexapod"))));
  EXPECT_TRUE(validator.unknown.empty()) << *validator.unknown.begin();
  Validator of_motions(json::parse(motion_schema()));
  of_motions.accepts(as_json(YAML::Load(good_motion)));
  EXPECT_TRUE(of_motions.unknown.empty()) << *of_motions.unknown.begin();
}

void each_object(const json& node, const std::function<void(const json&)>& visit) {
  if (node.is_object()) visit(node);
  if (node.is_structured())
    for (const json& inner : node) each_object(inner, visit);
}

TEST(Schema, EveryReferenceLeadsToADefinitionAndEveryDefinitionIsUsed) {
  for (const json& schema : {json::parse(robot_schema()), json::parse(motion_schema()), json::parse(study_schema())}) {
    std::set<std::string> used, defined;
    each_object(schema, [&](const json& o) {
      if (o.contains("$ref")) used.insert(o.at("$ref").get<std::string>());
    });
    for (const auto& [name, definition] : schema.at("$defs").items()) defined.insert("#/$defs/" + name);
    EXPECT_EQ(used, defined);
  }
}

TEST(Schema, EveryKeyOfATableIsExplained) {
  const auto explained = [](const std::string& where, const json& table) {
    for (const auto& [key, rule] : table.at("properties").items())
      EXPECT_GT(rule.value("description", "").size(), 3u) << where << "." << key;
    EXPECT_EQ(table.at("additionalProperties"), json(false)) << where;
  };
  for (const json& schema : {json::parse(robot_schema()), json::parse(motion_schema()), json::parse(study_schema())}) {
    explained(schema.at("title"), schema);
    for (const auto& [name, table] : schema.at("$defs").items()) explained(name, table);
  }
}

TEST(Schema, AcceptsEveryShippedRobot) {
  for (const std::string& name : shipped_robots()) EXPECT_TRUE(schema_accepts(contents(robot_path(name)))) << name;
}

const std::string good = R"(
robot: r
bodies: {a: {mass: 1 kg, inertia: [1, 1, 1], points: [{mass: 1, xyz: [0, 0, 0]}]}}
friction: {dry: 0.25}
joints:
  j: {type: cylindrical, parent: base, child: a, friction: {coulomb: dry}, limits: [0, 1], role: [actuated, elastic],
      stiffness: 5, coordinates: [{home: 1}, {limits: {velocity: 1}}]}
platform: {body: a, coordinates: [z], limits: {z: [0, 1]}}
home: {platform: {z: 1}, joints: {j.z: 5 mm}}
springs: {s: {between: [base, a]}}
lock_idle: false
)";

TEST(Schema, AcceptsWhatTheParserAccepts) {
  EXPECT_TRUE(parser_accepts(good));
  EXPECT_TRUE(schema_accepts(good));
}

TEST(Schema, RefusesTheTyposThatTheParserRefuses) {
  const std::vector<std::pair<std::string, std::string>> typos = {
      {"robot:", "robt:"},
      {"bodies:", "bodie:"},
      {"mass:", "mas:"},
      {"xyz:", "xzy:"},
      {"parent:", "parnt:"},
      {"cylindrical", "cylinder"},
      {"coulomb:", "coulom:"},
      {"velocity:", "velocty:"},
      {"elastic]", "elastik]"},
      {"[z]", "[zz]"},
      {"home: 1", "hom: 1"},
      {"between: [base, a]", "stiffness: 1"},
      {"lock_idle: false", "lock_idle: 5"},
      {"[1, 1, 1]", "[1, 1]"},
      {"[0, 0, 0]", "5"},
      {"body: a", "bod: a"},
      {"limits: [0, 1]", "limits: [0]"},
      {"platform: {z: 1}", "platform: {zz: 1}"},
  };
  for (const auto& [from, to] : typos) {
    const std::string bad = with(good, from, to);
    ASSERT_NE(bad, good) << from;
    EXPECT_FALSE(parser_accepts(bad)) << to;
    EXPECT_FALSE(schema_accepts(bad)) << to;
  }
}

TEST(Schema, RefusesALimitOfAnUnknownPlatformCoordinate) {
  const std::string bad = with(good, "{z: [0, 1]}", "{zz: [0, 1]}");
  EXPECT_FALSE(parser_accepts(bad));
  EXPECT_FALSE(schema_accepts(bad));
}

bool motion_is_read(const std::string& text) {
  static const Mechanism<double> m = load_robot(robot_path("hexapod"));
  try {
    parse_motion(text, "test.yaml", m);
  } catch (const Error&) { return false; }
  return true;
}

TEST(MotionSchema, AcceptsEveryShippedMotion) {
  for (const auto& entry : std::filesystem::directory_iterator(std::string(GOUGH_SOURCE_DIR) + "/motions"))
    EXPECT_TRUE(schema_accepts(contents(entry.path().string()), motion_schema())) << entry.path();
}

TEST(MotionSchema, AcceptsWhatTheParserAccepts) {
  EXPECT_TRUE(motion_is_read(good_motion));
  EXPECT_TRUE(schema_accepts(good_motion, motion_schema()));
}

TEST(MotionSchema, RefusesTheTyposThatTheParserRefuses) {
  const std::vector<std::pair<std::string, std::string>> typos = {{"motion:", "notion:"},
                                                                  {"moves: platform", "moves: robot"},
                                                                  {"sequence:", "sequnce:"},
                                                                  {"wait:", "wiat:"},
                                                                  {"profile: constant", "profile: fast"},
                                                                  {"to: {x: 0.1}", "too: {x: 0.1}"},
                                                                  {"radius:", "radus:"},
                                                                  {"[[1, 0, 0], [0, 1, 0]]", "[1, 0, 0]"},
                                                                  {"sin: [0.1]", "sin: 0.1"},
                                                                  {"amplitude:", "amplitde:"},
                                                                  {"rate: 1, phase", "phase"},
                                                                  {"from: [0, 0, -0.65, 0, 0, 0]", "from: 5"},
                                                                  {"orientation: [0, 0, 0]", "orientation: [0, 0]"}};
  for (const auto& [from, to] : typos) {
    const std::string bad = with(good_motion, from, to);
    ASSERT_NE(bad, good_motion) << from;
    EXPECT_FALSE(motion_is_read(bad)) << to;
    EXPECT_FALSE(schema_accepts(bad, motion_schema())) << to;
  }
}

}  // namespace
}  // namespace gough::schema_test
