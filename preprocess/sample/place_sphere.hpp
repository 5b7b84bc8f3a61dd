// SPDX-License-Identifier: GPL-3.0-or-later
// One sphere into an image.
#pragma once

#include "preprocess/sample/spheres.hpp"

namespace tessera::preprocess::sample {

// Turns the voxels whose centres lie within the sphere to solid; returns how many were pore.
std::size_t placeSphere(SampleImage& image, const Sphere& sphere, bool periodic);

}  // namespace tessera::preprocess::sample
