#pragma once
/// The report: one HTML file that opens without a network. Its page is a template, made from viewer/ and part of the
/// library; a document of data is put into it.                                                  docs/report_data.md
#include <string>

#include "gough/io/run_record.hpp"
#include "gough/io/study.hpp"

namespace gough {

inline constexpr std::string_view report_data_file = "report.json";
inline constexpr std::string_view report_page_file = "report.html";
inline constexpr std::size_t largest_report_file = std::size_t{1} << 28;

/// The data of a finished study: drawing, frames, plots, tables. Reads the tables in the result's folder.
std::string report_data(const Study& study, const StudyResult& result, const RunRecord& record);

/// The data of any run: its animation, and the columns of its table over time (positions, rates, forces, platform, energies; a table
/// with as many rows as the record has states).
std::string run_data(const Mechanism<double>& m, const std::string& title, const std::string& description,
                     const RunRecord& record, const Table& table);

/// Whether the library was built with the page (GOUGH_VIEWER).
bool has_report_page();
/// The page with the data in it: text in `data` can neither end its script element nor run. Throws Error where the
/// library was built without the page.
std::string report_page(const std::string& data);

/// Writes the data, and the page where there is one, into the result's folder. Returns the names of the files.
std::vector<std::string> write_report(const Study& study, const StudyResult& result, const RunRecord& record);

/// The page of a result (results/NAME/result.json), from the data beside it. Throws Error.
std::string page_of_result(const std::string& result_file);

}  // namespace gough
