/// The module gough._core.
#include "core.hpp"

#include <cmath>
#include <cstring>

namespace nanobind::detail {
namespace {

/// numpy.asarray(source, float) in C order; nothing where that is impossible.
std::optional<ndarray<const double, c_contig, device::cpu>> numbers_of(handle source) noexcept {
  try {
    // Leaked on purpose: a module's static objects must not outlive the interpreter.
    static PyObject* ascontiguousarray = object(module_::import_("numpy").attr("ascontiguousarray")).release().ptr();
    static PyObject* asarray = object(module_::import_("numpy").attr("asarray")).release().ptr();
    const object array = handle(asarray)(source);
    if (!std::strchr("biufO", cast<std::string>(array.attr("dtype").attr("kind"))[0]))
      return std::nullopt;  // times, texts
    const object converted = handle(ascontiguousarray)(array, "float64");
    return cast<ndarray<const double, c_contig, device::cpu>>(converted);
  } catch (...) {
    PyErr_Clear();
    return std::nullopt;
  }
}

}  // namespace

bool type_caster<gough::python::Vector>::from_python(handle source, uint8_t, cleanup_list*) noexcept {
  const auto a = numbers_of(source);
  if (!a || a->ndim() > 1) return false;
  try {
    value.resize(static_cast<Eigen::Index>(a->size()));
  } catch (const std::bad_alloc&) { return false; }
  std::copy_n(a->data(), a->size(), value.data());
  return true;
}

bool type_caster<gough::python::Rows>::from_python(handle source, uint8_t, cleanup_list*) noexcept {
  const auto a = numbers_of(source);
  if (!a || a->ndim() != 2) return false;
  value.rows = a->shape(0), value.columns = a->shape(1);
  try {
    value.x.assign(a->data(), a->data() + a->size());
  } catch (const std::bad_alloc&) { return false; }
  return true;
}

}  // namespace nanobind::detail

namespace gough::python {

PythonTable python_table(const std::vector<std::string>& columns, Array values) {
  return nb::cast<PythonTable>(nb::module_::import_("gough.table").attr("Table")(columns, values));
}

Table table_from(const std::vector<std::string>& columns, const Rows& values) {
  if (columns.size() != values.columns)
    throw Error("table: read " + std::to_string(columns.size()) + " names for " + std::to_string(values.columns) +
                " columns, expected as many");
  Table t{columns, {}, {}};
  t.rows.reserve(values.rows);
  for (std::size_t i = 0; i < values.x.size(); ++i)
    if (!std::isfinite(values.x[i]))
      throw Error("table: row " + std::to_string(i / values.columns) + ", column '" + columns[i % values.columns] +
                  "': read " + std::to_string(values.x[i]) + ", expected a finite number");
  for (std::size_t r = 0; r < values.rows; ++r) {
    const auto begin = values.x.begin() + static_cast<std::ptrdiff_t>(r * values.columns);
    t.rows.emplace_back(begin, begin + static_cast<std::ptrdiff_t>(values.columns));
  }
  return t;
}

bool Watch::ask(bool a_step) {
  constexpr auto often = std::chrono::milliseconds(50);
  std::size_t done = 0;
  bool tells = false;
  {
    const std::lock_guard lock(mutex_);
    if (error_) return false;
    done = a_step ? ++done_ : done_;
    const auto now = std::chrono::steady_clock::now();
    tells = a_step && (now - told_ >= often || done == total_);
    if (!tells && now - looked_ < often) return true;
    looked_ = now;
    if (tells) told_ = now;
  }
  return call([&] {
    if (PyErr_CheckSignals() != 0) throw nb::python_error();
    if (tells && !progress_.is_none()) progress_(done, total_);
  });
}

Watch::~Watch() {
  try {
    if (nb::hasattr(progress_, "end")) progress_.attr("end")();
  } catch (...) {
    PyErr_Clear();  // the work's own outcome counts
  }
}

void Watch::rethrow() {
  if (error_) std::rethrow_exception(std::exchange(error_, nullptr));
}

}  // namespace gough::python

NB_MODULE(_core, m) {
  namespace py = gough::python;
  nb::set_leak_warnings(false);  // what a script still holds at its end is no leak
  m.doc() = "The C++ library of gough, name by name. Most programs want what `import gough` gives.";
  m.attr("version") = GOUGH_VERSION;
  auto error = nb::exception<gough::Error>(m, "Error", PyExc_ValueError);
  error.attr("__doc__") = "Something that was given cannot be used: file, line, what was read, what was expected.";
  auto failure = nb::exception<py::Failure>(m, "Failure", PyExc_ArithmeticError);
  failure.attr("__doc__") =
      "A numerical outcome where an answer was expected: unreachable, out_of_limits, singular, not_converged, "
      "under_actuated.";
  nb::register_exception_translator([](const std::exception_ptr& thrown, void*) {
    try {
      std::rethrow_exception(thrown);
    } catch (const nb::cast_error&) { PyErr_SetString(PyExc_TypeError, "read a value of another type than expected"); }
  });
  py::bind_enumerations(m);
  py::bind_descriptions(m);
  py::bind_mechanism(m);
  py::bind_kinematics(m);
  py::bind_dynamics(m);
  py::bind_evaluator(m);
  py::bind_motions(m);
  py::bind_simulation(m);
  py::bind_control(m);
  py::bind_identification(m);
  py::bind_flexible(m);
  py::bind_code(m);
  py::bind_studies(m);
}
