/// x86-64 by asmjit's assembler. Registers go to the values that are read soonest: where one is needed, the value whose next use is
/// furthest away gives its own up (Belady).
#include "machine_code.hpp"

#if defined(__x86_64__)
#include <asmjit/asmjit.h>

#include <cmath>
#include <limits>
#include <stdexcept>
#endif

namespace gough::engine {

#if defined(__x86_64__)
namespace {

using namespace asmjit;

/// Something that cannot be made: the routine stays interpreted.
struct Unable : std::runtime_error {
  using std::runtime_error::runtime_error;
};

bool commutes(Kind k) {
  return k == Kind::add || k == Kind::mul || k == Kind::larger || k == Kind::bit_and || k == Kind::bit_xor;
}
bool is_fused(Kind k) { return k == Kind::fma || k == Kind::fms || k == Kind::fnma || k == Kind::fnms; }
bool on_bits(Kind k) { return k == Kind::bit_and || k == Kind::bit_xor; }

constexpr int likely_block = 16 * 1024;  ///< bytes that windows are made for; what is beyond has long displacements
constexpr double kept_twice =
    2;  ///< a value that is in memory too is given up as if its next use were so much further away
constexpr int never = std::numeric_limits<int>::max() / 4;

class Writer {
 public:
  Writer(const Code& code, bool avx512, x86::Assembler& assembler)
      : c_(code),
        avx512_(avx512),
        a_(assembler),
        register_(c_.value.size(), -1),
        slot_(c_.value.size(), -1),
        held_(avx512 ? 32 : 15, -1),
        pinned_(held_.size(), false) {
    find_uses();
  }

  /// Returns the bytes of the block that it needs.
  std::size_t run() {
    begin();
    for (now_ = 0; now_ < c_.instruction.size(); ++now_) one(c_.instruction[now_]);
    a_.mov(x86::eax, status_);
    for (std::size_t i = saved_.size(); i-- > 0;) a_.pop(saved_[i]);
    a_.ret();
    return at(slots_end_) + 8;  // slots are read in pairs
  }

 private:
  // ---------------------------------------------------------------------------------------------- the frame

  /// in, out, block come in rdi, rsi, rdx. Every output gets a register of its own, and so does every window of the block: what one byte of
  /// displacement reaches.
  void begin() {
    const std::array<x86::Gp, 4> of_outputs = {x86::rcx, x86::r8, x86::r9, x86::r10};
    if (c_.output_size.size() > of_outputs.size()) throw Unable("more outputs than registers");
    int end = 0;  // bytes
    for (const int size : c_.input_size) input_begin_.push_back(end), end += 8 * size;
    constants_begin_ = end;
    call_area_ = constants_begin_ + 8 * static_cast<int>(c_.constant.size());
    slots_end_ = call_area_ + 16;
    for (std::size_t k = 0; k < c_.output_size.size(); ++k) {
      a_.mov(of_outputs[k], x86::ptr(x86::rsi, static_cast<std::int32_t>(8 * k)));
      out_.push_back(of_outputs[k]);
    }
    copy_inputs();
    const int window = avx512_ ? 2048 : 256, most = slots_end_ + 8 * static_cast<int>(c_.instruction.size());
    for (const x86::Gp& g :
         {x86::rdx, x86::rdi, x86::rsi, x86::rbx, x86::r14, x86::r15, x86::rbp, x86::r12, x86::r13}) {
      if (static_cast<int>(window_.size()) * window >= std::min(most, likely_block)) break;
      if (window_.size() > 2) saved_.push_back(g);
      window_.push_back(g);
    }
    for (const x86::Gp& g : saved_) a_.push(g);
    for (std::size_t k = 1; k < window_.size(); ++k)
      a_.lea(window_[k], x86::ptr(x86::rdx, static_cast<std::int32_t>(window * static_cast<int>(k) + window / 2)));
    a_.add(x86::rdx, window / 2);
    window_size_ = window;
    a_.xor_(status_, status_);
  }
  /// By fours; no number beyond an array's end is read.
  void copy_inputs() {
    for (std::size_t k = 0; k < c_.input_size.size(); ++k) {
      if (c_.input_size[k] == 0) continue;
      a_.mov(x86::rax, x86::ptr(x86::rdi, static_cast<std::int32_t>(8 * k)));
      for (int i = 0; i < c_.input_size[k];) {
        const x86::Mem from = x86::ptr(x86::rax, 8 * i), to = x86::ptr(x86::rdx, input_begin_[k] + 8 * i);
        const int left = c_.input_size[k] - i;
        if (left >= 4) a_.vmovupd(x86::ymm0, from), a_.vmovupd(to, x86::ymm0), i += 4;
        else if (left >= 2) a_.vmovupd(x86::xmm0, from), a_.vmovupd(to, x86::xmm0), i += 2;
        else a_.vmovsd(x86::xmm0, from), a_.vmovsd(to, x86::xmm0), i += 1;
      }
    }
    a_.vzeroupper();
  }
  /// A place of the block, by the window that it is in.
  x86::Mem block(int offset) const {
    const int k = std::min(offset / window_size_, static_cast<int>(window_.size()) - 1);
    return x86::ptr(window_[at(k)], offset - k * window_size_ - window_size_ / 2);
  }

