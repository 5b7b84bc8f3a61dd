// SPDX-License-Identifier: GPL-3.0-or-later
// Numbers of the papers on dense storage, lists and hybrids, D3Q19, and of the sudden expansion in
// D2Q9, as they print them.
#pragma once

#include <algorithm>
#include <array>

namespace tessera::paper {

// Suffa et al. 2024 (arXiv:2408.06880), one A100, SRT, f64: Figures 4 and 5 have no numbers; their
// theoretical curves follow from these.
namespace suffa {
constexpr double bandwidth = 1361e9;    // B/s, of a streaming benchmark, Figure 4
constexpr double threshold = 0.8;       // of a hybrid's dense blocks
constexpr double speedCrossing = 0.75;  // porosity at which lists and dense storage are as fast
constexpr double memoryCrossing = 0.8;  // and hold as much
// Table 2: bytes a node.
constexpr double denseBytes = 2 * 19 * 8, pullBytes = 2 * 19 * 8 + 18 * 4,
                 inPlaceBytes = 2 * 19 * 8 + 18 / 2 * 4;
constexpr double inPlaceGain = 1.075;  // in speed over pull, measured, Section 5.1.1
// Equation 9, bytes a node of the box without its other fields.
constexpr double heldByLists(double porosity) {
  return pullBytes * porosity;
}
constexpr double heldByDense = denseBytes;
// MFLUPS of Figure 4, theoretical.
constexpr double speedOfLists() {
  return 1e-6 * bandwidth / pullBytes;
}
constexpr double speedOfDense(double porosity) {
  return 1e-6 * bandwidth * porosity / denseBytes;
}
constexpr double speedOfHybrid(double porosity) {
  return porosity >= threshold ? speedOfDense(porosity) : speedOfLists();
}
// Sections 6.1 and 6.2: porosity of the beds, memory saved of dense storage: by lists, by a hybrid.
constexpr double spheresPorosity = 0.356663, riverPorosity = 0.68;
constexpr double savedInSpheres = 0.5, savedInRiver = 0.25;
// Table 3: largest over mean work of the GPUs by the hybrid in the river bed.
constexpr double workMean = 1757.47, workMostUnbalanced = 2432, workMostBalanced = 1826;
// Section 6.3: porosity of the artery's blocks of 128^3 nodes, and memory that lists save there.
constexpr double arteryPorosity = 0.16, savedInArtery = 0.75;
}  // namespace suffa

// Habich et al. 2013, Tables 3 and 4: STREAM copy, B/s, and the bound that it gives, MFLUPS in
// single and double precision.
namespace habich {
struct Machine {
  const char* name;
  double copy;  // 0: not printed
  double single, twice;
};
constexpr std::array<Machine, 5> machines{{{"Intel X5650 node", 40.2e9, 176, 88},
                                           {"C2070", 0, 788, 394},
                                           {"C2070 ECC", 0, 624, 312},
                                           {"C1060", 0, 512, 256},
                                           {"G80", 0, 492, 0}}};
// Table 3, Intel X5650: one core, one NUMA domain, a node; with the write allocate.
constexpr std::array<double, 3> cpuCopy{15.01e9, 21.12e9, 40.2e9};
constexpr int edge = 200;  // Figures 2 and 3
// Parts of the bound that the kernels reach, Section 7.1: CUDA on the C2070 with ECC.
constexpr double singleFraction = 0.66, doubleFraction = 0.70;
}  // namespace habich

// Rinaldi et al. 2011: D2Q9, single precision, channel with a sudden expansion. Peaks in MLUPS, and
// the part of the card's bandwidth that 74 bytes a node take.
namespace rinaldi {
constexpr double peakG80 = 158, peakGt200 = 891;
constexpr double fractionGt200 = 0.6;
constexpr double bytesPerNode = 74;  // two times nine floats and an index
}  // namespace rinaldi

}  // namespace tessera::paper
