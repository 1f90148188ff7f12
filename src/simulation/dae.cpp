#include "dae.hpp"

#include <fmt/format.h>
#include <ida/ida.h>

#include "gough/simulation/state.hpp"
#include "gough/spatial/rank.hpp"
#include "sundials.hpp"

namespace gough {
namespace {

constexpr double worn_rows_pivot = 0.1;    ///< share of the first pivot at which rows are chosen anew
constexpr double first_dae_step = 1e-5;    ///< [s]
constexpr double multiplier_share = 1e-4;  ///< accuracy of lambda, which no later state depends on

class Dae : public Integrator {
 public:
  Dae(const IntegratorOptions& o, const Mechanism<double>& m, Dynamics<double>& d, std::function<void(double)> drive,
      Workspace<double>& w)
      : options_(o), m_(m), d_(d), drive_(std::move(drive)), w_(w), tree_(make_state_form(m, Loops::drift)) {
    if (!(options_.tolerance > 0)) options_.tolerance = usual_tolerance(Method::dae);
  }

  void start(double at, const VecX<double>& from, Eigen::Index) override {
    t = at;
    x = from;
    begin();
  }

  bool step(double limit) override {
    const double last = options_.keep_limits ? std::min(limit, end) : end;
    if (last - t < options_.smallest_step) {  // two ends almost coincide: Euler's method errs by less than rounding
      x += (last - t) * view(yp_.get()).head(state_size());
      t = last;
      begin();
      return true;
    }
    if (last_step > 0 && worn()) begin();  // not after the step before: at() still needed its memory
    IDASetStopTime(memory_.get(), last);
    double reached = t;
    const int flag = IDASolve(memory_.get(), last, &reached, y_.get(), yp_.get(), IDA_ONE_STEP);
    if (flag < 0) {
      failure = fmt::format("IDA: {}", flag_name(IDAGetReturnFlagName(flag)));
      return false;
    }
    last_step = reached - t;
    t = reached;
    x = view(y_.get()).head(state_size());
    ++steps;
    return true;
  }

  VecX<double> at(double earlier) const override {
    if (earlier >= t || last_step == 0) return x;
    const SerialVector y = make_vector(view(y_.get()), context_);
    IDAGetDky(memory_.get(), earlier, 0, y.get());
    return view(y.get()).head(state_size());
  }

 private:
  Eigen::Index state_size() const { return m_.nq + m_.nv; }

  /// Rows chosen, multipliers found, IDA begun, at (t, x).
  void begin() {
    tree_->place(x, w_);
    drive_(t);
    forward_dynamics(m_, w_, d_);
    selection_ = select_any(m_, w_, m_.rank);
    const auto rows = static_cast<Eigen::Index>(selection_.rank());
    K_ = MatX<double>(rows, m_.nv);
    first_pivot_ = pivot();
    forces();
    take_rows();
    VecX<double> y = VecX<double>::Zero(state_size() + 2 * rows), yp = y;
    y.head(state_size()) = x;
    VecX<double> rates(state_size());
    tree_->rates(w_, rates);
    yp.head(state_size()) = rates;
    if (rows > 0) y.tail(rows) = least_squares(K_.transpose(), force_);
    y_ = make_vector(y, context_);
    yp_ = make_vector(yp, context_);
    begin_ida(rows, rows > 0 ? 1 + y.tail(rows).cwiseAbs().maxCoeff() : 1.0);
  }

