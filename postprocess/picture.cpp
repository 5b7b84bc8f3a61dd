// SPDX-License-Identifier: GPL-3.0-or-later
#include "postprocess/picture.hpp"

#include "pipelines/picture/canvas.hpp"
#include "pipelines/picture/svg.hpp"
#include "pipelines/stage/atomic_file.hpp"
#include "postprocess/picture/convergence_picture.hpp"
#include "postprocess/picture/slice_picture.hpp"
#include "postprocess/picture/wall_picture.hpp"

namespace tessera {

void writePictures(const Results& results, const Fields& fields, const TiledGeometry& geometry,
                   const std::filesystem::path& folder) {
  if (const auto wall = drawWallShear(results)) writePng(folder / "wall_wss.png", *wall);
  if (const auto slice = drawVelocitySlice(results, fields, geometry))
    writePng(folder / "velocity_slice.png", *slice);
  if (const auto curves = drawConvergence(results)) {
    constexpr double pixelsAUnit = 2.0;
    Image image(static_cast<int>(curves->width * pixelsAUnit),
                static_cast<int>(curves->height * pixelsAUnit), white);
    paint(*curves, pixelsAUnit, image);
    writePng(folder / "convergence.png", image);
    writeTextAtomically(folder / "convergence.svg", toSvg(*curves, "Convergence of the run"));
  }
}

}  // namespace tessera
