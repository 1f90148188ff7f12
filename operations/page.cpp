#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <map>

#include "gough/error.hpp"
#include "gough/io/robot_file.hpp"
#include "operations.hpp"

namespace gough {
namespace {

const std::string head =
    "# Operation counts\n\n"
    "Written by `make operations`; `tests/codegen/operations_test.cpp` holds it against the code: counts can only go\n"
    "down. What [generated code](codegen.md) costs a call, for every robot in `robots/`, by what it computes and what "
    "it\n"
    "is given. \"987 + 18\": 987 additions, subtractions, multiplications and divisions, and 18 functions (sqrt, sin, "
    "cos,\n"
    "atan2), by the [counting rule](theory/codegen.md#counting-rule). \"-\": there is no such code, and\n"
    "`gough generate` says why.\n";

std::map<std::string, Mechanism<double>> robots_in(const std::string& folder) {
  std::map<std::string, Mechanism<double>> robots;
  for (const auto& entry : std::filesystem::directory_iterator(folder))
    if (entry.path().extension() == ".yaml")
      robots.emplace(entry.path().stem().string(), load_robot(entry.path().string()));
  return robots;
}

std::string title(const std::string& what) { return fmt::format("\n## {}\n", what); }

}  // namespace

std::optional<Program> code_of(const Mechanism<double>& m, const std::string& what, const std::string& from) {
  try {
    return generate(m, {what, from});
  } catch (const Error&) { return std::nullopt; }
}

std::string operation_cell(const std::optional<Program>& code) {
  if (!code) return "-";
  const Count c = count(*code).call;
  return fmt::format("{} + {}", c.total(), c.special());
}

std::string operation_row(const std::string& robot, const Mechanism<double>& m, const std::string& what) {
  std::string row = fmt::format("| {} |", robot), published = "-";
  for (const char* from : counted_froms) {
    const std::optional<Program> code = code_of(m, what, from);
    row += fmt::format(" {} |", operation_cell(code));
    if (!code) continue;
    for (const PublishedCount& x : published_counts(*code))
      published =
          (published == "-" ? "" : published + "; ") + fmt::format("{} from {}, {}", x.add + x.mul, from, x.source);
  }
  return row + fmt::format(" {} |", published);
}

std::string row_in(const std::string& page, const std::string& robot, const std::string& what) {
  const std::size_t section = page.find(title(what));
  if (section == std::string::npos) return "";
  const std::size_t end = page.find("\n## ", section + 1), row = page.find(fmt::format("\n| {} |", robot), section);
  return row < end ? page.substr(row + 1, page.find('\n', row + 1) - row - 1) : "";
}

std::array<std::optional<int>, 3> operations_in(const std::string& row) {
  std::array<std::optional<int>, 3> numbers;
  std::size_t cell = row.find('|', 1);
  for (std::optional<int>& number : numbers) {
    if (cell == std::string::npos) break;
    int read = 0;
    if (std::from_chars(row.data() + cell + 2, row.data() + row.size(), read).ec == std::errc()) number = read;
    cell = row.find('|', cell + 1);
  }
  return numbers;
}

std::string operation_page(const std::string& root) {
  auto robots = robots_in(root + "/robots");
  std::string page = head, left_out;
  for (const auto& [name, m] : robots)
    if (m.bodies() > most_counted_bodies)
      left_out += fmt::format("{}{} ({})", left_out.empty() ? "" : ", ", name, m.bodies());
  std::erase_if(robots, [](const auto& robot) { return robot.second.bodies() > most_counted_bodies; });
  if (!left_out.empty())
    page += fmt::format("\nLeft out, with more than {} bodies: {}.\n", most_counted_bodies, left_out);
  for (const char* what : counted_whats) {
    page +=
        title(what) + "\n| robot | from joints | from platform | from actuators | published |\n|---|---|---|---|---|\n";
    for (const auto& [name, m] : robots) page += operation_row(name, m, what) + "\n";
  }
  return page;
}

}  // namespace gough