  void begin_ida(Eigen::Index rows, double multiplier_size) {
    memory_.reset(IDACreate(context_.get()));
    IDAInit(memory_.get(), residual, t, y_.get(), yp_.get());
    IDASetErrHandlerFn(memory_.get(), silent, nullptr);
    IDASetUserData(memory_.get(), this);
    VecX<double> tolerance = VecX<double>::Constant(state_size() + 2 * rows, options_.tolerance);
    tolerance.tail(rows).setConstant(multiplier_share * multiplier_size);
    VecX<double> differential = VecX<double>::Zero(tolerance.size());
    differential.head(state_size()).setOnes();
    tolerance_ = make_vector(tolerance, context_);
    differential_ = make_vector(differential, context_);
    IDASVtolerances(memory_.get(), options_.tolerance, tolerance_.get());
    IDASetId(memory_.get(), differential_.get());
    IDASetSuppressAlg(memory_.get(), 1);
    solver_ = DenseSolver(y_.get(), context_);
    IDASetLinearSolver(memory_.get(), solver_.solver.get(), solver_.matrix.get());
    IDASetMaxNumSteps(memory_.get(), -1);
    IDASetMaxErrTestFails(memory_.get(), most_tries);
    IDASetMaxStep(memory_.get(), options_.longest_step);
    IDASetMaxOrd(memory_.get(), 5);
    IDASetInitStep(memory_.get(), last_step > 0 ? last_step : first_dae_step);
    last_step = 0;
  }

  /// force_ = t(q, v, a) - B tau at the workspace's state.
  void forces() {
    tree_accelerations(m_, w_);
    loads(m_, d_.loads, d_.external, w_);
    tree_forces(m_, d_.external || d_.loads.applied, w_.A, w_.a.data(), w_);
    force_ = w_.t;
    for (std::size_t i = 0; i < m_.actuator.size(); ++i) force_[m_.actuator[i]] -= w_.tau[static_cast<Eigen::Index>(i)];
  }

  void take_rows() {
    for (Eigen::Index r = 0; r < K_.rows(); ++r) K_.row(r) = w_.K.row(selection_.rows[static_cast<std::size_t>(r)]);
  }

  double pivot() {
    if (selection_.rank() == 0) return 1;
    ExplicitForm<double> form(m_, selection_);
    w_.k.setZero();
    explicit_form(w_, selection_, form);
    return form.smallest_pivot;
  }
  bool worn() {
    tree_->place(x, w_);
    return pivot() < worn_rows_pivot * first_pivot_;
  }

  static int residual(double at, N_Vector y, N_Vector yp, N_Vector r, void* self) {
    return static_cast<Dae*>(self)->evaluate(at, view(y), view(yp), view(r)) ? 0 : 1;
  }

  bool evaluate(double at, const Eigen::Map<VecX<double>>& y, const Eigen::Map<VecX<double>>& yp,
                Eigen::Map<VecX<double>> r) {
    ++evaluations;
    const Eigen::Index rows = K_.rows(), n = state_size();
    if (!tree_->place(y.head(n), w_)) return false;
    take_rows();
    const VecX<double> v = w_.v;
    drive_(at);
    w_.a = yp.segment(m_.nq, m_.nv);  // a drive may have used it
    forces();
    w_.v += K_.transpose() * y.segment(n, rows);
    VecX<double> rates(n);
    tree_->rates(w_, rates);
    w_.v = v;
    r.head(m_.nq) = yp.head(m_.nq) - rates.head(m_.nq);
    r.segment(m_.nq, m_.nv) = force_ - K_.transpose() * y.tail(rows);
    for (Eigen::Index i = 0; i < rows; ++i) r[n + i] = w_.phi[selection_.rows[static_cast<std::size_t>(i)]];
    r.tail(rows) = K_ * v;
    return r.allFinite();
  }

  struct Free {
    void operator()(void* memory) const { IDAFree(&memory); }
  };
  IntegratorOptions options_;
  const Mechanism<double>& m_;
  Dynamics<double>& d_;
  std::function<void(double)> drive_;
  Workspace<double>& w_;
  std::unique_ptr<StateForm> tree_;
  Selection selection_;
  MatX<double> K_;
  VecX<double> force_;
  double first_pivot_ = 1;
  SunContext context_;
  SerialVector y_, yp_, tolerance_, differential_;
  DenseSolver solver_;
  std::unique_ptr<void, Free> memory_;
};

}  // namespace

std::unique_ptr<Integrator> make_dae_integrator(const IntegratorOptions& options, const Mechanism<double>& m,
                                                Dynamics<double>& d, std::function<void(double t)> drive,
                                                Workspace<double>& w) {
  return std::make_unique<Dae>(options, m, d, std::move(drive), w);
}

}  // namespace gough
