// SPDX-License-Identifier: GPL-3.0-or-later
// Completion for bash, zsh (_arguments) and fish (complete -c).
#include <algorithm>
#include <cctype>

#include "pipelines/stage/cli/help_pages.hpp"
#include "pipelines/stage/text.hpp"

namespace tessera::stage {
namespace {

std::string functionName(const std::string& program) {
  std::string name = "_";
  for (const char c : program) name += std::isalnum(static_cast<unsigned char>(c)) != 0 ? c : '_';
  return name;
}

bool isKind(const ProgramHelp& help) {
  return help.program.find(' ') != std::string::npos;
}

bool hasKinds(const ProgramHelp& help) {
  return help.inputs == "KIND";
}

enum class Offer { Nothing, Words, Files, Folders };

Offer offerOf(const OptionHelp& option) {
  if (!option.words.empty()) return Offer::Words;
  if (option.value == "FOLDER") return Offer::Folders;
  return option.value.starts_with("FILE") ? Offer::Files : Offer::Nothing;
}

// Endings of "FILE.json" or "FILE.toml|json"; empty: any file.
std::vector<std::string> endingsOf(const std::string& value) {
  std::vector<std::string> endings;
  const std::size_t dot = value.find('.');
  if (dot == std::string::npos) return endings;
  endings.emplace_back();
  for (const char c : value.substr(dot + 1))
    if (c == '|')
      endings.emplace_back();
    else
      endings.back() += c;
  return endings;
}

// The description up to a semicolon, sentence or bracket: shells show one line.
std::string brief(const std::string& help) {
  std::size_t end = help.size();
  for (const char* stop : {"; ", ". ", " (", "\n"}) end = std::min(end, help.find(stop));
  return help.substr(0, end);
}

std::string replaced(std::string text, const std::string& what, const std::string& by) {
  for (std::size_t at = 0; (at = text.find(what, at)) != std::string::npos; at += by.size())
    text.replace(at, what.size(), by);
  return text;
}

// --- bash ----------------------------------------------------------------------------------------

std::string bashFiles(const std::vector<std::string>& endings) {
  return "_tessera_files " + joined(endings, " ");
}

// "--backend) ...; return ;;" for each option that takes a value.
std::string valueArms(const ProgramHelp& help) {
  std::string arms;
  for (const OptionHelp& option : help.options) {
    if (option.value.empty()) continue;
    std::string action = ":";  // free text: no completion
    switch (offerOf(option)) {
      case Offer::Words:
        action = "_tessera_words '" + joined(option.words, " ") + "'";
        break;
      case Offer::Files:
        action = bashFiles(endingsOf(option.value));
        break;
      case Offer::Folders:
        action = "mapfile -t COMPREPLY < <(compgen -d -- \"$cur\")";
        break;
      case Offer::Nothing:
        break;
    }
    arms += "    " + joined(option.names, "|") + ") " + action + "; return ;;\n";
  }
  return arms;
}

constexpr const char* bashHelpers =
    "_tessera_words() { mapfile -t COMPREPLY < <(compgen -W \"$1\" -- \"$cur\"); }\n"
    "# Files with one of these endings, and folders; without endings, and where there is none, any "
    "file.\n"
    "_tessera_files() {\n"
    "  local ending\n"
    "  mapfile -t COMPREPLY < <(for ending; do compgen -f -X \"!*.$ending\" -- \"$cur\"; done\n"
    "    compgen -d -- \"$cur\")\n"
    "  [ $# -gt 0 ] && [ ${#COMPREPLY[@]} -gt 0 ] ||\n"
    "    mapfile -t COMPREPLY < <(compgen -f -- \"$cur\")\n"
    "}\n";

// --- zsh -----------------------------------------------------------------------------------------

// Inside '...' of an _arguments specification.
std::string zshText(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (c == '\'')
      out += "'\\''";
    else if (std::string_view("[]:\\").find(c) != std::string_view::npos)
      out += std::string("\\") + c;
    else
      out += c;
  }
  return out;
}

std::string zshFiles(const std::vector<std::string>& endings) {
  return endings.empty() ? "_files" : "_files -g \"*.(" + joined(endings, "|") + ")(-.)\"";
}

std::string zshAction(const OptionHelp& option) {
  switch (offerOf(option)) {
    case Offer::Words:
      return "(" + joined(option.words, " ") + ")";
    case Offer::Files:
      return zshFiles(endingsOf(option.value));
    case Offer::Folders:
      return "_files -/";
    case Offer::Nothing:
      break;
  }
  return "";
}

std::string zshOption(const OptionHelp& option) {
  std::string rest = "[" + zshText(brief(option.help)) + "]";
  if (!option.value.empty()) rest += ":" + zshText(option.value) + ":" + zshAction(option);
  std::string specs;
  for (const std::string& name : option.names) {
    const std::string excluded = option.repeatable ? "*" : "(" + joined(option.names, " ") + ")";
    specs += " \\\n    '" + excluded + name + rest + "'";
  }
  return specs;
}

// --- fish ----------------------------------------------------------------------------------------

std::string fishText(const std::string& text) {
  return "'" + replaced(replaced(text, "\\", "\\\\"), "'", "\\'") + "'";
}

std::string fishFiles(const std::vector<std::string>& endings) {
  if (endings.empty()) return "-F";
  std::string text = "-f -k -a '(__fish_complete_suffix";
  for (const std::string& ending : endings) text += " ." + ending;
  return text + ")'";
}

std::string fishOption(const OptionHelp& option) {
  std::string text;
  for (const std::string& name : option.names)
    text += name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
  if (!option.value.empty()) text += " -r";
  switch (offerOf(option)) {
    case Offer::Words:
      text += " -f -a " + fishText(joined(option.words, " "));
      break;
    case Offer::Files:
      text += " " + fishFiles(endingsOf(option.value));
      break;
    case Offer::Folders:
      text += " -f -a '(__fish_complete_directories)'";
      break;
    case Offer::Nothing:
      text += option.value.empty() ? "" : " -f";
      break;
  }
  return text + " -d " + fishText(brief(option.help));
}

}  // namespace

