#include "flex_plane.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "gough/error.hpp"
#include "gough/kinematics/closure.hpp"

namespace gough {
namespace {

constexpr double straight = 1e-9;  // cosine between what should be parallel and the plane
}  // namespace

std::string beside_plane(const Mechanism<double>& m, const Workspace<double>& w) {
  std::optional<double> height;
  const auto beside = [&](const Vec3<double>& p) {
    if (!height) height = p.z();
    return std::abs(p.z() - *height) > 1e-6;
  };
  for (std::size_t j = 0; j < m.parent.size(); ++j) {
    if (m.joint[j].type == Elementary::revolute && beside(w.X0[j].p)) return "the joint of '" + m.body_name[j] + "'";
    const Inertia<double>& I = m.inertia[j];
    if (I.mass > 0 && beside(w.X0[j] * Vec3<double>(I.first / I.mass))) return "the mass of '" + m.body_name[j] + "'";
  }
  for (std::size_t c = 0; c < m.cut.size(); ++c)
    if (m.cut[c].kind == JointKind::revolute && beside(cut_frame_b(m, w, c).p))
      return "the joint '" + m.cut[c].name + "'";
  for (const BeamBody& b : m.beam) {
    const Transform<double> X = w.X0[at(b.body)] * m.body_frame[at(b.body)];
    for (const auto& [mass, xyz] : b.description.points)
      if (mass > 0 && beside(X * xyz)) return "a mass on '" + m.body_name[at(b.body)] + "'";
    for (const BeamDescription& piece : b.description.beam) {
      if (beside(X * piece.from) || beside(X * piece.to)) return "the beam '" + m.body_name[at(b.body)] + "'";
      const double y = std::abs((X.R * piece.axes().col(1)).z());
      if (std::abs(piece.Iy - piece.Iz) > 1e-9 * piece.Iz && y > 1e-6 && y < 1 - 1e-6)
        return "the section of '" + m.body_name[at(b.body)] + "'";
    }
  }
  return {};
}

void refuse_carriage(const Mechanism<double>& m, const Workspace<double>& w, int body, const Transform<double>& guide,
                     const std::string& joint) {
  const auto beam = std::find_if(m.beam.begin(), m.beam.end(), [&](const BeamBody& b) { return b.body == body; });
  if (beam == m.beam.end()) return;
  const Transform<double> X = w.X0[at(body)] * m.body_frame[at(body)];
  const BeamDescription& last = beam->description.beam.back();
  for (const BeamDescription& piece : beam->description.beam)
    if (std::abs((X.R * (piece.to - piece.from)).normalized().dot(guide.R.col(2))) > 0.999 &&
        (X * last.to - guide.p).norm() > 1e-6)
      throw Error(
          piece.where,
          fmt::format("body '{}': beam: read the slide '{}' along the beam, expected one across it or at its far "
                      "end: a carriage that travels along a beam that bends is not modelled",
                      m.body_name[at(body)], joint));
}

std::string out_of_plane(const Mechanism<double>& m, const Workspace<double>& w, const FlexLoads& loads) {
  for (const PointLoad& l : loads.points)
    if (std::abs(l.force.z()) > straight * l.force.norm()) return "a load on '" + m.body_name[at(l.body)] + "'";
  if (loads.across) return "the wrench on the platform";
  const auto level = [](const Vec3<double>& e) { return std::abs(e.z()) < straight; };
  const auto upright = [](const Vec3<double>& e) { return std::hypot(e.x(), e.y()) < straight; };
  for (std::size_t j = 0; j < m.joint.size(); ++j) {
    const Vec3<double> z = w.X0[j].R.col(2);
    const Elementary type = m.joint[j].type;
    const bool in_plane = type == Elementary::fixed || (type == Elementary::revolute && upright(z)) ||
                          (type == Elementary::prismatic && level(z)) ||
                          (type == Elementary::free && m.platform.floats && static_cast<int>(j) == m.platform.body);
    if (!in_plane) return fmt::format("the joint that carries '{}'", m.body_name[j]);
  }
  for (std::size_t c = 0; c < m.cut.size(); ++c) {
    const Vec3<double> z = cut_frame_b(m, w, c).R.col(2);
    const JointKind kind = m.cut[c].kind;
    const bool in_plane = kind == JointKind::fixed || (kind == JointKind::revolute && upright(z)) ||
                          (kind == JointKind::prismatic && level(z));
    if (!in_plane) return fmt::format("the joint '{}'", m.cut[c].name);
  }
  for (const BeamBody& b : m.beam)
    for (const BeamDescription& piece : b.description.beam)
      if (const Vec3<double> x = w.X0[at(b.body)].R * (m.body_frame[at(b.body)].R * (piece.to - piece.from));
          std::abs(x.z()) > straight * x.norm())
        return fmt::format("the beam '{}'", m.body_name[at(b.body)]);
  if (std::abs(m.gravity.z()) > straight * m.gravity.norm()) return "gravity";
  return {};
}

}  // namespace gough
