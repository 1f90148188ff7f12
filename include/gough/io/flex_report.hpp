#pragma once
/// What beams do along a motion, with its files: tables row by row, text and JSON. Columns: docs/flexible.md.
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "gough/flexible/elastodynamics.hpp"
#include "gough/io/bent_robot.hpp"
#include "gough/io/dynamics_report.hpp"

namespace gough {

/// t; x .. rz of the rigid platform; ex .. erz; tau.NAME; tau_rigid.NAME; stress; f1 f2 ..; POINT.ex .. POINT.erz
std::vector<std::string> flex_columns(const Mechanism<double>& m, int frequencies,
                                      const std::vector<FlexPoint>& points = {});
std::vector<double> flex_values(const Mechanism<double>& m, const FlexResult& r, int frequencies);

struct FlexJob {
  FlexOptions options;
  std::string output;  ///< a table to write row by row; empty: none
  std::string shapes;  ///< a table of mode shapes to write, at eleven times of the motion; empty: none
  std::vector<KnownState>
      drives;  ///< what the actuators do instead of what the rigid robot's do; errors are of the motion still
  bool keep_table = false;  ///< in the report
  /// Called after each row; false ends the work there.
  std::function<bool(const FlexResult& r)> after_row;
};

/// The largest of a column's absolute values, and when.
struct FlexExtreme {
  std::string what, unit;
  double value = 0, t = 0;
};

struct FlexReport {
  std::string robot, motion;
  std::string follow;      ///< method by which drives were corrected; empty: they are the rigid robot's
  int modes = 0;           ///< per beam, of the coupled model; 0: beams along the rigid motion
  long steps = 0;          ///< of integration, of the coupled model
  std::string modes_told;  ///< of the coupled model: what the reduction to modes costs
  FlexOptions options;
  std::size_t asked = 0;  ///< states of the motion
  FlexAnswer answer;
  double start = 0, end = 0, time = 0;       ///< [s] of the motion; that the computation took
  std::vector<FlexExtreme> extremes;         ///< errors, differences of driving forces, stress
  std::vector<std::array<double, 2>> range;  ///< of each frequency: lowest and highest [Hz]
  std::string stressed;                      ///< the body with the largest stress
  std::optional<Table> table;

  /// Out of the plane of a planar robot there is nothing to tell.
  bool leaves_out(const FlexExtreme& e) const {
    const std::string last = e.what.substr(e.what.rfind('.') + 1);
    return answer.planar && (last == "ez" || last == "erx" || last == "ery");
  }
  bool done() const { return answer.ok() && !answer.along.stopped; }
};

/// Runs it; rows are in the file as they come. Throws Error for what cannot be asked of this robot.
FlexReport report_flex(const Mechanism<double>& m, const KnownMotion& motion, const FlexJob& job);

/// The coupled model instead: rigid motion and bending unknown together, drives followed exactly. Columns without stress and frequencies.
struct CoupledJob {
  ModesOptions modes;  ///< with which the bent robot was made
  FlexStart start = FlexStart::undeformed;
  std::size_t every = 1;
  std::string output;
  bool keep_table = false;
  std::vector<KnownState> drives;  ///< as in FlexJob
  std::function<bool()> after_row;
  double longest_step = 0;                      ///< [s]; 0: what the tolerance allows
  VecX<double> elastic_q = {}, elastic_v = {};  ///< of FlexStart::given
  std::function<bool()> go_on = {};             ///< asked between rows too
};
FlexReport report_coupled(const Mechanism<double>& m, const BentMechanism& bent, const KnownMotion& motion,
                          const CoupledJob& job);

std::string flex_text(const FlexReport& report);
std::string flex_json(const FlexReport& report);

/// "BODY@x,y,z:fx,fy,fz", separated by ';': forces on links, points in the body's own frame. Throws Error.
std::vector<PointLoad> parse_loads(const std::string& text, const Mechanism<double>& m);

/// "NAME=BODY@x,y,z", a point in the body's own frame, or "BODY.k" or "NAME=BODY.k", its k-th node from the clamped end (0; as in tables
/// of shapes), separated by ';'. Throws Error.
std::vector<FlexPoint> parse_points(const std::string& text, const Mechanism<double>& m);

/// The first row of a table with displacements BODY.k.x .. rz of nodes, as tables of shapes have them, and perhaps rates v.BODY.k.x ..
/// rz. Throws Error.
std::vector<NodeStart> load_node_start(const std::string& path, const Mechanism<double>& m);

/// The same of the coupled model: q.NAME and v.NAME of elastic coordinates; others are 0.
std::pair<VecX<double>, VecX<double>> load_elastic_start(const std::string& path, const Mechanism<double>& bent);

}  // namespace gough
