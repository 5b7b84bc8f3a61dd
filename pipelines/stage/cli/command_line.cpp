// SPDX-License-Identifier: GPL-3.0-or-later
// Command lines by CLI11, which only this file includes; its errors become sentences.
#include "pipelines/stage/cli/command_line.hpp"
#include "pipelines/stage/io/provenance.hpp"

#include <sys/resource.h>
#include <tbb/global_control.h>

#include <CLI/CLI.hpp>
#include <charconv>
#include <cmath>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <iostream>
#include <map>
#include <new>
#include <utility>

#include "pipelines/stage/cli/help_pages.hpp"
#include "pipelines/stage/cli/printable_output.hpp"
#include "pipelines/stage/cli/progress.hpp"
#include "pipelines/stage/error.hpp"
#include "pipelines/stage/system/memory.hpp"
#include "pipelines/stage/text.hpp"

namespace tessera::stage {
namespace {

[[noreturn]] void reject(const std::string& sentence) {
  fail(ExitCode::Usage, sentence + "; --help shows the options.");
}

template <class Number>
Number parseNumber(const std::string& name, const std::string& text, const char* kind) {
  Number value{};
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  bool valid = error == std::errc{} && stop == end;
  if constexpr (std::is_floating_point_v<Number>) valid = valid && std::isfinite(value);
  if (!valid) {
    reject(fmt::format("{} is \"{}\"; expected {}", name, text, kind));
  }
  return value;
}

// "--spacing,-s" -> "--spacing".
std::string longName(const std::string& names) {
  const std::size_t at = names.find("--");
  if (at == std::string::npos) return names;
  return names.substr(at, names.find(',', at) - at);
}

// "--spacing LENGTH": name and type of the value; without a type the usual one.
std::pair<std::string, std::string> nameAndType(const std::string& text, const std::string& usual) {
  const std::size_t space = text.find(' ');
  if (space == std::string::npos) return {text, usual};
  return {text.substr(0, space), text.substr(space + 1)};
}

// "keep|drop" and "auto|X,Y,Z": the alternatives that are words, without upper case.
std::vector<std::string> wordsOfType(const std::string& type) {
  std::vector<std::string> words;
  if (type.starts_with("FILE") || type.find('|') == std::string::npos) return words;
  std::string word;
  for (const char c : type + "|") {
    if (c != '|') {
      word += c;
      continue;
    }
    const bool upper =
        std::any_of(word.begin(), word.end(), [](char l) { return l >= 'A' && l <= 'Z'; });
    if (!upper) words.push_back(word);
    word.clear();
  }
  return words;
}

// Characters of the words of a choice that are shown as its type.
constexpr std::size_t mostWords = 24;

constexpr const char* filesGroup = "Input and output";
constexpr const char* commonGroup = "Common options";

// CLI11 reports "NAME: 1 required TEXT missing" or "NAME: At Most 1 required but received 2".
std::string sentenceOf(const CLI::ParseError& error) {
  const std::string what = error.what();
  const std::string name = what.substr(0, what.find(':'));
  if (dynamic_cast<const CLI::ArgumentMismatch*>(&error) != nullptr) {
    return name + (what.find("At Most") != std::string::npos ? " was given more than once"
                                                             : " needs a value after it");
  }
  return fmt::format("the command line was not understood ({})", what);
}

}  // namespace

struct CommandLine::Impl {
  std::string program;
  int minInputs;
  int maxInputs;
  bool needsOutput;
  CLI::App app;
  CommonOptions common;
  bool askedVersion = false;
  bool askedHelp = false;
  std::string helpFormat;                                 // --help-as
  std::map<std::string, std::vector<std::string>> words;  // choices by long name
  std::vector<std::string> repeatable;                    // long names
  std::string group = filesGroup;
  ProgramHelp help;
  std::function<std::string()> detail;
  std::function<std::vector<std::string>(const CommonOptions&)> alsoRequired;

