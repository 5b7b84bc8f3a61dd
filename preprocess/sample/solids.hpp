// SPDX-License-Identifier: GPL-3.0-or-later
// Sample surfaces with closed forms: tubes, ducts, boxes, a sudden expansion. Meshes are in metres,
// counter-clockwise from outside. Round cross-sections are regular polygons with the area of the
// circle, which preserves volumes and flow rates. Impossible shapes throw StageError(Usage) naming
// the option.
#pragma once

#include "preprocess/geometry/mesh.hpp"

namespace tessera::preprocess::sample {

// A straight tube from the origin.
struct TubeShape {
  double diameter = 4e-3;
  double length = 16e-3;
  Double3 direction{1.0, 0.0, 0.0};
  int segments = 96;    // of the polygon
  bool closed = false;  // with flat caps
};
geometry::TriangleMesh sampleTube(const TubeShape& shape);

// A tube from the origin along +x with one circular bend in the x-y plane, towards +y. The volume
// is pi r^2 (inletLength + bendRadius * angle + outletLength), by Pappus.
// The default bend has a Dean number of 0.41 Re: sqrt(diameter / (2 * bendRadius)).
struct BentTubeShape {
  double diameter = 4e-3;
  double bendRadius = 12e-3;  // of the axis
  double angle = M_PI / 2.0;  // rad
  double inletLength = 8e-3;
  double outletLength = 16e-3;
  int segments = 96;
  bool closed = false;
};
geometry::TriangleMesh sampleBentTube(const BentTubeShape& shape);

// A straight rectangular duct from the origin, centred on its axis; width lies along y and height
// along z when the direction is x.
struct ChannelShape {
  double width = 4e-3;
  double height = 4e-3;
  double length = 16e-3;
  Double3 direction{1.0, 0.0, 0.0};
  bool closed = false;
};
geometry::TriangleMesh sampleChannel(const ChannelShape& shape);

// Two coaxial tubes from the origin, the second one wider, with a flat step between them. Ratio 2
// is the experiment of Macagno and Hung, J Fluid Mech 28:43, 1967.
struct ExpansionShape {
  double diameter = 4e-3;  // upstream
  double ratio = 2.0;      // of the diameters, above 1
  double inletLength = 8e-3;
  double outletLength = 48e-3;
  Double3 direction{1.0, 0.0, 0.0};
  int segments = 96;
  bool closed = false;
};
geometry::TriangleMesh sampleExpansion(const ExpansionShape& shape);

// A closed box with one corner at the origin.
geometry::TriangleMesh sampleBox(const Double3& size);

}  // namespace tessera::preprocess::sample
