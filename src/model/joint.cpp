#include "gough/model/joint.hpp"

#include <algorithm>
#include <cassert>

namespace gough {

using What = CutRow::What;

std::string_view CutRow::name() const {
  static constexpr std::array<std::string_view, 3> position = {"x", "y", "z"}, turn = {"rx", "ry", "rz"};
  switch (what) {
    case What::position: return position[static_cast<std::size_t>(i)];
    case What::turn: return turn[static_cast<std::size_t>(i)];
    case What::axis:  // a_x . b_z = 0 forbids the turn about y, a_y . b_z = 0 about x, a_z . b_x = 0 about y
      return turn[static_cast<std::size_t>(3 - i - k)];
    case What::distance: return "length";
  }
  return "";
}

const std::vector<CutRow>& cut_rows(JointKind kind) {
  static const CutRow x{What::position, 0}, y{What::position, 1}, z{What::position, 2};
  static const CutRow rx{What::turn, 0}, ry{What::turn, 1}, rz{What::turn, 2};
  static const CutRow x_of_z{What::axis, 0, 2}, y_of_z{What::axis, 1, 2}, z_of_x{What::axis, 2, 0};
  static const std::array<std::vector<CutRow>, 12> rows = {{
      {x, y, z, rx, ry, rz},           // fixed
      {x, y, z, y_of_z, x_of_z},       // revolute
      {x, y, rx, ry, rz},              // prismatic
      {x, y, z, z_of_x},               // universal
      {x, y, y_of_z, x_of_z},          // cylindrical
      {x, y, z},                       // spherical
      {z, y_of_z, x_of_z},             // planar
      {x, y},                          // point_on_line
      {z},                             // point_on_plane
      {CutRow{What::distance, 0, 0}},  // distance
      {},                              // free
      {},                              // modal: never cut
  }};
  return rows[static_cast<std::size_t>(kind)];
}

const std::vector<CoordinateKind>& coordinate_kinds(JointKind kind) {
  static const std::array<std::vector<CoordinateKind>, 12> kinds = {{
      {},
      {{"", false}},
      {{"", true}},
      {{"1", false}, {"2", false}},
      {{"rz", false}, {"z", true}},
      {{"rx", false}, {"ry", false}, {"rz", false}},
      {{"x", true}, {"y", true}, {"rz", false}},
      {{"z", true}, {"rx", false}, {"ry", false}, {"rz", false}},
      {{"x", true}, {"y", true}, {"rx", false}, {"ry", false}, {"rz", false}},
      {{"1", false}, {"2", false}, {"rx", false}, {"ry", false}, {"rz", false}},
      {{"x", true}, {"y", true}, {"z", true}, {"rx", false}, {"ry", false}, {"rz", false}},
  }};
  return kinds[static_cast<std::size_t>(kind)];
}

namespace {

/// z of the new frame along x (or y) of the old one, and back.
Transform<double> z_along(int axis) { return {rotation_to_axis(Vec3<double>::Unit(axis)), Vec3<double>::Zero()}; }
Transform<double> up(double length) { return {Mat3<double>::Identity(), Vec3<double>(0, 0, length)}; }

/// Half a turn about x: seen from there, a turn about z and a slide along z run backwards.
Transform<double> flip() {
  Transform<double> X;
  X.R.diagonal() << 1, -1, -1;
  return X;
}

bool is_one_axis(Elementary e) { return e == Elementary::revolute || e == Elementary::prismatic; }

}  // namespace

JointRun joint_run(JointKind kind, double length) {
  using E = Elementary;
  const Transform<double> o, x = z_along(0), y = z_along(1), xi = x.inverse(), yi = y.inverse();
  switch (kind) {
    case JointKind::fixed: return {{E::fixed}, {o, o}};
    case JointKind::revolute: return {{E::revolute}, {o, o}};
    case JointKind::prismatic: return {{E::prismatic}, {o, o}};
    case JointKind::universal: return {{E::revolute, E::revolute}, {o, x, xi}};
    case JointKind::cylindrical: return {{E::revolute, E::prismatic}, {o, o, o}};
    case JointKind::spherical: return {{E::spherical}, {o, o}};
    case JointKind::planar: return {{E::prismatic, E::prismatic, E::revolute}, {x, xi * y, yi, o}};
    case JointKind::point_on_line: return {{E::prismatic, E::spherical}, {o, o, o}};
    case JointKind::point_on_plane: return {{E::prismatic, E::prismatic, E::spherical}, {x, xi * y, yi, o}};
    case JointKind::distance: return {{E::revolute, E::revolute, E::spherical}, {x, xi * y, yi * up(length), o}};
    case JointKind::free: return {{E::free}, {o, o}};
    case JointKind::modal: return {{E::modal}, {o, o}};
  }
  return {};
}

JointRun reversed(const JointRun& run) {
  const std::size_t n = run.joint.size();
  JointRun back;
  for (std::size_t i = 0; i <= n; ++i) {  // offset n-i, walked backwards, between the flips of its neighbours
    Transform<double> X = run.offset[n - i].inverse();
    if (n - i < n && is_one_axis(run.joint[n - i])) X = flip() * X;
    if (n - i > 0 && is_one_axis(run.joint[n - i - 1])) X = X * flip();
    back.offset.push_back(X);
    if (i < n) back.joint.push_back(run.joint[n - i - 1]);
  }
  return back;
}

}  // namespace gough
