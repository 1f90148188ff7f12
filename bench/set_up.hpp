#pragma once

namespace gough {

/// Constants of generated code for the robot file's parameters: set_up(NAME_default, NAME_setup).
template <class Parameters, class Constants>
Constants set_up(void (*defaults)(Parameters*), void (*setup)(const Parameters*, Constants*)) {
  Parameters p;
  Constants c;
  defaults(&p);
  setup(&p, &c);
  return c;
}

}  // namespace gough
