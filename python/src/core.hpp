#pragma once
/// What all parts of the Python module share: numbers from anything NumPy takes, arrays without copies, work that can be interrupted.
#include <nanobind/eigen/dense.h>
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/array.h>
#include <nanobind/stl/filesystem.h>
#include <nanobind/stl/function.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>

#include <array>
#include <chrono>
#include <memory>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "gough/error.hpp"
#include "gough/io/csv.hpp"
#include "gough/model/mechanism.hpp"

namespace nb = nanobind;
using namespace nb::literals;  // NOLINT(google-build-using-namespace): "q"_a

namespace gough::python {

/// A vector made from anything that NumPy takes for one: a list, a tuple, an array.
struct Vector : VecX<double> {
  using VecX<double>::VecX;
};
/// The same for a matrix; rows are states, or times.
struct Rows {
  std::size_t rows = 0, columns = 0;
  std::vector<double> x;
  double operator()(std::size_t r, std::size_t c) const { return x[r * columns + c]; }
};

using Array = nb::ndarray<nb::numpy, double>;
/// What kernels read: float64 in any order.
using Numbers = nb::ndarray<const double, nb::device::cpu>;

/// An array that owns its numbers.
inline Array array_of(std::vector<double> data, const std::vector<std::size_t>& shape) {
  auto kept = std::make_unique<std::vector<double>>(std::move(data));
  double* numbers = kept->data();
  nb::capsule owner(kept.release(), [](void* p) noexcept { delete static_cast<std::vector<double>*>(p); });
  return Array(numbers, shape.size(), shape.data(), owner);
}
inline Array array_of(std::vector<double> data) {
  const std::size_t n = data.size();
  return array_of(std::move(data), {n});
}
/// The rows of a table, or of whatever has equal rows.
inline Array array_of(const std::vector<std::vector<double>>& rows, std::size_t columns) {
  std::vector<double> flat;
  flat.reserve(rows.size() * columns);
  for (const std::vector<double>& row : rows) {
    if (row.size() != columns)
      throw Error("table: read a row of " + std::to_string(row.size()) + " numbers for " + std::to_string(columns) +
                  " columns, expected as many");
    flat.insert(flat.end(), row.begin(), row.end());
  }
  return array_of(std::move(flat), {rows.size(), columns});
}

/// copy.copy and copy.deepcopy.
template <class T>
void copies(nb::class_<T>& c) {
  c.def("__copy__", [](const T& x) { return T(x); });
  c.def(
      "__deepcopy__", [](const T& x, const nb::object&) { return T(x); }, "memo"_a);
}

/// Throws Error: "q: read 5 numbers, expected 25".
inline void expect_size(const char* what, std::size_t read, std::size_t expected) {
  if (read != expected)
    throw Error(std::string(what) + ": read " + std::to_string(read) + " numbers, expected " +
                std::to_string(expected));
}
inline void expect_finite(const char* what, const VecX<double>& x) {
  if (!x.allFinite()) throw Error(std::string(what) + ": read a number that is not finite, expected finite ones");
}
template <int N>
Eigen::Matrix<double, N, 1> fixed(const char* what, const Vector& x) {
  expect_size(what, static_cast<std::size_t>(x.size()), N);
  return x;
}

/// Throws Error where a workspace was made for a mechanism of other sizes.
template <class W>
void expect_made_for(const Mechanism<double>& m, const W& w) {
  if (w.q.size() != m.nq || w.v.size() != m.nv || w.X0.size() != m.parent.size() || w.phi.size() != m.equations ||
      w.tau.size() != static_cast<Eigen::Index>(m.actuator.size()) ||
      w.load.size() != static_cast<Eigen::Index>(m.coordinate.size()))
    throw Error(m.name + ": w: read a workspace of another mechanism, expected one made for this");
}

/// A numerical outcome (unreachable, singular, not converged ..) where an answer was expected. The library returns a status instead;
/// here it is an exception, with the same words.
class Failure : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// An enumeration of the library by the words that files and the command line use.
template <class Enum, std::size_t N>
Enum by_name(const char* what, const std::array<std::string_view, N>& names, std::string_view word) {
  std::string all;
  for (std::size_t i = 0; i < N; ++i) {
    if (names[i] == word) return static_cast<Enum>(i);
    all += (i == 0 ? "" : ", ") + std::string(names[i]);
  }
  throw Error(std::string(what) + ": read '" + std::string(word) + "', expected one of " + all);
}

/// JSON of the library as Python's own values.
template <class Value = nb::typed<nb::dict, nb::str, nb::any>>
Value from_json(const std::string& text) {
  return nb::cast<Value>(nb::module_::import_("json").attr("loads")(text));
}

/// gough.Table.
class PythonTable : public nb::object {
 public:
  NB_OBJECT_DEFAULT(PythonTable, nb::object, "gough.table.Table", is_table)
 private:
  static bool is_table(nb::handle h) { return nb::hasattr(h, "columns") && nb::hasattr(h, "values"); }
};
PythonTable python_table(const std::vector<std::string>& columns, Array values);
inline PythonTable python_table(const Table& t) { return python_table(t.columns, array_of(t.rows, t.columns.size())); }
/// result.table.to_pandas()
inline nb::object to_pandas(nb::handle result) { return result.attr("table").attr("to_pandas")(); }
inline PythonTable python_table(const std::optional<Table>& t) { return python_table(t ? *t : Table{}); }
/// The other way.
Table table_from(const std::vector<std::string>& columns, const Rows& values);

/// Between the library's work, done without Python's lock, and Python: asks now and then whether the user wants to stop (Ctrl-C),
/// tells progress, and keeps the first exception of a callback until the work has ended.
class Watch {
 public:
  explicit Watch(nb::object progress = nb::none(), std::size_t total = 0)
      : progress_(std::move(progress)), total_(total) {}
  ~Watch();  ///< With the lock; the work has ended, whichever way: `progress.end()`, where there is one.
  Watch(const Watch&) = delete;
  Watch& operator=(const Watch&) = delete;

