#pragma once
/// What a report needs of each state beside the tables: poses of all bodies, energies, how well the loops are closed and
/// how near a singularity is. Poses and singularities are kept at frames, evenly spread; the rest at every state.
#include <limits>
#include <vector>

#include "gough/dynamics/along.hpp"
#include "gough/dynamics/energy.hpp"

namespace gough {

inline constexpr std::size_t most_frames = 2000;
inline constexpr std::size_t most_pose_bytes = 6'000'000;

class RunRecord {
 public:
  /// `states`: how many are expected; `timed`: their t are times, not labels. The mechanism must outlive the record.
  RunRecord(const Mechanism<double>& m, std::size_t states, bool timed = true);
  void add(const AlongRow& row);
  /// The last state becomes a frame, if it is none yet.
  void finish();

  struct Extent {
    double lowest = std::numeric_limits<double>::infinity(), highest = -std::numeric_limits<double>::infinity();
    void take(double x);
    bool known() const { return lowest <= highest; }
  };

  std::vector<double> t;
  std::vector<double> kinetic, potential;           ///< [J]
  std::vector<double> actuators, losses, external;  ///< powers [W]
  std::vector<double> residual;                     ///< largest of the loops' equations
  bool in_time;                                     ///< t are times, and increase

  std::vector<std::size_t> frame;                ///< index of each frame's state
  std::vector<float> pose;                       ///< frames x bodies x (x y z qx qy qz qw), author's order of the tree
  std::vector<double> type1, type2, constraint;  ///< at frames; NaN where the notion does not apply
  std::vector<double> tau;                       ///< frames x actuators
  std::vector<double> wrench;                    ///< frames x (force, moment at the platform's origin), base axes
  std::vector<Extent> q, cq;                     ///< how far coordinates went: positions of the tree, of cut joints

 private:
  void add_frame();

  const Mechanism<double>& m_;
  std::size_t stride_;
  Workspace<double> w_;
};

}  // namespace gough
