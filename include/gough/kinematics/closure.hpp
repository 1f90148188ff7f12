#pragma once
/// The loops' equations: residuals and their Jacobian.                                        docs/theory/closure.md
///
/// Frame A (origin a, axes a_x a_y a_z) sits on one body of a cut joint, frame B on the other. Each row is a function
/// of the relative pose, and its time derivative is the power of a unit wrench (n; f) on the motion of B against A:
///   position  phi = a_i . (b - a)                       f = a_i           n = b x a_i                      (C3)
///   axis      phi = a_i . b_k                           f = 0             n = b_k x a_i                    (C4)
///   turn      phi = (a_l . b_j - a_j . b_l) / 2         f = 0             n = (b_j x a_l - b_l x a_j) / 2  (C5)
///             with (i, j, l) cyclic
///   distance  phi = (|b - a|^2 - L^2) / 2L              f = (b - a) / L   n = b x f                        (C6)
///   K(row, c) = +-(n . w_c + f . v_c)                   over the joints between A and B                    (C7)
/// Rows, and so K, are exact derivatives whether or not the loop is closed.
#include "gough/kinematics/tree.hpp"

namespace gough {

template <Scalar S>
RowValue<S> row_value(const CutRow& row, const Transform<S>& A, const Transform<S>& B, const S& length) {
  const Vec3<S> zero = Vec3<S>::Zero();
  const auto axis = [](const Transform<S>& X, int i) -> Vec3<S> { return X.R.col(i); };
  switch (row.what) {
    case CutRow::What::position: {
      const Vec3<S> f = axis(A, row.i);
      return {dot<S>(f, B.p - A.p), {cross<S>(B.p, f), f}};
    }
    case CutRow::What::axis: {
      const Vec3<S> a = axis(A, row.i), b = axis(B, row.k);
      return {dot(a, b), {cross(b, a), zero}};
    }
    case CutRow::What::turn: {
      const int j = (row.i + 1) % 3, l = (row.i + 2) % 3;
      const Vec3<S> aj = axis(A, j), al = axis(A, l), bj = axis(B, j), bl = axis(B, l);
      const S half(0.5);
      return {(dot(al, bj) - dot(aj, bl)) * half, {(cross(bj, al) - cross(bl, aj)) * half, zero}};
    }
    case CutRow::What::distance: {
      const Vec3<S> d = B.p - A.p, f = d / length;
      return {(dot(d, d) - length * length) / (length + length), {cross<S>(B.p, f), f}};
    }
  }
  return {S(0.0), {}};
}

/// The frames of cut joint c in the base.
template <Scalar S>
Transform<S> cut_frame_a(const Mechanism<S>& m, const Workspace<S>& w, std::size_t c) {
  return m.cut[c].a == base ? m.cut_a[c] : w.X0[static_cast<std::size_t>(m.cut[c].a)] * m.cut_a[c];
}
template <Scalar S>
Transform<S> cut_frame_b(const Mechanism<S>& m, const Workspace<S>& w, std::size_t c) {
  return m.cut[c].b == base ? m.cut_b[c] : w.X0[static_cast<std::size_t>(m.cut[c].b)] * m.cut_b[c];
}

/// Writes one row of a Jacobian: the wrench's power on each joint of the path.                             (C7)
template <Scalar S, class Row>
void fill_row(const Mechanism<S>& m, const Workspace<S>& w, const Force<S>& wrench, const CutJoint::Step& step,
              Row&& row) {
  const TreeJoint& joint = m.joint[static_cast<std::size_t>(step.body)];
  for (int c = 0; c < velocity_size(joint); ++c) {
    const S p = power(wrench, joint_column(m, w, step.body, c));
    row(joint.v + c) = step.sign > 0 ? p : S(-p);
  }
}

/// Reads X0. Writes cut_wrench, phi, K (entries off the paths stay zero). No allocation, no branch on S.
template <Scalar S>
void closure(const Mechanism<S>& m, Workspace<S>& w) {
  w.require(Stage::position);
  for (std::size_t c = 0; c < m.cut.size(); ++c) {
    const CutJoint& cut = m.cut[c];
    const Transform<S> A = cut_frame_a(m, w, c), B = cut_frame_b(m, w, c);
    for (std::size_t i = 0; i < cut.rows.size(); ++i) {
      const int r = cut.first_row + static_cast<int>(i);
      const RowValue<S> value = row_value(cut.rows[i], A, B, m.cut_length[c]);
      w.phi[r] = value.phi;
      w.cut_wrench[static_cast<std::size_t>(r)] = value.wrench;
      for (const CutJoint::Step& step : cut.path) fill_row(m, w, value.wrench, step, w.K.row(r));
    }
  }
  w.stage = Stage::closure;
}

}  // namespace gough
