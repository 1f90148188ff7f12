/// YAML as a tree: what stands in it is changed, moved, left out or made anew as the file's schema has it, and written again.
#include <fmt/format.h>
#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <array>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>

#include "mutator.hpp"

namespace gough::fuzz {
namespace {

using nlohmann::json;

struct Tree {
  enum Kind { scalar, list, map, alias };
  Kind kind = scalar;
  std::string text;                                      ///< of a scalar; the anchor that an alias means
  std::string anchor;                                    ///< empty: none
  std::vector<std::pair<std::string, Tree>> items = {};  ///< keys are empty in lists
};

Tree scalar_of(std::string text) { return {Tree::scalar, std::move(text), ""}; }

// ------------------------------------------------------------------------------------------------ text to tree

constexpr int most_nodes = 5000, most_levels = 100;

/// Aliases become copies. Nothing where there are too many nodes, or an alias of what it stands in.
std::optional<Tree> tree_of(const YAML::Node& node, int& left, int levels = most_levels) {
  if (--left < 0 || levels == 0) return std::nullopt;
  Tree tree;
  if (node.IsScalar()) tree.text = node.Scalar();
  if (node.IsSequence()) tree.kind = Tree::list;
  if (node.IsMap()) tree.kind = Tree::map;
  for (const auto& entry : node) {
    const bool of_map = node.IsMap();
    auto value = tree_of(of_map ? entry.second : YAML::Node(entry), left, levels - 1);
    if (!value) return std::nullopt;
    tree.items.emplace_back(of_map && entry.first.IsScalar() ? entry.first.Scalar() : "", std::move(*value));
  }
  return tree;
}

std::optional<Tree> tree_of(const std::string& text) {
  try {
    int left = most_nodes;
    return tree_of(YAML::Load(text), left);
  } catch (const YAML::Exception&) { return std::nullopt; }
}

// ------------------------------------------------------------------------------------------------ tree to text

std::string written(const std::string& text) {
  constexpr std::string_view plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./^+-* ";
  const bool usual = !text.empty() && text.find_first_not_of(plain) == std::string::npos && text.front() != ' ' &&
                     text.back() != ' ' && text.front() != '*' && !text.starts_with("- ");
  if (usual) return text;
  std::string quoted = "\"";
  for (const char c : text)
    if (c == '"' || c == '\\') quoted += std::string("\\") + c;
    else if (static_cast<unsigned char>(c) < 0x20) quoted += fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
    else quoted += c;
  return quoted + "\"";
}

std::string flow(const Tree& tree) {
  const std::string mark = tree.anchor.empty() ? "" : "&" + tree.anchor + " ";
  if (tree.kind == Tree::alias) return "*" + tree.text + " ";
  if (tree.kind == Tree::scalar) return mark + written(tree.text);
  std::vector<std::string> parts;
  for (const auto& [key, value] : tree.items)
    parts.push_back(tree.kind == Tree::list ? flow(value) : written(key) + ": " + flow(value));
  return mark + (tree.kind == Tree::list ? "[" + join(parts, ", ") + "]" : "{" + join(parts, ", ") + "}");
}

/// Maps and lists in lines of their own down to `depth` levels.
std::string block(const Tree& tree, int depth, int indent = 0) {
  const bool inline_ = depth == 0 || tree.items.empty() || tree.kind == Tree::scalar || tree.kind == Tree::alias;
  if (inline_) return " " + flow(tree) + "\n";
  std::string text = (tree.anchor.empty() ? "" : " &" + tree.anchor) + std::string("\n");
  for (const auto& [key, value] : tree.items)
    text += std::string(static_cast<std::size_t>(indent), ' ') + (tree.kind == Tree::list ? "-" : written(key) + ":") +
            block(value, depth - 1, indent + 2);
  return text;
}

std::string text_of(const Tree& tree, Dice& dice) {
  const std::string text = block(tree, static_cast<int>(dice.below(4)));
  return text.substr(1);  // the space or the line end before the first entry
}

// ------------------------------------------------------------------------------------------------ the grammar

/// The keys of every kind of map, what they may hold, and all words that stand for something.
struct Grammar {
  json schema;
  std::vector<json> objects;  ///< definitions with `properties`, the file itself first
  std::vector<std::string> keys, words;

