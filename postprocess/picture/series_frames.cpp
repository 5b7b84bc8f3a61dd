// SPDX-License-Identifier: GPL-3.0-or-later
#include "postprocess/picture/series_frames.hpp"

#include <algorithm>
#include <cmath>

#include "pipelines/picture/animation.hpp"
#include "pipelines/stage/case/quantity.hpp"
#include "pipelines/stage/cli/progress.hpp"
#include "pipelines/stage/io/atomic_file.hpp"
#include "pipelines/stage/text.hpp"
#include "postprocess/picture/viewing_side.hpp"

namespace tessera::postprocess::picture {

namespace {

// "t = 0.25 s", all in one unit.
std::vector<std::string> timeLabels(const std::vector<double>& times) {
  double longest = 0.0;
  for (const double t : times) longest = std::max(longest, std::abs(t));
  const tessera::picture::DisplayUnit unit = tessera::picture::displayUnit("s", longest);
  std::vector<std::string> labels;
  for (const double t : times)
    labels.push_back("t = " + tessera::picture::formatNumber(t * unit.factor, 4) + " " + unit.name);
  return labels;
}

}  // namespace

SeriesFrames::SeriesFrames(std::size_t times) {
  const std::size_t frames = std::min(times, most);
  for (std::size_t f = 0; f < frames; ++f)
    chosen_.push_back(frames < 2 ? 0 : f * (times - 1) / (frames - 1));
}

void SeriesFrames::add(std::size_t k, const results::Results& results,
                       const solver::file::Fields& fields, const fields::NodeLookup& lookup) {
  if (!std::binary_search(chosen_.begin(), chosen_.end(), k)) return;
  time_.push_back(results.time);
  statistics_.push_back(results.shear);
  vertex_.emplace_back(results.wall.vertexShear.begin(), results.wall.vertexShear.end());
  if (auto slice = sampleSlice(results, fields, lookup, SliceOf::Speed, SlicePlane::Main, 1.0))
    slices_.push_back(std::move(*slice));
  if (!shear_.empty() || results.wall.triangle.empty()) return;
  for (WallValues& values : wallValues(results))
    if (values.key == "wss") shear_.push_back(std::move(values));
}

// From the lowest 1st to the highest 99th percentile of all times.
void SeriesFrames::finish() {
  labels_ = timeLabels(time_);
  if (shear_.empty()) return;
  WallValues& values = shear_.front();
  values.moment.clear();
  double low = 1e300, high = 0.0, least = 1e300, largest = 0.0;
  for (const results::ShearStatistics& s : statistics_) {
    low = std::min(low, s.p01);
    high = std::max(high, s.p99);
  }
  for (const std::vector<float>& frame : vertex_)
    for (const float shear : frame) {
      least = std::min(least, static_cast<double>(shear));
      largest = std::max(largest, static_cast<double>(shear));
    }
  constexpr double even = 0.05;  // of the highest: uniform values look uniform
  values.scale.lowest = high - low <= even * high ? 0.0 : low;
  values.scale.highest = high;
  values.openBelow = least < values.scale.lowest;
  values.openAbove = largest > high;
  values.unit = tessera::picture::displayUnit("Pa", high);
}

// A loop of about four seconds.
int SeriesFrames::milliseconds() const {
  return std::clamp(4000 / static_cast<int>(std::max<std::size_t>(time_.size(), 1)), 80, 500);
}

std::string SeriesFrames::wallAnimation(const results::Results& last,
                                        const tiler::TiledGeometry& geometry) const {
  WallValues values = shear_.front();
  WallModel model;
  std::vector<std::string> frames;
  for (std::size_t f = 0; f < vertex_.size(); ++f) {
    values.vertex.assign(vertex_[f].begin(), vertex_[f].end());
    values.statistics = statistics_[f];
    values.remark = labels_[f];
    if (f == 0) model = wallModel(last, values, viewingSide(last, geometry));
    frames.push_back(
        tessera::picture::encodePng(tessera::picture::halved(drawWall(last, values, model))));
  }
  return tessera::picture::encodeAnimation(frames, milliseconds());
}

std::string SeriesFrames::sliceAnimation(const results::Results& last,
                                         const tiler::TiledGeometry& geometry) const {
  double largest = 0.0;
  for (const Slice& slice : slices_) largest = std::max(largest, slice.largest);
  std::vector<std::string> frames;
  for (std::size_t f = 0; f < slices_.size(); ++f)
    frames.push_back(tessera::picture::encodePng(
        paintSlice(slices_[f], last, geometry, 0.0, largest,
                   "magnitude on the plane of the two longest axes, largest here " +
                       stage::formatQuantity(slices_[f].largest, stage::Dimension::Velocity) +
                       ", " + labels_[f])));
  return tessera::picture::encodeAnimation(frames, milliseconds());
}

std::vector<std::string> SeriesFrames::writeAnimations(const results::Results& last,
                                                       const tiler::TiledGeometry& geometry,
                                                       const std::filesystem::path& folder) const {
  std::vector<std::string> names;
  if (time_.size() < 2) return names;
  if (!shear_.empty()) {
    names.emplace_back("wall_wss_animation.png");
    stage::writeTextAtomically(folder / names.back(), wallAnimation(last, geometry));
  }
  if (slices_.size() == time_.size()) {
    names.emplace_back("velocity_slice_animation.png");
    stage::writeTextAtomically(folder / names.back(), sliceAnimation(last, geometry));
  }
  return names;
}

}  // namespace tessera::postprocess::picture
