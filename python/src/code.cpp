/// Generated code: traced, counted, written, compiled and called.
#include "core.hpp"
#include "gough/io/compiled.hpp"
#include "gough/io/generate.hpp"

namespace gough::python {
namespace {

using M = Mechanism<double>;

/// A program with what was wished for.
struct Generated {
  GenerateWish wish;
  Program program;
};

nb::typed<nb::list, nb::tuple> arrays(const std::vector<CompiledProgram::Array>& all) {
  nb::typed<nb::list, nb::tuple> out;
  for (const CompiledProgram::Array& a : all) out.append(nb::make_tuple(a.name, a.size, a.meaning));
  return out;
}

}  // namespace

void bind_code(nb::module_& m) {
  using G = Generated;
  nb::class_<G>(m, "Program", "Code for one robot: text, operation counts, a compiled function.")
      .def_prop_ro("name", [](const G& g) { return g.program.name; })
      .def_prop_ro(
          "header", [](const G& g) { return emit_c(g.program).header; }, "of the C code")
      .def_prop_ro(
          "source", [](const G& g) { return emit_c(g.program).source; }, "the C code")
      .def_prop_ro(
          "cuda", [](const G& g) { return emit_cuda(g.program).source; }, "the CUDA code")
      .def_prop_ro(
          "total", [](const G& g) { return count(g.program).call.total(); }, "operations of a call")
      .def(
          "count", [](const G& g) { return from_json(count_json(g.program, g.wish)); },
          "What `gough generate --count --json` prints.")
      .def(
          "write",
          [](const G& g, const std::filesystem::path& folder, const std::string& lang, bool batch) {
            if (lang != "c" && lang != "cuda") throw Error("lang: read '" + lang + "', expected c or cuda");
            return write_code(g.program, folder.string(), lang, batch);
          },
          "folder"_a = ".", "lang"_a = "c", "batch"_a = false, "Writes the files; returns their paths.")
      .def(
          "compile",
          [](const G& g, const std::filesystem::path& file, bool native, bool batch, bool gpu) {
            nb::gil_scoped_release unlocked;
            compile(g.program, file.string(), {native, batch, gpu});
          },
          "file"_a, "native"_a = false, "batch"_a = false, "gpu"_a = false, "A shared object, by $CC or cc.")
      .def("__str__", [](const G& g) { return count_text(g.program, g.wish); });
  m.def(
      "generate",
      [](const M& mechanism, const std::string& what, const std::string& from, bool fold, bool generic, bool matrix,
         bool lanes, int newton, bool many_states) {
        nb::gil_scoped_release unlocked;
        GenerateWish wish{what, from, fold, generic, matrix};
        wish.lanes = lanes, wish.newton = newton, wish.many_states = many_states;
        Program program = generate(mechanism, wish);
        return G{std::move(wish), std::move(program)};
      },
      "m"_a, "what"_a = "inverse", "from_"_a = "joints", "fold"_a = false, "generic"_a = false, "matrix"_a = false,
      "lanes"_a = false, "newton"_a = 0, "many_states"_a = false);

  using C = CompiledProgram;
  nb::class_<C>(m, "CompiledProgram",
                "A shared object of compile, loaded. Loading runs what the file holds: load what you trust.")
      .def(
          "__init__", [](C* c, const std::filesystem::path& file) { new (c) C(file.string()); }, "file"_a)
      .def_prop_ro("name", &C::name)
      .def_prop_ro("robot", &C::robot)
      .def_prop_ro(
          "inputs", [](const C& c) { return arrays(c.inputs()); }, "(name, size, meaning) of each array")
      .def_prop_ro("outputs", [](const C& c) { return arrays(c.outputs()); })
      .def("parameters", &C::parameters)
      .def("parameter", &C::parameter, "name"_a)
      .def("set_parameter", &C::set_parameter, "name"_a, "value"_a)
      .def(
          "__call__",
          [](const C& c, const nb::ndarray<const double, nb::ndim<1>, nb::c_contig, nb::device::cpu>& in,
             const nb::ndarray<double, nb::ndim<1>, nb::c_contig, nb::device::cpu>& out) {
            return c(std::span(in.data(), in.size()), std::span(out.data(), out.size()));
          },
          "inputs"_a, "outputs"_a.noconvert(),
          "Arrays one after another, as in the header; returns the status, 0 or 1.")
      .def(
          "batch",
          [](const C& c, const nb::ndarray<const double, nb::ndim<2>, nb::c_contig, nb::device::cpu>& in,
             const nb::ndarray<double, nb::ndim<2>, nb::c_contig, nb::device::cpu>& out,
             const nb::ndarray<int, nb::ndim<1>, nb::c_contig, nb::device::cpu>& status) {
            const auto size = [](const std::vector<C::Array>& all) {
              std::size_t n = 0;
              for (const C::Array& a : all) n += static_cast<std::size_t>(a.size);
              return n;
            };
            if (in.shape(0) != size(c.inputs()) || out.shape(0) != size(c.outputs()) || in.shape(1) != status.size() ||
                out.shape(1) != status.size())
              throw Error(c.name() + ": read arrays of " + std::to_string(in.shape(0)) + " x " +
                          std::to_string(in.shape(1)) + ", " + std::to_string(out.shape(0)) + " x " +
                          std::to_string(out.shape(1)) + " and " + std::to_string(status.size()) + ", expected " +
                          std::to_string(size(c.inputs())) + " x states, " + std::to_string(size(c.outputs())) +
                          " x states and states");
            nb::gil_scoped_release unlocked;
            c.batch(std::span(in.data(), in.size()), std::span(out.data(), out.size()),
                    std::span(status.data(), status.size()));
          },
          "inputs"_a, "outputs"_a.noconvert(), "status"_a.noconvert(), "Many states: arrays of entries x states.")
      .def(
          "gpu", [](const C& c) { return c.gpu(); }, "The GPU's name, or nothing.");
}

}  // namespace gough::python