  // ---------------------------------------------------------------------------------------------- uses

  void find_uses() {
    first_use_.assign(c_.value.size() + 1, 0);
    for (const Instruction& i : c_.instruction) operands_of(i, [&](int v) { ++first_use_[at(v) + 1]; });
    for (std::size_t v = 1; v < first_use_.size(); ++v) first_use_[v] += first_use_[v - 1];
    use_.resize(at(first_use_.back()));
    next_.assign(first_use_.begin(), first_use_.end() - 1);
    std::vector<int> fill = next_;
    for (std::size_t i = 0; i < c_.instruction.size(); ++i)
      operands_of(c_.instruction[i], [&](int v) { use_[at(fill[at(v)]++)] = static_cast<int>(i); });
  }
  /// The instruction that reads it after this one.
  int next_use(int v) {
    int& n = next_[at(v)];
    const int end = first_use_[at(v) + 1];
    while (n < end && use_[at(n)] <= static_cast<int>(now_)) ++n;
    return n < end ? use_[at(n)] : never;
  }
  bool dies(int v) { return next_use(v) == never; }
  bool in_memory(int v) const { return c_.value[at(v)].home != Value::Home::computed || slot_[at(v)] >= 0; }
  bool in_register(int v) const { return register_[at(v)] >= 0; }

  // ---------------------------------------------------------------------------------------------- registers and memory

  static x86::Xmm x(int i) { return x86::xmm(static_cast<std::uint32_t>(i)); }
  x86::Mem place(int v) const {
    const Value& value = c_.value[at(v)];
    switch (value.home) {
      case Value::Home::input: return block(input_begin_[at(value.array)] + 8 * value.index);
      case Value::Home::constant: return block(constants_begin_ + 8 * value.index);
      default: return block(slot_[at(v)]);
    }
  }
  /// EVEX counts displacements in what is read: one byte instead of four, where VEX needs four.
  x86::Assembler& shortest(const Operand& m) {
    if (avx512_ && m.isMem()) {
      const std::int64_t d = m.as<x86::Mem>().offset();
      if ((d < -128 || d > 127) && d >= -1024 && d <= 1016) a_.evex();
    }
    return a_;
  }
  void load(int to, int v) {
    const x86::Mem m = place(v);
    shortest(m).vmovsd(x(to), m);
  }
  void save(int v) {
    if (in_memory(v)) return;
    int& slot = slot_[at(v)];
    if (free_slots_.empty()) slot = slots_end_, slots_end_ += 8;
    else slot = free_slots_.back(), free_slots_.pop_back();
    const x86::Mem m = place(v);
    shortest(m).vmovsd(m, x(register_[at(v)]));
  }
  void forget(int v) {
    if (in_register(v)) held_[at(register_[at(v)])] = -1, register_[at(v)] = -1;
    if (int& slot = slot_[at(v)]; slot >= 0) freed_slots_.push_back(slot), slot = -1;
  }
  /// A register, emptied if it must be.
  int take() {
    int best = -1;
    double furthest = -1;
    for (int i = 0; i < static_cast<int>(held_.size()); ++i) {
      if (pinned_[at(i)]) continue;
      const int v = held_[at(i)];
      if (v < 0) return i;
      const double distance = (next_use(v) - static_cast<double>(now_)) * (in_memory(v) ? kept_twice : 1);
      if (distance > furthest) furthest = distance, best = i;
    }
    if (best < 0) throw Unable("no register is free");
    const int v = held_[at(best)];
    if (!dies(v)) save(v);
    register_[at(v)] = held_[at(best)] = -1;
    return best;
  }
  void hold(int i, int v) { held_[at(i)] = v, register_[at(v)] = i; }
  void pin(int i) { pinned_[at(i)] = true, pins_.push_back(i); }
  void unpin() {
    for (const int i : pins_) pinned_[at(i)] = false;
    pins_.clear();
  }
  int brought(int v) {
    if (!in_register(v)) {
      const int i = take();
      load(i, v);
      hold(i, v);
    }
    pin(register_[at(v)]);
    return register_[at(v)];
  }
  void bury(const Instruction& i) {
    operands_of(i, [&](int v) {
      if (dies(v)) forget(v);
    });
  }
  /// A register for the result, after operands that die have left theirs.
  int result(const Instruction& i) {
    operands_of(i, [&](int v) {
      if (dies(v) && in_register(v)) pinned_[at(register_[at(v)])] = false;
    });
    bury(i);
    const int to = take();
    hold(to, i.to);
    unpin();
    return to;
  }

