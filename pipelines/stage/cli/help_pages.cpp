// SPDX-License-Identifier: GPL-3.0-or-later
#include "pipelines/stage/cli/help_pages.hpp"

#include "pipelines/stage/text.hpp"

#include <algorithm>
#include <cctype>

namespace tessera::stage {
namespace {

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
  return ".TP\n" + joined(names, ", ") + value + "\n" + roff(option.help) + "\n";
}

std::string functionName(const std::string& program) {
  std::string name = "_";
  for (const char c : program) name += std::isalnum(static_cast<unsigned char>(c)) != 0 ? c : '_';
  return name;
}

// "--backend) COMPREPLY=(words); return ;;" for each option that takes a value.
std::string valueArms(const ProgramHelp& help) {
  std::string arms;
  for (const OptionHelp& option : help.options) {
    if (option.value.empty()) continue;
    std::string action = ":";  // free text: no completion
    if (!option.words.empty())
      action = "COMPREPLY=($(compgen -W '" + joined(option.words, " ") + "' -- \"$cur\"))";
    else if (option.value == "FILE")
      action = "COMPREPLY=($(compgen -f -- \"$cur\"))";
    arms += "    " + joined(option.names, "|") + ") " + action + "; return ;;\n";
  }
  return arms;
}

}  // namespace

std::string manPage(const ProgramHelp& help) {
  const std::string name = withHyphens(help.program);
  std::string page = ".\\\" Generated from the program's options by --help-as man.\n.TH " +
                     upper(name) + " 1 \"\" \"Tessera " + help.version + "\" \"User Commands\"\n";
  page += ".SH NAME\n" + roff(name) + " \\- " + roff(firstSentence(help.description)) + "\n";
  page += ".SH SYNOPSIS\n\\fB" + roff(help.program) + "\\fR [\\fIOPTION\\fR]..." +
          (help.takesInputs ? " [\\fIINPUT\\fR]..." : "") + "\n";
  page += ".SH DESCRIPTION\n.nf\n" + roff(help.description) + "\n.fi\n.SH OPTIONS\n";
  for (const OptionHelp& option : help.options) page += optionParagraph(option);
  if (!help.examples.empty()) page += ".SH EXAMPLES\n.nf\n";
  for (const std::string& example : help.examples) page += roff(example) + "\n";
  if (!help.examples.empty()) page += ".fi\n";
  page +=
      ".SH EXIT STATUS\n0 done; 1 the run failed; 2 command line or case file; 3 an input that "
      "is missing,\ndamaged or of the wrong kind; 4 output failed; 5 no device or not enough "
      "memory; 75\nstopped on request, with a checkpoint.\n";
  return page;
}

std::string bashCompletion(const ProgramHelp& help) {
  const std::string function = functionName(help.program);
  const bool isKind = help.program.find(' ') != std::string::npos;
  std::vector<std::string> names;
  for (const OptionHelp& option : help.options)
    names.insert(names.end(), option.names.begin(), option.names.end());
  std::string text =
      "# bash completion, generated from the program's options by --help-as bash.\n" + function +
      "() {\n  local cur=${COMP_WORDS[COMP_CWORD]} kind\n";
  if (!isKind) {
    text += "  local kinds=$(compgen -A function " + function + "_)\n" + "  kind=" + function +
            "_${COMP_WORDS[1]//-/_}\n" +
            "  if [ \"$COMP_CWORD\" -gt 1 ] && declare -F \"$kind\" >/dev/null; then\n" +
            "    \"$kind\"\n    return\n  fi\n";
  }
  text += "  case ${COMP_WORDS[COMP_CWORD - 1]} in\n" + valueArms(help) + "  esac\n";
  text += "  case $cur in\n    -*) COMPREPLY=($(compgen -W '" + joined(names, " ") +
          "' -- \"$cur\")) ;;\n";
  if (isKind)
    text += "    *) COMPREPLY=() ;;\n";
  else
    text += "    *) if [ -n \"$kinds\" ]; then COMPREPLY=($(compgen -W \"$(sed 's/^" + function +
            "_//; s/_/-/g' <<<\"$kinds\")\" -- \"$cur\"))\n"
            "      else COMPREPLY=($(compgen -f -- \"$cur\")); fi ;;\n";
  text += "  esac\n}\n";
  if (!isKind) text += "complete -o filenames -F " + function + " " + help.program + "\n";
  return text;
}

}  // namespace tessera::stage
