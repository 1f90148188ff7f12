#include "gough/flexible/modal_body.hpp"

#include <fmt/format.h>

#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>
#include <cmath>
#include <numbers>

#include "gough/error.hpp"
#include "gough/flexible/beam_element.hpp"

namespace gough {
namespace {

using Eigen::Index;
constexpr std::array<double, 4> gauss_place = {0.06943184420297371, 0.33000947820757187, 0.6699905217924281,
                                               0.9305681557970263};
constexpr std::array<double, 4> gauss_weight = {0.17392742256872692, 0.3260725774312731, 0.3260725774312731,
                                                0.17392742256872692};

double hertz(double square) { return std::sqrt(std::max(square, 0.0)) / (2 * std::numbers::pi); }

/// The elements of a body in its author's axes, six coordinates per node, the first node clamped.
class Mesh {
 public:
  Mesh(const BodyDescription& body, const std::optional<Vec3<double>>& normal) : body_(body), normal_(normal) {
    place_.push_back(body.beam[0].from);
    for (const BeamDescription& piece : body.beam)
      for (int k = 1; k <= piece.elements; ++k) {
        place_.emplace_back(piece.from + (piece.to - piece.from) * (static_cast<double>(k) / piece.elements));
        element_.push_back({&piece, piece.length() / piece.elements, static_cast<Index>(place_.size()) - 2});
      }
    assemble();
  }

  Index size() const { return K.rows(); }
  Index nodes() const { return static_cast<Index>(place_.size()); }
  const std::vector<Vec3<double>>& places() const { return place_; }

  struct Element {
    const BeamDescription* piece;
    double length;
    Index a;  ///< its first node
  };
  const std::vector<Element>& elements() const { return element_; }

  /// What one point of an element does for the free coordinates: 3 x free, displacement, turn and slope of the axis.
  struct Motion {
    MatX<double> displacement, turn, slope;
  };
  Motion at(const Element& e, double xi) const {
    const BeamField f = beam_field(*e.piece, e.length, BeamShape::spatial, xi);
    const Mat3<double> R = e.piece->axes();
    MatX<double> slope = MatX<double>::Zero(3, 12);
    slope.bottomRows(2) = f.slope;
    return {spread(R * f.N, R, e.a), spread(R * f.T, R, e.a), spread(R * slope, R, e.a)};
  }
  Motion at_node(Index n) const {
    Motion m{MatX<double>::Zero(3, size()), MatX<double>::Zero(3, size()), MatX<double>::Zero(3, size())};
    if (n > 0) {
      m.displacement = free_.middleRows(6 * n, 3);
      m.turn = free_.middleRows(6 * n + 3, 3);
    }
    return m;
  }
  Index nearest(const Vec3<double>& p) const {
    Index best = 0;
    for (Index n = 1; n < nodes(); ++n)
      if ((place_[static_cast<std::size_t>(n)] - p).norm() < (place_[static_cast<std::size_t>(best)] - p).norm())
        best = n;
    return best;
  }

  MatX<double> K, M, C;  ///< free coordinates
  Index boundary = 0;    ///< how many, at the end of the free coordinates, belong to the far end

 private:
  /// An element's 3 x 12 in its own coordinates as 3 x free.
  MatX<double> spread(const MatX<double>& own, const Mat3<double>& R, Index a) const {
    MatX<double> full = MatX<double>::Zero(3, 6 * nodes());
    for (Index block = 0; block < 4; ++block)
      full.middleCols(6 * a + 3 * block, 3) = own.middleCols(3 * block, 3) * R.transpose();
    return full * free_;
  }