  // ---------------------------------------------------------------------------------------------- instructions

  void one(const Instruction& i) {
    free_slots_.insert(free_slots_.end(), freed_slots_.begin(), freed_slots_.end());
    freed_slots_.clear();
    operands_of(i, [&](int v) {
      if (in_register(v)) pin(register_[at(v)]);  // no operand makes place for another
    });
    if (is_fused(i.kind)) return fused(i);
    switch (i.kind) {
      case Kind::store: {
        const int from = brought(i.a);
        const x86::Mem m = x86::ptr(out_[at(i.array)], i.index * 8);
        shortest(m).vmovsd(m, x(from));
        unpin();
        return bury(i);
      }
      case Kind::guard: return guard(i);
      case Kind::sqrt: {
        const int from = brought(i.a), to = result(i);
        a_.vsqrtsd(x(to), x(from), x(from));
        return;
      }
      case Kind::shift62:
      case Kind::shift63: {
        const int from = brought(i.a), to = result(i);
        a_.vpsllq(x(to), x(from), i.kind == Kind::shift62 ? 62 : 63);
        return;
      }
      case Kind::pick: {
        const int yes = brought(i.a), no = brought(i.b), by = brought(i.c), to = result(i);
        if (!avx512_) return void(a_.vblendvpd(x(to), x(no), x(yes), x(by)));
        a_.vpmovq2m(x86::k1, x(by));
        a_.k(x86::k1).vblendmpd(x(to), x(no), x(yes));
        return;
      }
      case Kind::select: return select(i);
      case Kind::atan2: return call_atan2(i);
      default: return two(i);
    }
  }

  void emit(Kind k, int to, int left, const Operand& right) {
    InstId id = 0;
    switch (k) {
      case Kind::add: id = x86::Inst::kIdVaddsd; break;
      case Kind::sub: id = x86::Inst::kIdVsubsd; break;
      case Kind::mul: id = x86::Inst::kIdVmulsd; break;
      case Kind::div: id = x86::Inst::kIdVdivsd; break;
      case Kind::larger: id = x86::Inst::kIdVmaxsd; break;
      case Kind::bit_and: id = x86::Inst::kIdVandpd; break;
      case Kind::bit_xor: id = x86::Inst::kIdVxorpd; break;
      default: throw Unable("an instruction that should have been written out");
    }
    (on_bits(k) ? a_ : shortest(right)).emit(id, x(to), x(left), right);
  }

  void two(const Instruction& i) {
    int left = i.a, right = i.b;
    if (left == right) {
      const int from = brought(left), to = result(i);
      return emit(i.kind, to, from, x(from));
    }
    // one may stay in memory: of two that are there the one that is read later again
    if (commutes(i.kind) && !in_register(left) && (in_register(right) || next_use(right) < next_use(left)))
      std::swap(left, right);
    const int from = brought(left);
    if (in_register(right)) {
      const int other = register_[at(right)], to = result(i);
      return emit(i.kind, to, from, x(other));
    }
    const x86::Mem m = place(right);  // before its slot is given back
    const int to = result(i);
    emit(i.kind, to, from, m);
  }

