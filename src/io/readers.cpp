#include "readers.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <set>

#include "gough/io/files.hpp"
#include "gough/io/text.hpp"

namespace gough::io {
namespace {

/// A file that is open for reading.
class OpenFile {
 public:
  /// `flags`: beside O_RDONLY. Throws Error.
  OpenFile(const std::string& path, int flags)
      : path_(path), number_(::open(path.c_str(), O_RDONLY | O_CLOEXEC | flags)) {
    if (number_ < 0) throw Error({path_, 0}, "cannot be opened, expected a file that exists and may be read");
  }
  ~OpenFile() { ::close(number_); }
  OpenFile(const OpenFile&) = delete;
  OpenFile& operator=(const OpenFile&) = delete;

  std::string text(std::size_t most) const {
    std::string all, piece(std::size_t{1} << 16, '\0');
    for (ssize_t n = 0; (n = ::read(number_, piece.data(), piece.size())) != 0;) {
      if (n < 0 && errno == EINTR) continue;
      if (n < 0) throw Error({path_, 0}, "cannot be read, expected a file, not a folder");
      all.append(piece, 0, static_cast<std::size_t>(n));
      if (all.size() > most)
        throw Error({path_, 0}, fmt::format("read more than {} bytes, expected a smaller file", most));
    }
    if (all.find('\0') != std::string::npos) throw Error({path_, 0}, "read a zero byte, expected text");
    return all;
  }

  /// What it is, where it is no regular file.
  std::string other_kind() const {
    struct stat s {};
    if (::fstat(number_, &s) != 0) return "something unknown";
    if (S_ISREG(s.st_mode)) return {};
    if (S_ISDIR(s.st_mode)) return "a folder";
    return S_ISFIFO(s.st_mode) ? "a pipe" : "a device";
  }

 private:
  const std::string& path_;
  int number_;
};

}  // namespace

Node::Node(const YAML::Node& yaml, std::shared_ptr<Budget> budget, std::string path, int key_line)
    : yaml_(yaml), budget_(std::move(budget)), path_(std::move(path)), key_line_(key_line) {
  if (--budget_->visits_left < 0)
    fail("more than 200000 values (aliases count each time they are used)", "a smaller file");
}

Where Node::where() const { return yaml_.IsNull() ? key_where() : Where{budget_->file, yaml_.Mark().line + 1}; }

Where Node::key_where() const { return {budget_->file, key_line_ > 0 ? key_line_ : yaml_.Mark().line + 1}; }

void Node::fail(const std::string& read, const std::string& expected) const {
  fail(fmt::format("read {}, expected {}", read, expected));
}

void Node::fail(const std::string& message) const {
  throw Error(where(), path_.empty() ? message : path_ + ": " + message);
}

std::string Node::shown() const {
  switch (yaml_.Type()) {
    case YAML::NodeType::Null: return "nothing";
    case YAML::NodeType::Sequence: return "a list";
    case YAML::NodeType::Map: return "a map";
    case YAML::NodeType::Scalar: return "'" + (text().size() > 60 ? beginning(text(), 57) + "..." : text()) + "'";
    default: return "something undefined";
  }
}

Node Node::item(std::size_t i) const {
  return {yaml_[i], budget_, fmt::format("{}[{}]", beginning(path_, 200), i + 1)};
}

std::vector<std::pair<std::string, Node>> Node::entries() const {
  std::vector<std::pair<std::string, Node>> all;
  std::set<std::string> seen;
  for (const auto& entry : yaml_) {
    const Node key(entry.first, budget_, path_);
    if (!key.is_scalar()) key.fail(key.shown() + " as a key", "a word");
    const std::string shown = beginning(key.text(), 60);
    if (!seen.insert(key.text()).second) key.fail("'" + shown + "' a second time", "every key once");
    all.emplace_back(key.text(),
                     Node(entry.second, budget_, path_.empty() ? shown : beginning(path_, 200) + "." + shown,
                          entry.first.Mark().line + 1));
  }
  return all;
}

Node parse_yaml(const std::string& text, const std::string& file, const std::function<void(YAML::Node&)>& change) {
  check_utf8(text, file);
  auto budget = std::make_shared<Budget>(Budget{file});
  try {
    YAML::Node root = YAML::Load(text);
    if (change) change(root);
    return {root, budget, ""};
  } catch (const YAML::Exception& e) {
    throw Error({file, e.mark.line + 1}, fmt::format("this is not YAML: {}", e.msg));
  }
}

std::string read_text(const std::string& path, std::size_t most) {
  KeepInputs::note(path);
  return OpenFile(path, 0).text(most);
}

std::string read_regular_text(const std::string& path, std::size_t most) {
  const OpenFile file(path, O_NONBLOCK | O_NOCTTY);  // a pipe that nobody writes to would not even be opened
  if (const std::string kind = file.other_kind(); !kind.empty())
    throw Error({path, 0}, fmt::format("is {}, expected a file", kind));
  return file.text(most);
}

void check_utf8(const std::string& text, const std::string& file) {
  const std::size_t bad = find_bad_byte(text);
  if (bad == std::string::npos) return;
  const auto line = 1 + std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(bad), '\n');
  throw Error({file, static_cast<int>(line)},
              fmt::format("read the byte 0x{:02x}, which is no UTF-8, expected a text that is saved as UTF-8",
                          static_cast<unsigned char>(text[bad])));
}

