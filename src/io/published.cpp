#include "gough/io/published.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace gough {
namespace {

double taken(const std::vector<double>& x, Taken take) {
  const auto smaller = [](double a, double b) { return std::abs(a) < std::abs(b); };
  switch (take) {
    case Taken::start: return x.front();
    case Taken::end: return x.back();
    case Taken::least: return *std::min_element(x.begin(), x.end());
    case Taken::greatest: return *std::max_element(x.begin(), x.end());
    case Taken::peak: return *std::max_element(x.begin(), x.end(), smaller);
    case Taken::rms: {
      double sum = 0;
      for (const double y : x) sum += y * y;
      return std::sqrt(sum / static_cast<double>(x.size()));
    }
  }
  return 0;
}

}  // namespace

std::vector<ComparedNumber> compare_published(const Published& published, const Table& table) {
  std::vector<ComparedNumber> all;
  if (table.rows.empty()) return all;
  for (const PublishedNumber& number : published.numbers) {
    const int c = table.find(number.column);
    if (c < 0) {  // another model's table has no such column
      all.push_back({number, std::numeric_limits<double>::quiet_NaN()});
      continue;
    }
    std::vector<double> column;
    for (const auto& row : table.rows) column.push_back(row[static_cast<std::size_t>(c)]);
    all.push_back({number, taken(column, number.take)});
  }
  return all;
}

}  // namespace gough
