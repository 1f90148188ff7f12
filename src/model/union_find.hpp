#pragma once
#include <numeric>
#include <vector>

#include "gough/scalar/index.hpp"

namespace gough {

/// Which of n things are connected.
class UnionFind {
 public:
  explicit UnionFind(std::size_t n) : root_(n) { std::iota(root_.begin(), root_.end(), 0); }
  int find(int i) {
    while (root_[at(i)] != i) i = root_[at(i)] = root_[at(root_[at(i)])];
    return i;
  }
  /// False: they were connected before.
  bool join(int a, int b) {
    a = find(a);
    b = find(b);
    root_[at(a)] = b;
    return a != b;
  }

 private:
  std::vector<int> root_;
};

}  // namespace gough
