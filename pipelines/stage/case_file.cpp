// SPDX-License-Identifier: GPL-3.0-or-later
// The case file by toml++, which stays behind this file.
#include "pipelines/stage/case_file.hpp"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <set>
#include <sstream>

// What toml++ takes for certain is not so in damaged files ("[=", "[[["): with NDEBUG the compiler
// would be told that it is, without it the program would end.
struct MalformedToml {};
constexpr void requireToml(bool condition) {
  if (!condition) throw MalformedToml();
}
#pragma push_macro("NDEBUG")
#undef NDEBUG
#define TOML_ASSERT(expression) requireToml(static_cast<bool>(expression))
#define TOML_EXCEPTIONS 1
#include <toml++/toml.h>
#pragma pop_macro("NDEBUG")

#include "pipelines/stage/error.hpp"
#include "pipelines/stage/memory_shortage.hpp"
#include "pipelines/stage/nearest.hpp"
#include "pipelines/stage/toml_text.hpp"

namespace tessera {
namespace {

// The tables of the contract; [[opening]] and [[wall]] are repeated.
const std::vector<std::string>& knownTables() {
  static const std::vector<std::string> names{"preprocess", "tiler",      "fluid", "solver",
                                              "opening",    "wall",       "stop",  "time",
                                              "output",     "postprocess"};
  return names;
}
bool isRepeated(std::string_view word) {
  return word == "opening" || word == "wall";
}

std::string at(const std::string& file, const toml::source_region& source) {
  return file + ":" + std::to_string(source.begin.line);
}

std::string hint(std::string_view word, const std::vector<std::string>& known) {
  const std::string nearest = nearestWord(word, known);
  return nearest.empty() ? "known are " + listOfWords(known) + "."
                         : "nearest is \"" + nearest + "\".";
}

std::string number(double value) {
  std::ostringstream text;
  text << value;
  return text.str();
}

// The value as a person would write it; tables, lists and dates by what they are.
std::string describe(const toml::node& node) {
  if (const auto* text = node.as_string()) return "\"" + text->get() + "\"";
  if (const auto* integer = node.as_integer()) return std::to_string(integer->get());
  if (const auto* real = node.as_floating_point()) return number(real->get());
  if (const auto* flag = node.as_boolean()) return flag->get() ? "true" : "false";
  if (node.is_table()) return "a table";
  if (node.is_array()) return "a list";
  return "a date or time";
}

// "between a and b", "at least a", "at most b"; a bound of 1e300 is none.
std::string interval(double lowest, double highest, std::string_view unit) {
  const std::string suffix = unit.empty() ? "" : " " + std::string(unit);
  if (highest >= 1e300) return "at least " + number(lowest) + suffix;
  if (lowest <= -1e300) return "at most " + number(highest) + suffix;
  return "between " + number(lowest) + " and " + number(highest) + suffix;
}

}  // namespace

struct CaseTable::Impl {
  std::shared_ptr<const toml::table> document;  // keeps `table` alive
  const toml::table* table = nullptr;
  std::string file;
  std::string name;
  std::set<std::string, std::less<>> asked;