  void assemble() {
    const Index all = 6 * nodes();
    choose_free(all);
    MatX<double> k = MatX<double>::Zero(all, all), m = k, c = k;
    for (const Element& e : element_) {
      const BeamElement b = beam_element(*e.piece, e.length, BeamShape::spatial);
      MatX<double> T = MatX<double>::Zero(12, 12);
      for (Index i = 0; i < 4; ++i) T.block<3, 3>(3 * i, 3 * i) = e.piece->axes();
      k.block(6 * e.a, 6 * e.a, 12, 12) += T * b.k * T.transpose();
      m.block(6 * e.a, 6 * e.a, 12, 12) += T * b.m * T.transpose();
      c.block(6 * e.a, 6 * e.a, 12, 12) += T * b.k * T.transpose() * e.piece->damping;
    }
    for (const auto& [mass, p] : body_.points) {
      const Index n = nearest(p);
      const Mat3<double> arm = cross_matrix<double>(p - place_[static_cast<std::size_t>(n)]);
      Eigen::Matrix<double, 3, 6> N;
      N << Mat3<double>::Identity(), -arm;
      m.block(6 * n, 6 * n, 6, 6) += mass * N.transpose() * N;
    }
    K = free_.transpose() * k * free_;
    M = free_.transpose() * m * free_;
    C = free_.transpose() * c * free_;
  }

  /// Columns: the free coordinates. In a plane: two displacements and the turn about its normal.
  void choose_free(Index all) {
    MatX<double> node = MatX<double>::Identity(6, 6);
    if (normal_) {
      const Vec3<double> z = normal_->normalized(), along = (place_.back() - place_.front()).normalized();
      const Vec3<double> x = (along - z * z.dot(along)).normalized();
      node = MatX<double>::Zero(6, 3);
      node.block<3, 1>(0, 0) = x;
      node.block<3, 1>(0, 1) = cross<double>(z, x);
      node.block<3, 1>(3, 2) = z;
    }
    boundary = node.cols();
    free_ = MatX<double>::Zero(all, node.cols() * (nodes() - 1));
    for (Index n = 1; n < nodes(); ++n) free_.block(6 * n, node.cols() * (n - 1), 6, node.cols()) = node;
  }

