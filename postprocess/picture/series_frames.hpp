// SPDX-License-Identifier: GPL-3.0-or-later
// Wall shear and speed of several fields of a run, for animations and the report: one colour scale
// for all times.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "postprocess/picture/slice_picture.hpp"
#include "postprocess/picture/wall_picture.hpp"

namespace tessera::postprocess::picture {

class SeriesFrames {
 public:
  // At most this many times are shown, evenly chosen, the first and the last among them.
  static constexpr std::size_t most = 40;

  explicit SeriesFrames(std::size_t times);
  // Frame of time k; taken if it is one of the frames.
  void add(std::size_t k, const results::Results& results, const solver::file::Fields& fields,
           const fields::NodeLookup& lookup);
  // Call after the last was added.
  void finish();

  // Wall shear stress on the scale of all times, values those of the first; without a wall empty.
  [[nodiscard]] const std::vector<WallValues>& shear() const { return shear_; }
  [[nodiscard]] const std::vector<std::vector<float>>& vertexShear() const { return vertex_; }
  [[nodiscard]] const std::vector<std::string>& times() const { return labels_; }

  // wall_wss_animation.png and velocity_slice_animation.png (animated PNG), with two frames or
  // more; returns their names. last: results whose wall and title are drawn.
  std::vector<std::string> writeAnimations(const results::Results& last,
                                           const tiler::TiledGeometry& geometry,
                                           const std::filesystem::path& folder) const;

 private:
  [[nodiscard]] std::string wallAnimation(const results::Results& last,
                                          const tiler::TiledGeometry& geometry) const;
  [[nodiscard]] std::string sliceAnimation(const results::Results& last,
                                           const tiler::TiledGeometry& geometry) const;
  [[nodiscard]] int milliseconds() const;

  std::vector<std::size_t> chosen_;  // times that are frames
  std::vector<double> time_;         // s, of the frames
  std::vector<std::string> labels_;
  std::vector<std::vector<float>> vertex_;  // Pa, shear per vertex of the wall
  std::vector<results::ShearStatistics> statistics_;
  std::vector<Slice> slices_;
  std::vector<WallValues> shear_;
};

}  // namespace tessera::postprocess::picture
