#include "gough/flexible/modal_body.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "gough/error.hpp"
#include "gough/flexible/beam_element.hpp"
#include "gough/spatial/eigen_pairs.hpp"
#include "gough/spatial/rank.hpp"

namespace gough {
namespace {

using Eigen::Index;
constexpr std::array<double, 4> mass_point_place = {0.06943184420297371, 0.33000947820757187, 0.6699905217924281,
                                                    0.9305681557970263};
constexpr std::array<double, 4> mass_point_weight = {0.17392742256872692, 0.3260725774312731, 0.3260725774312731,
                                                     0.17392742256872692};

double stable_hertz(double square) { return std::sqrt(std::max(square, 0.0)) / (2 * std::numbers::pi); }

/// The elements of a body in its author's axes, six coordinates per node, the first node clamped.
class Mesh {
 public:
  Mesh(const BodyDescription& body, const std::optional<Vec3<double>>& normal) : body_(body), normal_(normal) {
    place_.push_back(body.beam[0].from);
    for (const BeamDescription& piece : body.beam) {
      double from = 0;
      for (const double to : ends(piece)) {
        place_.emplace_back(piece.from + (piece.to - piece.from) * to);
        element_.push_back({&piece, piece.length() * (to - from), static_cast<Index>(place_.size()) - 2});
        from = to;
      }
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
  const std::optional<Vec3<double>>& normal() const { return normal_; }

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
  /// Ends of elements along a piece, 0 to 1: equal parts, and where a mass sits on the beam.
  std::vector<double> ends(const BeamDescription& piece) const {
    std::vector<double> all;
    for (int k = 1; k <= piece.elements; ++k) all.push_back(static_cast<double>(k) / piece.elements);
    const Vec3<double> along = piece.to - piece.from;
    for (const auto& [mass, p] : body_.points) {
      const double s = (p - piece.from).dot(along) / along.squaredNorm();
      const bool known = std::any_of(all.begin(), all.end(), [&](double x) { return std::abs(x - s) < 1e-6; });
      if (s > 1e-6 && s < 1 - 1e-6 && !known) all.push_back(s);
    }
    std::sort(all.begin(), all.end());
    return all;
  }

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
      const MatX<double> stiffness = congruence(b.k, T.transpose());
      k.block(6 * e.a, 6 * e.a, 12, 12) += stiffness;
      m.block(6 * e.a, 6 * e.a, 12, 12) += congruence(b.m, T.transpose());
      c.block(6 * e.a, 6 * e.a, 12, 12) += stiffness * e.piece->damping;
    }
    for (const auto& [mass, p] : body_.points) {
      const Index n = nearest(p);
      const Mat3<double> arm = cross_matrix<double>(p - place_[static_cast<std::size_t>(n)]);
      Eigen::Matrix<double, 3, 6> N;
      N << Mat3<double>::Identity(), -arm;
      m.block(6 * n, 6 * n, 6, 6) += mass * N.transpose() * N;
    }
    K = congruence(k, free_);
    M = congruence(m, free_);
    C = congruence(c, free_);
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
  if (i > 0) interface.topRows(i) = -symmetric_solution(mesh.K.topLeftCorner(i, i), mesh.K.topRightCorner(i, b));
  append(interface);
  if (const Index normal = std::min(i, std::max<Index>(0, modes - b)); normal > 0) {
    const EigenPairs held = eigen_pairs(mesh.K.topLeftCorner(i, i), mesh.M.topLeftCorner(i, i));
    MatX<double> shapes = MatX<double>::Zero(mesh.size(), normal);
    shapes.topRows(i) = held.X.leftCols(normal);
    append(shapes);
  }
  const EigenPairs all = eigen_pairs(congruence(mesh.K, raw), congruence(mesh.M, raw));
  if (!all.found || !all.X.allFinite()) return {MatX<double>(0, 0), VecX<double>(0)};
  return {raw * all.X.leftCols(modes), all.s.head(modes)};
}

Truncation truncation_of(const Mesh& mesh, const Basis& basis) {
  Truncation t;
  const Index n = basis.square.size();
  const VecX<double> exact = eigen_pairs(mesh.K, mesh.M).s;
  t.frequency = basis.square.unaryExpr(&stable_hertz);
  t.exact = exact.head(n).unaryExpr(&stable_hertz);
  if (exact.size() > n) t.lowest_omitted = stable_hertz(exact[n]);
  for (Index i = 0; i < (n + 1) / 2; ++i) t.worst = std::max(t.worst, std::abs(t.frequency[i] / t.exact[i] - 1));
  const Index b = mesh.boundary;
  MatX<double> unit = MatX<double>::Zero(mesh.size(), b);
  unit.bottomRows(b).setIdentity();
  const MatX<double> full = unit.transpose() * symmetric_solution(mesh.K, unit), end = basis.shape.bottomRows(b),
                     reduced = diagonal_congruence(basis.square.cwiseInverse(), end.transpose());
  t.compliance = (full - reduced).norm() / full.norm();
  return t;
}

/// Points gathered one by one, with B = int psi'^T psi' along each straight piece up to where they are.
class PointGatherer {
 public:
  PointGatherer(const Mesh& mesh, const MatX<double>& shape) : mesh_(mesh), shape_(shape) {}

