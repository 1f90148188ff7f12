#include "gough/dynamics/programs.hpp"

#include <unistd.h>

#include <bit>
#include <cmath>
#include <condition_variable>
#include <deque>
#include <functional>
#include <limits>
#include <mutex>
#include <system_error>
#include <thread>

#include "gough/dynamics/dynamics.hpp"
#include "gough/error.hpp"
#include "making.hpp"

namespace gough {
namespace {

/// Calls until a program is ordered, until it is used, and until the rewritten one is. Making one takes as long as some hundred calls of
/// the kernels: by then it is there, and a robot that is asked for a few states pays nothing.
constexpr long order_at = 64, use_at = 1024, rewritten_at = 8192;
constexpr std::size_t most_entries = 8;  ///< kinds of calls that one Dynamics has programs for

}  // namespace

namespace detail {

/// A program to be made, by whoever comes first: the worker, or the one who needs it.
class ProgramJob {
 public:
  explicit ProgramJob(std::function<MadeProgram()> work) : work_(std::move(work)) {}

  void run_if_free() {
    if (begun_.exchange(true)) return;
    MadeProgram made = work_();
    const std::lock_guard lock(mutex_);
    made_ = std::move(made);
    work_ = {};
    done_ = true;
    finished_.notify_all();
  }
  MadeProgram get() {
    run_if_free();
    if (getpid() != process_) return {nullptr, "ordered by the process that this one was forked from", {}, {}};
    std::unique_lock lock(mutex_);
    finished_.wait(lock, [&] { return done_; });
    return made_;
  }

 private:
  std::function<MadeProgram()> work_;
  std::atomic<bool> begun_{false};
  std::mutex mutex_;
  std::condition_variable finished_;
  bool done_ = false;
  MadeProgram made_;
  const pid_t process_ = getpid();
};

}  // namespace detail

namespace {

std::atomic<bool> ending{false};

/// One thread makes all programs, one after the other, while there are some that anybody still wants.
class Worker {
 public:
  static Worker& instance() {
    static Worker one;
    return one;
  }
  void add(std::shared_ptr<detail::ProgramJob> job) {
    const std::lock_guard lock(mutex_);
    if (process_ != getpid()) return;  // forked: threads do not come along. Who needs the program makes it
    queue_.push_back(std::move(job));
    try {
      if (!thread_.joinable()) thread_ = std::thread([this] { work(); });
    } catch (const std::system_error&) {  // no thread to be had: the same
    }
    more_.notify_one();
  }
  ~Worker() {
    ending = true;
    if (process_ != getpid()) {  // the thread stayed in the other process
      if (thread_.joinable()) thread_.detach();
      return;
    }
    {
      const std::lock_guard lock(mutex_);
      stop_ = true;
    }
    more_.notify_one();
    if (thread_.joinable()) thread_.join();
  }
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;

 private:
  Worker() = default;
  void work() {
    for (;;) {
      std::shared_ptr<detail::ProgramJob> job;
      {
        std::unique_lock lock(mutex_);
        more_.wait(lock, [&] { return stop_ || !queue_.empty(); });
        if (stop_) return;
        job = std::move(queue_.front());
        queue_.pop_front();
      }
      if (job.use_count() > 1) job->run_if_free();
    }
  }

