#pragma once
/// Reading YAML by tables. A file's grammar is a few tables of fields; the same table reads the file, writes its
/// messages (with the nearest known key for a typo) and gives the JSON Schema, so the three cannot drift apart.
///
/// A reader is a small value with `T read(const Node&)` and `json schema()`; readers compose.
#include <fmt/format.h>
#include <yaml-cpp/yaml.h>

#include <functional>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "gough/error.hpp"
#include "gough/io/text.hpp"
#include "gough/io/units.hpp"
#include "gough/spatial/spatial.hpp"

namespace gough::io {

using json = nlohmann::ordered_json;

/// What one file may cost: aliases can make a small file visit its nodes billions of times.
struct Budget {
  std::string file;
  int visits_left = 200'000;
};

/// A place in the file, with the words that lead there.
class Node {
 public:
  Node(const YAML::Node& yaml, std::shared_ptr<Budget> budget, std::string path, int key_line = 0);

  Where where() const;
  /// The line of the key that leads here; the value may stand below it.
  Where key_where() const;
  [[noreturn]] void fail(const std::string& read, const std::string& expected) const;
  [[noreturn]] void fail(const std::string& message) const;

  bool is_map() const { return yaml_.IsMap(); }
  bool is_list() const { return yaml_.IsSequence(); }
  bool is_scalar() const { return yaml_.IsScalar(); }
  /// What stands here, shortened, for messages.
  std::string shown() const;
  const std::string& text() const { return yaml_.Scalar(); }
  const std::string& path() const { return path_; }
  std::size_t size() const { return yaml_.size(); }
  Node item(std::size_t i) const;
  /// The entries of a map in file order; refuses keys that are not text, and keys that come twice.
  std::vector<std::pair<std::string, Node>> entries() const;

 private:
  YAML::Node yaml_;
  std::shared_ptr<Budget> budget_;
  std::string path_;
  int key_line_;  ///< 0: not the value of a key
};

/// Parses a file's text within the budget; `change` may alter what was parsed. Throws Error.
Node parse_yaml(const std::string& text, const std::string& file, const std::function<void(YAML::Node&)>& change = {});
/// The text of a file, refused above `most` bytes. Throws Error.
std::string read_text(const std::string& path, std::size_t most);
/// The same of a regular file only: a pipe or a device, which could keep the reader waiting, is refused.
std::string read_regular_text(const std::string& path, std::size_t most);
/// Refuses what is no UTF-8, at its line. Throws Error.
void check_utf8(const std::string& text, const std::string& file);
/// A name that can stand in a table's heading and be read again: printable, 1 to 80 bytes, no blank at an end.
void check_name(const Node& node, const std::string& name);

// ------------------------------------------------------------------------------------------------ readers

/// A number whose dimension is known.
struct Number {
  Dimension dimension;
  double read(const Node& node) const;
  json schema() const;
};

/// A number whose dimension depends on what else is read; `convert` checks it later.
struct AnyNumber {
  struct Value {
    Quantity quantity;
    Where where;
    std::string text;
    std::string path;
    double as(const Dimension& wanted) const;
  };
  Value read(const Node& node) const;
  json schema() const;
};

struct Vector3 {
  Dimension dimension;
  Vec3<double> read(const Node& node) const;
  json schema() const;
};

struct Text {
  std::string read(const Node& node) const;
  json schema() const;
};

struct Name {
  std::string read(const Node& node) const;
  json schema() const;
};

struct Boolean {
  bool read(const Node& node) const;
  json schema() const;
};

/// One word of a list; read as its index.
struct Choice {
  std::vector<std::string> words;
  std::size_t read(const Node& node) const;
  json schema() const;
};

/// A list with at most `most` items; `one_is_enough` also takes a single item without brackets.
template <class R>
struct ListOf {
  R item;
  std::size_t most = 4000;
  bool one_is_enough = false;

