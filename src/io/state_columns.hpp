#pragma once
/// What tables of states share: their columns, and tables as JSON.
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "gough/io/csv.hpp"
#include "gough/model/workspace.hpp"

namespace gough::io {

using json = nlohmann::ordered_json;

inline const Coordinate& coordinate(const Structure& m, int c) { return m.coordinate[at(c)]; }
/// Of actuator i.
inline const Coordinate& drive(const Structure& m, std::size_t i) { return coordinate(m, m.actuator[i]); }
/// A floating platform's own coordinates: they are in x .. dwz.
bool is_of_platform(const Structure& m, int c);

/// x y z rx ry rz vx .. dwz of the platform; nothing where there is none. Values read X0, V, A.
void add_platform_columns(const Structure& m, std::vector<std::string>& columns);
void add_platform(const Mechanism<double>& m, const Workspace<double>& w, std::vector<double>& row);

/// Columns of numbers by name.
json table_json(const Table& table);
std::string dumped(const json& j);

}  // namespace gough::io