  const toml::node* find(std::string_view key) {
    asked.emplace(key);
    return table == nullptr ? nullptr : table->get(key);
  }
  [[noreturn]] void reject(const toml::node& node, std::string_view key,
                           const std::string& expected) const {
    fail(ExitCode::Usage, at(file, node.source()) + ": " + std::string(key) + " is " +
                              describe(node) + "; " + expected + ".");
  }
  double toQuantity(const toml::node& node, std::string_view key, Dimension dimension) const;
};

double CaseTable::Impl::toQuantity(const toml::node& node, std::string_view key,
                                   Dimension dimension) const {
  if (node.is_string()) {
    try {
      return parseQuantity(node.as_string()->get(), dimension);
    } catch (const StageError& error) {
      fail(ExitCode::Usage,
           at(file, node.source()) + ": " + std::string(key) + ": " + error.what());
    }
  }
  const std::optional<double> value = node.value<double>();
  if (!node.is_number() || !value || !std::isfinite(*value)) {
    const std::string_view unit = siUnit(dimension);
    reject(node, key,
           unit.empty()
               ? "a number is expected"
               : "a number in " + std::string(unit) + " or a text with a unit is expected");
  }
  return *value;
}

CaseTable::CaseTable(std::shared_ptr<Impl> impl) : impl_(std::move(impl)) {}

bool CaseTable::present() const {
  return impl_->table != nullptr;
}

bool CaseTable::has(std::string_view key) const {
  return impl_->find(key) != nullptr;
}

bool CaseTable::isText(std::string_view key) const {
  const toml::node* node = impl_->find(key);
  return node != nullptr && node->is_string();
}

std::optional<std::string> CaseTable::text(std::string_view key) {
  const toml::node* node = impl_->find(key);
  if (node == nullptr) return std::nullopt;
  if (!node->is_string()) impl_->reject(*node, key, "a text in quotes is expected");
  return node->as_string()->get();
}

std::vector<std::string> CaseTable::texts(std::string_view key) {
  const toml::node* node = impl_->find(key);
  if (node == nullptr) return {};
  if (node->is_string()) return {node->as_string()->get()};
  const toml::array* list = node->as_array();
  std::vector<std::string> texts;
  for (std::size_t i = 0; list != nullptr && i < list->size(); ++i)
    if ((*list)[i].is_string()) texts.push_back((*list)[i].as_string()->get());
  if (list == nullptr || texts.size() != list->size())
    impl_->reject(*node, key, "a text in quotes or a list of them is expected");
  return texts;
}

std::optional<std::string> CaseTable::word(std::string_view key,
                                           const std::vector<std::string>& allowed) {
  std::optional<std::string> word = text(key);
  if (word && std::find(allowed.begin(), allowed.end(), *word) == allowed.end()) {
    impl_->reject(*impl_->find(key), key, "expected is one of " + listOfWords(allowed));
  }
  return word;
}

std::optional<double> CaseTable::quantity(std::string_view key, Dimension dimension, double lowest,
                                          double highest) {
  const toml::node* node = impl_->find(key);
  if (node == nullptr) return std::nullopt;
  const double value = impl_->toQuantity(*node, key, dimension);
  if (value < lowest || value > highest) {
    impl_->reject(*node, key, "it must be " + interval(lowest, highest, siUnit(dimension)));
  }
  return value;
}

std::optional<std::array<double, 3>> CaseTable::vector(std::string_view key, Dimension dimension) {
  const toml::node* node = impl_->find(key);
  if (node == nullptr) return std::nullopt;
  const toml::array* list = node->as_array();
  if (list == nullptr || list->size() != 3) {
    impl_->reject(*node, key, "a list of three values, [x, y, z], is expected");
  }
  std::array<double, 3> value{};
  for (std::size_t i = 0; i < 3; ++i) value[i] = impl_->toQuantity((*list)[i], key, dimension);
  return value;
}

std::optional<std::int64_t> CaseTable::integer(std::string_view key, std::int64_t lowest,
                                               std::int64_t highest) {
  const toml::node* node = impl_->find(key);
  if (node == nullptr) return std::nullopt;
  const toml::value<std::int64_t>* value = node->as_integer();
  if (value == nullptr || value->get() < lowest || value->get() > highest) {
    impl_->reject(*node, key,
                  "a whole number between " + std::to_string(lowest) + " and " +
                      std::to_string(highest) + " is expected");
  }
  return value->get();
}

std::optional<bool> CaseTable::flag(std::string_view key) {
  const toml::node* node = impl_->find(key);
  if (node == nullptr) return std::nullopt;
  if (!node->is_boolean()) impl_->reject(*node, key, "true or false is expected");
  return node->as_boolean()->get();
}

void CaseTable::rejectUnknown() const {
  if (!present()) return;
  const toml::key* first = nullptr;
  for (const auto& [key, value] : *impl_->table) {
    if (impl_->asked.contains(key.str())) continue;
    if (first == nullptr || key.source().begin < first->source().begin) first = &key;
  }
  if (first == nullptr) return;
  const std::vector<std::string> known(impl_->asked.begin(), impl_->asked.end());
  fail(ExitCode::Usage, at(impl_->file, first->source()) + ": unknown key \"" +
                            std::string(first->str()) + "\" in [" + impl_->name + "]; " +
                            hint(first->str(), known));
}

std::string CaseTable::where(std::string_view key) const {
  if (!present()) return impl_->file;
  const toml::node* node = key.empty() ? nullptr : impl_->table->get(key);
  return at(impl_->file, node != nullptr ? node->source() : impl_->table->source());
}

struct CaseFile::Impl {
  std::string name;
  std::string content;
  std::shared_ptr<const toml::table> document;

