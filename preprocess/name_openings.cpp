// SPDX-License-Identifier: GPL-3.0-or-later
#include "preprocess/name_openings.hpp"

#include <algorithm>

#include "pipelines/stage/error.hpp"
#include "preprocess/option_values.hpp"

namespace tessera::preprocess {

using geometry::Opening;

bool isMeant(const std::string& text, const Opening& opening) {
  return isWholeNumber(text) ? text == std::to_string(opening.id) : text == opening.name;
}

std::string listOf(const std::vector<Opening>& openings) {
  std::string list;
  for (const Opening& opening : openings)
    list += (list.empty() ? "" : ", ") + std::to_string(opening.id) + " (" + opening.name + ")";
  return list.empty() ? "it has none" : "it has " + list;
}

void nameOpenings(const std::vector<OpeningName>& requests, std::vector<Opening>& openings) {
  const std::vector<Opening> before = openings;
  std::vector<bool> named(openings.size(), false);
  for (const OpeningName& request : requests) {
    const auto found = std::find_if(before.begin(), before.end(), [&](const Opening& opening) {
      return isMeant(request.opening, opening);
    });
    if (found == before.end())
      stage::fail(stage::ExitCode::Usage, "--name " + request.opening + "=" + request.name +
                                              ": the geometry has no such opening; " +
                                              listOf(before) + ".");
    const auto k = static_cast<std::size_t>(found - before.begin());
    if (named[k])
      stage::fail(stage::ExitCode::Usage, "--name " + request.opening + "=" + request.name +
                                              ": opening " + std::to_string(before[k].id) +
                                              " is named \"" + openings[k].name +
                                              "\" already; leave one of the two out.");
    named[k] = true;
    openings[k].name = request.name;
  }
  if (requests.empty()) return;
  for (std::size_t a = 0; a < openings.size(); ++a)
    for (std::size_t b = a + 1; b < openings.size(); ++b)
      if (openings[a].name == openings[b].name)
        stage::fail(stage::ExitCode::Usage, "--name: openings " + std::to_string(openings[a].id) +
                                                " and " + std::to_string(openings[b].id) +
                                                " would both be \"" + openings[a].name +
                                                "\"; give each a name of its own.");
}

}  // namespace tessera::preprocess
