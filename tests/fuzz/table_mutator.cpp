/// CSV as cells.
#include <algorithm>
#include <array>

#include "mutator.hpp"

namespace gough::fuzz {
namespace {

using Cells = std::vector<std::vector<std::string>>;  // the first row is the heading

Cells cells_of(const std::string& text) {
  Cells cells;
  for (const std::string& line : split(text, '\n'))
    if (!line.empty()) cells.push_back(split(line, ','));
  return cells;
}

std::string text_of(const Cells& cells, const std::string& between = ",") {
  std::string text;
  for (const auto& row : cells) text += join(row, between) + "\n";
  return text;
}

std::string& any_cell(Cells& cells, Dice& dice) { return dice.of(dice.of(cells)); }

void odd_value(Cells& cells, Dice& dice) { any_cell(cells, dice) = odd_number(dice); }

void other_size(Cells& cells, Dice& dice) {
  std::string& cell = any_cell(cells, dice);
  cell = scaled(cell, dice);
}

void copy_cell(Cells& cells, Dice& dice) {
  const std::string copy = any_cell(cells, dice);
  any_cell(cells, dice) = copy;
}

void leave_out_row(Cells& cells, Dice& dice) {
  if (cells.size() > 1) cells.erase(cells.begin() + static_cast<std::ptrdiff_t>(dice.below(cells.size())));
}

void repeat_row(Cells& cells, Dice& dice) {
  const auto copy = dice.of(cells);
  cells.insert(cells.end(), dice.one_in(20) ? 200 : 1, copy);
}

/// Later rows with times that go on.
void add_rows(Cells& cells, Dice& dice) {
  for (std::size_t n = 1 + dice.below(30); n > 0; --n) {
    cells.push_back(cells.back());
    cells.back().front() = std::to_string(std::strtod(cells.back().front().c_str(), nullptr) + 0.01);
  }
}

void swap_rows(Cells& cells, Dice& dice) { std::swap(dice.of(cells), dice.of(cells)); }

void swap_columns(Cells& cells, Dice& dice) {
  const std::size_t a = dice.below(cells[0].size()), b = dice.below(cells[0].size());
  for (auto& row : cells)
    if (std::max(a, b) < row.size()) std::swap(row[a], row[b]);
}

void leave_out_column(Cells& cells, Dice& dice) {
  const std::size_t at = dice.below(cells[0].size());
  for (auto& row : cells)
    if (at < row.size() && row.size() > 1) row.erase(row.begin() + static_cast<std::ptrdiff_t>(at));
}

void repeat_column(Cells& cells, Dice& dice) {
  const std::size_t at = dice.below(cells[0].size());
  for (auto& row : cells)
    if (at < row.size()) row.push_back(row[at]);
}

/// A column gets a name that some reader looks for; perhaps a new column.
void name_column(Cells& cells, Dice& dice) {
  static const std::array<std::string, 46> names = {"t",
                                                    "x",
                                                    "y",
                                                    "z",
                                                    "rx",
                                                    "ry",
                                                    "rz",
                                                    "vx",
                                                    "vy",
                                                    "vz",
                                                    "wx",
                                                    "wy",
                                                    "wz",
                                                    "ax",
                                                    "ay",
                                                    "az",
                                                    "dwx",
                                                    "dwy",
                                                    "dwz",
                                                    "fx",
                                                    "fy",
                                                    "fz",
                                                    "mx",
                                                    "my",
                                                    "mz",
                                                    "q.left",
                                                    "q.right",
                                                    "v.left",
                                                    "v.right",
                                                    "a.left",
                                                    "a.right",
                                                    "tau.left",
                                                    "tau.right",
                                                    "current.left",
                                                    "current.right",
                                                    "left_distal.1.x",
                                                    "v.left_distal.1.y",
                                                    "left_distal.99.rz",
                                                    "q.left_distal.modes.1",
                                                    "v.left_distal.modes.1",
                                                    "",
                                                    "t ",
                                                    "\"t\"",
                                                    "\"a,b\"",
                                                    "q.",
                                                    "."};
  if (dice.one_in(2)) repeat_column(cells, dice);
  if (cells[0].empty()) return;
  (dice.one_in(2) ? cells[0].back() : dice.of(cells[0])) = dice.of(names);
}

void quote(Cells& cells, Dice& dice) {
  std::string& cell = any_cell(cells, dice);
  cell = dice.one_in(4) ? cell + "\"" : "\"" + cell + "\"";
}

void extra_cell(Cells& cells, Dice& dice) { dice.of(cells).emplace_back(); }

void remark(Cells& cells, Dice& dice) {
  cells.insert(cells.begin() + static_cast<std::ptrdiff_t>(dice.below(cells.size())), {dice.one_in(2) ? "# note" : ""});
}

using Change = void (*)(Cells&, Dice&);
constexpr std::array<Change, 18> changes = {odd_value,     other_size,  other_size,  other_size,       copy_cell,
                                            leave_out_row, repeat_row,  add_rows,    add_rows,         swap_rows,
                                            swap_columns,  name_column, name_column, leave_out_column, repeat_column,
                                            quote,         extra_cell,  remark};

}  // namespace

std::string mutate_table(const std::string& text, Dice& dice) {
  Cells cells = cells_of(text);
  if (cells.empty() || dice.one_in(20)) return damaged(text, dice);
  for (std::size_t n = 1 + dice.below(4); n > 0; --n) {
    dice.of(changes)(cells, dice);
    if (cells.empty() || cells[0].empty()) break;
  }
  static const std::array<std::string, 4> odd_separators = {";", "\t", ", ", ",,"};
  return text_of(cells, dice.one_in(40) ? dice.of(odd_separators) : ",");
}

/// The columns of one beside those of the other.
std::string splice_tables(const std::string& text, const std::string& other, Dice& dice) {
  Cells cells = cells_of(text), more = cells_of(other);
  if (cells.empty() || more.empty()) return text + other;
  if (dice.one_in(2)) cells.insert(cells.end(), more.begin(), more.end());
  else
    for (std::size_t r = 0; r < cells.size(); ++r) {
      const auto& row = more[std::min(r, more.size() - 1)];
      cells[r].insert(cells[r].end(), row.begin(), row.end());
    }
  return text_of(cells);
}

}  // namespace gough::fuzz
