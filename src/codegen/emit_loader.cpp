#include <fmt/format.h>

#include "emit_parts.hpp"
#include "gough/codegen/emit.hpp"

namespace gough {
namespace {

/// A literal of C: whatever the text holds, it cannot end the literal, nor become a trigraph.
std::string literal(const std::string& text) {
  std::string out = "\"";
  for (const char c : text) {
    const auto code = static_cast<unsigned char>(c);
    const bool plain = code >= ' ' && code < 0x7f && c != '"' && c != '\\' && c != '?';
    out += plain ? std::string(1, c) : fmt::format("\\{:03o}", static_cast<unsigned>(code));
  }
  return out + "\"";
}

/// The same in every loader; src/io/compiled.cpp reads it.
constexpr const char* types = R"(typedef struct {
  const char *name, *meaning;
  int size;
} gough_array;

typedef struct {
  const char *name, *meaning;
  size_t offset; /* of the double in the state */
} gough_parameter;

typedef struct {
  int format;          /* of this struct; it and made_by stay where they are in every format */
  const char *made_by;
  const char *robot, *what, *from, *name;
  int inputs, outputs, parameters; /* how many there are */
  const gough_array *input, *output;
  const gough_parameter *parameter;
  size_t state_size;   /* bytes that the caller keeps, aligned for doubles */
  void (*start)(void *state);                                          /* first: the robot file's parameters */
  int (*call)(const void *state, const double *in, double *out);       /* arrays one after another; the status */
  int (*get)(const void *state, const char *parameter, double *value); /* 0, or 1: no such parameter */
  int (*set)(void *state, const char *parameter, double value);
  /* Many states, or NULL: entry i of state s of n at [i n + s], states first to last - 1; a status for each. */
  void (*batch)(const void *state, size_t n, size_t first, size_t last, const double *in, double *out, int *status);
  const char *(*batch_instructions)(void);
  /* The same on a GPU, or NULL: all n states; 0, or 1 and why not. The device's name, or NULL and why there is none. */
  int (*gpu)(const void *state, size_t n, const double *in, double *out, int *status, const char **why);
  const char *(*gpu_device)(const char **why);
} gough_program_format_3;

#ifdef __cplusplus
extern "C" {
#endif
#ifdef __GNUC__
__attribute__((visibility("default")))
#endif
extern const gough_program_format_3 gough_program;
#ifdef __cplusplus
}
#endif

)";

/// `rows` as a table of C, or nothing where there are none.
std::string table(const std::string& type, const std::string& name, const std::vector<std::string>& rows) {
  if (rows.empty()) return "";
  return fmt::format("static const {} {}[] = {{\n  {},\n}};\n\n", type, name, fmt::join(rows, ",\n  "));
}

/// Arrays without entries are no arguments of the function.
template <class Array>
std::vector<std::string> rows_of(const std::vector<Array>& arrays) {
  std::vector<std::string> rows;
  for (const Array& a : arrays)
    if (!a.entry.empty())
      rows.push_back(fmt::format("{{{}, {}, {}}}", literal(a.name), literal(a.meaning), a.entry.size()));
  return rows;
}

std::vector<std::string> parameter_rows(const Program& p) {
  std::vector<std::string> rows;
  for (const ParameterField& f : parameter_fields(p)) {
    const std::string& meaning = p.tape.symbol_of(p.tape.nodes()[f.node]).comment;
    rows.push_back(fmt::format("{{{}, {}, offsetof(program_state, p.{})}}", literal(f.name), literal(meaning), f.name));
  }
  return rows;
}

/// The function's arguments: the constants, then places in the flat arrays.
std::string arguments(const Program& p, bool has_parameters, bool batch = false) {
  std::vector<std::string> list;
  if (has_parameters) list.emplace_back("&((const program_state *)state)->c");
  if (batch) list.emplace_back("n, first, last");
  const auto place = [&](const char* flat, const auto& arrays) {
    std::size_t first = 0;
    for (const auto& a : arrays) {
      if (!a.entry.empty()) list.push_back(fmt::format("{} + {}{}", flat, first, batch ? " * n" : ""));
      first += a.entry.size();
    }
  };
  place("in", p.inputs);
  place("out", p.outputs);
  if (batch) list.emplace_back("status");
  return fmt::format("{}", fmt::join(list, ", "));
}

