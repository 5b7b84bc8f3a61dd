// SPDX-License-Identifier: GPL-3.0-or-later
#include "pipelines/stage/cli/help_pages.hpp"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cstdlib>

#include "pipelines/stage/text.hpp"

namespace tessera::stage {
namespace {

constexpr std::size_t fewestColumns = 40, mostColumns = 160;

std::vector<std::string> split(const std::string& text, char separator) {
  std::vector<std::string> parts{""};
  for (const char c : text)
    if (c == separator)
      parts.emplace_back();
    else
      parts.back() += c;
  return parts;
}

// Lines of at most `columns`; a line of the text that is indented is kept.
std::vector<std::string> wrapped(const std::string& text, std::size_t columns) {
  std::vector<std::string> lines;
  for (const std::string& paragraph : split(text, '\n')) {
    if (paragraph.starts_with(' ')) {
      lines.push_back(paragraph);
      continue;
    }
    std::string line;
    for (const std::string& word : split(paragraph, ' ')) {
      if (!line.empty() && widthOf(line) + 1 + widthOf(word) > columns)
        lines.push_back(std::exchange(line, ""));
      line += (line.empty() ? "" : " ") + word;
    }
    lines.push_back(line);
  }
  return lines;
}

// Lines of a command of at most `columns`, which is broken neither in quoted text nor between an
// option and its value, unless nothing else fits.
std::vector<std::string> wrappedCommand(const std::string& command, std::size_t columns) {
  std::vector<std::string> parts{""};
  bool quoted = false;
  for (const char c : command) {
    if (c == '"' || c == '\'') quoted = !quoted;
    if (c == ' ' && !quoted)
      parts.emplace_back();
    else
      parts.back() += c;
  }
  std::vector<std::string> lines;
  std::string line;
  for (std::size_t k = 0; k < parts.size(); ++k) {
    std::string part = parts[k];
    const bool option = part.starts_with('-');
    if (option && k + 1 < parts.size() && !parts[k + 1].starts_with('-') &&
        widthOf(part) + 1 + widthOf(parts[k + 1]) <= columns)
      part += " " + parts[++k];
    if (!line.empty() && widthOf(line) + 1 + widthOf(part) > columns)
      lines.push_back(std::exchange(line, ""));
    line += (line.empty() ? "" : " ") + part;
  }
  lines.push_back(line);
  return lines;
}

// "  -o,--output FILE     what it is", the help wrapped in a column of its own.
std::string entry(const std::string& head, const std::string& help, std::size_t columns) {
  const std::size_t column = std::min<std::size_t>(28, columns / 3);
  std::string text = "  " + head;
  bool first = true;
  for (const std::string& line : wrapped(help, columns - column)) {
    const std::size_t used = first ? widthOf(text) : column;
    if (first && used + 2 > column)
      text += "\n" + std::string(column, ' ');
    else
      text += std::string(first ? column - used : column, ' ');
    text += line + "\n";
    first = false;
  }
  return text;
}

std::string usage(const ProgramHelp& help) {
  std::string text = help.program + " [OPTIONS]";
  if (!help.inputs.empty()) text += " " + help.inputs;
  if (help.output.starts_with('['))
    text += " [-o " + help.output.substr(1);
  else if (!help.output.empty())
    text += " -o " + help.output;
  return text;
}

std::string helpOf(const OptionHelp& option) {
  const bool said = option.help.find("repeatable") != std::string::npos;
  return option.help + (option.repeatable && !said ? "; repeatable" : "");
}

// Groups in the order of their first options.
std::vector<std::string> groupsOf(const ProgramHelp& help) {
  std::vector<std::string> groups;
  for (const OptionHelp& option : help.options)
    if (std::find(groups.begin(), groups.end(), option.group) == groups.end())
      groups.push_back(option.group);
  return groups;
}

// roff escapes: backslashes and hyphens, and control characters at the beginning of a line.
std::string roff(const std::string& text) {
  std::string out;
  bool lineBegins = true;
  for (const char c : text) {
    if (lineBegins && (c == '.' || c == '\'')) out += "\\&";
    lineBegins = c == '\n';
    if (c == '\\')
      out += "\\e";
    else if (c == '-')
      out += "\\-";
    else
      out += c;
  }
  return out;
}

std::string withHyphens(std::string name) {
  std::replace(name.begin(), name.end(), ' ', '-');
  return name;
}

std::string upper(std::string text) {
  for (char& c : text) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return text;
}

std::string firstSentence(const std::string& text) {
  const std::string line = text.substr(0, text.find('\n'));
  const std::size_t end = line.find(". ");
  std::string sentence = line.substr(0, end);
  if (!sentence.empty() && (sentence.back() == '.' || sentence.back() == ':')) sentence.pop_back();
  return sentence;
}

std::string optionParagraph(const OptionHelp& option) {
  std::vector<std::string> names;
  for (const std::string& name : option.names) names.push_back("\\fB" + roff(name) + "\\fR");
  const std::string value = option.value.empty() ? "" : " \\fI" + roff(option.value) + "\\fR";
  return ".TP\n" + joined(names, ", ") + value + "\n" + roff(helpOf(option)) + "\n";
}

// Paragraphs are filled; indented lines are a table and stay.
std::string roffDescription(const std::string& text) {
  std::string out;
  bool table = false;
  for (const std::string& line : split(text, '\n')) {
    const bool indented = line.starts_with(' ');
    if (indented != table) out += indented ? ".nf\n" : ".fi\n";
    if (!indented && !out.empty()) out += ".PP\n";
    table = indented;
    out += roff(line) + "\n";
  }
  return out + (table ? ".fi\n" : "");
}

std::string roffNotes(const std::string& title, const ProgramHelp::Notes& notes) {
  if (notes.empty()) return "";
  std::string out = ".SH " + title + "\n";
  for (const auto& [name, text] : notes)
    out += ".TP\n\\fI" + roff(name) + "\\fR\n" + roff(text) + "\n";
  return out;
}

const ProgramHelp::Notes& exitStatus() {
  static const ProgramHelp::Notes codes{
      {"0", "done"},
      {"1", "the run failed: it diverged, or did not converge as required"},
      {"2", "a mistake in the command line or the case file"},
      {"3", "an input that is missing, damaged or of the wrong kind"},
      {"4", "the output could not be written"},
      {"5", "no device, or not enough memory"},
      {"75", "stopped on request, with a checkpoint: run again with --resume"}};
  return codes;
}

// Table cells of Markdown: bars and brackets that would be markup.
std::string cell(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (c == '\n') {
      out += ' ';
      continue;
    }
    if (std::string_view("|<>*_`[]\\").find(c) != std::string_view::npos) out += '\\';
    out += c;
  }
  return out;
}

std::string markdownGroup(const ProgramHelp& help, const std::string& group) {
  std::string out = fmt::format("\n**{}**\n\n| option | value | |\n|---|---|---|\n", cell(group));
  for (const OptionHelp& option : help.options) {
    if (option.group != group) continue;
    std::vector<std::string> names;
    for (const std::string& name : option.names) names.push_back("`" + name + "`");
    out += fmt::format("| {} | {} | {} |\n", joined(names, ", "), cell(option.value),
                       cell(helpOf(option)));
  }
  return out;
}

}  // namespace