void check_name(const Node& node, const std::string& name) {
  if (name.empty() || name.size() > 80) node.fail(fmt::format("a name of {} characters", name.size()), "1 to 80");
  if (find_bad_byte(name) != std::string::npos || find_control(name) != std::string::npos)
    node.fail("a name with a control character", "printable text");
  if (name.front() == ' ' || name.back() == ' ')
    node.fail(fmt::format("the name '{}' with a blank at an end", name), "it without");
}

void unknown_key(const Node& value, const std::string& key, const std::string& what, std::vector<std::string> known) {
  const std::string near = nearest(key, known);
  throw Error(
      value.key_where(),
      fmt::format("{}: read the unknown key '{}' in {}, expected {}", value.path(), beginning(key, 60), what,
                  near.empty() ? fmt::format("one of {}", fmt::join(known, ", ")) : fmt::format("'{}'?", near)));
}

// ------------------------------------------------------------------------------------------------ readers

namespace {
json number_schema(const std::string& unit) {
  json s = {{"type", {"number", "string"}}};
  if (!unit.empty()) s["$comment"] = "SI: " + unit;
  return s;
}
}  // namespace

AnyNumber::Value AnyNumber::read(const Node& node) const {
  if (!node.is_scalar()) node.fail(node.shown(), "a number, with a unit if need be");
  std::string why;
  const auto quantity = parse_quantity(node.text(), why);
  if (!quantity) node.fail(why);
  return {*quantity, node.where(), node.text(), node.path()};
}

double AnyNumber::Value::as(const Dimension& wanted) const {
  if (quantity.dimension && *quantity.dimension != wanted)
    throw Error(where, fmt::format("{}: read '{}', expected a number in {} (or a unit of that kind)", path, text,
                                   unit_of(wanted)));
  return quantity.value;
}

json AnyNumber::schema() const { return number_schema(""); }

double Number::read(const Node& node) const {
  const AnyNumber::Value v = AnyNumber{}.read(node);
  if (v.quantity.dimension && *v.quantity.dimension != dimension)
    node.fail("'" + v.text + "'", "a number in " + unit_of(dimension) + " (or a unit of that kind)");
  return v.quantity.value;
}
json Number::schema() const { return number_schema(unit_of(dimension)); }

Vec3<double> Vector3::read(const Node& node) const {
  if (!node.is_list() || node.size() != 3)
    node.fail(node.is_list() ? fmt::format("a list of {} numbers", node.size()) : node.shown(),
              "three numbers [x, y, z]");
  const Number number{dimension};
  return {number.read(node.item(0)), number.read(node.item(1)), number.read(node.item(2))};
}
json Vector3::schema() const {
  return {{"type", "array"}, {"items", Number{dimension}.schema()}, {"minItems", 3}, {"maxItems", 3}};
}

std::string Text::read(const Node& node) const {
  if (!node.is_scalar()) node.fail(node.shown(), "a text");
  if (node.text().size() > 4000) node.fail(fmt::format("a text of {} characters", node.text().size()), "at most 4000");
  if (find_bad_byte(node.text()) != std::string::npos || find_control(node.text(), "\n\r\t") != std::string::npos)
    node.fail("a text with a control character", "printable text");
  return node.text();
}
json Text::schema() const { return {{"type", "string"}}; }

std::string Name::read(const Node& node) const {
  std::string name = Text{}.read(node);
  check_name(node, name);
  return name;
}
json Name::schema() const { return Text{}.schema(); }

bool Boolean::read(const Node& node) const {
  if (node.is_scalar() && node.text() == "true") return true;
  if (node.is_scalar() && node.text() == "false") return false;
  node.fail(node.shown(), "true or false");
}
json Boolean::schema() const { return {{"type", "boolean"}}; }

std::size_t Choice::read(const Node& node) const {
  if (!node.is_scalar()) node.fail(node.shown(), fmt::format("one of {}", fmt::join(words, ", ")));
  const auto found = std::find(words.begin(), words.end(), node.text());
  if (found == words.end()) {
    const std::string near = nearest(node.text(), words);
    node.fail(node.shown(),
              fmt::format("one of {}{}", fmt::join(words, ", "), near.empty() ? "" : "; did you mean '" + near + "'?"));
  }
  return static_cast<std::size_t>(found - words.begin());
}
json Choice::schema() const { return {{"enum", words}}; }

}  // namespace gough::io