  static InstId fused_id(Kind k, int form) {
    static constexpr InstId ids[4][3] = {
        {x86::Inst::kIdVfmadd132sd, x86::Inst::kIdVfmadd213sd, x86::Inst::kIdVfmadd231sd},
        {x86::Inst::kIdVfmsub132sd, x86::Inst::kIdVfmsub213sd, x86::Inst::kIdVfmsub231sd},
        {x86::Inst::kIdVfnmadd132sd, x86::Inst::kIdVfnmadd213sd, x86::Inst::kIdVfnmadd231sd},
        {x86::Inst::kIdVfnmsub132sd, x86::Inst::kIdVfnmsub213sd, x86::Inst::kIdVfnmsub231sd}};
    return ids[static_cast<int>(k) - static_cast<int>(Kind::fma)][form];
  }

  /// The result takes an operand's register: of one that dies; of one in memory, which is loaded for that; of a copy. One of the other
  /// operands may stay in memory.
  void fused(const Instruction& i) {
    const std::array<int, 3> f = {i.a, i.b, i.c};
    const auto repeated = [&](int k) { return f[at(k)] == f[at((k + 1) % 3)] || f[at(k)] == f[at((k + 2) % 3)]; };
    const auto waits = [&](int k) { return !in_register(f[at(k)]) && !repeated(k); };
    int over = -1, from_memory = -1, to = -1;
    for (const int k : {2, 0, 1})
      if (over < 0 && in_register(f[at(k)]) && dies(f[at(k)]) && !repeated(k)) over = k;
    const bool in_place = over >= 0;
    const bool loaded = !in_place && (waits(0) || waits(1) || waits(2));
    if (loaded) {
      for (const int k : {2, 0, 1})
        if (waits(k) && (over < 0 || next_use(f[at(k)]) > next_use(f[at(over)]))) over = k;
    } else if (!in_place) {
      over = 2;
    }
    for (int k = 0; k < 3; ++k)
      if (k != over && waits(k) && (from_memory < 0 || next_use(f[at(k)]) > next_use(f[at(from_memory)])))
        from_memory = k;
    for (int k = 0; k < 3; ++k)
      if (k != from_memory && (k != over || !loaded)) brought(f[at(k)]);
    if (in_place) {
      to = register_[at(f[at(over)])];
    } else {
      to = take();
      pin(to);
      if (loaded) load(to, f[at(over)]);
      else a_.vmovapd(x(to), x(register_[at(f[at(over)])]));
    }
    const auto operand = [&](int k) -> Operand {
      return k == from_memory ? Operand(place(f[at(k)])) : Operand(x(register_[at(f[at(k)])]));
    };
    int form = 2;  // to = second * third + to
    Operand second, third;
    if (over == 2) {
      second = operand(0), third = operand(1);
      if (from_memory == 0) std::swap(second, third);
    } else if (from_memory == 1 - over) {
      form = 0, second = operand(2), third = operand(1 - over);  // to = to * third + second
    } else {
      form = 1, second = operand(1 - over), third = operand(2);  // to = second * to + third
    }
    shortest(third).emit(fused_id(i.kind, form), x(to), second, third);
    if (const int before = held_[at(to)]; before >= 0) register_[at(before)] = held_[at(to)] = -1;
    unpin();
    bury(i);
    hold(to, i.to);
  }

  void select(const Instruction& i) {
    constexpr int greater = 0x1E;  // false for what is no number
    const int l = brought(i.a), r = brought(i.b), yes = brought(i.c), no = brought(i.d), to = result(i);
    if (avx512_) {
      a_.vcmpsd(x86::k1, x(l), x(r), greater);
      a_.k(x86::k1).vblendmpd(x(to), x(no), x(yes));
      return;
    }
    const x86::Xmm mask = x86::xmm15;
    a_.vcmpsd(mask, x(l), x(r), greater);
    a_.vblendvpd(x(to), x(no), x(yes), mask);
  }

