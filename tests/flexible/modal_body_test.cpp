/// Bodies reduced to modes: what they keep of their elements, and what they lose.
#include "gough/flexible/modal_body.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "flexible/one_beam.hpp"

namespace gough::modal_body_test {
namespace {

using std::numbers::pi;

BodyDescription link(int elements = 8) {
  BeamDescription b = published_link();
  b.elements = elements;
  BodyDescription body;
  body.name = "link";
  body.beam = {b};
  return body;
}

TEST(ModalBody, KeepsStaticsExactlyAndLowModesClosely) {
  const ModalBody m = modal_body(link(), 5, Vec3<double>::UnitZ());
  EXPECT_LT(m.truncation.compliance, 1e-10) << "interface modes are static solutions";
  EXPECT_NEAR(std::sqrt(m.stiffness[0] / m.mass[0]) / (2 * pi), 62.85298727, 1e-3 * 62.85);
  EXPECT_LT(m.truncation.worst, 5e-3) << "of the three lowest";
  EXPECT_GT(m.truncation.lowest_omitted, m.truncation.exact[3]);
  for (Eigen::Index i = 0; i < 5; ++i)
    EXPECT_GE(m.truncation.frequency[i], m.truncation.exact[i] * (1 - 1e-9)) << "Ritz: from above";
  const ModalBody all = modal_body(link(2), 6, Vec3<double>::UnitZ());
  EXPECT_LT(all.truncation.worst, 1e-9) << "all modes: nothing is lost";
  EXPECT_EQ(all.truncation.lowest_omitted, 0);
  // tip compliance from the modes: sum psi^2 / omega^2 = L^3/3EI + L/kGA
  double compliance = 0;
  for (Eigen::Index i = 0; i < 5; ++i) compliance += std::pow(m.end.shape(1, i), 2) / m.stiffness[i];
  EXPECT_NEAR(compliance, 1.88157648442e-3, 1e-9);
}

/// Points along the beam make up its consistent mass: unit modal masses, the bar's inertia.
TEST(ModalBody, MassIsThatOfTheElements) {
  BodyDescription body = link(4);
  body.points = {{0.04, {0, 0, 0}}, {0.03, {0.2, 0.01, 0}}};
  body.mass = 0.02;
  body.com = {0.05, 0, 0};
  for (const auto& normal : {std::optional<Vec3<double>>(Vec3<double>::UnitZ()), std::optional<Vec3<double>>()}) {
    const ModalBody m = modal_body(body, 8, normal);
    MatX<double> modal = m.modes_turning;
    Inertia<double> sum;
    sum.second = m.turning;
    for (Eigen::Index k = 0; k < m.lump.count(); ++k) {
      const auto psi = m.lump.shape.middleRows(3 * k, 3);
      modal += m.lump_mass[k] * psi.transpose() * psi;
      sum = sum + inertia_about_origin<double>(m.lump_mass[k], m.lump.r.col(k), Mat3<double>::Zero());
    }
    EXPECT_LT((modal - MatX<double>(m.mass.asDiagonal())).norm(), 1e-9 * m.mass.norm());
    const Inertia<double> rigid = body.total();
    EXPECT_NEAR(sum.mass, rigid.mass, 1e-12);
    EXPECT_LT((sum.first - rigid.first).norm(), 1e-12);
    EXPECT_LT((sum.second - rigid.second).norm(), 1e-12);
  }
}

/// The shortening of a cantilever bent by a force at its end: delta^2 3/5L.
TEST(ModalBody, ShortensAsItBends) {
  const ModalBody m = modal_body(link(16), 4, Vec3<double>::UnitZ());
  const double force = 1e-3;
  VecX<double> eta(4);
  for (Eigen::Index i = 0; i < 4; ++i) eta[i] = force * m.end.shape(1, i) / m.stiffness[i];
  ASSERT_EQ(m.end.shortening.size(), 1U);
  EXPECT_LT((m.end.shortening[0].along - Vec3<double>::UnitX()).norm(), 1e-12);
  const double delta = m.end.shape.row(1).dot(eta), shorter = 0.5 * eta.dot(m.end.shortening[0].B * eta);
  EXPECT_NEAR(shorter, 0.6 * delta * delta / 0.2, 1e-3 * shorter);
  EXPECT_NEAR(m.lump.shape.cwiseAbs().maxCoeff(), 1, 0.05) << "a mode's coordinate is its largest displacement";
}

TEST(ModalBody, RefusesWhatThereIsNot) {
  EXPECT_THROW(modal_body(link(1), 4, Vec3<double>::UnitZ()), Error);
  EXPECT_THROW(modal_body(BodyDescription{}, 4), Error);
}

}  // namespace
}  // namespace gough::modal_body_test
