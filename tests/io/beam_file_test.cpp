#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>

#include "robots.hpp"

namespace gough::beam_file_test {
namespace {

using Eigen::Matrix3d;
using Eigen::Vector3d;
using testing::HasSubstr;

/// A robot whose one body is this beam, of this material.
std::string robot_with(const std::string& beam, const std::string& material = "{E: 2.1e11, nu: 0.3, rho: 7800}") {
  return "robot: beam\nmaterials:\n  steel: " + material + "\nbodies:\n  link: {beam: " + beam +
         "}\njoints:\n  j: {type: revolute, parent: base, child: link}\n";
}
BeamDescription beam_of(const std::string& section, const std::string& to = "[0.2, 0, 0]") {
  return parse_robot(robot_with("{to: " + to + ", material: steel, section: " + section + ", elements: 4}"), "test")
      .bodies[0]
      .beam.at(0);
}
std::string message_for(const std::string& text) {
  try {
    parse_robot(text, "beam.yaml");
  } catch (const Error& e) { return e.what(); }
  return "accepted";
}
std::string message_for_section(const std::string& section) {
  return message_for(robot_with("{to: [1, 0, 0], material: steel, section: " + section + ", elements: 1}"));
}

TEST(BeamFile, SectionsHaveTheirTextbookValues) {
  const BeamDescription r = beam_of("{rectangle: [20 mm, 10 mm]}");
  EXPECT_NEAR(r.A, 2e-4, 1e-18);
  EXPECT_NEAR(r.Iy, 0.02 * 1e-6 / 12, 1e-22);
  EXPECT_NEAR(r.Iz, 0.01 * 8e-6 / 12, 1e-22);
  EXPECT_NEAR(r.J, 0.2287 * 0.02 * 1e-6, 1e-4 * 4.6e-9) << "Timoshenko and Goodier's table: k1 = 0.229 for 2:1";
  EXPECT_DOUBLE_EQ(r.shear_factor, 5.0 / 6);
  EXPECT_NEAR(beam_of("{square: 3 mm}").J, 0.140577 * 81e-12, 1e-6 * 81e-12);
  const BeamDescription o = beam_of("{round: 20 mm}"), t = beam_of("{tube: [20 mm, 16 mm]}");
  EXPECT_NEAR(o.A, M_PI * 1e-4, 1e-17);
  EXPECT_NEAR(o.Iy, M_PI * 1e-8 / 4, 1e-21);
  EXPECT_NEAR(o.J, M_PI * 1e-8 / 2, 1e-21);
  EXPECT_NEAR(o.shear_factor, 6.0 / 7, 1e-15) << "Cowper, solid circle, nu = 0";
  EXPECT_NEAR(t.A, M_PI * (1e-4 - 0.64e-4), 1e-17);
  EXPECT_NEAR(t.Iz, M_PI / 4 * (1e-8 - 0.4096e-8), 1e-21);
  EXPECT_NEAR(beam_of("{tube: [20 mm, 19.999 mm]}").shear_factor, 0.5, 1e-6) << "Cowper, thin tube, nu = 0";
  const BeamDescription n = beam_of("{A: 1e-4, Iy: 2e-9, Iz: 3e-9, J: 4e-9, shear_factor: 0.4}");
  EXPECT_EQ((std::array{n.A, n.Iy, n.Iz, n.J, n.shear_factor}), (std::array{1e-4, 2e-9, 3e-9, 4e-9, 0.4}));
}

TEST(BeamFile, ShearModulusComesFromPoissonsRatioUnlessGiven) {
  EXPECT_DOUBLE_EQ(beam_of("{square: 3 mm}").G, 2.1e11 / 2.6);
  const std::string beam = "{to: [1, 0, 0], material: steel, section: {square: 1 mm}, elements: 2, shear: false}";
  const auto robot = parse_robot(robot_with(beam, "{E: 120 GPa, G: 5 GPa, rho: 1600 kg/m^3}"), "test");
  EXPECT_DOUBLE_EQ(robot.bodies[0].beam.at(0).G, 5e9);
  EXPECT_DOUBLE_EQ(robot.bodies[0].beam.at(0).E, 1.2e11);
  EXPECT_FALSE(robot.bodies[0].beam.at(0).shear);
  EXPECT_EQ(robot.bodies[0].beam.at(0).elements, 2);
}

/// The beam cut into small boxes: mass, first and second moments of a cloud of points.
Inertia<double> as_boxes(double rho, double width, double height, const Vector3d& from, const Vector3d& to,
                         const Matrix3d& axes) {
  constexpr int along = 400, across = 20;
  Inertia<double> sum;
  const double mass = rho * width * height * (to - from).norm() / (along * across * across);
  for (int i = 0; i < along; ++i)
    for (int j = 0; j < across; ++j)
      for (int k = 0; k < across; ++k) {
        const double y = ((j + 0.5) / across - 0.5) * width, z = ((k + 0.5) / across - 0.5) * height;
        const Vector3d at = from + (to - from) * ((i + 0.5) / along) + axes.col(1) * y + axes.col(2) * z;
        sum = sum + inertia_about_origin<double>(mass, at, Matrix3d::Zero());
      }
  return sum;
}

TEST(BeamFile, RigidBeamIsTheSolidBarThatItsSectionSays) {
  BeamDescription beam = beam_of("{rectangle: [60 mm, 20 mm]}");
  beam.from = {0.1, -0.2, 0.05};
  beam.to = {0.3, 0.1, 0.25};
  const Matrix3d axes = beam.axes();
  EXPECT_LT((axes.transpose() * axes - Matrix3d::Identity()).norm(), 1e-15);
  EXPECT_NEAR(axes.col(1).z(), 0, 1e-15) << "y is level, so z is as near as can be to the body's z";
  EXPECT_GT(axes.col(2).z(), 0);
  const Inertia<double> rigid = beam.rigid(), boxes = as_boxes(7800, 0.06, 0.02, beam.from, beam.to, axes);
  EXPECT_NEAR(rigid.mass, boxes.mass, 1e-9);
  EXPECT_LT((rigid.first - boxes.first).norm(), 1e-9);
  const double section = 7800 * beam.length() * (beam.Iy + beam.Iz);
  EXPECT_LT((rigid.second - boxes.second).norm(), section / 100) << "20 boxes across miss 1/400 of the section";
  beam.from = Vector3d::Zero();
  beam.to = Vector3d::UnitZ();
  EXPECT_LT((beam.axes().col(1) - Vector3d::UnitY()).norm(), 1e-15) << "along z, y is the body's";
}

TEST(BeamFile, LumpedMassesAddToTheBeam) {
  const auto robot = parse_robot(R"(
robot: lumped
materials: {steel: {E: 2.1e11, nu: 0.3, rho: 8000}}
bodies:
  link:
    mass: 2
    com: [0, 0, 1]
    inertia: [0.1, 0.1, 0.1]
    points: [{mass: 3, xyz: [1, 0, 0]}]
    beam: {to: [1, 0, 0], material: steel, section: {square: 0.1}, elements: 1}
joints: {j: {type: revolute, parent: base, child: link}}
)",
                                 "test");
  const Inertia<double> I = robot.bodies[0].total();
  EXPECT_NEAR(I.mass, 2 + 3 + 80, 1e-12);
  EXPECT_LT((I.first - Vector3d(3 + 40, 0, 2)).norm(), 1e-12);
  // beam: 80 (1/3 + 0.01/12) about y and z, 80 x 0.01/6 about x; point: 3 about y and z; lump: 0.1 + 2 about x and y
  const double across = 80.0 / 3 + 80 * 0.01 / 12;
  EXPECT_LT((I.second.diagonal() - Vector3d(80 * 0.01 / 6 + 2.1, across + 3 + 2.1, across + 3 + 0.1)).norm(), 1e-12);
}

/// A beam of two sections is two pieces, the second from the end of the first.
TEST(BeamFile, PiecesFollowEachOther) {
  const std::string two =
      "[{to: [1, 0, 0], material: steel, section: {square: 20 mm}, elements: 2}, "
      "{to: [1.5, 0, 0], material: steel, section: {tube: [20 mm, 16 mm]}, elements: 1}]";
  const RobotDescription robot = parse_robot(robot_with(two), "test");
  const std::vector<BeamDescription>& beam = robot.bodies[0].beam;
  ASSERT_EQ(beam.size(), 2U);
  EXPECT_EQ(beam[1].from, Vector3d(1, 0, 0));
  EXPECT_NEAR(robot.bodies[0].total().mass, 7800 * (4e-4 * 1 + M_PI * 36e-6 * 0.5), 1e-9);
  EXPECT_EQ((std::array{beam[0].half_y, beam[0].half_z, beam[1].half_y}), (std::array{0.01, 0.01, 0.01}));
  EXPECT_TRUE(beam[1].round && !beam[0].round);
  EXPECT_THAT(message_for(robot_with(with(two, "{to: [1.5", "{from: [1.1, 0, 0], to: [1.5"))),
              HasSubstr("read a piece that begins 0.1 m from the end of the one before it"));
  EXPECT_THAT(message_for(robot_with(with(two, "elements: 1}", "elements: 1, shear: false}"))),
              HasSubstr("with and without shear"));
  EXPECT_THAT(message_for(robot_with("[]")), HasSubstr("read an empty list"));
}

TEST(BeamFile, MaterialsDamp) {
  const std::string beam =
      "{to: [1, 0, 0], material: steel, section: {A: 1e-4, Iy: 2e-9, Iz: 3e-9, J: 4e-9, outer: "
      "[5 mm, 6 mm]}, elements: 2}";
  const auto robot = parse_robot(robot_with(beam, "{E: 120 GPa, G: 5 GPa, rho: 1600, damping: 0.2 ms}"), "test");
  EXPECT_DOUBLE_EQ(robot.bodies[0].beam.at(0).damping, 2e-4);
  EXPECT_DOUBLE_EQ(robot.bodies[0].beam.at(0).half_z, 6e-3);
  EXPECT_THAT(message_for(robot_with(beam, "{E: 120 GPa, G: 5 GPa, rho: 1600, damping: -1 s}")),
              HasSubstr("damping of -1 s"));
}

TEST(BeamFile, BadSectionsAreRefused) {
  EXPECT_THAT(message_for_section("{square: -3 mm}"), HasSubstr("beam.yaml:5: section: read a size of -0.003 m"));
  EXPECT_THAT(message_for_section("{square: 0}"), HasSubstr("read a size of 0 m, expected one above 0"));
  EXPECT_THAT(message_for_section("{rectangle: [1 mm, 0]}"), HasSubstr("read a size of 0 m"));
  EXPECT_THAT(message_for_section("{rectangle: [1 mm]}"), HasSubstr("a list of 1, expected [width, height]"));
  EXPECT_THAT(message_for_section("{round: -1}"), HasSubstr("read a size of -1 m"));
  EXPECT_THAT(message_for_section("{tube: [10 mm, 10 mm]}"), HasSubstr("inner diameter 0.01 m"));
  EXPECT_THAT(message_for_section("{tube: [10 mm, 12 mm]}"), HasSubstr("expected a smaller one"));
  EXPECT_THAT(message_for_section("{A: 1e-4}"), HasSubstr("expected all four"));
  EXPECT_THAT(message_for_section("{A: 0, Iy: 1, Iz: 1, J: 1}"), HasSubstr("A = 0 m^2, expected one above 0"));
  EXPECT_THAT(message_for_section("{}"), HasSubstr("read 0 shapes"));
  EXPECT_THAT(message_for_section("{square: 1, round: 1}"), HasSubstr("read 2 shapes"));
  EXPECT_THAT(message_for_section("{squre: 1}"), HasSubstr("'square'?"));
  EXPECT_THAT(message_for_section("{square: 1 kg}"), HasSubstr("expected a number in m"));
  EXPECT_THAT(message_for_section("{square: 1, shear_factor: 2}"), HasSubstr("shear factor of 2"));
}

TEST(BeamFile, BadBeamsAndMaterialsAreRefused) {
  const std::string end = "section: {square: 1 mm}, elements: ";
  const auto beam = [&](const std::string& start, const std::string& n) {
    return message_for(robot_with("{" + start + ", " + end + n + "}"));
  };
  EXPECT_THAT(beam("to: [1, 0, 0], material: steel", "0"), HasSubstr("'0', expected a whole number from 1 to 200"));
  EXPECT_THAT(beam("to: [1, 0, 0], material: steel", "201"), HasSubstr("from 1 to 200"));
  EXPECT_THAT(beam("to: [1, 0, 0], material: steel", "1.5"), HasSubstr("from 1 to 200"));
  EXPECT_THAT(beam("to: [1, 0, 0], material: steal", "1"), HasSubstr("did you mean 'steel'?"));
  EXPECT_THAT(beam("to: [0, 0, 0], material: steel", "1"), HasSubstr("body 'link': beam: read a length of 0 m"));
  EXPECT_THAT(beam("from: [1, 0, 0], to: [1, 0, 0], material: steel", "1"), HasSubstr("read a length of 0 m"));
  EXPECT_THAT(beam("material: steel", "1"), HasSubstr("a beam without 'to'"));
  const auto material = [](const std::string& m) {
    return message_for(robot_with("{to: [1, 0, 0], material: steel, section: {square: 1 mm}, elements: 1}", m));
  };
  EXPECT_EQ(material("{E: 2e11, nu: 0.5, rho: 7800}"), "accepted");
  EXPECT_THAT(material("{E: 2e11, nu: 0.51, rho: 7800}"), HasSubstr("material 'steel': read nu = 0.51"));
  EXPECT_THAT(material("{E: 2e11, nu: -1, rho: 7800}"), HasSubstr("read nu = -1"));
  EXPECT_THAT(material("{E: 0, nu: 0.3, rho: 7800}"), HasSubstr("read E = 0 Pa"));
  EXPECT_THAT(material("{E: 2e11, nu: 0.3, rho: -1}"), HasSubstr("read rho = -1 kg/m^3"));
  EXPECT_THAT(material("{E: 2e11, G: -1, rho: 1}"), HasSubstr("read G = -1 Pa"));
  EXPECT_THAT(material("{E: 2e11, rho: 7800}"), HasSubstr("read neither nu nor G"));
}

TEST(BeamFile, ToolRefusesABadBeamWithExitTwo) {
  const std::string file = testing::TempDir() + "/bad_beam.yaml";
  std::ofstream(file) << robot_with("{to: [0, 0, 0], material: steel, section: {square: 1 mm}, elements: 1}");
  const int status = std::system((std::string(GOUGH_TOOL) + " check " + file + " >/dev/null 2>&1").c_str());
  EXPECT_EQ(WEXITSTATUS(status), 2);
}

TEST(BeamFile, SchemaKnowsBeams) {
  const auto schema = nlohmann::json::parse(robot_schema());
  EXPECT_EQ(schema["properties"]["materials"]["additionalProperties"]["$ref"], "#/$defs/material");
  EXPECT_EQ(schema["$defs"]["body"]["properties"]["beam"]["oneOf"][0]["$ref"], "#/$defs/beam");
  EXPECT_EQ(schema["$defs"]["beam"]["properties"]["section"]["$ref"], "#/$defs/section");
  EXPECT_EQ(schema["$defs"]["beam"]["properties"]["elements"]["maximum"], 200);
}

}  // namespace
}  // namespace gough::beam_file_test