  void guard(const Instruction& i) {
    const int l = brought(i.a), r = brought(i.b);
    a_.vucomisd(x(l), x(r));
    a_.setna(x86::al);
    a_.movzx(x86::eax, x86::al);
    if (i.index == argument_too_large) a_.add(x86::eax, x86::eax);
    a_.or_(status_, x86::eax);
    unpin();
    bury(i);
  }

  void call_atan2(const Instruction& i) {
    for (const auto& [v, offset] : {std::pair(i.a, 0), std::pair(i.b, 8)})
      a_.vmovsd(block(call_area_ + offset), x(brought(v)));
    unpin();
    for (int& v : held_) {
      if (v < 0) continue;
      if (!dies(v)) save(v);
      register_[at(v)] = -1;
      v = -1;
    }
    bury(i);
    const std::array<x86::Gp, 8> keep = {x86::rdx, x86::rdi, x86::rsi, x86::rcx, x86::r8, x86::r9, x86::r10, x86::r11};
    const bool aligned = (saved_.size() + keep.size()) % 2 == 1;  // the stack's pointer came in 8 from a multiple of 16
    a_.vmovsd(x86::xmm0, block(call_area_));
    a_.vmovsd(x86::xmm1, block(call_area_ + 8));
    for (const x86::Gp& g : keep) a_.push(g);
    if (!aligned) a_.sub(x86::rsp, 8);
    a_.mov(x86::rax, reinterpret_cast<std::uint64_t>(static_cast<double (*)(double, double)>(&std::atan2)));
    a_.call(x86::rax);
    if (!aligned) a_.add(x86::rsp, 8);
    for (std::size_t k = keep.size(); k-- > 0;) a_.pop(keep[k]);
    hold(0, i.to);
  }

  const Code& c_;
  const bool avx512_;
  x86::Assembler& a_;
  const x86::Gp status_ = x86::r11d;
  std::vector<x86::Gp> out_, window_, saved_;
  std::vector<int> input_begin_;  ///< bytes in the block
  int window_size_ = 0, constants_begin_ = 0, call_area_ = 0;
  std::size_t now_ = 0;
  std::vector<int> register_, slot_;         ///< of each value
  std::vector<int> first_use_, next_, use_;  ///< the instructions that read a value
  std::vector<int> held_;                    ///< the value of each register
  std::vector<bool> pinned_;
  std::vector<int> pins_;
  std::vector<int> free_slots_, freed_slots_;  ///< bytes; those given back by this instruction, which still reads them
  int slots_end_ = 0;
};

class Fails : public ErrorHandler {
 public:
  void handleError(asmjit::Error, const char* message, BaseEmitter*) override { throw Unable(message); }
};

/// Never destroyed: routines may outlive any order of destruction.
JitRuntime& runtime() {
  static JitRuntime* const one = [] {
    JitAllocator::CreateParams wish{};
    wish.options = JitAllocatorOptions::kUseDualMapping;  // never writable and executable at once
    return new JitRuntime(&wish);
  }();
  return *one;
}

}  // namespace

MachineCode make_machine_code(const Code& c, Instructions by) try {
  CodeHolder holder;
  if (holder.init(runtime().environment()) != kErrorOk) return {};
  Fails fails;
  holder.setErrorHandler(&fails);
  x86::Assembler assembler(&holder);
  MachineCode made;
  made.block = (Writer(c, by == Instructions::avx512, assembler).run() + 7) / 8;
  if (runtime().add(&made.function, &holder) != kErrorOk) return {};
  made.bytes = holder.codeSize();
  return made;
} catch (const Unable&) { return {}; }

void release(const MachineCode& code) {
  if (code.function != nullptr) runtime().release(code.function);
}

bool code_pages_allowed() {
  static const bool allowed = [] {
    CodeHolder holder;
    if (holder.init(runtime().environment()) != kErrorOk) return false;
    x86::Assembler assembler(&holder);
    assembler.ret();
    void (*function)() = nullptr;
    if (runtime().add(&function, &holder) != kErrorOk) return false;
    runtime().release(function);
    return true;
  }();
  return allowed;
}

#else

MachineCode make_machine_code(const Code&, engine::Instructions) { return {}; }
void release(const MachineCode&) {}
bool code_pages_allowed() { return false; }

#endif

}  // namespace gough::engine
