// SPDX-License-Identifier: GPL-3.0-or-later
#include "postprocess/picture/picture.hpp"

#include <functional>
#include <optional>
#include <string>

#include "pipelines/picture/annotate.hpp"
#include "pipelines/picture/image.hpp"
#include "pipelines/picture/markup.hpp"
#include "pipelines/stage/cli/progress.hpp"
#include "pipelines/stage/io/atomic_file.hpp"
#include "postprocess/picture/curves.hpp"
#include "postprocess/picture/profile_charts.hpp"
#include "postprocess/picture/slice_picture.hpp"
#include "postprocess/picture/streamlines.hpp"
#include "postprocess/picture/viewing_side.hpp"
#include "postprocess/picture/wall_picture.hpp"

namespace tessera::postprocess::picture {

using tessera::picture::writePng;

namespace {

namespace fs = std::filesystem;

// Pieces of work for the progress bar.
using Task = std::function<void()>;

void addWall(const results::Results& results, const std::vector<WallValues>& all, WallModel& model,
             const fs::path& folder, std::vector<Task>& tasks) {
  for (const WallValues& values : all) {
    tasks.emplace_back([&] {
      writePng(folder / ("wall_" + values.key + ".png"), drawWall(results, values, model));
    });
    if (results.flat()) continue;
    tasks.emplace_back([&] {
      writePng(folder / ("wall_" + values.key + "_views.png"),
               drawWallViews(results, values, model));
    });
  }
}

void writeBoth(const std::optional<tessera::picture::Drawing>& drawing, const std::string& title,
               const fs::path& stem) {
  if (!drawing) return;
  tessera::picture::Image image(static_cast<int>(drawing->width * tessera::picture::pageScale),
                                static_cast<int>(drawing->height * tessera::picture::pageScale),
                                tessera::picture::white);
  tessera::picture::paint(*drawing, tessera::picture::pageScale, image);
  writePng(fs::path(stem).replace_extension(".png"), image);
  stage::writeTextAtomically(fs::path(stem).replace_extension(".svg"),
                             tessera::picture::toSvg(*drawing, title));
}

}  // namespace

void writePictures(const results::Results& results, const std::vector<WallValues>& wall,
                   const solver::file::Fields& fields, const tiler::TiledGeometry& geometry,
                   const fs::path& folder) {
  const fields::NodeLookup lookup(geometry);
  WallModel model;
  std::optional<tessera::picture::Camera> wallView;
  std::vector<Task> tasks;
  if (!wall.empty()) {
    tasks.emplace_back([&] {
      model = wallModel(results, wall.front(), viewingSide(results, geometry));
      wallView = model.camera;
    });
    addWall(results, wall, model, folder, tasks);
    tasks.emplace_back([&] {
      if (const auto image = drawStreamlines(results, fields, lookup, model))
        writePng(folder / "streamlines.png", *image);
      model = {};
    });
  }
  const auto slice = [&](const char* name, SliceOf what, SlicePlane plane) {
    tasks.emplace_back([&, name, what, plane] {
      if (const auto image = drawSlice(results, fields, lookup, what, plane, wallView))
        writePng(folder / name, *image);
    });
  };
  slice("velocity_slice.png", SliceOf::Speed, SlicePlane::Main);
  slice("pressure_slice.png", SliceOf::Pressure, SlicePlane::Main);
  if (geometry.dimensions == 3)
    slice("velocity_slice_across.png", SliceOf::Speed, SlicePlane::Across);
  tasks.emplace_back([&] {
    writeBoth(drawConvergence(results), "Convergence of the run", folder / "convergence");
    writeBoth(drawMonitors(results), "Monitors of the run", folder / "monitors");
    writeBoth(drawPlaces(results), "Probes and stations of the run", folder / "places");
    writeBoth(drawVelocityHistogram(results), "Velocities in the pores",
              folder / "velocity_histogram");
    writeBoth(drawAlongSample(results), "Pressure and porosity along the sample",
              folder / "along_the_sample");
    writeBoth(drawPressureRatio(results), "Pressure ratio along the centrelines",
              folder / "pressure_ratio");
    writeBoth(drawSeries(results), "The run over time", folder / "series");
  });
  stage::Progress progress("drawing", tasks.size());
  for (std::size_t i = 0; i < tasks.size(); ++i) {
    tasks[i]();
    progress.update(i + 1);
  }
  progress.finish();
}

}  // namespace tessera::postprocess::picture