  void checkTables() const;
  [[nodiscard]] CaseTable makeTable(std::string_view tableName, const toml::table* table) const {
    auto impl = std::make_shared<CaseTable::Impl>();
    impl->document = document;
    impl->table = table;
    impl->file = name;
    impl->name = tableName;
    return CaseTable(std::move(impl));
  }
};

void CaseFile::Impl::checkTables() const {
  const std::vector<std::string>& known = knownTables();
  for (const auto& [key, value] : *document) {
    const std::string word(key.str());
    std::string sentence = at(name, key.source());
    if (std::find(known.begin(), known.end(), word) == known.end()) {
      if (value.is_table() || value.is_array_of_tables()) {
        sentence.append(": unknown table \"").append(word).append("\"; ").append(hint(word, known));
      } else {
        sentence.append(": \"").append(word).append("\" lies outside every table; put it under ");
        sentence.append("the one it belongs to, of ").append(listOfWords(known)).append(".");
      }
      fail(ExitCode::Usage, sentence);
    }
    const bool repeated = isRepeated(word);
    if (repeated ? !value.is_array_of_tables() : !value.is_table()) {
      sentence.append(": \"").append(word).append("\" must be written as a table, ");
      fail(ExitCode::Usage,
           sentence.append(repeated ? "[[" + word + "]] for each one." : "[" + word + "], once."));
    }
  }
}

namespace {

bool isMalformed(std::string_view text) {
  try {
    static_cast<void>(toml::parse(text));
  } catch (const MalformedToml&) {
    return true;
  } catch (const toml::parse_error&) {
    return false;  // of a text that was cut: in a string of several lines, say
  }
  return false;
}

// The line, from 1, on which the parser comes upon what it takes for impossible. It does not say,
// but reads from the front: the shortest beginning of whole lines it stumbles over ends with that
// line.
std::size_t lineOfMalformed(std::string_view text) {
  std::vector<std::size_t> lineEnds;  // behind each line
  for (std::size_t at = 0; at < text.size();) {
    at = std::min(text.find('\n', at), text.size() - 1) + 1;
    lineEnds.push_back(at);
  }
  std::size_t good = 0, bad = lineEnds.size();  // lines read
  while (bad - good > 1) {
    const std::size_t middle = good + (bad - good) / 2;
    (isMalformed(text.substr(0, lineEnds[middle - 1])) ? bad : good) = middle;
  }
  return bad;
}

}  // namespace

CaseFile CaseFile::parse(std::string_view text, std::string name) {
  CaseFile file;
  file.impl_ = std::make_shared<Impl>();
  file.impl_->name = std::move(name);
  file.impl_->content = text;
  if (const auto line = lineOfStrayCharacter(text))
    fail(ExitCode::Usage, file.impl_->name + ":" + std::to_string(*line) +
                              ": a character that is not ASCII stands outside quotes, expected are "
                              "keys of ASCII letters and texts in quotes.");
  const MemoryWatch memory;  // toml++ reads numbers by streams
  try {
    file.impl_->document = std::make_shared<const toml::table>(toml::parse(text));
  } catch (const toml::parse_error& error) {
    memory.requireEnough();
    fail(ExitCode::Usage, at(file.impl_->name, error.source()) +
                              ": not valid TOML: " + std::string(error.description()) + ".");
  } catch (const MalformedToml&) {
    memory.requireEnough();
    fail(ExitCode::Usage, file.impl_->name + ":" + std::to_string(lineOfMalformed(text)) +
                              ": not valid TOML: the name of a table or key begins "
                              "with a character that none can begin with.");
  }
  file.impl_->checkTables();
  return file;
}

CaseFile CaseFile::load(const std::filesystem::path& path) {
  std::ifstream stream(path, std::ios::binary);
  std::string text;
  // Not through a stream of strings: that would take no memory for the end of the file.
  std::array<char, 4096> part{};
  while (stream.read(part.data(), part.size()) || stream.gcount() > 0)
    text.append(part.data(), static_cast<std::size_t>(stream.gcount()));
  if (!stream.eof())
    fail(ExitCode::BadInput,
         "The case file " + path.string() + " cannot be read; check the name and the rights.");
  return parse(text, path.string());
}

CaseFile CaseFile::empty() {
  return parse("", "(no case file)");
}

CaseTable CaseFile::table(std::string_view name) const {
  return impl_->makeTable(name, impl_->document->get_as<toml::table>(name));
}

std::vector<CaseTable> CaseFile::tables(std::string_view name) const {
  std::vector<CaseTable> result;
  if (const auto* list = impl_->document->get_as<toml::array>(name)) {
    for (const toml::node& node : *list) result.push_back(impl_->makeTable(name, node.as_table()));
  }
  return result;
}

const std::string& CaseFile::name() const {
  return impl_->name;
}

const std::string& CaseFile::content() const {
  return impl_->content;
}

}  // namespace tessera