  /// B so far, one matrix per direction of a piece.
  struct Shortened {
    std::vector<std::pair<Vec3<double>, MatX<double>>> by;
  };

  void add_part(const Mesh::Element& e, double to, Shortened& sum) const {
    const Vec3<double> along = e.piece->axes().col(0);
    auto x =
        std::find_if(sum.by.begin(), sum.by.end(), [&](const auto& d) { return (d.first - along).norm() < 1e-12; });
    if (x == sum.by.end()) x = sum.by.emplace(sum.by.end(), along, MatX<double>::Zero(shape_.cols(), shape_.cols()));
    for (std::size_t g = 0; g < 4; ++g) {
      const MatX<double> slope = mesh_.at(e, to * mass_point_place[g]).slope * shape_;
      x->second += mass_point_weight[g] * to * e.length * slope.transpose() * slope;
    }
  }

  void add(const Vec3<double>& r, const MatX<double>& displacement, const Shortened& shortened) {
    places_.push_back(r);
    displacements_.push_back(displacement);
    shortened_.push_back(shortened);
  }

  ModalPoints done() const {
    const auto points = static_cast<Index>(places_.size()), n = shape_.cols();
    ModalPoints p{MatX<double>(3, points), MatX<double>(3 * points, n), {}};
    for (Index k = 0; k < points; ++k) {
      p.r.col(k) = places_[static_cast<std::size_t>(k)];
      p.shape.middleRows(3 * k, 3) = displacements_[static_cast<std::size_t>(k)];
      for (const auto& part : shortened_[static_cast<std::size_t>(k)].by) {
        const Vec3<double>& along = part.first;
        auto e = std::find_if(p.shortening.begin(), p.shortening.end(),
                              [&](const auto& x) { return (x.along - along).norm() < 1e-12; });
        if (e == p.shortening.end())
          e = p.shortening.insert(p.shortening.end(), {along, MatX<double>::Zero(points * n, n)});
        e->B.middleRows(k * n, n) += part.second;
      }
    }
    return p;
  }

 private:
  const Mesh& mesh_;
  const MatX<double>& shape_;
  std::vector<Vec3<double>> places_;
  std::vector<MatX<double>> displacements_;
  std::vector<Shortened> shortened_;
};

/// All of a body's mass as points, and its far end.
class Lumper {
 public:
  Lumper(const BodyDescription& body, const Mesh& mesh, const MatX<double>& shape, ModalBody& m)
      : body_(body), mesh_(mesh), shape_(shape), m_(m), lumps_(mesh, shape), end_(mesh, shape), watched_(mesh, shape) {
    m.turning_modes = MatX<double>::Zero(3, shape.cols());
    m.modes_turning = MatX<double>::Zero(shape.cols(), shape.cols());
  }

