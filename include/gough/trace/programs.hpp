#pragma once
/// Programs of a robot's dynamics, traced from the general kernels at the position where their coordinates were chosen.
///                                                                                        docs/theory/engine.md
#include "gough/codegen/program.hpp"
#include "gough/dynamics/dynamics.hpp"

namespace gough {

/// The tape of one evaluation, as ProgramSource has its inputs and outputs. Parameters are symbols. Throws Error where there is none.
Program trace_dynamics(const Mechanism<double>& m, const Dynamics<double>& d, const ProgramWish& wish);

/// What a routine computes otherwise than the kernels, in words; empty: nothing. At two positions, with motions and loads at random.  (X1)
std::string why_not_program(const Mechanism<double>& m, const Dynamics<double>& d, const ProgramWish& wish,
                            const Routine& routine);

/// What makes programs of any robot. Those of equal tapes are made once, and kept for a while.
std::shared_ptr<const ProgramSource> program_source();

/// The programs of a robot's dynamics at home: "machine code (AVX-512)", "interpreter", or why neither.
FastPath describe_programs(const Mechanism<double>& m);

}  // namespace gough
