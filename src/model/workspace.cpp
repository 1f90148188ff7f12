#include "gough/model/workspace.hpp"

#include <array>
#include <stdexcept>
#include <string>

namespace gough {

template struct ModalState<double>;
template struct ModalState<Dual<double>>;
template struct Workspace<double>;
template struct Workspace<Dual<double>>;

void detail::stage_missing(Stage reached, Stage wanted) {
  constexpr std::array<const char*, 3> names = {"nothing", "position (tree_positions)", "closure (closure)"};
  throw std::logic_error(std::string("a stage was skipped: the workspace stands at ") +
                         names.at(static_cast<std::size_t>(reached)) + ", this needs " +
                         names.at(static_cast<std::size_t>(wanted)));
}

}  // namespace gough