  const BodyDescription& body_;
  std::optional<Vec3<double>> normal_;
  std::vector<Vec3<double>> place_;
  std::vector<Element> element_;
  MatX<double> free_;
};

/// (M1), (M2): columns in the mesh's free coordinates, orthogonal; their omega^2.
struct Basis {
  MatX<double> shape;
  VecX<double> square;
};
Basis craig_bampton(const Mesh& mesh, Index modes) {
  const Index b = mesh.boundary, i = mesh.size() - b;
  MatX<double> raw = MatX<double>::Zero(mesh.size(), 0);
  const auto append = [&](const MatX<double>& more) {
    MatX<double> wider(mesh.size(), raw.cols() + more.cols());
    wider << raw, more;
    raw = wider;
  };
  MatX<double> interface = MatX<double>::Identity(mesh.size(), b);
  interface.bottomRows(b) = MatX<double>::Identity(b, b);
  interface.topRows(i).setZero();
  if (i > 0)
    interface.topRows(i) = -Eigen::LDLT<MatX<double>>(mesh.K.topLeftCorner(i, i)).solve(mesh.K.topRightCorner(i, b));
  append(interface);
  if (const Index normal = std::min(i, std::max<Index>(0, modes - b)); normal > 0) {
    const Eigen::GeneralizedSelfAdjointEigenSolver<MatX<double>> held(mesh.K.topLeftCorner(i, i),
                                                                      mesh.M.topLeftCorner(i, i));
    MatX<double> shapes = MatX<double>::Zero(mesh.size(), normal);
    shapes.topRows(i) = held.eigenvectors().leftCols(normal);
    append(shapes);
  }
  const Eigen::GeneralizedSelfAdjointEigenSolver<MatX<double>> all(raw.transpose() * mesh.K * raw,
                                                                   raw.transpose() * mesh.M * raw);
  return {raw * all.eigenvectors().leftCols(modes), all.eigenvalues().head(modes)};
}

/// int psi_a'^T psi_a' along the beam so far, split by the direction it shortens.
void add_shortening(const Mesh& mesh, const Mesh::Element& e, double from, double to, const MatX<double>& shape,
                    std::array<MatX<double>, 3>& sum) {
  const Vec3<double> along = e.piece->axes().col(0);
  for (std::size_t g = 0; g < 4; ++g) {
    const double xi = from + (to - from) * gauss_place[g], weight = gauss_weight[g] * (to - from) * e.length;
    const MatX<double> slope = mesh.at(e, xi).slope * shape;
    for (std::size_t d = 0; d < 3; ++d) sum[d] += weight * along[static_cast<Index>(d)] * slope.transpose() * slope;
  }
}

Truncation truncation_of(const Mesh& mesh, const Basis& basis) {
  Truncation t;
  const Index n = basis.square.size();
  const VecX<double> exact =
      Eigen::GeneralizedSelfAdjointEigenSolver<MatX<double>>(mesh.K, mesh.M, Eigen::EigenvaluesOnly).eigenvalues();
  t.frequency = basis.square.unaryExpr(&hertz);
  t.exact = exact.head(n).unaryExpr(&hertz);
  if (exact.size() > n) t.lowest_omitted = hertz(exact[n]);
  for (Index i = 0; i < (n + 1) / 2; ++i) t.worst = std::max(t.worst, std::abs(t.frequency[i] / t.exact[i] - 1));
  const Index b = mesh.boundary;
  MatX<double> unit = MatX<double>::Zero(mesh.size(), b);
  unit.bottomRows(b).setIdentity();
  const MatX<double> full = unit.transpose() * Eigen::LDLT<MatX<double>>(mesh.K).solve(unit),
                     end = basis.shape.bottomRows(b),
                     reduced = end * basis.square.cwiseInverse().asDiagonal() * end.transpose();
  t.compliance = (full - reduced).norm() / full.norm();
  return t;
}

}  // namespace

ModalBody modal_body(const BodyDescription& body, int modes, const std::optional<Vec3<double>>& normal) {
  if (body.beam.empty())
    throw Error(body.where, fmt::format("body '{}': read no beam, expected one to bend", body.name));
  const Mesh mesh(body, normal);
  if (modes < 1 || modes > mesh.size())
    throw Error(body.where, fmt::format("body '{}': read {} modes, expected 1 to {}: what its elements have", body.name,
                                        modes, mesh.size()));
  const Basis basis = craig_bampton(mesh, modes);
  ModalBody m;
  m.stiffness = basis.square;
  m.damping = (basis.shape.transpose() * mesh.C * basis.shape).diagonal();
  m.truncation = truncation_of(mesh, basis);
  const auto point = [&](const Vec3<double>& r, const Mesh::Motion& motion,
                         const std::array<MatX<double>, 3>& shortening) {
    return ModalPoint{r, motion.displacement * basis.shape, motion.turn * basis.shape, shortening};
  };
  const MatX<double> none = MatX<double>::Zero(modes, modes);
  std::vector<std::array<MatX<double>, 3>> at_node = {{none, none, none}};
  for (const Mesh::Element& e : mesh.elements()) {
    const BeamDescription& p = *e.piece;
    const Mat3<double> R = p.axes();
    const Mat3<double> section = R * Vec3<double>(p.Iy + p.Iz, p.Iy, p.Iz).asDiagonal() * R.transpose() * p.rho;
    const Vec3<double> from = mesh.places()[static_cast<std::size_t>(e.a)];
    for (std::size_t g = 0; g < 4; ++g) {
      std::array<MatX<double>, 3> shortening = at_node.back();
      add_shortening(mesh, e, 0, gauss_place[g], basis.shape, shortening);
      const double share = gauss_weight[g] * e.length;
      m.lump.push_back({p.rho * p.A * share, section * share,
                        point(from + R.col(0) * (gauss_place[g] * e.length), mesh.at(e, gauss_place[g]), shortening)});
    }
    at_node.push_back(at_node.back());
    add_shortening(mesh, e, 0, 1, basis.shape, at_node.back());
  }
  for (const auto& [mass, xyz] : body.points) {
    const Index n = mesh.nearest(xyz);
    ModalPoint p = point(xyz, mesh.at_node(n), at_node[static_cast<std::size_t>(n)]);
    p.displacement -= cross_matrix<double>(xyz - mesh.places()[static_cast<std::size_t>(n)]) * p.turn;
    m.lump.push_back({mass, Mat3<double>::Zero(), p});
  }
  if (body.mass > 0) {
    ModalPoint still{body.com, MatX<double>::Zero(3, modes), MatX<double>::Zero(3, modes), at_node.front()};
    m.lump.push_back({body.mass, body.inertia, still});
  }
  m.end = point(mesh.places().back(), mesh.at_node(mesh.nodes() - 1), at_node.back());
  return m;
}

}  // namespace gough
