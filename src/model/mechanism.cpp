#include "gough/model/mechanism.hpp"

#include <algorithm>

namespace gough {

template struct Mechanism<double>;
template struct Mechanism<Dual<double>>;
template Mechanism<Dual<double>> Mechanism<double>::cast() const;

Structure::Structure() = default;
Structure::Structure(const Structure&) = default;
Structure::Structure(Structure&&) noexcept = default;
Structure& Structure::operator=(const Structure&) = default;
Structure& Structure::operator=(Structure&&) noexcept = default;
Structure::~Structure() = default;

int Structure::bodies() const {
  return static_cast<int>(std::count(hidden.begin(), hidden.end(), false) +
                          std::count_if(welded.begin(), welded.end(), [](const auto& w) { return w.body != base; }));
}

bool Structure::may_use(std::string_view path) const {
  return std::any_of(fast_path.begin(), fast_path.end(), [&](const FastPath& p) { return p.name == path && p.used; });
}

int Structure::find_body(std::string_view wanted) const {
  if (wanted == base_name) return base;
  const auto found = std::find(body_name.begin(), body_name.end(), wanted);
  if (found != body_name.end()) return static_cast<int>(found - body_name.begin());
  const auto part = std::find_if(welded.begin(), welded.end(), [&](const auto& w) { return w.name == wanted; });
  return part == welded.end() ? -2 : part->body;
}

int Structure::find_coordinate(std::string_view wanted) const {
  const auto found =
      std::find_if(coordinate.begin(), coordinate.end(), [&](const Coordinate& c) { return c.name == wanted; });
  return found == coordinate.end() ? -2 : static_cast<int>(found - coordinate.begin());
}

std::vector<int> Structure::leg_rows(const Leg& of) const {
  std::vector<int> rows;
  for (const int c : of.cuts)
    for (int r = 0; r < static_cast<int>(cut[at(c)].rows.size()); ++r) rows.push_back(cut[at(c)].first_row + r);
  return rows;
}

std::pair<int, std::string> Structure::in_leg(const std::string& wanted) const {
  for (std::size_t i = 0; i < leg.size(); ++i)
    if (wanted.starts_with(leg[i].name + ".")) return {static_cast<int>(i), wanted.substr(leg[i].name.size() + 1)};
  return {-1, wanted};
}

std::vector<int> Structure::standing() const {
  std::vector<int> all = elastic;
  if (platform.task_size() + static_cast<int>(all.size()) > nv - rank)
    std::erase_if(all, [this](int e) { return coordinate[static_cast<std::size_t>(e)].actuated; });
  return all;
}

std::vector<int> Structure::driven() const {
  std::vector<int> all = actuator;
  for (const int e : elastic)
    if (std::find(all.begin(), all.end(), e) == all.end()) all.push_back(e);
  return all;
}

std::string Structure::row_name(int row) const {
  for (const CutJoint& c : cut)
    if (row < c.first_row + static_cast<int>(c.rows.size()))
      return c.name + "." + std::string(c.rows[at(row - c.first_row)].name());
  return {};
}

bool Structure::row_is_length(int row) const {
  for (const CutJoint& c : cut)
    if (row < c.first_row + static_cast<int>(c.rows.size())) {
      const CutRow::What what = c.rows[at(row - c.first_row)].what;
      return what == CutRow::What::position || what == CutRow::What::distance;
    }
  return false;
}

}  // namespace gough
