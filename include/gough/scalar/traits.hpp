#pragma once
/// What Eigen asks of a number that is not its own.
#include <Eigen/Core>

namespace gough {

template <class T, bool initialised = true>
struct NumberTraits : Eigen::GenericNumTraits<T> {
  using Real = T;
  using NonInteger = T;
  using Nested = T;
  using Literal = double;
  enum {
    IsComplex = 0,
    IsInteger = 0,
    IsSigned = 1,
    RequireInitialization = initialised ? 1 : 0,
    ReadCost = 1,
    AddCost = 1,
    MulCost = 1
  };
};

}  // namespace gough
