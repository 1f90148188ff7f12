/// The hand-written hexapod against energies, virtual powers and differences taken through the library's kinematics of
/// robots/hexapod.yaml, which knows nothing of the hand-written formulas.
#include "../../bench/handwritten_hexapod.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "kinematics/states.hpp"

namespace gough::handwritten_hexapod_test {
namespace {

using Six = HandwrittenHexapod::Vec6;

/// The shipped hexapod, and one without its symmetries: bodies with three different principal moments.
struct Twin {
  Mechanism<double> library;
  HandwrittenHexapod hand;
};
const Twin& shipped_twin() {
  static const Twin twin{shipped("hexapod"), {}};
  return twin;
}
const Twin& uneven_twin() {
  static const Twin twin = [] {
    std::ostringstream file;
    file << std::ifstream(robot_path("hexapod")).rdbuf();
    std::string text = with(file.str(), "inertia: [2e-3, 2e-3, 2e-3]", "inertia: [0.06, 0.11, 0.07]");
    text = with(text, "inertia: [0.06, 0.06, 0.01]", "inertia: [0.06, 0.09, 0.04]");
    text = with(text, "inertia: [0.04, 0.04, 0.002]", "inertia: [0.05, 0.04, 0.03]");
    text = with(text, "com: [0, 0, 0.03], inertia: [0.03, 0.03, 0.05]",
                "com: [0.01, -0.02, 0.03], inertia: [0.03, 0.04, 0.05]");
    Twin t{prepared_from(text).mechanism, {}};
    t.hand.ring = 0.11;
    t.hand.stator.inertia = {0.06, 0.09, 0.04};
    t.hand.slider.inertia = {0.05, 0.04, 0.03};
    t.hand.com = {0.01, -0.02, 0.03};
    t.hand.inertia = {0.03, 0.04, 0.05};
    return t;
  }();
  return twin;
}

struct PlatformMotion {
  Transform<double> X;
  Vec3<double> v, w, a, dw;
};

/// A motion in all six directions at once, with its derivatives by nested dual numbers.
PlatformMotion platform_at(double time) {
  DD t(time);
  t.value.d[0] = t.d[0].value = 1;
  const auto wave = [&t](double size, double rate, double phase) { return DD(size) * sin(t * DD(rate) + DD(phase)); };
  const Vec3<DD> p(wave(0.05, 3, 0.1), wave(0.06, 4, 1.2), DD(-0.66) + wave(0.04, 5, 2.3));
  const Mat3<DD> R = rotation_from_cardan<DD>({wave(0.2, 4.5, 0.4), wave(0.15, 3.5, 1.9), wave(0.25, 2.5, 3.0)});
  const auto [w, dw] = turning(R);
  return {{values(R), values(p)}, firsts(p), w, seconds(p), dw};
}

Six inverse(const HandwrittenHexapod& hand, const PlatformMotion& s) {
  return hand.inverse(s.X.R, s.X.p, s.v, s.w, s.a, s.dw);
}
HandwrittenHexapod::ForwardResult forward(const HandwrittenHexapod& hand, const PlatformMotion& s, const Six& tau) {
  return hand.forward(s.X.R, s.X.p, s.v, s.w, tau);
}

/// The library's positions, velocities and accelerations of all bodies for a motion of the platform.
struct Followed {
  Workspace<double> w;
  ExplicitForm<double> form;
};
Followed followed(const Mechanism<double>& m, const PlatformMotion& s) {
  Workspace<double> w(m);
  EXPECT_TRUE(inverse_kinematics(m, s.X, w).ok());
  const Selection selection = select_platform(m, w, m.rank);
  Vec6<double> rates, accelerations;  // of the free joint: linear in base axes, angular in the platform's
  rates << s.v, s.X.R.transpose() * s.w;
  accelerations << s.a, s.X.R.transpose() * s.dw;
  VecX<double> yd(6), ydd(6);
  for (int i = 0; i < 6; ++i) {
    const int c = selection.independent[at(i)] - m.joint[at(m.platform.body)].v;
    yd[i] = rates[c];
    ydd[i] = accelerations[c];
  }
  ExplicitForm<double> form(m, selection);
  explicit_motion(m, w, selection, form, yd, ydd);
  return {w, form};
}

double potential_energy(const Mechanism<double>& m, const Workspace<double>& w) {
  double U = 0;
  for (std::size_t j = 0; j < w.X0.size(); ++j)
    U -= dot<double>(m.gravity, w.X0[j].p * m.inertia[j].mass + w.X0[j].R * m.inertia[j].first);
  return U;
}
double energy(const Mechanism<double>& m, const Workspace<double>& w) {
  double E = potential_energy(m, w);
  for (std::size_t j = 0; j < w.V.size(); ++j) E += power(m.inertia[j] * w.V[j], w.V[j]) / 2;
  return E;
}

Six coordinates(const Mechanism<double>& m, const VecX<double>& of, const std::string& joint) {
  Six x;
  for (int i = 0; i < 6; ++i) x[i] = of[m.find_coordinate("leg" + std::to_string(i + 1) + "." + joint)];
  return x;
}
/// Positions of the legs' joints `joint` at a time.
Six positions(const Mechanism<double>& m, const std::string& joint, double time) {
  Workspace<double> w(m);
  EXPECT_TRUE(inverse_kinematics(m, platform_at(time).X, w).ok());
  Six x;
  for (int i = 0; i < 6; ++i)
    x[i] = w.q[position_of(m, m.find_coordinate("leg" + std::to_string(i + 1) + "." + joint))];
  return x;
}

/// Differences of fourth order.
template <class F>
auto first_difference(F f, double h) {
  return ((f(h) - f(-h)) * 8 - (f(2 * h) - f(-2 * h))) / (12 * h);
}
template <class F>
Six second_difference(F f, double h) {
  return ((f(h) + f(-h)) * 16 - (f(2 * h) + f(-2 * h)) - f(0) * 30) / (12 * h * h);
}

const std::vector<double> times{0, 0.13, 0.37, 0.9, 1.7, 2.6};

class HandwrittenHexapodTest : public testing::TestWithParam<std::string> {
 protected:
  const Twin& twin = GetParam() == "shipped" ? shipped_twin() : uneven_twin();
  const Mechanism<double>& m = twin.library;
  const HandwrittenHexapod& hand = twin.hand;
};
INSTANTIATE_TEST_SUITE_P(Bench, HandwrittenHexapodTest, testing::Values("shipped", "uneven"),
                         [](const auto& of) { return of.param; });

TEST_P(HandwrittenHexapodTest, PowerOfTheDrivesIsTheGrowthOfEnergy) {
  for (const double t : times) {
    const PlatformMotion s = platform_at(t);
    const double drives = inverse(hand, s).dot(coordinates(m, followed(m, s).w.v, "drive"));
    const double growth =
        first_difference([&](double dt) { return energy(m, followed(m, platform_at(t + dt)).w); }, 1e-3);
    EXPECT_NEAR(drives, growth, 1e-8 * (10 + std::abs(growth))) << "differences of some 100 J over 1 ms";
  }
}

TEST_P(HandwrittenHexapodTest, VirtualPowersBalanceInEveryDirection) {
  for (const double t : times) {
    const PlatformMotion s = platform_at(t);
    const Six tau = inverse(hand, s);
    const Followed f = followed(m, s);
    for (int k = 0; k < 6; ++k) {
      Workspace<double> partial = f.w;
      partial.v = f.form.G.col(k);
      tree_velocities(m, partial);
      double bodies = 0;
      for (std::size_t j = 0; j < f.w.V.size(); ++j) {
        Motion<double> lifted = f.w.A[j];
        lifted.linear -= f.w.X0[j].R.transpose() * m.gravity;
        bodies += power(inertial_force(m.inertia[j], f.w.V[j], lifted), partial.V[j]);
      }
      EXPECT_NEAR(tau.dot(coordinates(m, partial.v, "drive")), bodies, 1e-10 * tau.norm()) << "direction " << k;
    }
  }
}

TEST_P(HandwrittenHexapodTest, ForwardUndoesInverse) {
  for (const double t : times) {
    const PlatformMotion s = platform_at(t);
    const auto found = forward(hand, s, inverse(hand, s));
    EXPECT_LT((found.a - s.a).norm() + (found.dw - s.dw).norm(), 1e-11 * (1 + s.a.norm() + s.dw.norm()));
  }
}

TEST_P(HandwrittenHexapodTest, InverseUndoesForward) {
  for (unsigned seed = 1; seed <= 6; ++seed) {
    PlatformMotion s = platform_at(0.3 * seed);
    const Six tau = 200 * random_vector(6, seed);
    const auto found = forward(hand, s, tau);
    s.a = found.a;
    s.dw = found.dw;
    EXPECT_LT((inverse(hand, s) - tau).norm(), 1e-10 * tau.norm());
  }
}

TEST_P(HandwrittenHexapodTest, AtRestForcesBalanceTheWeight) {
  const Vec3<double> none = Vec3<double>::Zero();
  for (const double t : times) {
    const Transform<double> X = platform_at(t).X;
    const Six tau = inverse(hand, {X, none, none, none, none});
    for (int k = 0; k < 6; ++k) {
      const auto lifted = [&](double by) {  // potential energy less the work of the drives' constant forces
        Vec6<double> step = Vec6<double>::Zero();
        step[k] = by;
        Workspace<double> w(m);
        EXPECT_TRUE(
            inverse_kinematics(m, {rotation_from_vector<double>(step.tail<3>()) * X.R, X.p + step.head<3>()}, w).ok());
        return potential_energy(m, w) - tau.dot(actuators_of(m, w.q));
      };
      EXPECT_NEAR(first_difference(lifted, 1e-3), 0, 1e-8) << "direction " << k;
    }
  }
}

TEST_P(HandwrittenHexapodTest, JointAccelerationsAreSecondDifferencesOfPositions) {
  for (const double t : times) {
    const PlatformMotion s = platform_at(t);
    const auto found = forward(hand, s, inverse(hand, s));
    const VecX<double> a = followed(m, s).w.a;
    for (const auto& [joint, acceleration] :
         std::map<std::string, Six>{{"drive", found.length}, {"alpha", found.alpha}, {"beta", found.beta}}) {
      const Six by_differences =
          second_difference([&, name = joint](double dt) { return positions(m, name, t + dt); }, 2e-3);
      EXPECT_LT((acceleration - by_differences).norm(), 1e-7) << joint;
      EXPECT_LT((acceleration - coordinates(m, a, joint)).norm(), 1e-10) << joint;
    }
  }
}

}  // namespace
}  // namespace gough::handwritten_hexapod_test
