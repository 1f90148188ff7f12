#pragma once
/// Code for one robot: its kernels traced, rewritten, counted, written as C.                           docs/codegen.md
///
///   const auto robot = gough::load_robot("robots/palida.yaml");
///   const gough::Program program = gough::generate(robot, {"inverse", "joints"});
///   const gough::SourceText text = gough::emit_c(program);
#include "gough/codegen/emit.hpp"
#include "gough/codegen/optimise.hpp"
#include "gough/model/description.hpp"
#include "gough/trace/wish.hpp"

namespace gough {

/// The robot with its platform carried by a joint of the tree instead of floating: fewer coordinates and equations,
/// and shorter generic code. None where the platform does not float, or only spherical joints hold it.
std::shared_ptr<const Mechanism<double>> other_tree(const RobotDescription& robot);

/// Throws Error where a robot has no such code.
Program generate(const Mechanism<double>& m, const GenerateWish& wish);

/// Writes NAME.h and NAME.c (`lang` cuda: NAME_cuda.h and .cu) into the folder, made if it is not there, and returns their paths.
/// `batch`: in C also NAME_batch.h and NAME_batch.c, for many states at once.
std::vector<std::string> write_code(const Program& program, const std::string& folder, const std::string& lang = "c",
                                    bool batch = false);
std::string generated_json(const Program& p, const std::vector<std::string>& files);

std::string count_text(const Program& p, const GenerateWish& wish);
std::string count_json(const Program& p, const GenerateWish& wish);

/// What others needed for the same: additions and subtractions, multiplications and divisions.
struct PublishedCount {
  std::string program, from, source, section;  ///< no section: the whole
  int add, mul;
};
std::vector<PublishedCount> published_counts(const Program& p, const std::string& section = "");

}  // namespace gough
