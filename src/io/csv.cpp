#include "gough/io/csv.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <set>
#include <string_view>

#include "gough/error.hpp"
#include "gough/io/text.hpp"
#include "readers.hpp"

namespace gough {
namespace {

/// The fields of one line; quoted fields may hold commas and doubled quotes.
std::vector<std::string> fields(std::string_view line, const Where& where) {
  std::vector<std::string> all(1);
  bool quoted = false;
  for (std::size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    if (c == '"' && quoted && i + 1 < line.size() && line[i + 1] == '"') all.back() += line[++i];
    else if (c == '"') quoted = !quoted;
    else if (c == ',' && !quoted) all.emplace_back();
    else all.back() += c;
  }
  if (quoted) throw Error(where, "read a quote without its end, expected \"...\"");
  for (std::string& f : all) {
    f.erase(0, f.find_first_not_of(" \t"));
    f.erase(f.find_last_not_of(" \t") + 1);
  }
  return all;
}

double number(const std::string& text, const std::string& column, const Where& where) {
  double x = 0;
  const char* begin = text.data() + (text.starts_with('+') && !text.starts_with("+-") ? 1 : 0);
  const auto [end, error] = std::from_chars(begin, text.data() + text.size(), x);
  if (error != std::errc() || end != text.data() + text.size() || !std::isfinite(x))
    throw Error(where, fmt::format("column '{}': read '{}', expected a finite number", column, beginning(text, 40)));
  return x;
}

/// A column's name is its own and printable.
void check_column(const std::string& name, const Where& where, std::set<std::string>& seen) {
  if (find_control(name) != std::string::npos)
    throw Error(where,
                fmt::format("read the column name '{}' with a control character, expected printable text", name));
  if (name.empty() || !seen.insert(name).second)
    throw Error(where, fmt::format("read the column name '{}', expected every column to have its own name", name));
}

}  // namespace

int Table::find(const std::string& name) const {
  const auto found = std::find(columns.begin(), columns.end(), name);
  return found == columns.end() ? -1 : static_cast<int>(found - columns.begin());
}

Table parse_table(const std::string& text, const std::string& file) {
  io::check_utf8(text, file);
  Table table;
  int line_number = 0;
  for (std::size_t i = 0; i < text.size();) {
    const std::size_t end = std::min(text.find('\n', i), text.size());
    std::string_view line(text.data() + i, end - i);
    i = end + 1;
    ++line_number;
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (line.find_first_not_of(" \t") == std::string_view::npos || line.starts_with('#')) continue;
    const Where where{file, line_number};
    const auto values = fields(line, where);
    if (table.columns.empty()) {
      std::set<std::string> seen;
      for (const std::string& name : values) check_column(name, where, seen);
      table.columns = values;
      continue;
    }
    if (values.size() != table.columns.size())
      throw Error(where,
                  fmt::format("read {} values, expected {} as in the heading", values.size(), table.columns.size()));
    std::vector<double> row(values.size());
    for (std::size_t c = 0; c < row.size(); ++c) row[c] = number(values[c], table.columns[c], where);
    table.rows.push_back(std::move(row));
    table.line.push_back(line_number);
  }
  if (table.columns.empty()) throw Error({file, 0}, "read an empty table, expected a heading and rows of numbers");
  return table;
}

Table read_table(const std::string& path) { return parse_table(io::read_text(path, largest_table_file), path); }

namespace {

std::string heading_text(const std::vector<std::string>& columns) {
  std::string text;
  for (const std::string& name : columns) {
    if (!text.empty()) text += ',';
    if (name.find_first_of(",\"\n#") == std::string::npos) {
      text += name;
      continue;
    }
    text += '"';
    for (const char c : name) text += c == '"' ? "\"\"" : std::string(1, c);
    text += '"';
  }
  return text + '\n';
}

std::string row_text(std::span<const double> row) { return fmt::format("{}\n", fmt::join(row, ",")); }

}  // namespace

std::string table_text(const Table& table) {
  std::string text = heading_text(table.columns);
  for (const auto& row : table.rows) text += row_text(row);
  return text;
}

TableWriter::TableWriter(std::string path, const std::vector<std::string>& columns)
    : file_(std::make_unique<OutputFile>(std::move(path))) {
  file_->put(heading_text(columns));
}

void TableWriter::finish() { file_->finish(); }

void TableWriter::add(std::span<const double> row) { file_->put(row_text(row)); }

}  // namespace gough
