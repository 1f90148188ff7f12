#include "gough/flexible/beam_element.hpp"

namespace gough {
namespace {

/// A polynomial in xi = x / L by its coefficients.
struct Polynomial {
  std::array<double, 6> c{};
  double operator()(double xi) const {
    double sum = 0;
    for (std::size_t i = c.size(); i-- > 0;) sum = sum * xi + c[i];
    return sum;
  }
  Polynomial derivative() const {
    Polynomial d;
    for (std::size_t i = 1; i < c.size(); ++i) d.c[i - 1] = static_cast<double>(i) * c[i];
    return d;
  }
  Polynomial operator*(double s) const {
    Polynomial p = *this;
    for (double& x : p.c) x *= s;
    return p;
  }
};

/// Of bending in one plane: v and its section's turn by the coordinates (v, turn[, v'']) of both ends.
struct Bending {
  std::vector<Polynomial> v, turn;
  bool shear = true;
};

/// (E2): exact under loads at the ends. phi = 12 E I / (k G A L^2).
Bending exact_static(double L, double phi) {
  const double s = 1 / (1 + phi);
  return {{Polynomial{{1 + phi, -phi, -3, 2}} * s, Polynomial{{0, 1 + phi / 2, -2 - phi / 2, 1}} * (s * L),
           Polynomial{{0, phi, 3, -2}} * s, Polynomial{{0, -phi / 2, phi / 2 - 1, 1}} * (s * L)},
          {Polynomial{{0, -6, 6}} * (s / L), Polynomial{{1 + phi, -4 - phi, 3}} * s, Polynomial{{0, 6, -6}} * (s / L),
           Polynomial{{0, phi - 2, 3}} * s},
          phi > 0};
}

/// (E1)
Bending quintic(double L) {
  Bending b{{Polynomial{{1, 0, 0, -10, 15, -6}}, Polynomial{{0, 1, 0, -6, 8, -3}} * L,
             Polynomial{{0, 0, 0.5, -1.5, 1.5, -0.5}} * (L * L), Polynomial{{0, 0, 0, 10, -15, 6}},
             Polynomial{{0, 0, 0, -4, 7, -3}} * L, Polynomial{{0, 0, 0, 0.5, -1, 0.5}} * (L * L)},
            {},
            false};
  for (const Polynomial& p : b.v) b.turn.push_back(p.derivative() * (1 / L));
  return b;
}

using Field = BeamField;

class Shapes {
 public:
  Shapes(const BeamDescription& beam, double L, BeamShape shape) : L_(L), shape_(shape) {
    const double shear = beam.shear_factor * beam.G * beam.A * L * L;
    const auto phi = [&](double I) { return beam.shear ? 12 * beam.E * I / shear : 0; };
    xy_ = shape == BeamShape::planar_quintic ? quintic(L) : exact_static(L, phi(beam.Iz));
    xz_ = exact_static(L, phi(beam.Iy));
  }
  int size() const { return shape_ == BeamShape::spatial ? 12 : shape_ == BeamShape::planar ? 6 : 8; }

  Field at(double xi) const {
    const int n = size();
    Field f{MatX<double>::Zero(3, n), MatX<double>::Zero(3, n), MatX<double>::Zero(2, n), MatX<double>::Zero(6, n)};
    const int end = n / 2, turn_z = shape_ == BeamShape::spatial ? 5 : 2;
    const std::array<double, 2> linear = {1 - xi, xi}, slope = {-1 / L_, 1 / L_};
    for (int e = 0; e < 2; ++e) {
      const auto i = static_cast<std::size_t>(e);
      f.N(0, e * end) = linear[i];
      f.strain(0, e * end) = slope[i];
      std::vector<int> columns = {e * end + 1, e * end + turn_z};
      if (shape_ == BeamShape::planar_quintic) columns.push_back(e * end + 3);
      bend(xy_, xi, e, columns, 1, f, {1, 2, 0, 3, 4});
      if (shape_ != BeamShape::spatial) continue;
      f.T(0, e * end + 3) = linear[i];
      f.strain(1, e * end + 3) = slope[i];
      bend(xz_, xi, e, {e * end + 2, e * end + 4}, -1, f, {2, 1, 1, 2, 5});
    }
    return f;
  }