/// With parameters: NAME, their number, the arguments of a call.
constexpr const char* open_functions = R"(static void start(void *state) {{
  program_state *s = (program_state *)state;
  {0}_default(&s->p);
  {0}_setup(&s->p, &s->c);
}}

static int call(const void *state, const double *in, double *out) {{
  return {0}({2});
}}

static const gough_parameter *found(const char *name) {{
  size_t i;
  for (i = 0; i < {1}; ++i)
    if (strcmp(parameters[i].name, name) == 0) return parameters + i;
  return NULL;
}}

static int get(const void *state, const char *name, double *value) {{
  const gough_parameter *parameter = found(name);
  if (parameter == NULL) return 1;
  memcpy(value, (const char *)state + parameter->offset, sizeof *value);
  return 0;
}}

static int set(void *state, const char *name, double value) {{
  program_state *s = (program_state *)state;
  const gough_parameter *parameter = found(name);
  if (parameter == NULL) return 1;
  memcpy((char *)state + parameter->offset, &value, sizeof value);
  {0}_setup(&s->p, &s->c);
  return 0;
}}

)";

constexpr const char* folded_functions = R"(static void start(void *state) {{ (void)state; }}

static int call(const void *state, const double *in, double *out) {{
  (void)state;
  return {0}({1});
}}

static int get(const void *state, const char *name, double *value) {{
  (void)state, (void)name, (void)value;
  return 1;
}}

static int set(void *state, const char *name, double value) {{
  (void)state, (void)name, (void)value;
  return 1;
}}

)";

}  // namespace

std::string emit_loader(const Program& p, const LoaderParts& parts) {
  const bool batch = parts.batch;
  const std::vector<std::string> inputs = rows_of(p.inputs), outputs = rows_of(p.outputs),
                                 parameters = parameter_rows(p);
  const bool open = !parameters.empty();
  std::string out = fmt::format("/* {} for programs that load it: see docs/codegen.md of gough. */\n", p.name);
  out += fmt::format("#include <stddef.h>\n#include <string.h>\n\n#include \"{}{}.h\"\n\n{}", p.name,
                     batch ? "_batch" : "", types);
  if (open)
    out += fmt::format("typedef struct {{\n  {0}_parameters p;\n  {0}_constants c;\n}} program_state;\n\n", p.name);
  out += table("gough_array", "inputs", inputs) + table("gough_array", "outputs", outputs) +
         table("gough_parameter", "parameters", parameters);
  const std::string given = arguments(p, open);
  out += open ? fmt::format(open_functions, p.name, parameters.size(), given)
              : fmt::format(folded_functions, p.name, given);
  if (batch)
    out += fmt::format(
        "static void batch(const void *state, size_t n, size_t first, size_t last, const double *in, double *out,\n"
        "                  int *status) {{\n  {}{}_batch({});\n}}\n\n",
        open ? "" : "(void)state;\n  ", p.name, arguments(p, open, true));
  if (parts.gpu)
    out += fmt::format(
        "int {0}_gpu(const void *parameters, size_t n, const double *in, double *out, int *status, const char **why);\n"
        "const char *{0}_gpu_device(const char **why);\n\n"
        "static int gpu(const void *state, size_t n, const double *in, double *out, int *status, const char **why) {{\n"
        "  return {0}_gpu({1}, n, in, out, status, why);\n}}\n\n",
        p.name, open ? "&((const program_state *)state)->p" : "state");
  const auto start_of = [](const char* name, const auto& rows) { return rows.empty() ? "NULL" : name; };
  out +=
      fmt::format("const gough_program_format_3 gough_program = {{\n  {}, {},\n  {}, {}, {}, {},\n", loader_format,
                  literal("gough " GOUGH_VERSION), literal(p.robot), literal(p.what), literal(p.from), literal(p.name));
  return out + fmt::format("  {}, {}, {},\n  {}, {}, {},\n  {}, start, call, get, set, {}, {},\n}};\n", inputs.size(),
                           outputs.size(), parameters.size(), start_of("inputs", inputs), start_of("outputs", outputs),
                           start_of("parameters", parameters), open ? "sizeof(program_state)" : "0",
                           batch ? fmt::format("batch, {}_batch_instructions", p.name) : "NULL, NULL",
                           parts.gpu ? fmt::format("gpu, {}_gpu_device", p.name) : "NULL, NULL");
}

}  // namespace gough