  auto read(const Node& node) const {
    std::vector<decltype(item.read(node))> all;
    if (one_is_enough && !node.is_list()) {
      all.push_back(item.read(node));
      return all;
    }
    if (!node.is_list()) node.fail(node.shown(), "a list");
    if (node.size() > most) node.fail(fmt::format("a list of {} items", node.size()), fmt::format("at most {}", most));
    for (std::size_t i = 0; i < node.size(); ++i) all.push_back(item.read(node.item(i)));
    return all;
  }
  json schema() const {
    const json list = {{"type", "array"}, {"items", item.schema()}, {"maxItems", most}};
    return one_is_enough ? json{{"oneOf", {item.schema(), list}}} : list;
  }
};

/// A map from the author's names to items, in file order.
template <class R>
struct MapOf {
  R item;
  std::size_t most = 4000;

  auto read(const Node& node) const {
    std::vector<std::pair<std::string, decltype(item.read(node))>> all;
    if (!node.is_map()) node.fail(node.shown(), "names with a value each (name: ...)");
    if (node.size() > most) node.fail(fmt::format("{} entries", node.size()), fmt::format("at most {}", most));
    for (const auto& [key, value] : node.entries()) {
      check_name(value, key);
      all.emplace_back(key, item.read(value));
    }
    return all;
  }
  json schema() const { return {{"type", "object"}, {"additionalProperties", item.schema()}}; }
};

// ------------------------------------------------------------------------------------------------ tables

template <class T>
struct Field {
  std::string key;
  std::string help;
  bool required = false;
  std::function<void(const Node&, T&)> read;
  std::function<json()> schema;
};

template <class T>
struct KeyTable {
  std::string what;  ///< "a body", for messages
  std::vector<Field<T>> fields;
  std::string name;  ///< its name in the schema's definitions
};

/// A field that a reader writes into a member.
template <class T, class R, class M>
Field<T> field(std::string key, M T::*member, R reader, std::string help, bool required = false) {
  return {std::move(key), std::move(help), required, [=](const Node& node, T& to) { to.*member = reader.read(node); },
          [=] { return reader.schema(); }};
}

void unknown_key(const Node& value, const std::string& key, const std::string& what, std::vector<std::string> known);

/// Reads a map by its table.
template <class T>
struct Object {
  const KeyTable<T>& (*table)();

  T read(const Node& node) const {
    T to;
    if (!node.is_map()) node.fail(node.shown(), table().what + " (" + keys() + ")");
    std::vector<bool> seen(table().fields.size(), false);
    for (const auto& [key, value] : node.entries()) {
      std::size_t i = 0;
      while (i < seen.size() && table().fields[i].key != key) ++i;
      if (i == seen.size()) unknown_key(value, key, table().what, words());
      table().fields[i].read(value, to);
      seen[i] = true;
    }
    for (std::size_t i = 0; i < seen.size(); ++i)
      if (table().fields[i].required && !seen[i])
        node.fail(table().what + " without '" + table().fields[i].key + "'",
                  table().fields[i].key + ": " + table().fields[i].help);
    if constexpr (requires { to.where; }) to.where = node.where();
    return to;
  }
  json schema() const { return {{"$ref", "#/$defs/" + table().name}}; }
  json definition() const {
    json properties, required = json::array();
    for (const Field<T>& f : table().fields) {
      properties[f.key] = f.schema();
      properties[f.key]["description"] = f.help;
      if (f.required) required.push_back(f.key);
    }
    json object = {{"type", "object"}, {"properties", properties}, {"additionalProperties", false}};
    if (!required.empty()) object["required"] = required;
    return object;
  }

 private:
  std::vector<std::string> words() const {
    std::vector<std::string> all;
    for (const Field<T>& f : table().fields) all.push_back(f.key);
    return all;
  }
  std::string keys() const { return fmt::format("{}", fmt::join(words(), ", ")); }
};

}  // namespace gough::io
