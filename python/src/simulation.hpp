#pragma once
/// A controller that the library made, for Python to hand back to it.
#include <array>

#include "gough/simulation/simulate.hpp"

namespace gough::python {

/// What a controller relies on in a robot that it was made for.
using Sizes = std::array<std::size_t, 5>;
inline Sizes sizes_of(const Mechanism<double>& m) {
  return {static_cast<std::size_t>(m.nq), static_cast<std::size_t>(m.nv), m.actuator.size(), m.parent.size(),
          m.coordinate.size()};
}

struct LibraryController {
  Controller f;
  Sizes made_for = {};
  bool once = false;  ///< it remembers its run
  bool used = false;
};

}  // namespace gough::python