  void run(const std::vector<Vec3<double>>& watched) {
    std::vector<PointGatherer::Shortened> at_node(1);
    for (const Mesh::Element& e : mesh_.elements()) {
      add_element(e, at_node.back());
      at_node.push_back(at_node.back());
      lumps_.add_part(e, 1, at_node.back());
    }
    for (const auto& [mass, xyz] : body_.points) {
      const Index n = mesh_.nearest(xyz);
      const Mesh::Motion motion = mesh_.at_node(n);
      const Vec3<double> arm = xyz - mesh_.places()[static_cast<std::size_t>(n)];
      PointGatherer::Shortened shortened = at_node[static_cast<std::size_t>(n)];
      add_arm(arm, motion.turn * shape_, shortened);
      add_mass(mass, xyz, (motion.displacement - cross_matrix<double>(arm) * motion.turn) * shape_, shortened);
    }
    if (body_.mass > 0) {
      add_mass(body_.mass, body_.com, MatX<double>::Zero(3, shape_.cols()), {});
      m_.turning += body_.inertia;
    }
    m_.lump = lumps_.done();
    m_.lump_mass = Eigen::Map<VecX<double>>(mass_.data(), static_cast<Index>(mass_.size()));
    const Mesh::Motion last = mesh_.at_node(mesh_.nodes() - 1);
    end_.add(mesh_.places().back(), last.displacement * shape_, at_node.back());
    m_.end = end_.done();
    m_.end_turn = last.turn * shape_;
    watch(watched, at_node);
    see_slenderness();
  }

 private:
  void watch(const std::vector<Vec3<double>>& places, const std::vector<PointGatherer::Shortened>& at_node) {
    m_.watched_turn = MatX<double>(3 * static_cast<Index>(places.size()), shape_.cols());
    for (std::size_t i = 0; i < places.size(); ++i) {
      std::size_t best = 0;
      double share = 0, least = std::numeric_limits<double>::infinity();
      for (std::size_t k = 0; k < mesh_.elements().size(); ++k) {
        const Mesh::Element& e = mesh_.elements()[k];
        const Vec3<double> along = e.piece->axes().col(0),
                           from = places[i] - mesh_.places()[static_cast<std::size_t>(e.a)];
        const double s = std::clamp(from.dot(along) / e.length, 0.0, 1.0),
                     away = (from - along * (s * e.length)).norm();
        if (away < least - 1e-12) least = away, best = k, share = s;
      }
      const Mesh::Element& e = mesh_.elements()[best];
      const Vec3<double> along = e.piece->axes().col(0);
      PointGatherer::Shortened shortened = at_node[best];
      if (share > 0) lumps_.add_part(e, share, shortened);
      const Mesh::Motion motion = mesh_.at(e, share);
      watched_.add(mesh_.places()[static_cast<std::size_t>(e.a)] + along * (share * e.length),
                   motion.displacement * shape_, shortened);
      m_.watched_turn.middleRows(3 * static_cast<Index>(i), 3) = motion.turn * shape_;
    }
    m_.watched = watched_.done();
  }

  void see_slenderness() {
    m_.node_turn = MatX<double>(3 * mesh_.nodes(), shape_.cols());
    for (Index n = 0; n < mesh_.nodes(); ++n) m_.node_turn.middleRows(3 * n, 3) = mesh_.at_node(n).turn * shape_;
    m_.chord = mesh_.places().back() - mesh_.places().front();
    double length = 0, stiffness = std::numeric_limits<double>::infinity();
    for (const BeamDescription& p : body_.beam) {
      length += p.length();
      const double flat = mesh_.normal() ? std::abs(p.axes().col(2).dot(*mesh_.normal())) : -1;
      stiffness = std::min(stiffness, p.E * (flat < 0 ? std::min(p.Iy, p.Iz) : flat > std::sqrt(0.5) ? p.Iz : p.Iy));
    }
    m_.euler_load = std::pow(std::numbers::pi / length, 2) * stiffness;
  }

