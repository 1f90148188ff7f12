#pragma once
/// Measurements as tables (CSV): t, q.NAME of every actuator, perhaps v.NAME and a.NAME, and tau.NAME or current.NAME.
#include "gough/identification/measurement.hpp"
#include "gough/io/csv.hpp"

namespace gough {

/// `constants`: force per current [N/A or N m/A], one for each actuator or one for all; empty: forces must be there.
/// Throws Error: file:line: what was read, what was expected.
Measurement read_measurement(const std::string& path, const Mechanism<double>& m,
                             const std::vector<double>& constants = {});

/// The same from a table; `path` is what messages call it.
Measurement measurement_from_table(const Table& table, const std::string& path, const Mechanism<double>& m,
                                   const std::vector<double>& constants = {});

/// t, q.NAME, tau.NAME.
std::vector<std::string> measurement_columns(const Mechanism<double>& m);

}  // namespace gough
