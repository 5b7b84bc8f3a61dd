// SPDX-License-Identifier: GPL-3.0-or-later
#include "postprocess/compare/comparison.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <unordered_map>

#include "pipelines/stage/error.hpp"
#include "pipelines/stage/text.hpp"
#include "postprocess/results/descriptors.hpp"

namespace tessera::postprocess::compare {
namespace {

// Spacings closer than this count as equal.
constexpr double sameSpacing = 1e-6;

constexpr std::size_t mostSpacings = 4;

std::vector<std::size_t> finestOf(const std::vector<RunSummary>& runs) {
  std::vector<std::size_t> order(runs.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return runs[a].spacing < runs[b].spacing; });
  std::vector<std::size_t> chosen;
  for (const std::size_t i : order)
    if (chosen.empty() || runs[i].spacing > (1.0 + sameSpacing) * runs[chosen.back()].spacing)
      chosen.push_back(i);
  if (chosen.size() < 2) return {};
  chosen.resize(std::min(chosen.size(), mostSpacings));
  return chosen;
}

const Scalar* scalarOf(const RunSummary& run, const std::string& name) {
  for (const Scalar& scalar : run.scalars)
    if (scalar.name == name) return &scalar;
  return nullptr;
}

void compareValues(ComparedQuantity& quantity) {
  const std::optional<double> first = quantity.value.front();
  double least = 0.0, most = 0.0;
  std::size_t known = 0;
  for (const auto& value : quantity.value) {
    const bool comparable = value && first && *first != 0.0;
    quantity.relative.push_back(comparable ? std::optional((*value - *first) / std::abs(*first))
                                           : std::nullopt);
    if (!value) continue;
    least = known == 0 ? *value : std::min(least, *value);
    most = known == 0 ? *value : std::max(most, *value);
    ++known;
  }
  if (known > 1) quantity.halfRange = 0.5 * (most - least);
}

std::optional<MeshConvergence> convergenceOf(const ComparedQuantity& quantity, double scale,
                                             const Comparison& comparison) {
  if (comparison.meshStudy.empty() || isSetting(quantity.name)) return std::nullopt;
  std::vector<double> spacing, value;
  for (const std::size_t run : comparison.meshStudy) {
    if (!quantity.value[run]) return std::nullopt;
    spacing.push_back(comparison.runs[run].spacing);
    value.push_back(*quantity.value[run]);
  }
  const Scalar& finest = *scalarOf(comparison.runs[comparison.meshStudy.front()], quantity.name);
  return meshConvergence(spacing, value, scale,
                         {finest.expectedByResolution, finest.expectedToStay.value_or(0.0)});
}

void uniteQuantities(Comparison& comparison) {
  std::unordered_map<std::string, std::size_t> placeOf;
  std::vector<double> scale;
  for (std::size_t r = 0; r < comparison.runs.size(); ++r)
    for (const Scalar& scalar : comparison.runs[r].scalars) {
      const auto [place, isNew] = placeOf.try_emplace(scalar.name, comparison.quantities.size());
      if (isNew) {
        ComparedQuantity quantity;
        quantity.name = scalar.name;
        quantity.value.resize(comparison.runs.size());
        comparison.quantities.push_back(std::move(quantity));
        scale.push_back(0.0);
      }
      comparison.quantities[place->second].value[r] = scalar.value;
      scale[place->second] = std::max(scale[place->second], scalar.scale);
    }
  for (std::size_t q = 0; q < scale.size(); ++q) {
    compareValues(comparison.quantities[q]);
    comparison.quantities[q].convergence =
        convergenceOf(comparison.quantities[q], scale[q], comparison);
  }
}

double fluidVolume(const RunSummary& run) {
  const Scalar* nodes = scalarOf(run, "run.fluid_nodes");
  return nodes != nullptr ? nodes->value * std::pow(run.spacing, 3) : 0.0;
}

// Runs that differ in more than the spacing make a mesh study meaningless.
void warnOfOtherDifferences(Comparison& comparison) {
  const RunSummary& first = comparison.runs[comparison.meshStudy.front()];
  for (const std::size_t i : comparison.meshStudy) {
    const RunSummary& run = comparison.runs[i];
    for (const auto& [key, word] : run.settings)
      for (const auto& [firstKey, firstWord] : first.settings)
        if (key == firstKey && word != firstWord)
          comparison.warnings.push_back(fmt::format(
              "{} and {} differ in {} ({}, {}) besides the spacing; the mesh convergence "
              "mixes both",
              run.name, first.name, key, word, firstWord));
    const double volume = fluidVolume(first);
    const double change = volume > 0.0 ? std::abs(fluidVolume(run) / volume - 1.0) : 0.0;
    if (change > 0.1)
      comparison.warnings.push_back(
          fmt::format("the fluid of {} differs from that of {} by {:.1f} % of its volume; the mesh "
                      "convergence may be that of two geometries",
                      run.name, first.name, 100.0 * change));
  }
}

const char* kindOf(const RunSummary& run) {
  return run.pulsatile ? "pulsatile" : "steady";
}

// Results of different moments have different names; warns about comparisons that remain
// misleading.
void warnOfMoments(Comparison& comparison) {
  const RunSummary& first = comparison.runs.front();
  for (const RunSummary& run : comparison.runs) {
    if (run.pulsatile != first.pulsatile)
      comparison.warnings.push_back(fmt::format(
          "{} is a {} run, {} a {} one: pressure drop and resistance of the one are "
          "compared with means over a period of the other; results of its last moment are "
          "separate, under at_end",
          run.name, kindOf(run), first.name, kindOf(first)));
    constexpr double samePhase = 0.01;
    if (!run.phase || !first.phase) continue;
    const double apart = std::abs(*run.phase - *first.phase);
    if (std::min(apart, 1.0 - apart) > samePhase)
      comparison.warnings.push_back(
          fmt::format("{} and {} end at different moments of their periods ({:.1f} %, {:.1f} %); "
                      "results under at_end are not of the same flow",
                      run.name, first.name, 100.0 * *run.phase, 100.0 * *first.phase));
  }
}

// The word of a run's settings; empty: it has none of that name.
std::string settingOf(const RunSummary& run, const std::string& name) {
  for (const auto& [key, word] : run.settings)
    if (key == name) return word;
  return "";
}

// Runs that diverged went on with other settings than their case's.
void warnOfRecoveries(Comparison& comparison) {
  for (const RunSummary& run : comparison.runs) {
    const std::string recovered = settingOf(run, "recovered");
    if (recovered.empty()) continue;
    comparison.warnings.push_back(fmt::format(
        "{} diverged and continued with {}: differences from runs that did not are of these "
        "settings, too; give all runs that time step and collision in [solver]",
        run.name, recovered));
  }
}

void makeNamesUnique(std::vector<RunSummary>& runs) {
  std::map<std::string, int> times;
  for (const RunSummary& run : runs) ++times[run.name];
  std::map<std::string, int> seen;
  for (RunSummary& run : runs)
    if (times[run.name] > 1) run.name += fmt::format("({})", ++seen[run.name]);
}

}  // namespace

