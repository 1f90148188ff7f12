/// States in, forces or accelerations out, as arrays: one state at a time without anything made anew, many at once on all cores.
#include <tbb/parallel_for.h>

#include "core.hpp"
#include "gough/dynamics/along.hpp"
#include "gough/dynamics/batch.hpp"
#include "gough/kinematics/assemble.hpp"

namespace gough::python {
namespace {

using M = Mechanism<double>;
enum class What { inverse, forward };

using Out = nb::ndarray<double, nb::device::cpu>;
using Wrench = std::optional<Vec6<double>>;  ///< fx fy fz mx my mz on the platform at its origin

/// One mechanism and one formulation.
class Evaluator {
 public:
  Evaluator(const M& m, const DynamicsOptions& o) : m_(m), options_(checked(m, o)), w_(m), d_(m, w_, o) {}

  /// Reads states from `q`, `v` and `in` (accelerations or forces), writes into `out`. One dimension: a state; two: rows are states.
  void run(What what, const Numbers& q, const Numbers& v, const Numbers& in, const Out& out, bool nan_for_failures,
           const std::optional<Vector>& given) {
    const bool many = q.ndim() == 2;
    check_all(what, q, v, in, out);
    const Wrench wrench = checked_wrench(given);
    if (many) return run_batch(what, q.shape(0), q, v, in, out, nan_for_failures, wrench);
    if (!busy_) {
      const Busy busy(busy_);
      return run_one(what, q, v, in, out, nan_for_failures, wrench, w_, d_);
    }
    Workspace<double> w(m_);  // another thread is inside, where a friction function in Python has let go of the lock
    Dynamics<double> d(m_, w, options_);
    run_one(what, q, v, in, out, nan_for_failures, wrench, w, d);
  }