 private:
  struct Rows {
    int N, T, slope, curvature, shear;
  };
  /// `sign`: of the turn over the slope; about y a positive turn lowers z.
  void bend(const Bending& b, double xi, int end, const std::vector<int>& columns, double sign, Field& f,
            const Rows& r) const {
    for (std::size_t i = 0; i < columns.size(); ++i) {
      const std::size_t k = static_cast<std::size_t>(end) * columns.size() + i;
      const double by_turn = i == 0 ? 1 : sign, v = b.v[k](xi) * by_turn;
      const double dv = b.v[k].derivative()(xi) / L_ * by_turn, turn = b.turn[k](xi) * by_turn;
      const double curvature = b.turn[k].derivative()(xi) / L_ * by_turn;
      f.N(r.N, columns[i]) = v;
      f.T(r.T, columns[i]) = sign * turn;
      f.slope(r.slope, columns[i]) = dv;
      f.strain(r.curvature, columns[i]) = sign * curvature;
      f.strain(r.shear, columns[i]) = b.shear ? dv - turn : 0;
    }
  }
  double L_;
  BeamShape shape_;
  Bending xy_, xz_;
};

/// Gauss points on 0..1: exact up to degree 11.
constexpr std::array<double, 3> gauss_place = {0.2386191860831969, 0.6612093864662645, 0.9324695142031521};
constexpr std::array<double, 3> gauss_weight = {0.4679139345726910, 0.3607615730481386, 0.1713244923791704};

}  // namespace

BeamField beam_field(const BeamDescription& beam, double length, BeamShape shape, double xi) {
  return Shapes(beam, length, shape).at(xi);
}

BeamElement beam_element(const BeamDescription& beam, double length, BeamShape shape) {
  const Shapes shapes(beam, length, shape);
  const int n = shapes.size();
  const MatX<double> none = MatX<double>::Zero(n, n), no_load = MatX<double>::Zero(n, 3);
  BeamElement e{shape, length, none, none, none, none, {}, no_load, no_load, no_load};
  e.S.fill(none);
  const double shear = beam.shear_factor * beam.G * beam.A, mass = beam.rho * beam.A;
  const Vec6<double> D(beam.E * beam.A, beam.G * beam.J, beam.E * beam.Iy, beam.E * beam.Iz, shear, shear);
  const Vec3<double> section = beam.turning();
  for (std::size_t p = 0; p < 6; ++p) {
    const double xi = 0.5 + (p < 3 ? 0.5 : -0.5) * gauss_place[p % 3], weight = gauss_weight[p % 3] / 2 * length;
    const Field f = shapes.at(xi);
    const MatX<double> slopes = f.slope.transpose() * f.slope;
    e.k += weight * f.strain.transpose() * D.asDiagonal() * f.strain;
    e.m += weight * (mass * f.N.transpose() * f.N + f.T.transpose() * section.asDiagonal() * f.T);
    e.g_first += weight * (1 - xi) * slopes;
    e.g_second += weight * xi * slopes;
    e.load_first += weight * mass * (1 - xi) * f.N.transpose();
    e.load_second += weight * mass * xi * f.N.transpose();
    e.turn += weight * f.T.transpose();
    for (int a = 0; a < 3; ++a)
      for (int b = 0; b < 3; ++b)
        e.S[3 * static_cast<std::size_t>(a) + static_cast<std::size_t>(b)] +=
            weight * mass * f.N.row(a).transpose() * f.N.row(b);
  }
  return e;
}

}  // namespace gough