std::size_t terminalColumns() {
  std::size_t columns = usualColumns;
  winsize size{};
  if (::isatty(STDOUT_FILENO) == 1 && ::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 &&
      size.ws_col > 0)
    columns = size.ws_col;
  if (const char* given = std::getenv("COLUMNS")) {
    const std::string_view text = given;
    std::size_t value = 0;
    if (std::from_chars(text.data(), text.data() + text.size(), value).ec == std::errc{})
      columns = value;
  }
  return std::clamp(columns, fewestColumns, mostColumns);
}

std::string helpText(const ProgramHelp& help, std::size_t columns) {
  std::string text = "Usage: ";
  bool first = true;
  for (const std::string& line : wrapped(usage(help), columns - 7)) {
    text += (first ? "" : "       ") + line + "\n";
    first = false;
  }
  text += "\n" + joined(wrapped(help.description, columns), "\n") + "\n";
  for (const std::string& group : groupsOf(help)) {
    text += "\n" + group + ":\n";
    for (const OptionHelp& option : help.options)
      if (option.group == group)
        text += entry(joined(option.names, ",") + (option.value.empty() ? "" : " " + option.value),
                      helpOf(option), columns);
  }
  if (!help.examples.empty()) text += "\nExamples:\n";
  for (const std::string& example : help.examples) {
    const std::vector<std::string> lines = wrappedCommand(example, columns - 8);
    for (std::size_t k = 0; k < lines.size(); ++k)
      text += (k > 0 ? "      " : "  ") + lines[k] + (k + 1 < lines.size() ? " \\\n" : "\n");
  }
  return text;
}

std::string manPage(const ProgramHelp& help) {
  const std::string name = withHyphens(help.program);
  std::string page = ".\\\" Generated from the program's options by --help-as man.\n.TH " +
                     upper(name) + " 1 \"\" \"Tessera " + help.version + "\" \"User Commands\"\n";
  page += ".SH NAME\n" + roff(name) + " \\- " + roff(firstSentence(help.description)) + "\n";
  page += ".SH SYNOPSIS\n\\fB" + roff(help.program) + "\\fR" +
          roff(usage(help).substr(help.program.size())) + "\n";
  page += ".SH DESCRIPTION\n" + roffDescription(help.description) + ".SH OPTIONS\n";
  for (const std::string& group : groupsOf(help)) {
    page += ".SS " + roff(group) + "\n";
    for (const OptionHelp& option : help.options)
      if (option.group == group) page += optionParagraph(option);
  }
  if (!help.examples.empty()) page += ".SH EXAMPLES\n.nf\n";
  for (const std::string& example : help.examples) page += roff(example) + "\n";
  if (!help.examples.empty()) page += ".fi\n";
  return page + roffNotes("FILES", help.files) + roffNotes("ENVIRONMENT", help.environment) +
         roffNotes("EXIT STATUS", exitStatus());
}

std::string markdownPage(const ProgramHelp& help) {
  const bool kind = help.program.find(' ') != std::string::npos;
  std::string page = fmt::format("{} {}\n\n", kind ? "##" : "#", help.program);
  bool table = false;
  for (const std::string& line : split(help.description, '\n')) {
    if (line.starts_with(' ') && !table) page += "\n```text\n";
    table = line.starts_with(' ');
    page += table ? line + "\n" : cell(line) + "\n";
  }
  page += table ? "```\n" : "";
  page += fmt::format("\n```text\n{}\n```\n", usage(help));
  for (const std::string& group : groupsOf(help)) page += markdownGroup(help, group);
  if (!help.examples.empty())
    page += "\n**Examples**\n\n```text\n" + joined(help.examples, "\n") + "\n```\n";
  const auto notes = [&](const char* title, const ProgramHelp::Notes& list) {
    if (list.empty()) return;
    page += fmt::format("\n**{}**\n\n| | |\n|---|---|\n", title);
    for (const auto& [name, text] : list) page += fmt::format("| `{}` | {} |\n", name, cell(text));
  };
  notes("Files", help.files);
  notes("Environment", help.environment);
  return page;
}

}  // namespace tessera::stage