  /// Seconds that the library's own calls take on the same numbers, without Python: the least of `repeats`.
  double time(What what, const Numbers& q, const Numbers& v, const Numbers& in, const Out& out, int repeats) {
    check_all(what, q, v, in, out);
    if (repeats < 1) throw Error("repeats: read " + std::to_string(repeats) + ", expected at least 1");
    const bool many = q.ndim() == 2;
    const auto batch = many ? shared_batch() : nullptr;
    Workspace<double> w(m_);
    Dynamics<double> d(m_, w, options_);
    std::vector<Status> status(many ? q.shape(0) : 1);
    nb::gil_scoped_release unlocked;
    double least = std::numeric_limits<double>::infinity();
    for (int r = 0; r < repeats; ++r) {
      const auto start = std::chrono::steady_clock::now();
      if (many) {
        batch_call(*batch, what, q, v, in, out, status);
      } else {
        read_state(what, 0, q, v, in, w);
        status[0] = evaluate(what, {}, w, d).status;
      }
      least = std::min(least, std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
    }
    const bool fine = std::all_of(status.begin(), status.end(), [](Status s) { return s == Status::ok; });
    return fine ? least : -1;
  }

  std::string instructions() { return std::string(shared_batch()->instructions()); }

 private:
  static const DynamicsOptions& checked(const M& m, const DynamicsOptions& o) {
    if (!o.weights.empty()) expect_size("weights", o.weights.size(), m.actuator.size());
    for (const double x : o.weights)
      if (!(x > 0) || !std::isfinite(x))
        throw Error("weights: read " + std::to_string(x) + ", expected numbers above 0");
    return o;
  }

  Wrench checked_wrench(const std::optional<Vector>& given) const {
    if (!given) return {};
    if (!m_.platform.exists()) throw Error(m_.name + ": wrench: read one, expected a robot with a platform");
    return fixed<6>("wrench", *given);
  }

  static std::size_t at(int i) { return static_cast<std::size_t>(i); }

  void check_all(What what, const Numbers& q, const Numbers& v, const Numbers& in, const Out& out) const {
    const bool many = q.ndim() == 2;
    const std::size_t nv = at(m_.nv), na = m_.actuator.size(), n = many ? q.shape(0) : 1;
    check("q", q, n, at(m_.nq), many);
    check("v", v, n, nv, many);
    check(what == What::inverse ? "a" : "tau", in, n, what == What::inverse ? nv : na, many);
    check("out", out, n, what == What::inverse ? na : nv, many);
  }

  template <class A>
  void check(const char* name, const A& a, std::size_t n, std::size_t size, bool many) const {
    const bool fits =
        many ? a.ndim() == 2 && a.shape(0) == n && a.shape(1) == size : a.ndim() == 1 && a.shape(0) == size;
    if (fits) return;
    std::string shape;
    for (std::size_t i = 0; i < a.ndim(); ++i) shape += (i ? ", " : "") + std::to_string(a.shape(i));
    throw Error(m_.name + ": " + name + ": read an array of shape (" + shape + "), expected (" +
                (many ? std::to_string(n) + ", " : "") + std::to_string(size) + ")");
  }

  /// One after another, the entries of a state or the states of an entry; along a side of one nothing has to be passed over.
  static bool follows(const auto& a, std::size_t inner, std::size_t outer) {
    return a.size() == 0 || ((a.shape(inner) == 1 || a.stride(inner) == 1) &&
                             (a.shape(outer) == 1 || a.stride(outer) == static_cast<int64_t>(a.shape(inner))));
  }
  static bool by_state(const auto& a) { return follows(a, 1, 0); }
  static bool by_entry(const auto& a) { return follows(a, 0, 1); }

  /// With the lock. Making one may let go of it, where friction is a function in Python: the first to be done stays.
  std::shared_ptr<DynamicsBatch> shared_batch() {
    if (!batch_) {
      auto made = std::make_shared<DynamicsBatch>(m_, options_);
      if (!batch_) batch_ = std::move(made);
    }
    return batch_;
  }

  void batch_call(DynamicsBatch& batch, What what, const Numbers& q, const Numbers& v, const Numbers& in,
                  const Out& out, std::span<Status> status) {
    const bool states = by_state(q) && by_state(v) && by_state(in) && by_state(out);
    const bool entries = by_entry(q) && by_entry(v) && by_entry(in) && by_entry(out);
    if (!states && !entries)
      throw Error(m_.name + ": read arrays of different orders, expected all in C order or all in Fortran order");
    const BatchLayout layout = states ? BatchLayout::by_state : BatchLayout::by_entry;
    const auto span = [](const auto& a) { return std::span(a.data(), a.size()); };
    if (what == What::inverse) batch.inverse(span(q), span(v), span(in), span(out), status, layout);
    else batch.forward(span(q), span(v), span(in), span(out), status, layout);
  }

  void run_batch(What what, std::size_t n, const Numbers& q, const Numbers& v, const Numbers& in, const Out& out,
                 bool nan_for_failures, const Wrench& wrench) {
    std::vector<Status> status(n);
    const auto batch = wrench ? nullptr : shared_batch();  // several threads may share it
    Watch watch;
    {
      nb::gil_scoped_release unlocked;
      if (wrench) one_by_one(what, n, q, v, in, out, status, wrench, watch);
      else batch_call(*batch, what, q, v, in, out, status);
    }
    watch.rethrow();
    if (nan_for_failures) return;
    const auto bad = std::find_if(status.begin(), status.end(), [](Status s) { return s != Status::ok; });
    if (bad == status.end()) return;
    const auto count = std::count_if(status.begin(), status.end(), [](Status s) { return s != Status::ok; });
    throw Failure(std::string(name(*bad)) + ": state " + std::to_string(bad - status.begin()) + " of " +
                  std::to_string(n) + (count > 1 ? " and " + std::to_string(count - 1) + " more" : "") +
                  "; failures=\"nan\" marks them instead");
  }

  /// With a wrench, which batches do not know: state by state, in blocks on all cores.
  void one_by_one(What what, std::size_t n, const Numbers& q, const Numbers& v, const Numbers& in, const Out& out,
                  std::span<Status> status, const Wrench& wrench, Watch& watch) const {
    constexpr std::size_t block = 256;
    tbb::parallel_for(std::size_t(0), (n + block - 1) / block, [&](std::size_t b) {
      if (!watch.look()) return;
      Workspace<double> w(m_);
      Dynamics<double> d(m_, w, options_);
      for (std::size_t s = b * block; s < std::min(n, (b + 1) * block); ++s) {
        read_state(what, s, q, v, in, w);
        status[s] = evaluate(what, wrench, w, d).status;
        write_state(what, s, status[s] == Status::ok, w, out);
      }
    });
  }

  static void read_state(What what, std::size_t s, const Numbers& q, const Numbers& v, const Numbers& in,
                         Workspace<double>& w) {
    const auto read = [s](const Numbers& from, VecX<double>& to) {
      const bool many = from.ndim() == 2;
      const double* x = from.data() + (many ? static_cast<int64_t>(s) * from.stride(0) : 0);
      const int64_t step = from.stride(many ? 1 : 0);
      for (Eigen::Index i = 0; i < to.size(); ++i) to[i] = x[i * step];
    };
    read(q, w.q);
    read(v, w.v);
    read(in, what == What::inverse ? w.a : w.tau);
  }
  static void write_state(What what, std::size_t s, bool fine, const Workspace<double>& w, const Out& out) {
    const VecX<double>& y = what == What::inverse ? w.tau : w.a;
    const bool many = out.ndim() == 2;
    double* x = out.data() + (many ? static_cast<int64_t>(s) * out.stride(0) : 0);
    const int64_t step = out.stride(many ? 1 : 0);
    for (Eigen::Index i = 0; i < y.size(); ++i) x[i * step] = fine ? y[i] : std::numeric_limits<double>::quiet_NaN();
  }

  DynamicsAnswer evaluate(What what, const Wrench& wrench, Workspace<double>& w, Dynamics<double>& d) const {
    if (wrench) {
      tree_positions(m_, w);
      apply_platform_wrench(m_, {wrench->tail<3>(), wrench->head<3>()}, w);
    }
    return what == What::inverse ? inverse_dynamics(m_, w, d) : forward_dynamics(m_, w, d);
  }

  void run_one(What what, const Numbers& q, const Numbers& v, const Numbers& in, const Out& out, bool nan_for_failures,
               const Wrench& wrench, Workspace<double>& w, Dynamics<double>& d) {
    read_state(what, 0, q, v, in, w);
    std::fill(w.external.begin(), w.external.end(), Force<double>{});
    const DynamicsAnswer answer = evaluate(what, wrench, w, d);
    if (!answer.ok() && !nan_for_failures) {
      expect_finite("q", w.q);
      expect_finite("v", w.v);
      if (what == What::inverse) expect_finite("a", w.a);
      else expect_finite("tau", w.tau);
      throw Failure(std::string(name(answer.status)) + ": " + answer.reason);
    }
    write_state(what, 0, answer.ok(), w, out);
  }

  /// While it lives, the evaluator's own workspace is in use.
  struct Busy {
    explicit Busy(bool& flag) : busy(flag) { busy = true; }
    ~Busy() { busy = false; }
    Busy(const Busy&) = delete;
    Busy& operator=(const Busy&) = delete;
    bool& busy;
  };

  const M& m_;
  DynamicsOptions options_;
  Workspace<double> w_;
  Dynamics<double> d_;
  std::shared_ptr<DynamicsBatch> batch_;
  bool busy_ = false;
};

}  // namespace

void bind_evaluator(nb::module_& m) {
  using E = Evaluator;
  nb::class_<E>(m, "Evaluator",
                "Dynamics of states in arrays, one formulation. A state is a row: nq, nv and nv (or actuators) "
                "numbers. Without copies "
                "where all arrays are float64 in C order, or all in Fortran order.")
      .def(nb::init<const M&, const DynamicsOptions&>(), "m"_a, "options"_a = DynamicsOptions{}, nb::keep_alive<1, 2>())
      .def(
          "inverse",
          [](E& e, const Numbers& q, const Numbers& v, const Numbers& a, const Out& out, bool nan,
             const std::optional<Vector>& wrench) { e.run(What::inverse, q, v, a, out, nan, wrench); },
          "q"_a, "v"_a, "a"_a, "out"_a.noconvert(), "nan"_a = false, "wrench"_a = nb::none(),
          "Writes the actuators' forces into `out`.")
      .def(
          "forward",
          [](E& e, const Numbers& q, const Numbers& v, const Numbers& tau, const Out& out, bool nan,
             const std::optional<Vector>& wrench) { e.run(What::forward, q, v, tau, out, nan, wrench); },
          "q"_a, "v"_a, "tau"_a, "out"_a.noconvert(), "nan"_a = false, "wrench"_a = nb::none(),
          "Writes accelerations into `out`.")
      .def("instructions", &E::instructions, "of batches: avx512, avx2 or plain")
      .def(
          "time_inverse",
          [](E& e, const Numbers& q, const Numbers& v, const Numbers& a, const Out& out, int repeats) {
            return e.time(What::inverse, q, v, a, out, repeats);
          },
          "q"_a, "v"_a, "a"_a, "out"_a.noconvert(), "repeats"_a = 20,
          "Seconds of the library's call alone, the least of `repeats`: to compare with a call from Python.")
      .def(
          "time_forward",
          [](E& e, const Numbers& q, const Numbers& v, const Numbers& tau, const Out& out, int repeats) {
            return e.time(What::forward, q, v, tau, out, repeats);
          },
          "q"_a, "v"_a, "tau"_a, "out"_a.noconvert(), "repeats"_a = 20);
}

}  // namespace gough::python