  std::mutex mutex_;
  std::condition_variable more_;
  std::deque<std::shared_ptr<detail::ProgramJob>> queue_;
  bool stop_ = false;
  std::thread thread_;
  const pid_t process_ = getpid();
};

MadeProgram make_now(const Mechanism<double>& m, const Dynamics<double>& d, const ProgramWish& wish) {
  try {
    return m.programs->make(m, d, wish);
  } catch (const Error& e) { return {nullptr, e.what(), {}, {}}; } catch (const Failure& e) {
    return {nullptr, e.what(), {}, {}};
  } catch (const std::bad_alloc&) { return {nullptr, "no memory for a program", {}, {}}; }
}

/// The same on the worker's thread, from copies: robot and Dynamics may be gone by then.
std::shared_ptr<detail::ProgramJob> ordered(const Mechanism<double>& m, const Dynamics<double>& d, ProgramWish wish,
                                            bool rewritten) {
  wish.rewritten = rewritten;
  auto job = std::make_shared<detail::ProgramJob>([robot = std::make_shared<const Mechanism<double>>(m),
                                                   choice = std::make_shared<const Dynamics<double>>(d),
                                                   wish] { return make_now(*robot, *choice, wish); });
  Worker::instance().add(job);
  return job;
}

/// Whether any of the numbers is not zero.
bool any(const double* x, std::size_t n) {
  std::uint64_t bits = 0;
  for (std::size_t i = 0; i < n; ++i) bits |= std::bit_cast<std::uint64_t>(x[i]);
  return (bits << 1U) != 0;
}

constexpr std::size_t wrench_size = 6;
static_assert(sizeof(Force<double>) == wrench_size * sizeof(double));

ProgramWish::Wrenches wrenches_of(const Structure& m, const Workspace<double>& w) {
  using Wrenches = ProgramWish::Wrenches;
  if (w.external.empty()) return Wrenches::none;
  const double* all = w.external.front().moment.data();
  if (!any(all, wrench_size * w.external.size())) return Wrenches::none;
  if (!m.platform.exists()) return Wrenches::any;
  const auto p = static_cast<std::size_t>(m.platform.body);
  const bool others =
      any(all, wrench_size * p) || any(all + wrench_size * (p + 1), wrench_size * (w.external.size() - p - 1));
  return others ? Wrenches::any : Wrenches::platform;
}

ProgramWish wish_of(const Mechanism<double>& m, const Workspace<double>& w, const Dynamics<double>& d, bool inverse) {
  ProgramWish wish{.inverse = inverse, .coulomb = w.coulomb};
  if (d.external) wish.wrenches = wrenches_of(m, w);
  return wish;
}

int evaluate(const Mechanism<double>& m, Workspace<double>& w, Dynamics<double>& d, const ProgramWish& wish,
             const Routine& routine, std::vector<double>& scratch, Engine how) {
  std::array<const double*, 5> in{w.q.data(), w.v.data(), wish.inverse ? w.a.data() : w.tau.data(), nullptr, nullptr};
  std::size_t n = 3;
  if (wish.wrenches == ProgramWish::Wrenches::any) in[n++] = w.external.front().moment.data();
  if (wish.wrenches == ProgramWish::Wrenches::platform)
    in[n++] = w.external[static_cast<std::size_t>(m.platform.body)].moment.data();
  if (wish.coulomb.given) in[n++] = w.slip.data();
  const std::array<double*, 3> out{wish.inverse ? w.tau.data() : w.a.data(), w.lambda.data(),
                                   d.efforts.e.data() + (wish.inverse ? d.actuators : 0)};
  return how == Engine::interpreter ? routine.interpret(in.data(), out.data(), scratch.data())
                                    : routine.run(in.data(), out.data(), scratch.data());
}

/// Number by number: pairs of numbers that have just been stored one by one are waited for.
bool finite(const double* x, Eigen::Index n) {
  for (Eigen::Index i = 0; i < n; ++i)
    if (!(std::abs(x[i]) <= std::numeric_limits<double>::max())) return false;
  return true;
}

}  // namespace

bool evaluate_program(const Mechanism<double>& m, Workspace<double>& w, Dynamics<double>& d, const ProgramWish& wish,
                      const Routine& routine, std::vector<double>& scratch) {
  if (evaluate(m, w, d, wish, routine, scratch, chosen_engine()) != 0) return false;
  if (!wish.inverse) return finite(w.a.data(), w.a.size());
  return finite(w.tau.data(), w.tau.size()) &&
         finite(d.efforts.e.data() + d.actuators, d.efforts.e.size() - d.actuators);
}

namespace {

/// x y z, the rotation row by row, v, w, a, dw.
using PlatformNumbers = std::array<double, 24>;

PlatformNumbers numbers_of(const Transform<double>& pose, const PlatformRates<double>& x) {
  PlatformNumbers all{};
  for (int i = 0; i < 3; ++i) {
    const auto k = static_cast<std::size_t>(i);
    all[k] = pose.p[i];
    for (int j = 0; j < 3; ++j) all[3 + 3 * k + static_cast<std::size_t>(j)] = pose.R(i, j);
    all[12 + k] = x.v[i], all[15 + k] = x.w[i], all[18 + k] = x.a[i], all[21 + k] = x.dw[i];
  }
  return all;
}

constexpr double as_at_home = 1e-12;

}  // namespace

bool evaluate_program(const Transform<double>& pose, const PlatformRates<double>& rates, Workspace<double>& w,
                      const MadeProgram& made, std::vector<double>& scratch) {
  const PlatformNumbers all = numbers_of(pose, rates);
  for (const auto& [i, value] : made.fixed)
    if (!(std::abs(all[static_cast<std::size_t>(i)] - value) <= as_at_home)) return false;
  PlatformNumbers numbers{};
  for (std::size_t i = 0; i < made.input.size(); ++i) numbers[i] = all[static_cast<std::size_t>(made.input[i])];
  const std::array<const double*, 1> in{numbers.data()};
  const std::array<double*, 1> out{w.tau.data()};
  const int status = chosen_engine() == Engine::interpreter
                         ? made.routine->interpret(in.data(), out.data(), scratch.data())
                         : made.routine->run(in.data(), out.data(), scratch.data());
  return status == 0 && finite(w.tau.data(), w.tau.size());
}

bool making_is_over() { return ending.load(std::memory_order_relaxed); }

Programs::Entry& Programs::entry_for(const ProgramWish& wish) {
  int& now = current_[wish.from_platform ? 2 : wish.inverse ? 1 : 0];
  if (now >= 0 && entry_[static_cast<std::size_t>(now)].wish == wish) return entry_[static_cast<std::size_t>(now)];
  for (now = 0; now < static_cast<int>(entry_.size()); ++now)
    if (entry_[static_cast<std::size_t>(now)].wish == wish) return entry_[static_cast<std::size_t>(now)];
  if (entry_.size() == most_entries) entry_.erase(entry_.begin()), current_ = {-1, -1, -1};
  entry_.emplace_back();
  entry_.back().wish = wish;
  now = static_cast<int>(entry_.size()) - 1;
  return entry_.back();
}

void Programs::reserve() { entry_.reserve(most_entries); }

void Programs::adopt(Entry& e, const MadeProgram& made) {
  if (made.routine == nullptr && e.made.routine != nullptr) return;  // the first one serves
  e.made = made;
  if (made.routine != nullptr) e.scratch = made.routine->scratch();
}

/// What is due at this call. True: there is a routine.
bool Programs::prepare(const Mechanism<double>& m, const Dynamics<double>& d, Entry& e) {
  if (!e.made.why.empty()) return false;
  const auto ready = [&] { return e.made.routine != nullptr; };
  if (e.calls > rewritten_at || d.options.by == Formulation::virtual_power) return ready();
  if (chosen_engine() != Engine::automatic) {
    if (!ready()) adopt(e, make_now(m, d, e.wish));
    return ready();
  }
  switch (++e.calls) {
    case order_at: e.first = ordered(m, d, e.wish, false); break;
    case use_at:
      adopt(e, e.first ? e.first->get() : make_now(m, d, e.wish));
      e.first.reset();
      if (ready()) e.better = ordered(m, d, e.wish, true);
      break;
    case rewritten_at:
      if (e.better) adopt(e, e.better->get());
      e.better.reset();
      break;
    default: break;
  }
  return ready();
}

bool Programs::run(const Mechanism<double>& m, Workspace<double>& w, Dynamics<double>& d, bool inverse) {
  if (m.programs == nullptr || !d.options.programs || chosen_engine() == Engine::kernels) return false;
  Entry& e = entry_for(wish_of(m, w, d, inverse));
  const bool settled = e.calls > rewritten_at && e.made.routine != nullptr;
  return (settled || prepare(m, d, e)) && evaluate_program(m, w, d, e.wish, *e.made.routine, e.scratch);
}

bool Programs::run(const Mechanism<double>& m, const Transform<double>& pose, const PlatformRates<double>& rates,
                   Workspace<double>& w, Dynamics<double>& d) {
  if (m.programs == nullptr || !d.options.programs || chosen_engine() == Engine::kernels) return false;
  ProgramWish wish = wish_of(m, w, d, true);
  if (wish.wrenches != ProgramWish::Wrenches::none || wish.coulomb != CoulombRule{}) return false;
  wish.from_platform = true;
  Entry& e = entry_for(wish);
  return prepare(m, d, e) && evaluate_program(pose, rates, w, e.made, e.scratch);
}

void Programs::warm_up(const Mechanism<double>& m, const Workspace<double>& w, const Dynamics<double>& d, bool inverse,
                       bool from_platform) {
  if (m.programs == nullptr || !d.options.programs || chosen_engine() == Engine::kernels) return;
  ProgramWish wish = wish_of(m, w, d, inverse);
  wish.from_platform = from_platform;
  Entry& e = entry_for(wish);
  wish.rewritten = true;
  adopt(e, make_now(m, d, wish));
  e.first.reset(), e.better.reset();
  e.calls = rewritten_at + 1;
}

MadeProgram Programs::now(bool inverse) const {
  const int i = current_[inverse ? 1 : 0];
  MadeProgram none;
  if (chosen_engine() == Engine::kernels) none.why = "GOUGH_ENGINE asks for kernels";
  else if (i < 0) none.why = "not asked for yet";
  else if (const MadeProgram& made = entry_[static_cast<std::size_t>(i)].made; made.routine || !made.why.empty())
    return made;
  else none.why = "not made yet";
  return none;
}

void warm_up(const Mechanism<double>& m, const Workspace<double>& w, Dynamics<double>& d) {
  for (const bool inverse : {true, false}) d.programs.warm_up(m, w, d, inverse);
  if (m.platform.exists()) d.programs.warm_up(m, w, d, true, true);
}

}  // namespace gough
