/// Writes docs/operations.md: gough_operations ROOT [PAGE].
#include <fmt/format.h>

#include <fstream>

#include "gough/error.hpp"
#include "operations.hpp"

int main(int argc, char** argv) {
  const std::string root = argc > 1 ? argv[1] : ".", page = argc > 2 ? argv[2] : root + "/docs/operations.md";
  try {
    const std::string text = gough::operation_page(root);
    std::ofstream file(page);
    file << text;
    file.close();
    if (!file) throw gough::Error({page, 0}, "cannot be written, expected a place for a file");
  } catch (const std::exception& e) {
    fmt::print(stderr, "{}\n", e.what());
    return 2;
  }
  fmt::print("{}\n", page);
}
