#pragma once
/// Dynamics by programs: one evaluation of the general kernels, traced once for a robot and run as machine code or interpreted.
///                                                                                        docs/theory/engine.md
/// A Dynamics begins with the kernels. After some calls its programs are made in the background, and from a later call on they are used,
/// where they agree with the kernels. Which calls these are is counted, not timed, so that numbers never depend on how fast a machine is.
/// `virtual_power` stays with the kernels, because who asks for it reads its regressor; warm_up makes its programs, too.
/// A program that fails one of its guards leaves that call to the kernels. What traces is handed to a robot when it is prepared
/// (Mechanism::programs): nothing here knows it.
#include <array>
#include <memory>
#include <string>
#include <vector>

#include "gough/engine/routine.hpp"
#include "gough/kinematics/task_motion.hpp"

namespace gough {

template <Scalar S>
struct Dynamics;

/// What one program computes. What a call does not use is no input of it, and costs nothing.
struct ProgramWish {
  enum class Wrenches { none, platform, any };  ///< external ones, on which bodies
  bool inverse = true;
  bool from_platform = false;  ///< inverse: from the platform's motion, without positions of the joints
  Wrenches wrenches = Wrenches::none;
  CoulombRule coulomb = {};
  bool rewritten = false;  ///< fewer operations, made more slowly

  friend bool operator==(const ProgramWish&, const ProgramWish&) = default;
};

/// A routine, or why there is none.
struct MadeProgram {
  std::shared_ptr<const Routine> routine;
  std::string why;
  /// From the platform: which of its numbers go in, x y z, the rotation row by row, v, w, a, dw; and those that must be what they are at home.
  std::vector<int> input;
  std::vector<std::pair<int, double>> fixed;
};

/// Makes programs of robots. Inputs: q, v, a (forward: tau), the wrenches (moment, force of a body), slip where dry friction is given.
/// Outputs: tau, lambda, and the efforts of joints that are only elastic, if any; forward a and lambda. From the platform: its numbers in;
/// tau out.
class ProgramSource {
 public:
  virtual ~ProgramSource() = default;
  /// For the choices of `d`, compared with the kernels. Throws Error, or Failure, where there can be none.
  virtual MadeProgram make(const Mechanism<double>& m, const Dynamics<double>& d, const ProgramWish& wish) const = 0;
};

namespace detail {
class ProgramJob;
}

/// The programs that a Dynamics uses or has ordered.
class Programs {
 public:
  /// Makes room, so that calls need none.
  void reserve();
  /// True: the outputs are written. False: the kernels' turn.
  bool run(const Mechanism<double>& m, Workspace<double>& w, Dynamics<double>& d, bool inverse);
  /// Inverse, from the platform's motion; writes tau.
  bool run(const Mechanism<double>& m, const Transform<double>& pose, const PlatformRates<double>& rates,
           Workspace<double>& w, Dynamics<double>& d);
  /// Makes the program of a call like this one now, rewritten, so that the next calls run it.
  void warm_up(const Mechanism<double>& m, const Workspace<double>& w, const Dynamics<double>& d, bool inverse,
               bool from_platform = false);
  /// How the next call is computed: "machine code (AVX-512)", "interpreter", "kernels", and why kernels.
  MadeProgram now(bool inverse) const;

 private:
  struct Entry {
    ProgramWish wish;
    long calls = 0;
    std::shared_ptr<detail::ProgramJob> first, better;  ///< as traced; rewritten
    MadeProgram made;                                   ///< in use, or refused
    std::vector<double> scratch;
  };
  Entry& entry_for(const ProgramWish& wish);
  bool prepare(const Mechanism<double>& m, const Dynamics<double>& d, Entry& e);
  void adopt(Entry& e, const MadeProgram& made);

  std::vector<Entry> entry_;
  std::array<int, 3> current_ = {-1, -1, -1};  ///< forward, inverse, from the platform: what the last call used
};

/// Makes the programs of all directions now, for calls like the one that `w` holds: what a controller does before it begins, and a
/// measurement of time.
void warm_up(const Mechanism<double>& m, const Workspace<double>& w, Dynamics<double>& d);

}  // namespace gough