bool isSetting(const std::string& name) {
  return name.starts_with("run.") && results::findResult(name).moment == results::Moment::Always;
}

Comparison compareRuns(std::vector<RunSummary> runs) {
  for (const RunSummary& run : runs)
    if (run.schemaVersion != runs.front().schemaVersion)
      stage::fail(
          stage::ExitCode::BadInput,
          fmt::format("{} has results of format {} and {} of format {}; make both with the "
                      "same tessera-postprocess",
                      run.name, run.schemaVersion, runs.front().name, runs.front().schemaVersion));
  Comparison comparison;
  makeNamesUnique(runs);
  comparison.runs = std::move(runs);
  comparison.meshStudy = finestOf(comparison.runs);
  uniteQuantities(comparison);
  if (!comparison.meshStudy.empty()) warnOfOtherDifferences(comparison);
  warnOfMoments(comparison);
  warnOfRecoveries(comparison);
  return comparison;
}

std::vector<const ComparedQuantity*> headlines(const Comparison& comparison) {
  std::vector<std::pair<int, const ComparedQuantity*>> ranked;
  for (const ComparedQuantity& quantity : comparison.quantities)
    if (const int rank = results::findResult(quantity.name).headline; rank > 0)
      ranked.emplace_back(rank, &quantity);
  std::stable_sort(ranked.begin(), ranked.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  std::vector<const ComparedQuantity*> chosen;
  for (const auto& [rank, quantity] : ranked) chosen.push_back(quantity);
  return chosen;
}

}  // namespace tessera::postprocess::compare