  /// A point on an arm swings as its node turns: theta x (theta x arm)/2 beside theta x arm.
  static void add_arm(const Vec3<double>& arm, const MatX<double>& turn, PointGatherer::Shortened& shortened) {
    if (arm.norm() < 1e-12) return;
    const MatX<double> along = arm.transpose() * turn;  // theta . arm
    for (Index i = 0; i < 3; ++i) {
      const MatX<double> mixed = turn.row(i).transpose() * along;
      shortened.by.emplace_back(Vec3<double>::Unit(i),
                                arm[i] * turn.transpose() * turn - (mixed + mixed.transpose()) / 2);
    }
  }

  void add_mass(double mass, const Vec3<double>& r, const MatX<double>& displacement,
                const PointGatherer::Shortened& shortened) {
    lumps_.add(r, displacement, shortened);
    mass_.push_back(mass);
  }

  void add_element(const Mesh::Element& e, const PointGatherer::Shortened& before) {
    const BeamDescription& p = *e.piece;
    const Mat3<double> R = p.axes();
    const Mat3<double> section = R * p.turning().asDiagonal() * R.transpose();
    const Vec3<double> from = mesh_.places()[static_cast<std::size_t>(e.a)];
    for (std::size_t g = 0; g < 4; ++g) {
      PointGatherer::Shortened shortened = before;
      lumps_.add_part(e, mass_point_place[g], shortened);
      const double share = mass_point_weight[g] * e.length;
      const Mesh::Motion motion = mesh_.at(e, mass_point_place[g]);
      add_mass(p.rho * p.A * share, from + R.col(0) * (mass_point_place[g] * e.length), motion.displacement * shape_,
               shortened);
      const MatX<double> turn = motion.turn * shape_;
      m_.turning += section * share;
      m_.turning_modes += section * share * turn;
      m_.modes_turning += congruence(section * share, turn);
    }
  }

  const BodyDescription& body_;
  const Mesh& mesh_;
  const MatX<double>& shape_;
  ModalBody& m_;
  PointGatherer lumps_, end_, watched_;
  std::vector<double> mass_;
};

/// Modes scaled so that their largest displacement along the beam is 1, or their largest turn. Returns which it is.
std::vector<bool> scale(const Mesh& mesh, Basis& basis) {
  std::vector<bool> displaces;
  const double size = (mesh.places().back() - mesh.places().front()).norm();
  for (Index c = 0; c < basis.shape.cols(); ++c) {
    double displacement = 0, turn = 0;
    for (Index n = 1; n < mesh.nodes(); ++n) {
      const Mesh::Motion at = mesh.at_node(n);
      displacement = std::max(displacement, (at.displacement * basis.shape.col(c)).norm());
      turn = std::max(turn, (at.turn * basis.shape.col(c)).norm());
    }
    displaces.push_back(displacement > 1e-6 * turn * size);
    basis.shape.col(c) /= displaces.back() ? displacement : turn;
  }
  return displaces;
}

}  // namespace

ModalBody modal_body(const BodyDescription& body, int modes, const std::optional<Vec3<double>>& normal,
                     const std::vector<Vec3<double>>& watched) {
  if (body.beam.empty())
    throw Error(body.where, fmt::format("body '{}': read no beam, expected one to bend", body.name));
  const Mesh mesh(body, normal);
  if (modes < 1 || modes > mesh.size())
    throw Error(body.where, fmt::format("body '{}': read {} modes, expected 1 to {}: what its elements have", body.name,
                                        modes, mesh.size()));
  Basis basis = craig_bampton(mesh, modes);
  if (basis.shape.size() == 0)
    throw Error(body.where,
                fmt::format("body '{}': read a beam whose modes cannot be told by its elements' matrices, expected "
                            "sections and lengths that are less extreme",
                            body.name));
  ModalBody m;
  m.truncation = truncation_of(mesh, basis);
  m.is_length = scale(mesh, basis);
  const auto diagonal = [&](const MatX<double>& A) -> VecX<double> {
    return (basis.shape.transpose() * A * basis.shape).diagonal();
  };
  m.mass = diagonal(mesh.M);
  m.stiffness = diagonal(mesh.K);
  m.damping = diagonal(mesh.C);
  Lumper(body, mesh, basis.shape, m).run(watched);
  return m;
}

}  // namespace gough
