#include "gough/codegen/parameters.hpp"

#include <fmt/format.h>

#include <cmath>

namespace gough {
namespace {

constexpr double same = 1e-12;  // relative: two ways of writing one number in a robot file differ less
constexpr double rounding = 1e-14;

class Maker {
 public:
  Maker(const Mechanism<double>& from, Parameters& parameters) : m(from), p(parameters) {
    static_cast<Structure&>(out) = m;
    out.home_description = m.home_description;
    out.home = m.home;
  }

  Mechanism<Expr> run() {
    for (std::size_t j = 0; j < m.placement.size(); ++j) {
      out.placement.push_back(p.frame(m.body_name[j], m.placement[j]));
      out.inertia.push_back(inertia(m.body_name[j], m.inertia[j]));
      out.body_frame.push_back(p.frame(m.body_name[j] + ".frame", m.body_frame[j]));
    }
    for (std::size_t c = 0; c < m.cut.size(); ++c) {
      out.cut_a.push_back(p.frame(m.cut[c].name + ".a", m.cut_a[c]));
      out.cut_b.push_back(p.frame(m.cut[c].name + ".b", m.cut_b[c]));
      out.cut_length.push_back(p(m.cut[c].name + ".length", "length", m.cut_length[c], "m"));
    }
    for (std::size_t c = 0; c < m.coordinate.size(); ++c) coordinate(c);
    for (std::size_t i = 0; i < m.coefficient.size(); ++i)
      out.coefficient.push_back(
          p("friction." + m.coefficient_name[i], fmt::format("friction {}", i), m.coefficient[i], "SI"));
    for (std::size_t s = 0; s < m.spring.size(); ++s) spring(s);
    out.platform_frame = p.frame("platform_frame", m.platform_frame);
    out.tool_frame = p.frame("tool_frame", m.tool_frame);
    for (int i = 0; i < 3; ++i)
      out.gravity[i] = p(fmt::format("gravity.{}", "xyz"[i]), "gravity", m.gravity[i], "m/s^2");
    return std::move(out);
  }

 private:
  Inertia<Expr> inertia(const std::string& body, const Inertia<double>& I) {
    const std::string part = m.in_leg(body).second;
    const auto entry = [&](const std::string& name, double value, const std::string& unit, double size) {
      return p(body + "." + name, part + "." + name, value, unit, rounding * size);
    };
    Inertia<Expr> out_;
    out_.mass = entry("mass", I.mass, "kg", 0);
    for (int i = 0; i < 3; ++i)
      out_.first[i] = entry(fmt::format("s{}", "xyz"[i]), I.first[i], "kg m", I.first.cwiseAbs().maxCoeff());
    for (int i = 0; i < 3; ++i)
      for (int k = i; k < 3; ++k)
        out_.second(i, k) = out_.second(k, i) =
            entry(fmt::format("I{}{}", "xyz"[i], "xyz"[k]), I.second(i, k), "kg m^2", I.second.cwiseAbs().maxCoeff());
    return out_;
  }

  void coordinate(std::size_t c) {
    const std::string& name = m.coordinate[c].name;
    const bool length = m.coordinate[c].is_length;
    const auto entry = [&](const std::string& what, double value, const std::string& unit) {
      return p(name + "." + what, m.in_leg(name).second + "." + what, value, unit);
    };
    out.stiffness.push_back(entry("stiffness", m.stiffness[c], length ? "N/m" : "N m/rad"));
    out.damping.push_back(entry("damping", m.damping[c], length ? "N s/m" : "N m s/rad"));
    out.rest.push_back(entry("rest", m.rest[c], length ? "m" : "rad"));
    out.rotor_inertia.push_back(entry("rotor", m.rotor_inertia[c], "kg m^2"));
    out.ratio.push_back(entry("ratio", m.ratio[c], length ? "rad/m" : "1"));
  }

  void spring(std::size_t s) {
    const std::string& name = m.spring[s].name;
    out.spring_point_a.push_back(p.point(name + ".a", m.spring_point_a[s]));
    out.spring_point_b.push_back(p.point(name + ".b", m.spring_point_b[s]));
    out.spring_stiffness.push_back(p(name + ".stiffness", name + ".stiffness", m.spring_stiffness[s], "N/m"));
    out.spring_damping.push_back(p(name + ".damping", name + ".damping", m.spring_damping[s], "N s/m"));
    out.spring_length.push_back(p(name + ".length", name + ".length", m.spring_length[s], "m"));
  }

  const Mechanism<double>& m;
  Parameters& p;
  Mechanism<Expr> out;
};

}  // namespace

Expr Parameters::operator()(const std::string& name, const std::string& group, double value, const std::string& unit,
                            double tiny) {
  if (std::abs(value) <= tiny) return Expr(0.0);
  std::vector<Known>& known = known_[group];
  for (const Known& k : known) {
    if (std::abs(k.value - value) <= same * std::abs(value)) return k.symbol;
    if (std::abs(k.value + value) <= same * std::abs(value)) return -k.symbol;
  }
  known.push_back(
      {value, use_ == Use::folded ? Expr(value) : variable({name, true, value, fmt::format("{} [{}]", name, unit)})});
  return known.back().symbol;
}

Expr Parameters::turn(const std::string& name, double value) {
  if (std::abs(std::abs(value) - 1) < rounding) return Expr(value > 0 ? 1.0 : -1.0);
  return (*this)(name, "rotation", value, "1", rounding);
}

Vec3<Expr> Parameters::point(const std::string& name, const Vec3<double>& x) {
  Vec3<Expr> out;
  for (int i = 0; i < 3; ++i) out[i] = (*this)(fmt::format("{}.{}", name, "xyz"[i]), "length", x[i], "m", rounding);
  return out;
}

Transform<Expr> Parameters::frame(const std::string& name, const Transform<double>& X) {
  Transform<Expr> out;
  for (int i = 0; i < 3; ++i)
    for (int k = 0; k < 3; ++k) out.R(i, k) = turn(fmt::format("{}.R{}{}", name, "xyz"[i], "xyz"[k]), X.R(i, k));
  out.p = point(name, X.p);
  return out;
}

Mechanism<Expr> symbolic(const Mechanism<double>& m, Parameters& parameters) { return Maker(m, parameters).run(); }

}  // namespace gough
