#include "motion_tables.hpp"

namespace gough::io {
namespace {

using namespace dimension;

constexpr Dimension angular_acceleration{0, 0, -2};

const Choice& profile_choice() {
  static const Choice choice{{profile_names.begin(), profile_names.end()}};
  return choice;
}

/// [a, b, ...] in the robot's order, or {NAME: a, ...}.
struct PositionReader {
  FilePosition read(const Node& node) const {
    FilePosition position{node.where(), node.is_list(), {}};
    if (node.is_list()) {
      for (AnyNumber::Value& value : ListOf<AnyNumber>{{}, 1000}.read(node)) position.values.emplace_back("", value);
      return position;
    }
    if (!node.is_map()) node.fail(node.shown(), "a list of positions, or names with a position each");
    position.values = MapOf<AnyNumber>{{}, 1000}.read(node);
    return position;
  }
  json schema() const { return {{"oneOf", {ListOf<AnyNumber>{{}, 1000}.schema(), MapOf<AnyNumber>{}.schema()}}}; }
};

struct TwoAxes {
  std::vector<Vec3<double>> read(const Node& node) const {
    if (!node.is_list() || node.size() != 2)
      node.fail(node.is_list() ? fmt::format("a list of {}", node.size()) : node.shown(), "two axes [[..], [..]]");
    return {Vector3{none}.read(node.item(0)), Vector3{none}.read(node.item(1))};
  }
  json schema() const {
    return {{"type", "array"}, {"items", Vector3{none}.schema()}, {"minItems", 2}, {"maxItems", 2}};
  }
};

const KeyTable<FileLine>& line_table() {
  using L = FileLine;
  static const KeyTable<L> table{
      "a line",
      {field("from", &L::from, PositionReader{}, "start; left out: where the piece before ends, or home"),
       field("to", &L::to, PositionReader{}, "end: all positions as a list, or some by name; others keep the start's",
             true),
       field("profile", &L::profile, profile_choice(), "quintic (default), trapezoid, bang_bang or constant"),
       field("duration", &L::duration, Number{time}, "how long it takes [s]; or else limits:"),
       field("velocity", &L::velocity, AnyNumber{},
             "largest speed of the platform's origin, or of each actuator [m/s or rad/s]"),
       field("acceleration", &L::acceleration, AnyNumber{}, "largest acceleration of these [m/s^2 or rad/s^2]"),
       field("angular_velocity", &L::angular_velocity, Number{rate}, "largest rate of the platform's turn [rad/s]"),
       field("angular_acceleration", &L::angular_acceleration, Number{angular_acceleration},
             "largest acceleration of the platform's turn [rad/s^2]"),
       field("ramp", &L::ramp, Number{time},
             "time of speeding up of a trapezoid with a duration [s]; a third of it if left out")},
      "line"};
  return table;
}

const KeyTable<FileCircle>& circle_table() {
  using C = FileCircle;
  static const KeyTable<C> table{
      "a circle",
      {field("centre", &C::centre, Vector3{length}, "its centre [m]", true),
       field("radius", &C::radius, Number{length}, "its radius [m]", true),
       field(
           "normal", &C::normal, Vector3{none},
           "of its plane, [0, 0, 1] if left out; the angle counts from the base's x axis (y where that is the normal)"),
       field("axes", &C::axes, TwoAxes{}, "instead of normal: where the angles 0 and 90 deg are"),
       field("start", &C::start, Number{angle}, "angle at the start [rad]; 0 if left out"),
       field("turns", &C::turns, Number{none}, "how often round; negative: clockwise; 1 if left out"),
       field("duration", &C::duration, Number{time}, "how long it takes [s]", true),
       field("profile", &C::profile, profile_choice(), "quintic (default), trapezoid, bang_bang or constant"),
       field("ramp", &C::ramp, Number{time}, "time of speeding up of a trapezoid [s]; a third of it if left out"),
       field("orientation", &C::orientation, Vector3{angle},
             "rotation vector [rx, ry, rz] of the platform [rad]; left out: that of the start")},
      "circle"};
  return table;
}

const KeyTable<FileTerm>& term_table() {
  static const KeyTable<FileTerm> table{
      "a term",
      {field("amplitude", &FileTerm::amplitude, AnyNumber{}, "how far it swings [m or rad]", true),
       field("rate", &FileTerm::rate, Number{rate}, "angular rate [rad/s]; a frequency has the unit Hz", true),
       field("phase", &FileTerm::phase, Number{angle}, "amplitude sin(rate t + phase) [rad]; 0 if left out")},
      "term"};
  return table;
}

const KeyTable<FileSeries>& series_table() {
  using S = FileSeries;
  static const ListOf<AnyNumber> amplitudes{{}, 1000};
  static const KeyTable<S> table{
      "a series",
      {field("offset", &S::offset, AnyNumber{}, "middle [m or rad]; left out: that of the start or home"),
       field("rate", &S::rate, Number{rate}, "of this coordinate [rad/s, or with the unit Hz]"),
       field("sin", &S::sin, amplitudes, "[a1, a2, ..] of sin(rate t), sin(2 rate t), .. [m or rad]"),
       field("cos", &S::cos, amplitudes, "[b1, b2, ..] of cos(rate t), cos(2 rate t), .. [m or rad]"),
       field("terms", &S::terms, ListOf<Object<FileTerm>>{{term_table}, 1000}, "terms with rates of their own")},
      "series"};
  return table;
}

const KeyTable<FileHarmonic>& harmonic_table() {
  using H = FileHarmonic;
  static const KeyTable<H> table{
      "a harmonic motion",
      {field("rate", &H::rate, Number{rate}, "of the first harmonic [rad/s, or with the unit Hz]"),
       field("duration", &H::duration, Number{time}, "how long it takes [s]", true),
       field("coordinates", &H::coordinates, MapOf<Object<FileSeries>>{{series_table}, 1000},
             "a series for each coordinate that moves, by name", true)},
      "harmonic"};
  return table;
}

const KeyTable<FileSamples>& samples_table() {
  static const KeyTable<FileSamples> table{
      "samples",
      {field("file", &FileSamples::file, Text{}, "a table (CSV) in the folder of this file or below", true)},
      "samples"};
  return table;
}

const KeyTable<FilePiece>& piece_table() {
  using P = FilePiece;
  static const KeyTable<P> table{
      "a piece",
      {field("line", &P::line, Object<FileLine>{line_table}, "straight from one position to another"),
       field("circle", &P::circle, Object<FileCircle>{circle_table}, "the platform's origin on a circle"),
       field("harmonic", &P::harmonic, Object<FileHarmonic>{harmonic_table}, "sums of sines and cosines of time"),
       field("samples", &P::samples, Object<FileSamples>{samples_table}, "the rows of a table, joined smoothly"),
       field("wait", &P::wait, AnyNumber{}, "stay at rest for this time [s]")},
      "piece"};
  return table;
}

}  // namespace

const KeyTable<FileMotion>& motion_table() {
  using M = FileMotion;
  static const KeyTable<M> table = [] {
    KeyTable<M> t{"a motion file",
                  {field("motion", &M::motion, Text{}, "the motion's name", true),
                   field("description", &M::description, Text{}, "a sentence for people"),
                   field("moves", &M::moves, Choice{{"platform", "actuators", "motors"}},
                         "what moves: the platform (if left out), the actuators, or their motors counted from home")},
                  "motion"};
    for (const Field<FilePiece>& f : piece_table().fields)
      t.fields.push_back({f.key, f.help, f.required, f.read, f.schema});
    t.fields.push_back(field("sequence", &M::sequence, ListOf<Object<FilePiece>>{{piece_table}, 1000},
                             "pieces one after the other, each a line, circle, .. or wait"));
    return t;
  }();
  return table;
}

json motion_definitions() {
  json all;
  const auto add = [&](const auto& object) { all[object.table().name] = object.definition(); };
  add(Object<FileCircle>{circle_table});
  add(Object<FileHarmonic>{harmonic_table});
  add(Object<FileLine>{line_table});
  add(Object<FilePiece>{piece_table});
  add(Object<FileSamples>{samples_table});
  add(Object<FileSeries>{series_table});
  add(Object<FileTerm>{term_table});
  return all;
}

}  // namespace gough::io