std::string bashCompletion(const ProgramHelp& help) {
  const std::string function = functionName(help.program);
  std::vector<std::string> names;
  for (const OptionHelp& option : help.options)
    names.insert(names.end(), option.names.begin(), option.names.end());
  std::string text = "# bash completion, generated from the program's options by --help-as bash.\n";
  if (!isKind(help)) text += bashHelpers;
  text += function + "() {\n  local cur=${COMP_WORDS[COMP_CWORD]} kind\n";
  if (hasKinds(help)) {
    text += "  local kinds=$(compgen -A function " + function + "_)\n" + "  kind=" + function +
            "_${COMP_WORDS[1]//-/_}\n" +
            "  if [ \"$COMP_CWORD\" -gt 1 ] && declare -F \"$kind\" >/dev/null; then\n" +
            "    \"$kind\"\n    return\n  fi\n";
  }
  text += "  case ${COMP_WORDS[COMP_CWORD - 1]} in\n" + valueArms(help) + "  esac\n";
  text += "  case $cur in\n    -*) _tessera_words '" + joined(names, " ") + "' ;;\n";
  std::string inputs = "COMPREPLY=()";
  if (hasKinds(help))
    inputs = "_tessera_words \"$(sed 's/^" + function + "_//; s/_/-/g' <<<\"$kinds\")\"";
  else if (!help.inputs.empty())
    inputs = bashFiles(help.endings);
  text += "    *) " + inputs + " ;;\n";
  text += "  esac\n}\n";
  if (!isKind(help)) text += "complete -o filenames -F " + function + " " + help.program + "\n";
  return text;
}

std::string zshCompletion(const ProgramHelp& help) {
  const std::string function = functionName(help.program);
  std::string text = isKind(help) ? "" : "#compdef " + help.program + "\n";
  text += function + "() {\n";
  // Functions of the kinds, in the same file, make up the list of kinds.
  if (hasKinds(help))
    text += "  local kinds=(${${(k)functions[(I)" + function + "_*]}#" + function +
            "_})\n  local kind=" + function +
            "_${words[2]//-/_}\n  if ((CURRENT > 2 && $+functions[$kind])); then\n"
            "    shift words; ((CURRENT--)); $kind; return\n  fi\n";
  text += "  _arguments -S";
  for (const OptionHelp& option : help.options) text += zshOption(option);
  if (hasKinds(help))
    text += " \\\n    '1:KIND:{compadd -- ${kinds//_/-}}'";
  else if (!help.inputs.empty())
    text += " \\\n    '*:INPUT:" + zshFiles(help.endings) + "'";
  return text + "\n}\n" + (isKind(help) ? "" : function + " \"$@\"\n");
}

std::string fishCompletion(const ProgramHelp& help) {
  const std::size_t space = help.program.find(' ');
  const std::string program = help.program.substr(0, space);
  const std::string kind = isKind(help) ? help.program.substr(space + 1) : "";
  std::string begin = "complete -c " + program;
  std::string text;
  if (isKind(help)) {
    text += begin + " -f -n __fish_use_subcommand -a " + kind + " -d " +
            fishText(brief(help.description)) + "\n";
    begin += " -n '__fish_seen_subcommand_from " + kind + "'";
  } else {
    text += "# fish completion, generated from the program's options by --help-as fish.\n";
    text += begin + " -f\n";
    if (!help.inputs.empty() && !hasKinds(help))
      text += begin + " " + fishFiles(help.endings) + "\n";
    if (hasKinds(help)) begin += " -n __fish_use_subcommand";
  }
  for (const OptionHelp& option : help.options) text += begin + fishOption(option) + "\n";
  return text;
}

}  // namespace tessera::stage