  explicit Grammar(const std::string& text) : schema(json::parse(text)) {
    objects.push_back(schema);
    for (const auto& [name, definition] : schema["$defs"].items()) objects.push_back(definition);
    for (const json& object : objects)
      for (const auto& [key, value] : object["properties"].items()) keys.push_back(key);
    collect_words(schema);
  }

  /// The definition that shares the most keys with a map.
  const json& object_of(const Tree& map) const {
    const auto shared = [&](const json& object) {
      return std::count_if(map.items.begin(), map.items.end(),
                           [&](const auto& item) { return object["properties"].contains(item.first); });
    };
    return *std::max_element(objects.begin(), objects.end(),
                             [&](const json& a, const json& b) { return shared(a) < shared(b); });
  }

  /// Something that the schema allows, or nearly.
  Tree make(const json& wanted, const std::vector<std::string>& names, Dice& dice, int depth = 0) const {
    if (depth > 6) return scalar_of("0");
    if (wanted.contains("$ref")) {
      const std::string path = wanted["$ref"].get<std::string>().substr(1);
      return make(schema.at(json::json_pointer(path)), names, dice, depth + 1);
    }
    for (const char* const either : {"oneOf", "anyOf"})
      if (wanted.contains(either)) return make(dice.of(wanted[either]), names, dice, depth + 1);
    if (wanted.contains("enum")) return scalar_of(dice.of(wanted["enum"]).get<std::string>());
    const json type = wanted.value("type", json("string"));
    if (type == "array") return list_of(wanted, names, dice, depth);
    if (type == "object") return map_of(wanted, names, dice, depth);
    if (type == "boolean") return scalar_of(dice.one_in(2) ? "true" : "false");
    if (type == "string") return scalar_of(names.empty() ? "name" : dice.of(names));
    return scalar_of(scaled(dice.one_in(2) ? "1" : "0.1", dice));
  }

 private:
  void collect_words(const json& node) {
    if (node.contains("enum"))
      for (const json& word : node["enum"]) words.push_back(word.get<std::string>());
    if (node.is_structured())
      for (const json& child : node) collect_words(child);
  }

  Tree list_of(const json& wanted, const std::vector<std::string>& names, Dice& dice, int depth) const {
    Tree list{Tree::list, "", ""};
    const std::size_t size = wanted.value("minItems", std::size_t{1} + dice.below(3));
    for (std::size_t i = 0; i < size && wanted.contains("items"); ++i)
      list.items.emplace_back("", make(wanted["items"], names, dice, depth + 1));
    return list;
  }

  Tree map_of(const json& wanted, const std::vector<std::string>& names, Dice& dice, int depth) const {
    Tree map{Tree::map, "", ""};
    if (wanted.contains("additionalProperties") && wanted["additionalProperties"].is_object())
      map.items.emplace_back(names.empty() ? "name" : dice.of(names),
                             make(wanted["additionalProperties"], names, dice, depth + 1));
    const json required = wanted.value("required", json::array());
    const json properties = wanted.value("properties", json::object());
    for (const auto& [key, value] : properties.items())
      if (std::find(required.begin(), required.end(), key) != required.end() || dice.one_in(4))
        map.items.emplace_back(key, make(value, names, dice, depth + 1));
    return map;
  }
};

// ------------------------------------------------------------------------------------------------ changes

/// A tree with lists of what stands in it.
struct Parts {
  Tree& root;
  const Grammar& grammar;
  std::vector<Tree*> all = {}, scalars = {}, holders = {}, maps = {};  ///< holders: lists and maps that are not empty
  std::vector<std::string> names = {};                                 ///< keys and texts of this file

