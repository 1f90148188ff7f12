#include "gough/io/compiled.hpp"

#include <dlfcn.h>
#include <fmt/format.h>
#include <tbb/parallel_for.h>

#include <algorithm>
#include <filesystem>

#include "gough/codegen/emit.hpp"
#include "gough/error.hpp"

namespace gough {

/// What the second C file of a program lists, as src/codegen/emit_loader.cpp writes it.
namespace loader {

struct ArrayEntry {
  const char *name, *meaning;
  int size;
};
struct ParameterEntry {
  const char *name, *meaning;
  std::size_t offset;
};

}  // namespace loader

namespace {

std::vector<CompiledProgram::Array> arrays_of(const loader::ArrayEntry* first, int count) {
  std::vector<CompiledProgram::Array> all;
  for (const loader::ArrayEntry& a : std::span(first, static_cast<std::size_t>(count)))
    all.push_back({a.name, a.meaning, static_cast<std::size_t>(a.size)});
  return all;
}

Error unknown_parameter(const std::string& file, const std::string& read, const std::vector<std::string>& names) {
  return {{file, 0},
          fmt::format(
              "parameter: read '{}', expected {}", read,
              names.empty() ? "none, it was compiled with --fold" : fmt::format("one of {}", fmt::join(names, ", ")))};
}

void check_size(const std::string& file, const char* which, std::size_t read, std::size_t expected) {
  if (read != expected) throw Error({file, 0}, fmt::format("read {} {}, expected {}", read, which, expected));
}

}  // namespace

/// As src/codegen/emit_loader.cpp writes it, format 3.
struct CompiledProgram::Descriptor {
  int format;
  const char* made_by;
  const char *robot, *what, *from, *name;
  int inputs, outputs, parameters;
  const loader::ArrayEntry *input, *output;
  const loader::ParameterEntry* parameter;
  std::size_t state_size;
  void (*start)(void*);
  int (*call)(const void*, const double*, double*);
  int (*get)(const void*, const char*, double*);
  int (*set)(void*, const char*, double);
  void (*batch)(const void*, std::size_t, std::size_t, std::size_t, const double*, double*, int*);
  const char* (*batch_instructions)();
  int (*gpu)(const void*, std::size_t, const double*, double*, int*, const char**);
  const char* (*gpu_device)(const char**);
};

void CompiledProgram::Close::operator()(void* library) const { dlclose(library); }

CompiledProgram::CompiledProgram(const std::string& file) : file_(file) {
  const std::string expected = "expected a shared object that 'gough compile' wrote on such a machine";
  const std::string path = std::filesystem::absolute(file).string();  // a bare name would be sought elsewhere
  library_.reset(dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL));
  if (!library_) throw Error({file, 0}, fmt::format("cannot be loaded ({}), {}", dlerror(), expected));
  program_ = static_cast<const Descriptor*>(dlsym(library_.get(), "gough_program"));
  if (program_ == nullptr) throw Error({file, 0}, "read no 'gough_program', " + expected);
  if (program_->format != loader_format)
    throw Error({file, 0}, fmt::format("read format {} of {}, expected {}: compile it again", program_->format,
                                       program_->made_by, loader_format));
  inputs_ = arrays_of(program_->input, program_->inputs);
  outputs_ = arrays_of(program_->output, program_->outputs);
  state_.resize((program_->state_size + sizeof(double) - 1) / sizeof(double));
  program_->start(state_.data());
}

std::string CompiledProgram::name() const { return program_->name; }
std::string CompiledProgram::robot() const { return program_->robot; }
std::string CompiledProgram::what() const { return program_->what; }
std::string CompiledProgram::from() const { return program_->from; }
std::string CompiledProgram::made_by() const { return program_->made_by; }

std::size_t CompiledProgram::size_of(const std::vector<Array>& arrays) {
  std::size_t sum = 0;
  for (const Array& a : arrays) sum += a.size;
  return sum;
}

int CompiledProgram::operator()(std::span<const double> in, std::span<double> out) const {
  check_size(file_, "inputs", in.size(), input_size());
  check_size(file_, "outputs", out.size(), output_size());
  return program_->call(state_.data(), in.data(), out.data());
}

std::string CompiledProgram::batch_instructions() const {
  return program_->batch_instructions == nullptr ? "" : program_->batch_instructions();
}

std::string CompiledProgram::gpu(std::string* why_none) const {
  const char* why = "it was compiled without --gpu";
  const char* name = program_->gpu_device == nullptr ? nullptr : program_->gpu_device(&why);
  if (name == nullptr && why_none != nullptr) *why_none = why;
  return name == nullptr ? "" : name;
}

void CompiledProgram::batch(std::span<const double> in, std::span<double> out, std::span<int> status, On on) const {
  if (program_->batch == nullptr)
    throw Error({file_, 0}, "read a program for one state at a time, expected one compiled with --batch");
  const std::size_t n = status.size();
  check_size(file_, "inputs", in.size(), n * input_size());
  check_size(file_, "outputs", out.size(), n * output_size());
  std::string none;
  const bool there = on != On::cpu && !gpu(&none).empty();
  if (on == On::gpu && !there) throw Error({file_, 0}, fmt::format("read no GPU ({}), expected one", none));
  if (there) {
    const char* why = "";
    if (n > 0 && program_->gpu(state_.data(), n, in.data(), out.data(), status.data(), &why) != 0)
      throw Error({file_, 0}, fmt::format("the GPU {} gave up ({}): use the processor", gpu(), why));
    return;
  }
  constexpr std::size_t block = 1024;  // of states: some tens of microseconds
  const std::size_t blocks = (n + block - 1) / block;
  tbb::parallel_for(std::size_t(0), blocks, [&](std::size_t b) {
    program_->batch(state_.data(), n, b * block, std::min(n, (b + 1) * block), in.data(), out.data(), status.data());
  });
}

std::vector<std::string> CompiledProgram::parameters() const {
  std::vector<std::string> names;
  for (const loader::ParameterEntry& p : std::span(program_->parameter, static_cast<std::size_t>(program_->parameters)))
    names.emplace_back(p.name);
  return names;
}

double CompiledProgram::parameter(const std::string& name) const {
  double value = 0;
  if (program_->get(state_.data(), name.c_str(), &value) != 0) throw unknown_parameter(file_, name, parameters());
  return value;
}

void CompiledProgram::set_parameter(const std::string& name, double value) {
  if (program_->set(state_.data(), name.c_str(), value) != 0) throw unknown_parameter(file_, name, parameters());
}

}  // namespace gough