  /// One step is done. Any thread, without the lock.
  bool step() { return ask(true); }
  /// Inside a step: whether to go on.
  bool look() { return ask(false); }
  /// Runs `f`, which needs Python; false where something has been thrown, now or before.
  template <class F>
  bool call(F f) {
    if (failed()) return false;
    nb::gil_scoped_acquire lock;
    try {
      f();
      return true;
    } catch (...) {
      keep(std::current_exception());
      return false;
    }
  }
  bool failed() const {
    const std::lock_guard lock(mutex_);
    return error_ != nullptr;
  }
  /// With the lock, after the work: throws what was kept.
  void rethrow();

 private:
  bool ask(bool a_step);
  void keep(std::exception_ptr error) {
    const std::lock_guard lock(mutex_);
    if (!error_) error_ = std::move(error);
  }

  nb::object progress_;
  std::size_t total_, done_ = 0;
  mutable std::mutex mutex_;
  std::exception_ptr error_;
  std::chrono::steady_clock::time_point looked_ = std::chrono::steady_clock::now(), told_ = looked_;
};

void bind_enumerations(nb::module_& m);
void bind_descriptions(nb::module_& m);
void bind_mechanism(nb::module_& m);
void bind_kinematics(nb::module_& m);
void bind_dynamics(nb::module_& m);
void bind_evaluator(nb::module_& m);
void bind_motions(nb::module_& m);
void bind_simulation(nb::module_& m);
void bind_control(nb::module_& m);
void bind_identification(nb::module_& m);
void bind_flexible(nb::module_& m);
void bind_code(nb::module_& m);
void bind_studies(nb::module_& m);

}  // namespace gough::python

namespace nanobind::detail {

template <>
struct type_caster<gough::python::Vector> {
  NB_TYPE_CASTER(gough::python::Vector, const_name("numpy.typing.ArrayLike"))
  bool from_python(handle source, uint8_t, cleanup_list*) noexcept;
};
template <>
struct type_caster<gough::python::Rows> {
  NB_TYPE_CASTER(gough::python::Rows, const_name("numpy.typing.ArrayLike"))
  bool from_python(handle source, uint8_t, cleanup_list*) noexcept;
};

}  // namespace nanobind::detail
