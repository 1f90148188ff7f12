#pragma once
/// Tables of numbers with a heading, as CSV. Untrusted: bounded size, every mistake named by line and column.
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "gough/io/files.hpp"

namespace gough {

struct Table {
  std::vector<std::string> columns;
  std::vector<std::vector<double>> rows;
  std::vector<int> line;  ///< of each row in its file; empty for a table made in memory

  /// The index of a column, -1 where there is none.
  int find(const std::string& name) const;
};

inline constexpr std::size_t largest_table_file = std::size_t{1} << 28;

/// Throws Error: file:line: what was read, what was expected. Blank lines and lines that start with # are skipped.
Table read_table(const std::string& path);
Table parse_table(const std::string& text, const std::string& file);
/// Numbers in full precision; names with commas or quotes are quoted.
std::string table_text(const Table& table);

/// A table written row by row. It takes its name when it is complete, or when what makes it ends early: its rows are kept.
class TableWriter {
 public:
  /// Writes the heading. Throws Error where the file cannot be written, here and in `add`.
  TableWriter(std::string path, const std::vector<std::string>& columns);
  void add(std::span<const double> row);
  /// The table takes its name now, for who reads it again.
  void finish();

 private:
  std::unique_ptr<OutputFile> file_;
};

}  // namespace gough
