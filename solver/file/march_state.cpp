// SPDX-License-Identifier: GPL-3.0-or-later
#include "solver/file/march_state.hpp"

#include "pipelines/stage/error.hpp"
#include "pipelines/stage/io/json.hpp"

namespace tessera::solver::file {

using stage::Json;

std::string marchText(const MarchState& march) {
  const Json json = {{"next", march.next},
                     {"interval", march.interval},
                     {"not_before", march.notBefore},
                     {"failures", march.failures},
                     {"least", march.least},
                     {"given_up", march.givenUp},
                     {"jumps", march.jumps},
                     {"outlets", march.outlets},
                     {"outlet_changes", march.outletChanges}};
  return json.dump(1);
}

MarchState marchStateOf(const std::string& text, const std::string& path) try {
  const Json json = stage::parseJson(text);
  MarchState out;
  json.at("next").get_to(out.next);
  json.at("interval").get_to(out.interval);
  json.at("not_before").get_to(out.notBefore);
  json.at("failures").get_to(out.failures);
  json.at("least").get_to(out.least);
  json.at("given_up").get_to(out.givenUp);
  json.at("jumps").get_to(out.jumps);
  json.at("outlets").get_to(out.outlets);
  json.at("outlet_changes").get_to(out.outletChanges);
  return out;
} catch (const Json::exception& error) {
  stage::fail(stage::ExitCode::BadInput,
              path + ": section march_state is not a checkpoint's (" + error.what() + ")");
}

}  // namespace tessera::solver::file
