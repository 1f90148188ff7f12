#include "settings.hpp"

#include <fmt/format.h>

#include "readers.hpp"

namespace gough::io {
namespace {

/// Walks a path through a file and puts the value at every end of it.
class Setter {
 public:
  Setter(const Setting& setting, std::string file) : setting_(setting), file_(std::move(file)) {
    if (!setting.is_list) value_ = YAML::Node(setting.values.front());
    else
      for (const std::string& item : setting.values) value_.push_back(item);
  }

  void run(const YAML::Node& root) {
    if (put(root, setting_.path) > 0) return;
    const std::string near = nearest(reached_.second, keys_);
    throw Error(setting_.where,
                fmt::format("read the path '{}', expected one that '{}' has{}{}", setting_.path.substr(0, 120), file_,
                            reached_.first.empty() ? "" : fmt::format("; '{}' is there", reached_.first),
                            near.empty() ? "" : fmt::format("; did you mean '{}'?", near)));
  }

 private:
  /// How many places were set below `node`.
  int put(YAML::Node node, const std::string& path) {
    if (--visits_left_ < 0) throw Error(setting_.where, "read a path with too many ends, expected a shorter way");
    const std::string first = path.substr(0, path.find('.'));
    int count = 0;
    if (node.IsMap()) {
      std::vector<std::string> keys;
      for (const auto& entry : node) keys.push_back(entry.first.IsScalar() ? entry.first.Scalar() : "");
      for (const std::string& key : keys) count += follow(node, key, key, path);
      const bool last = path.find('.') == std::string::npos;
      if (count == 0 && last && first != "*" && !first.empty()) {
        node[first] = YAML::Clone(value_);
        return 1;
      }
      if (count == 0) remember(path, keys);
    } else if (node.IsSequence()) {
      for (std::size_t i = 0; i < node.size(); ++i) count += follow(node, i, std::to_string(i + 1), path);
    }
    return count;
  }

  template <class Key>
  int follow(YAML::Node& node, const Key& key, const std::string& word, const std::string& path) {
    for (const std::string& match : {word, std::string("*")}) {
      if (path == match) {
        node[key] = YAML::Clone(value_);
        return 1;
      }
      if (path.starts_with(match + ".")) return put(node[key], path.substr(match.size() + 1));
    }
    return 0;
  }

  /// Where the path got lost first, for the message.
  void remember(const std::string& path, const std::vector<std::string>& keys) {
    if (!keys_.empty()) return;
    const std::size_t done = setting_.path.size() - path.size();
    reached_ = {done > 0 ? setting_.path.substr(0, done - 1) : "", path.substr(0, path.find('.'))};
    keys_ = keys;
  }

  const Setting& setting_;
  std::string file_;
  YAML::Node value_;
  int visits_left_ = 200'000;
  std::pair<std::string, std::string> reached_;  ///< the part of the path that is there, and the key after it
  std::vector<std::string> keys_;
};

}  // namespace

void apply_settings(YAML::Node& root, const std::string& file, const std::vector<Setting>& settings) {
  for (const Setting& s : settings) Setter(s, file).run(root);
}

}  // namespace gough::io
