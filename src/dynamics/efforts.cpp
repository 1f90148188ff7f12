#include "gough/dynamics/efforts.hpp"

#include <algorithm>

namespace gough {

std::vector<int> drive_coordinates(const Structure& m) {
  std::vector<int> drives = m.actuator;
  for (const int e : m.elastic)
    if (std::find(drives.begin(), drives.end(), e) == drives.end()) drives.push_back(e);
  return drives;
}

}  // namespace gough
