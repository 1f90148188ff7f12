#pragma once
/// Counts what a piece of code allocates. Eigen calls malloc and the standard library calls new, which calls malloc:
/// counting malloc counts both. A sanitizer has its own malloc, so there nothing is counted and the tests say so.
#include <cstdlib>

#include "sanitized.hpp"

#if defined(GOUGH_SANITIZED) || !defined(__GLIBC__)
constexpr bool allocations_are_counted = false;
#else
constexpr bool allocations_are_counted = true;
#endif

/// How often this thread has asked for memory since it began.
long allocations();
