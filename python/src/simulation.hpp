#pragma once
/// A controller that the library made, for Python to hand back to it.
#include "gough/simulation/simulate.hpp"

namespace gough::python {

struct LibraryController {
  Controller f;
};

}  // namespace gough::python