  Parts(Tree& tree, const Grammar& g) : root(tree), grammar(g) { add(tree); }
  void add(Tree& tree) {
    all.push_back(&tree);
    if (tree.kind == Tree::scalar) scalars.push_back(&tree);
    if (tree.kind == Tree::scalar && tree.text.size() < 40) names.push_back(tree.text);
    if (tree.kind == Tree::map) maps.push_back(&tree);
    if (!tree.items.empty()) holders.push_back(&tree);
    for (auto& [key, value] : tree.items) {
      if (tree.kind == Tree::map) names.push_back(key);
      add(value);
    }
  }
};

/// A holder and one of its items; nothing where there is none.
struct Spot {
  Tree* holder = nullptr;
  std::size_t at = 0;
  Spot(Parts& p, Dice& dice) {
    if (p.holders.empty()) return;
    holder = dice.of(p.holders);
    at = dice.below(holder->items.size());
  }
  explicit operator bool() const { return holder != nullptr; }
  std::pair<std::string, Tree>& item() const { return holder->items[at]; }
  auto place() const { return holder->items.begin() + static_cast<std::ptrdiff_t>(at); }
};

void odd_value(Parts& p, Dice& dice) {
  if (!p.scalars.empty()) dice.of(p.scalars)->text = odd_number(dice);
}

void other_size(Parts& p, Dice& dice) {
  if (p.scalars.empty()) return;
  Tree& number = *dice.of(p.scalars);
  number.text = scaled(number.text, dice);
}

void other_unit(Parts& p, Dice& dice) {
  static const std::array<std::string, 24> units = {
      "m",   "mm", "km", "kg",  "g",     "deg",   "rad", "N",      "N m",    "N/m",     "N s/m",  "Hz",
      "1/s", "s",  "us", "m/s", "m/s^2", "rad/s", "GPa", "kg/m^3", "kg m^2", "kg^99 m", "parsec", "/ ^2"};
  if (p.scalars.empty()) return;
  std::string& text = dice.of(p.scalars)->text;
  text = text.substr(0, text.find(' ')) + " " + dice.of(units);
}

void other_name(Parts& p, Dice& dice) {
  if (!p.scalars.empty() && !p.names.empty()) dice.of(p.scalars)->text = dice.of(p.names);
}

void known_word(Parts& p, Dice& dice) {
  if (!p.scalars.empty() && !p.grammar.words.empty()) dice.of(p.scalars)->text = dice.of(p.grammar.words);
}

void leave_out(Parts& p, Dice& dice) {
  if (const Spot s(p, dice); s) s.holder->items.erase(s.place());
}

void repeat(Parts& p, Dice& dice) {
  const Spot s(p, dice);
  if (!s) return;
  const auto copy = s.item();
  const std::size_t times = dice.one_in(20) ? 500 : 1;
  for (std::size_t i = 0; i < times; ++i) {
    s.holder->items.push_back(copy);
    if (s.holder->kind == Tree::map && !dice.one_in(8)) s.holder->items.back().first += std::to_string(i);
  }
}

void rename(Parts& p, Dice& dice) {
  const Spot s(p, dice);
  if (!s || s.holder->kind != Tree::map) return;
  std::string& key = s.item().first;
  switch (dice.below(4)) {
    case 0: key = dice.of(p.grammar.keys); break;
    case 1: key = dice.of(p.names); break;
    case 2: key += "x"; break;
    default: key = odd_number(dice);
  }
}

void exchange(Parts& p, Dice& dice) {
  const Spot a(p, dice);
  if (!a) return;
  std::swap(a.item(), a.holder->items[dice.below(a.holder->items.size())]);
}

/// A copy of any part stands somewhere else.
void transplant(Parts& p, Dice& dice) {
  const Tree copy = *dice.of(p.all);
  if (const Spot s(p, dice); s) s.item().second = copy;
}

void add_known_key(Parts& p, Dice& dice) {
  if (p.maps.empty()) return;
  Tree& map = *dice.of(p.maps);
  const json& properties = p.grammar.object_of(map)["properties"];
  auto key = properties.begin();
  std::advance(key, static_cast<std::ptrdiff_t>(dice.below(properties.size())));
  map.items.emplace_back(key.key(), p.grammar.make(key.value(), p.names, dice));
}

/// The value of a known key is made anew.
void make_anew(Parts& p, Dice& dice) {
  const Spot s(p, dice);
  if (!s || s.holder->kind != Tree::map) return;
  const json& properties = p.grammar.object_of(*s.holder)["properties"];
  if (properties.contains(s.item().first)) s.item().second = p.grammar.make(properties[s.item().first], p.names, dice);
}

void other_kind(Parts& p, Dice& dice) {
  Tree& tree = *dice.of(p.all);
  switch (dice.below(6)) {
    case 0: tree = scalar_of("~"); break;
    case 1: tree = {Tree::list, "", ""}; break;
    case 2: tree = {Tree::map, "", ""}; break;
    case 3: tree = {Tree::list, "", "", {{"", tree}}}; break;
    case 4: tree = {Tree::map, "", "", {{dice.of(p.grammar.keys), tree}}}; break;
    default: tree = scalar_of(std::string(dice.one_in(4) ? 5000 : 90, 'n'));
  }
}

void nest(Parts& p, Dice& dice) {
  Tree& tree = *dice.of(p.all);
  for (std::size_t i = 0; i < (dice.one_in(8) ? 600U : 20U); ++i) {
    Tree inner = std::move(tree);
    tree = {Tree::list, "", ""};
    tree.items.emplace_back("", std::move(inner));
  }
}

/// An item becomes an alias of another part, or a merge key.
void refer(Parts& p, Dice& dice) {
  Tree& meant = *dice.of(p.all);
  const Spot s(p, dice);
  if (!s || meant.kind == Tree::alias) return;
  if (meant.anchor.empty()) meant.anchor = "a";
  const Tree reference{Tree::alias, meant.anchor, ""};
  if (s.holder->kind == Tree::map && dice.one_in(3)) s.holder->items.emplace_back("<<", reference);
  else s.item().second = reference;
}

/// Each list holds the one before many times: billions of values in a few lines.
void laugh(Parts& p, Dice& dice) {
  const Spot s(p, dice);
  if (!s) return;
  Tree lists{Tree::list, "", ""};
  for (int level = 0; level < 9; ++level) {
    Tree list{Tree::list, "", fmt::format("l{}", level)};
    for (int i = 0; i < 9; ++i)
      list.items.emplace_back("", level == 0 ? scalar_of("1") : Tree{Tree::alias, fmt::format("l{}", level - 1), ""});
    lists.items.emplace_back("", list);
  }
  s.item().second = lists;
}

using Change = void (*)(Parts&, Dice&);
constexpr std::array<Change, 22> changes = {
    odd_value,     other_size,    other_size, other_size, other_unit, other_name, other_name, known_word,
    leave_out,     leave_out,     repeat,     rename,     exchange,   transplant, transplant, add_known_key,
    add_known_key, add_known_key, make_anew,  other_kind, nest,       refer};

}  // namespace

std::string mutate_yaml(const std::string& text, const std::string& schema, Dice& dice) {
  static std::map<std::string, Grammar> known;  // a grammar for each schema that was asked for
  const Grammar& grammar = known.try_emplace(schema, schema).first->second;
  auto tree = tree_of(text);
  if (!tree || dice.one_in(20)) return damaged(text, dice);
  for (std::size_t n = 1 + dice.below(4); n > 0; --n) {
    Parts parts(*tree, grammar);
    if (dice.one_in(200)) laugh(parts, dice);
    else dice.of(changes)(parts, dice);
  }
  return text_of(*tree, dice);
}

std::string splice_yaml(const std::string& text, const std::string& other, Dice& dice) {
  auto to = tree_of(text), from = tree_of(other);
  if (!to || !from) return text.substr(0, dice.below(text.size() + 1)) + other.substr(dice.below(other.size() + 1));
  static const Grammar none(R"({"properties": {}, "$defs": {}})");
  Parts target(*to, none), source(*from, none);
  const Spot there(source, dice), here(target, dice);
  if (!there || !here) return other;
  if (here.holder->kind == there.holder->kind && dice.one_in(2)) here.holder->items.push_back(there.item());
  else here.item().second = there.item().second;
  return text_of(*to, dice);
}

}  // namespace gough::fuzz
