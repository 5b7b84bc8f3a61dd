// SPDX-License-Identifier: GPL-3.0-or-later
// Speeds that Tomczak & Szafran 2017 (A new GPU implementation for lattice-Boltzmann simulations on
// sparse geometries, Comput. Phys. Commun. 235 (2019), arXiv:1611.02445) print in Tables 3 to 9:
// MFLUPS on a GTX Titan, D3Q19.
#pragma once

#include <array>
#include <optional>

#include "solver/model/axes.hpp"

namespace tessera::paper {

using namespace tessera::solver::model;

// Section 4.1: bytes per second, as NVIDIA's bandwidthTest copies, and at most.
constexpr double copyBandwidth = 228.5e9;
constexpr double peakBandwidth = 288.384e9;

// Relative to the bound by the copy bandwidth: 19 values read and written once.
constexpr double fractionOf(double mflups, double bytesOfValue) {
  return 1e6 * mflups * 2.0 * 19.0 * bytesOfValue / copyBandwidth;
}

// Rows of the tables, in their order.
struct Kernel {
  const char* name;
  const char* shortName;
  const char* operation;                 // of BenchLine
  std::optional<CollisionId> collision;  // of a step
  std::optional<EquilibriumId> equilibrium;
};
constexpr std::size_t kernelCount = 6;
constexpr std::array<Kernel, kernelCount> kernels{
    {{"read/write only", "read/write", "read-write", {}, {}},
     {"propagation only", "propagation", "propagation", {}, {}},
     {"LBGK incompressible", "LBGK inc.", "step", CollisionId::Bgk, EquilibriumId::Incompressible},
     {"LBGK quasi-compressible", "LBGK q-c.", "step", CollisionId::Bgk,
      EquilibriumId::QuasiCompressible},
     {"LBMRT incompressible", "MRT inc.", "step", CollisionId::Mrt, EquilibriumId::Incompressible},
     {"LBMRT quasi-compressible", "MRT q-c.", "step", CollisionId::Mrt,
      EquilibriumId::QuasiCompressible}}};
using OfKernels = std::array<double, kernelCount>;

// Table 3: cavity3D, double precision: the fastest case, its edge, and the case of 252^3 nodes.
constexpr OfKernels densePeak{771, 696, 680, 613, 468, 454};
constexpr std::array<int, kernelCount> densePeakEdge{220, 112, 104, 100, 148, 152};
constexpr OfKernels denseLargest{771, 650, 632, 545, 462, 451};

// Table 4: cavity3D of 100^3 nodes, single precision: the better of 48 and 40 registers, 2 tiles a
// block (128 threads), as ours have.
constexpr OfKernels singleXyz{1504, 1067, 1006, 999, 823, 821};
constexpr OfKernels singleLayouts{1502, 1133, 1003, 998, 793, 783};

// Table 5: propagation in cavity3D of 100^3 nodes, double precision.
struct Layouts {
  const char* name;  // by the names of tiler/analysis/layouts.hpp
  double mflups;
  double l2Reads, memoryReads;  // of 32 bytes
  double hitRate;
  int instructions;
};
constexpr std::array<Layouts, 5> layouts{
    {{"XYZ", 586, 8188609, 7298421, 0.109, 673},
     {"XYZ + zigzagNE", 606, 7827219, 6824451, 0.128, 701},
     {"XYZ + YXZ", 666, 6730769, 5397210, 0.198, 681},
     {"XYZ + YXZ + zigzagNE", 698, 6368191, 4919420, 0.228, 711},
     {"read/write only", 768, 4812588, 4812524, 1e-5, 99}}};

// Tables 6 to 9: geometries by their porosity and tile utilisation, kernels in both precisions.
struct Case {
  const char* table;
  const char* name;
  double porosity, utilisation;
  OfKernels f64, f32;
};
// Table 6 (and 7, the same as bandwidths): overlapping spheres of 40 nodes in 192^3.
constexpr std::array<Case, 9> spheres{{
    {"table6",
     "spheres 0.9",
     0.9,
     0.970,
     {761, 672, 649, 558, 450, 436},
     {1503, 1053, 1008, 1005, 815, 819}},
    {"table6",
     "spheres 0.8",
     0.8,
     0.936,
     {751, 667, 645, 558, 436, 422},
     {1474, 1034, 982, 976, 790, 794}},
    {"table6",
     "spheres 0.7",
     0.7,
     0.899,
     {740, 659, 638, 565, 422, 407},
     {1443, 1013, 954, 948, 766, 766}},
    {"table6",
     "spheres 0.6",
     0.6,
     0.857,
     {726, 650, 628, 564, 404, 390},
     {1406, 989, 919, 912, 734, 733}},
    {"table6",
     "spheres 0.5",
     0.5,
     0.813,
     {711, 638, 614, 555, 387, 373},
     {1364, 961, 880, 873, 703, 701}},
    {"table6",
     "spheres 0.4",
     0.4,
     0.762,
     {693, 621, 594, 532, 366, 354},
     {1312, 927, 833, 826, 667, 663}},
    {"table6",
     "spheres 0.3",
     0.3,
     0.699,
     {668, 597, 563, 499, 343, 332},
     {1245, 880, 775, 767, 624, 620}},
    {"table6",
     "spheres 0.2",
     0.2,
     0.626,
     {634, 560, 520, 459, 317, 308},
     {1151, 815, 706, 700, 574, 567}},
    {"table6",
     "spheres 0.1",
     0.1,
     0.512,
     {569, 491, 446, 393, 275, 270},
     {959, 706, 589, 585, 496, 484}},
}};
// Table 8: 730 x 342 x 334 nodes, 14.8 million non-solid.
constexpr Case aneurysm{"table8",
                        "aneurysm",
                        0.175,
                        0.931,
                        {753, 654, 637, 553, 439, 422},
                        {1480, 1021, 971, 968, 789, 790}};
// Table 9: 93 x 161 x 442 nodes, 0.66 million non-solid.
constexpr Case aorta{"table9",
                     "aorta",
                     0.094,
                     0.807,
                     {714, 647, 617, 551, 382, 368},
                     {1393, 990, 864, 857, 685, 681}};

// Equation (19): propagation in rectangular channels of 10^6 nodes, double precision, as part of
// peakBandwidth; by common faces and common edges per tile.
constexpr double propagationInChannel(double faces, double edges) {
  return 0.92 - faces / 14.28 - edges / 25.74 + 0.00104 / (2.9 - faces) + 0.0023 / (2.81 - edges);
}

}  // namespace tessera::paper
