#pragma once
/// The part of a robot file's grammar that makes a body a beam: materials, sections, and the beam itself.
#include <optional>

#include "gough/model/description.hpp"
#include "readers.hpp"

namespace gough::io {

struct FileMaterial {
  Where where;
  double E = 0, rho = 0;
  std::optional<double> nu, G;
  double damping = 0;
};
using FileMaterials = std::vector<std::pair<std::string, FileMaterial>>;

/// One of the shapes, or the four numbers A, Iy, Iz, J.
struct FileSection {
  Where where;
  std::optional<std::array<double, 2>> rectangle, tube, outer;
  std::optional<double> square, round, A, Iy, Iz, J, shear_factor;
};

struct FileBeam {
  Where where;
  std::optional<Vec3<double>> from;
  Vec3<double> to = Vec3<double>::Zero();
  std::string material;
  FileSection section;
  int elements = 1;
  bool shear = true, rotary_inertia = true;
};

const KeyTable<FileMaterial>& material_table();
const KeyTable<FileSection>& section_table();
const KeyTable<FileBeam>& beam_table();

/// Checks what the file says of its materials, whether a beam uses them or not. Throws Error.
void check_materials(const FileMaterials& materials);

/// The pieces of a beam with their sections and materials worked out. Throws Error.
std::vector<BeamDescription> describe_beam(const std::vector<FileBeam>& pieces, const FileMaterials& materials);

}  // namespace gough::io
