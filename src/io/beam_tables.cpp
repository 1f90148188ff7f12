#include "beam_tables.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <tuple>

namespace gough::io {
namespace {

using namespace dimension;
using std::numbers::pi;

constexpr Dimension area{0, 2, 0}, second_moment{0, 4, 0};

/// Two lengths whose names are `what`.
struct TwoLengths {
  std::string what;
  std::array<double, 2> read(const Node& node) const {
    if (!node.is_list() || node.size() != 2)
      node.fail(node.is_list() ? fmt::format("a list of {}", node.size()) : node.shown(), what);
    return {Number{length}.read(node.item(0)), Number{length}.read(node.item(1))};
  }
  json schema() const {
    return {{"type", "array"}, {"items", Number{length}.schema()}, {"minItems", 2}, {"maxItems", 2}};
  }
};

struct ElementCount {
  int read(const Node& node) const {
    const double n = node.is_scalar() ? Number{none}.read(node) : 0.0;
    if (!(n >= 1 && n <= most_elements && n == std::floor(n)))
      node.fail(node.shown(), fmt::format("a whole number from 1 to {}", most_elements));
    return static_cast<int>(n);
  }
  json schema() const { return {{"type", "integer"}, {"minimum", 1}, {"maximum", most_elements}}; }
};

/// Saint-Venant's torsion constant of an a x b rectangle.
double rectangle_torsion(double a, double b) {
  if (a < b) std::swap(a, b);
  double sum = 0;
  for (int n = 1; n < 40; n += 2) sum += std::tanh(n * pi * a / (2 * b)) / std::pow(n, 5);
  return a * b * b * b / 3 * (1 - 192 / std::pow(pi, 5) * b / a * sum);
}

void set_rectangle(double width, double height, BeamDescription& beam) {
  beam.A = width * height;
  beam.Iy = width * std::pow(height, 3) / 12;
  beam.Iz = height * std::pow(width, 3) / 12;
  beam.J = rectangle_torsion(width, height);
  beam.shear_factor = 5.0 / 6;
  beam.half_y = width / 2;
  beam.half_z = height / 2;
}

/// Cowper's shear factor with nu = 0, as the rectangle's 5/6 is: 6/7 when solid, 1/2 when thin.
void set_tube(double outer, double inner, BeamDescription& beam) {
  const double r2 = std::pow(inner / outer, 2), s = std::pow(1 + r2, 2);
  beam.A = pi / 4 * (outer * outer - inner * inner);
  beam.Iy = beam.Iz = pi / 64 * (std::pow(outer, 4) - std::pow(inner, 4));
  beam.J = 2 * beam.Iy;
  beam.half_y = beam.half_z = outer / 2;
  beam.round = true;
  beam.shear_factor = 6 * s / (7 * s + 20 * r2);
}

void set_section(const FileSection& s, BeamDescription& beam) {
  const bool numbers = s.A || s.Iy || s.Iz || s.J;
  const auto shapes = {s.rectangle.has_value(), s.square.has_value(), s.tube.has_value(), s.round.has_value(), numbers};
  const auto fail = [&](const std::string& why) { throw Error(s.where, "section: " + why); };
  if (const auto n = std::count(shapes.begin(), shapes.end(), true); n != 1)
    fail(fmt::format("read {} shapes, expected one of rectangle, square, tube, round, or A, Iy, Iz and J", n));
  const auto size = [&](double x) {
    if (!(x > 0)) fail(fmt::format("read a size of {:g} m, expected one above 0", x));
    return x;
  };
  if (s.rectangle) set_rectangle(size((*s.rectangle)[0]), size((*s.rectangle)[1]), beam);
  if (s.square) set_rectangle(size(*s.square), size(*s.square), beam);
  if (s.round) set_tube(size(*s.round), 0, beam);
  if (s.tube) {
    const auto [outer, inner] = *s.tube;
    if (size(inner) >= size(outer))
      fail(fmt::format("read the inner diameter {:g} m in an outer one of {:g} m, expected a smaller one", inner,
                       outer));
    set_tube(outer, inner, beam);
  }
  if (numbers) {
    if (!s.A || !s.Iy || !s.Iz || !s.J) fail("read some of A, Iy, Iz, J, expected all four");
    std::tie(beam.A, beam.Iy, beam.Iz, beam.J) = std::tuple(*s.A, *s.Iy, *s.Iz, *s.J);
  }
  if (s.outer && !numbers) fail("read outer with a shape, which has its own, expected it with A, Iy, Iz and J alone");
  if (s.outer) std::tie(beam.half_y, beam.half_z) = std::pair(size((*s.outer)[0]), size((*s.outer)[1]));
  if (s.shear_factor) beam.shear_factor = *s.shear_factor;
}

const FileMaterial& find_material(const FileBeam& beam, const FileMaterials& materials) {
  std::vector<std::string> known;
  for (const auto& [name, material] : materials) {
    if (name == beam.material) return material;
    known.push_back(name);
  }
  const std::string near = nearest(beam.material, known);
  throw Error(beam.where, fmt::format("beam: read the material '{}', expected one listed under `materials`{}",
                                      beam.material, near.empty() ? "" : "; did you mean '" + near + "'?"));
}

double shear_modulus(const FileMaterial& m) { return m.G ? *m.G : m.E / (2 * (1 + *m.nu)); }

void check_material(const std::string& name, const FileMaterial& m) {
  const auto fail = [&](const std::string& why) { throw Error(m.where, fmt::format("material '{}': {}", name, why)); };
  if (!(m.E > 0)) fail(fmt::format("read E = {:g} Pa, expected a modulus above 0", m.E));
  if (!(m.rho > 0)) fail(fmt::format("read rho = {:g} kg/m^3, expected a density above 0", m.rho));
  if (!m.nu && !m.G) fail("read neither nu nor G, expected one of them");
  if (m.nu && !(*m.nu > -1 && *m.nu <= 0.5))
    fail(fmt::format("read nu = {:g}, expected a Poisson's ratio above -1 and at most 0.5", *m.nu));
  if (!(m.damping >= 0)) fail(fmt::format("read a damping of {:g} s, expected none below 0", m.damping));
  if (!(shear_modulus(m) > 0)) fail(fmt::format("read G = {:g} Pa, expected a modulus above 0", shear_modulus(m)));
}

}  // namespace

const KeyTable<FileMaterial>& material_table() {
  static const KeyTable<FileMaterial> table{
      "a material",
      {field("E", &FileMaterial::E, Number{pressure}, "Young's modulus [Pa]", true),
       field("nu", &FileMaterial::nu, Number{none}, "Poisson's ratio; gives G = E / (2 + 2 nu) where G is left out"),
       field("G", &FileMaterial::G, Number{pressure}, "shear modulus [Pa]"),
       field("rho", &FileMaterial::rho, Number{density}, "density [kg/m^3]", true),
       field("damping", &FileMaterial::damping, Number{dimension::time},
             "damping in proportion to stiffness: c = damping k [s]; none if left out")},
      "material"};
  return table;
}

const KeyTable<FileSection>& section_table() {
  using S = FileSection;
  static const KeyTable<S> table{
      "a section",
      {field("rectangle", &S::rectangle, TwoLengths{"[width, height]"}, "[width along y, height along z] [m]"),
       field("square", &S::square, Number{length}, "side [m]"),
       field("tube", &S::tube, TwoLengths{"[outer diameter, inner diameter]"}, "[outer, inner diameter] [m]"),
       field("round", &S::round, Number{length}, "diameter [m]"),
       field("A", &S::A, Number{area}, "area [m^2]; with Iy, Iz and J instead of a shape"),
       field("Iy", &S::Iy, Number{second_moment}, "second moment of area about y: bending in the x-z plane [m^4]"),
       field("Iz", &S::Iz, Number{second_moment}, "second moment of area about z: bending in the x-y plane [m^4]"),
       field("J", &S::J, Number{second_moment}, "torsion constant [m^4]"),
       field("outer", &S::outer, TwoLengths{"[along y, along z]"},
             "with A, Iy, Iz, J: distances of the outermost fibres from the axis, for stress [m]"),
       field("shear_factor", &S::shear_factor, Number{none}, "the shape's if left out; 5/6 with A, Iy, Iz, J")},
      "section"};
  return table;
}

const KeyTable<FileBeam>& beam_table() {
  using B = FileBeam;
  static const KeyTable<B> table{
      "a beam",
      {field("from", &B::from, Vector3{length},
             "where it is clamped in the body; the body's origin, or the end of the piece before it, if left out [m]"),
       field("to", &B::to, Vector3{length}, "where it ends [m]", true),
       field("material", &B::material, Text{}, "a name listed under `materials`", true),
       field("section", &B::section, Object<FileSection>{section_table},
             "its shape; x runs along the beam, z as near as can be to the body's z (y to the body's y, where the beam "
             "runs along z)",
             true),
       field("elements", &B::elements, ElementCount{}, "number of finite elements", true),
       field("shear", &B::shear, Boolean{},
             "false: without shear deformation (Rayleigh; Euler-Bernoulli without rotary inertia too)"),
       field("rotary_inertia", &B::rotary_inertia, Boolean{},
             "false: sections turn without inertia as the beam bends")},
      "beam"};
  return table;
}

void check_materials(const FileMaterials& materials) {
  for (const auto& [name, m] : materials) check_material(name, m);
}

std::vector<BeamDescription> describe_beam(const std::vector<FileBeam>& pieces, const FileMaterials& materials) {
  std::vector<BeamDescription> all;
  for (const FileBeam& file : pieces) {
    const FileMaterial& material = find_material(file, materials);
    BeamDescription beam;
    beam.where = file.where;
    beam.from = file.from.value_or(all.empty() ? Vec3<double>(Vec3<double>::Zero()) : all.back().to);
    beam.to = file.to;
    beam.E = material.E;
    beam.G = shear_modulus(material);
    beam.rho = material.rho;
    beam.damping = material.damping;
    beam.elements = file.elements;
    beam.shear = file.shear;
    beam.rotary_inertia = file.rotary_inertia;
    set_section(file.section, beam);
    all.push_back(beam);
  }
  return all;
}

}  // namespace gough::io