  void textOption(const std::string& name, const std::string& type, const std::string& help,
                  const std::function<void(const std::string&)>& store) {
    app.add_option_function<std::string>(name, store, help)->type_name(type)->group(group);
  }
  void addCommonOptions();
  void addFileOptions();
  [[nodiscard]] std::vector<std::string> optionNames() const;
  void rejectExtras() const;
  void rejectMissing() const;
  void rejectContradictions() const;
  void printVersion() const;
  [[nodiscard]] ProgramHelp describe() const;
};

void CommandLine::Impl::addFileOptions() {
  if (maxInputs > 0) app.add_option("INPUT", common.inputs, "input files")->type_name("");
  const auto path = [this](const std::string& names, std::filesystem::path& target,
                           const std::string& help) {
    const auto [name, type] = nameAndType(names, "FILE");
    textOption(name, type, help, [&target, name = name](const std::string& text) {
      if (text.empty()) reject(longName(name) + " is an empty file name");
      target = text;
    });
  };
  path("-o,--output", common.output, "output file or folder");
  path("--case FILE.toml", common.caseFile, "case file; command-line options take precedence");
  path("--report FILE.json", common.report, "write a report as JSON");
}

const std::map<std::string, std::string (*)(const ProgramHelp&)>& helpFormats() {
  static const std::map<std::string, std::string (*)(const ProgramHelp&)> formats{
      {"bash", bashCompletion},
      {"fish", fishCompletion},
      {"man", manPage},
      {"markdown", markdownPage},
      {"zsh", zshCompletion}};
  return formats;
}

void CommandLine::Impl::addCommonOptions() {
  group = commonGroup;
  textOption("--threads", "N", "threads to use (default: all cores)",
             [this](const std::string& text) {
               const char* kind = "a whole number from 1 to 4096";
               common.threads = parseNumber<int>("--threads", text, kind);
               if (common.threads < 1 || common.threads > 4096) {
                 reject("--threads is " + text + "; expected " + kind);
               }
             });
  const auto flag = [this](const char* name, bool& target, const char* help) {
    app.add_flag(name, target, help)->group(group);
  };
  flag("--plan", common.plan, "print the plan, write nothing");
  flag("--quiet", common.quiet, "only warnings and errors on stderr");
  flag("--verbose", common.verbose, "more details on stderr");
  app.set_help_flag();  // ours is wrapped to the terminal
  flag("-h,--help", askedHelp, "print this help and exit");
  std::vector<std::string> formats;
  for (const auto& [name, print] : helpFormats()) formats.push_back(name);
  words["--help-as"] = formats;
  textOption("--help-as", "WORD",
             "print this help as a man page, as Markdown, or as completion of a shell: " +
                 enumeration(formats, " or "),
             [this, formats](const std::string& text) {
               if (!helpFormats().contains(text))
                 reject(fmt::format("--help-as is \"{}\"; expected one of {}", text,
                                    enumeration(formats)));
               helpFormat = text;
             });
  flag("--version", askedVersion, "print version, commit, build and devices and exit");
  group = "Options";
}

std::vector<std::string> CommandLine::Impl::optionNames() const {
  std::vector<std::string> names;
  for (const CLI::Option* option : app.get_options()) {
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
    for (const std::string& name : option->get_snames()) names.push_back("-" + name);
  }
  return names;
}

void CommandLine::Impl::rejectExtras() const {
  for (const std::string& extra : app.remaining()) {
    if (extra == "--") continue;  // separator before inputs that begin with a dash
    const std::string name = extra.substr(0, extra.find('='));
    const std::string nearest = nearestWord(name, optionNames());
    reject("unknown option " + name + (nearest.empty() ? "" : ", nearest is " + nearest));
  }
}

// All that is missing, in one sentence.
void CommandLine::Impl::rejectMissing() const {
  const int inputs = static_cast<int>(common.inputs.size());
  if (inputs > 0 && (inputs < minInputs || inputs > maxInputs)) {
    const std::string required = minInputs == maxInputs
                                     ? fmt::format("{}", minInputs)
                                     : fmt::format("{} to {}", minInputs, maxInputs);
    reject(fmt::format("{} inputs were given; {} required", inputs, required));
  }
  std::vector<std::string> missing;
  if (inputs < minInputs) missing.emplace_back("an input");
  if (needsOutput && common.output.empty() && !common.plan) missing.emplace_back("-o FILE");
  if (alsoRequired)
    for (std::string& more : alsoRequired(common)) missing.push_back(std::move(more));
  if (!missing.empty()) reject("the command line lacks " + enumeration(missing));
}

void CommandLine::Impl::rejectContradictions() const {
  if (common.quiet && common.verbose) reject("--quiet and --verbose exclude each other");
  if (common.plan && !common.report.empty())
    reject("--report has no effect with --plan, which prints and writes nothing");
}

void CommandLine::Impl::printVersion() const {
  std::cout << fmt::format("{} {}\ncommit:  {}\nbuild:   {}\nhardened: {}\ndevices: {}\n", program,
                           versionNumber(), gitHash(), buildDescription(), hardeningDescription(),
                           detail ? detail() : "CPU");
}

// Options of the files first, then the program's own, those of every program last.
ProgramHelp CommandLine::Impl::describe() const {
  ProgramHelp all = help;
  for (const CLI::Option* option : app.get_options()) {
    if (option->get_positional()) continue;
    OptionHelp entry;
    for (const std::string& name : option->get_snames()) entry.names.push_back("-" + name);
    for (const std::string& name : option->get_lnames()) entry.names.push_back("--" + name);
    if (option->get_expected_max() > 0) entry.value = option->get_type_name();
    const std::string& name = entry.names.back();
    if (const auto known = words.find(name); known != words.end())
      entry.words = known->second;
    else
      entry.words = wordsOfType(entry.value);
    entry.help = option->get_description();
    entry.group = option->get_group();
    entry.repeatable = std::find(repeatable.begin(), repeatable.end(), name) != repeatable.end();
    all.options.push_back(std::move(entry));
  }
  std::stable_sort(all.options.begin(), all.options.end(),
                   [](const OptionHelp& a, const OptionHelp& b) {
                     const auto rank = [](const OptionHelp& option) {
                       return option.group == filesGroup ? 0 : option.group == commonGroup ? 2 : 1;
                     };
                     return rank(a) < rank(b);
                   });
  return all;
}

CommandLine::CommandLine(std::string program, std::string description, int minInputs, int maxInputs,
                         bool needsOutput)
    : impl_(std::make_unique<Impl>()) {
  impl_->program = program;
  impl_->minInputs = minInputs;
  impl_->maxInputs = maxInputs;
  impl_->needsOutput = needsOutput;
  impl_->app.name(program);
  impl_->app.allow_extras();
  impl_->addFileOptions();
  impl_->addCommonOptions();
  impl_->help.program = std::move(program);
  impl_->help.version = versionNumber();
  impl_->help.description = std::move(description);
  impl_->help.inputs = maxInputs > 1 ? "INPUT..." : maxInputs > 0 ? "INPUT" : "";
  impl_->help.output = needsOutput ? "FILE" : "";
  impl_->help.environment = {
      {"COLUMNS", "width of --help, where it is not that of the terminal"},
      {"NO_COLOR", "any value but the empty one: no colour in messages"},
      {"TERM", "dumb: progress as plain lines, as where stderr is no terminal"}};
}

CommandLine::~CommandLine() = default;

void CommandLine::group(const std::string& title) {
  impl_->group = title;
}

void CommandLine::flag(const std::string& name, bool& target, const std::string& help) {
  impl_->app.add_flag(name, target, help)->group(impl_->group);
}

void CommandLine::option(const std::string& names, std::string& target, const std::string& help) {
  const auto [name, type] = nameAndType(names, "TEXT");
  impl_->textOption(name, type, help, [&target](const std::string& text) { target = text; });
}

void CommandLine::option(const std::string& names, std::optional<std::string>& target,
                         const std::string& help) {
  const auto [name, type] = nameAndType(names, "TEXT");
  impl_->textOption(name, type, help, [&target](const std::string& text) { target = text; });
}

void CommandLine::option(const std::string& names, std::optional<std::int64_t>& target,
                         const std::string& help) {
  const auto [name, type] = nameAndType(names, "N");
  impl_->textOption(name, type, help, [&target, name = name](const std::string& text) {
    target = parseNumber<std::int64_t>(longName(name), text, "a whole number");
  });
}

void CommandLine::option(const std::string& names, std::optional<double>& target,
                         const std::string& help) {
  const auto [name, type] = nameAndType(names, "X");
  impl_->textOption(name, type, help, [&target, name = name](const std::string& text) {
    target = parseNumber<double>(longName(name), text, "a number");
  });
}

void CommandLine::repeated(const std::string& names, std::vector<std::string>& target,
                           const std::string& help) {
  const auto [name, type] = nameAndType(names, "TEXT");
  impl_->repeatable.push_back(longName(name));
  impl_->app.add_option(name, target, help)
      ->type_name(type)
      ->allow_extra_args(false)
      ->group(impl_->group);
}

void CommandLine::choice(const std::string& name, std::string& target,
                         const std::vector<std::string>& words, const std::string& help) {
  const auto store = [&target, name, words](const std::string& text) {
    if (std::find(words.begin(), words.end(), text) == words.end())
      reject(fmt::format("{} is \"{}\"; expected one of {}", longName(name), text,
                         enumeration(words)));
    target = text;
  };
  impl_->words[longName(name)] = words;
  const std::string list = joined(words, "|");
  const bool fits = list.size() <= mostWords;
  impl_->textOption(name, fits ? list : "WORD",
                    help + (fits ? "" : " (" + enumeration(words, " or ") + ")"), store);
}

void CommandLine::without(const std::vector<std::string>& names) {
  for (const std::string& name : names) impl_->app.remove_option(impl_->app.get_option(name));
}

void CommandLine::alsoRequired(
    std::function<std::vector<std::string>(const CommonOptions&)> missing) {
  impl_->alsoRequired = std::move(missing);
}

void CommandLine::example(const std::string& line) {
  impl_->help.examples.push_back(line);
}

void CommandLine::inputs(const std::string& shown, const std::vector<std::string>& endings) {
  impl_->help.inputs = shown;
  impl_->help.endings = endings;
}

void CommandLine::output(const std::string& type) {
  const bool optional = type.starts_with('[');
  impl_->help.output = type;
  CLI::Option* option = impl_->app.get_option("--output");
  option->type_name(optional ? type.substr(1, type.size() - 2) : type);
  option->description(type == "FOLDER" ? "folder to write" : "file to write");
}

void CommandLine::file(const std::string& name, const std::string& meaning) {
  impl_->help.files.emplace_back(name, meaning);
}

void CommandLine::environment(const std::string& variable, const std::string& effect) {
  impl_->help.environment.emplace_back(variable, effect);
}

void CommandLine::versionDetail(std::function<std::string()> detail) {
  impl_->detail = std::move(detail);
}

std::optional<CommonOptions> CommandLine::parse(int argc, const char* const* argv) {
  try {
    impl_->app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    reject(sentenceOf(error));
  }
  if (impl_->askedHelp) {
    std::cout << helpText(impl_->describe(), terminalColumns());
    return std::nullopt;
  }
  if (impl_->askedVersion) {
    impl_->printVersion();
    return std::nullopt;
  }
  if (!impl_->helpFormat.empty()) {
    std::cout << helpFormats().at(impl_->helpFormat)(impl_->describe());
    return std::nullopt;
  }
  impl_->rejectExtras();
  impl_->rejectMissing();
  impl_->rejectContradictions();
  return impl_->common;
}

namespace {

// Results on stdout must not be lost silently. A reader that closed the pipe (EPIPE, as in `|
// head`) wants no more.
int flushResults(const std::string& program, int code) {
  errno = 0;
  std::cout.flush();
  if (std::fflush(stdout) == 0 && std::cout.good()) return code;
  if (errno == EPIPE) return code;
  std::cerr << program << ": standard output cannot be written (" << std::strerror(errno)
            << "); free space or redirect it elsewhere.\n";
  return code == 0 ? static_cast<int>(ExitCode::OutputFailed) : code;
}

int guarded(const std::string& program, const std::function<int()>& body) {
  const auto say = [&](ExitCode code, const std::string& sentence) {
    std::cerr << errorLine(program, sentence) << "\n";
    return static_cast<int>(code);
  };
  try {
    return body();
  } catch (const StageError& error) {
    return say(error.code(), error.what());
  } catch (const std::bad_alloc&) {
    return say(ExitCode::NoResource, notEnoughMemory);
  } catch (const std::exception& error) {
    return say(
        ExitCode::RunFailed,
        fmt::format("Internal error ({}); please report it with the command line.", error.what()));
  }
}

}  // namespace

int runStage(const std::string& program, const std::function<int()>& body) {
  // A closed pipe or a file size limit becomes a write error instead of a silent end.
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN);
  watchMemory(program);
  const PrintableOutput printable;
  return flushResults(program, guarded(program, body));
}

namespace {

// Files that a stage has open at most, by far; a limit below it that the user may raise is raised.
// Throws StageError(NoResource).
void requireDescriptors() {
  constexpr rlim_t least = 24;
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur >= least) return;
  limit.rlim_cur = std::min(limit.rlim_max, least);
  if (::setrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur >= least) return;
  fail(ExitCode::NoResource,
       fmt::format("At most {} files may be open, expected {}; raise the limit (ulimit -n).",
                   limit.rlim_cur, least));
}

}  // namespace

void applyCommonOptions(const CommonOptions& options) {
  requireDescriptors();
  shareArenas();
  setVerbosity(options.quiet     ? Verbosity::Quiet
               : options.verbose ? Verbosity::Verbose
                                 : Verbosity::Normal);
  // Never deleted at exit: without the limit TBB would start a thread per core there, which ends
  // the program on machines with many cores and little memory.
  static tbb::global_control* limit = nullptr;
  delete std::exchange(limit, nullptr);
  if (options.threads > 0) {
    limit = new tbb::global_control(tbb::global_control::max_allowed_parallelism,
                                    static_cast<std::size_t>(options.threads));
  }
}

}  // namespace tessera::stage
