#pragma once
/// Eigen's kernels for products of large matrices in `double`, compiled once (products.cpp) instead of in every file that multiplies.
/// For the library's own targets, which see it through their precompiled headers: the blocking depends on the instruction set, so that
/// programs built for another one need their own.
#include <Eigen/Core>

namespace Eigen::internal {

using ProductTraits = gebp_traits<double, double>;
using ByColumns = const_blas_data_mapper<double, Index, ColMajor>;
using ByRows = const_blas_data_mapper<double, Index, RowMajor>;
using ProductResult = blas_data_mapper<double, Index, ColMajor, Unaligned, 1>;

#define GOUGH_PRODUCTS(EXTERN)                                                                                        \
  EXTERN template struct gebp_kernel<double, double, Index, ProductResult, ProductTraits::mr, ProductTraits::nr,      \
                                     false, false>;                                                                   \
  EXTERN template struct gemm_pack_lhs<double, Index, ByColumns, ProductTraits::mr, ProductTraits::LhsProgress,       \
                                       ProductTraits::LhsPacket4Packing, ColMajor, false, false>;                     \
  EXTERN template struct gemm_pack_lhs<double, Index, ByRows, ProductTraits::mr, ProductTraits::LhsProgress,          \
                                       ProductTraits::LhsPacket4Packing, RowMajor, false, false>;                     \
  EXTERN template struct gemm_pack_rhs<double, Index, ByColumns, ProductTraits::nr, ColMajor, false, false>;          \
  EXTERN template struct gemm_pack_rhs<double, Index, ByRows, ProductTraits::nr, RowMajor, false, false>;             \
  EXTERN template struct general_matrix_vector_product<Index, double, ByColumns, ColMajor, false, double, ByColumns,  \
                                                       false, 0>;                                                     \
  EXTERN template struct general_matrix_vector_product<Index, double, ByColumns, ColMajor, false, double, ByRows,     \
                                                       false, 0>;                                                     \
  EXTERN template struct general_matrix_vector_product<Index, double, ByRows, RowMajor, false, double, ByColumns,     \
                                                       false, 0>;                                                     \
  EXTERN template struct general_matrix_vector_product<Index, double, ByRows, RowMajor, false, double, ByRows, false, \
                                                       0>;
GOUGH_PRODUCTS(extern)

}  // namespace Eigen::internal
