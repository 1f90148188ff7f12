#pragma once
/// Published numbers beside ours: a study lists them, its result and its report compare.
#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "gough/io/csv.hpp"

namespace gough {

/// Which number of a column is meant.
enum class Taken { start, end, least, greatest, peak, rms };
inline constexpr std::array<std::string_view, 6> taken_names = {"start", "end", "least", "greatest", "peak", "rms"};
inline std::string_view name(Taken t) { return taken_names[static_cast<std::size_t>(t)]; }

struct PublishedNumber {
  std::string what, column;
  std::string as_written;  ///< with its unit
  double value = 0;        ///< in SI units
  Taken take = Taken::start;
};

struct Published {
  std::string source;
  std::vector<PublishedNumber> numbers;
};

/// One of them beside ours.
struct ComparedNumber {
  PublishedNumber published;
  double ours = 0;
};

/// Ours from the table's columns; nothing where it has no rows.
std::vector<ComparedNumber> compare_published(const Published& published, const Table& table);

}  // namespace gough
