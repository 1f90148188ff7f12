#pragma once
/// How a program becomes text: what all dialects share, and where they differ.
#include <fmt/format.h>

#include <map>
#include <set>

#include "emit_parts.hpp"

namespace gough {

/// A number that reads back as the same double, and as a double in C.
std::string number(double x);

class Emitter {
 public:
  explicit Emitter(const Program& program);
  virtual ~Emitter() = default;
  Emitter(const Emitter&) = delete;
  Emitter& operator=(const Emitter&) = delete;

 protected:
  // what a dialect says otherwise
  virtual std::string element() const { return "double"; }  ///< of the arrays
  virtual std::vector<std::size_t> order(When stage) const { return many_chains(p, when, stage, inlined); }
  virtual std::string literal(double x) const { return number(x); }
  /// Whether a call holds a number for each lane there: a pack.
  virtual bool packed(std::size_t) const { return false; }
  virtual std::string leaf(std::size_t i, When stage) const;
  virtual std::string body(std::size_t i, When stage) const;
  virtual std::string statement(std::size_t i, When stage) const;

  std::string type(std::size_t i) const { return packed(i) ? "OF(pack)" : element(); }
  std::string function(const std::string& name, std::size_t i) const {
    return packed(i) ? fmt::format("OF({})", name) : name;
  }
  std::string signed_leaf(Ref r, When stage) const;
  /// As a pack, if `wanted`.
  std::string spread_leaf(Ref r, When stage, bool wanted) const;

  /// Where the dialect has a function rsqrt: sqrt(x), 1 / x and sqrt(1 / x) of the same x come from it.
  void share_roots();
  /// Where the dialect has a function with_sign.
  void find_signs();

  bool has_setup() const { return !constants.empty(); }
  /// Whether a call takes sines or cosines.
  bool turns() const;
  const Symbol& symbol(std::size_t node) const { return p.tape.symbol_of(p.tape.nodes()[node]); }
  bool reads(const InputArray& a) const;
  bool is_laned(std::size_t node) const { return p.tape.nodes()[node].laned; }

  std::string comment() const;
  std::string failure() const;
  std::string defaults() const;
  std::string setup() const;
  /// The statements of a call, and what goes out, as packs or not.
  std::string statements(When stage) const;
  std::string assignments(bool packs = false) const;
  std::string condition(const Guard& g, bool packs = false) const;

  std::string default_signature() const { return fmt::format("void {0}_default({0}_parameters *p)", p.name); }
  std::string setup_signature() const {
    return fmt::format("void {0}_setup(const {0}_parameters *p, {0}_constants *c)", p.name);
  }
  std::string constants_argument() const { return has_setup() ? fmt::format("const {}_constants *c, ", p.name) : ""; }
  /// Pointers to the arrays of a batch, with their types or as arguments.
  std::vector<std::string> batch_arrays(bool types) const;

  const Program& p;

  /// Statements as the tape has them.
  std::vector<std::size_t> order_of_tape(When stage) const;

 private:
  void name_inputs();
  void number_constants();
  void find_lone_products();
  std::string comparison(Ref l, Ref r, When stage) const;
  std::string selection(std::size_t i, When stage) const;
  std::string difference(Ref l, Ref r, When stage) const;

 protected:
  std::vector<When> when;
  CountTable table;
  std::vector<ParameterField> parameters;
  std::vector<std::string> field;      ///< of a symbol: how it is written
  std::vector<std::size_t> constants;  ///< nodes that set-up hands to a call
  std::vector<int> slot;               ///< of such a node: its place among the laned ones, or among the others
  std::vector<int> uses;               ///< how often a node is read; twice for what goes out
  std::vector<bool> inlined;
  std::set<std::size_t> sign_like;             ///< selections that are k sign(a - b)
  std::map<std::size_t, std::size_t> root_of;  ///< nodes that come from 1 / sqrt(x): x
};

/// A header that says all, and the C of set-up.
class HeaderEmitter : public Emitter {
 public:
  using Emitter::Emitter;

 protected:
  virtual std::string types() const { return ""; }
  std::string header(const std::string& declaration) const;
  std::string beginning() const;
  std::string signature(const std::string& name) const;
  std::string call(const std::string& name) const;
};

/// Nothing in a comment ends it.
std::string plain(std::string text);
std::string upper(std::string text);

/// Of u = x^2, for |x| up to pi/4: sin x = x + x u p(u), cos x = 1 - u / 2 + u^2 p(u), errors below 1e-17. Every number is
/// written with `cast` before it.
std::string sin_polynomial(const std::string& cast = "");
std::string cos_polynomial(const std::string& cast = "");

/// The type `turn` and the function `sin_cos` for one angle of that type, with `words` before it.
/// `short_chain`: for one state at a time, whose operations wait for each other; in double.
std::string sin_cos_text(const std::string& words, const std::string& type, const std::string& cast = "",
                         bool short_chain = false);

}  // namespace gough
