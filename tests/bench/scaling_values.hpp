// SPDX-License-Identifier: GPL-3.0-or-later
// Scaling that Suffa, Holzer, Koestler & Ruede, Architecture Specific Generation of Large Scale
// Lattice Boltzmann Methods for Sparse Complex Geometries (arXiv 2408.06880, 2024) state in their
// text, without the curves of the figures. Double precision, D3Q19, NVIDIA A100 on JUWELS Booster.
#pragma once

#include "solver/bench/scaling.hpp"

namespace tessera::scaling {

using namespace tessera::solver::bench;

// Four A100 a node. 1367 GB/s: the paper's stream benchmark; NVLink 300 GB/s one way (data sheet
// of the A100); a port of 200 Gb/s a GPU (Alvarez, J large-scale research facilities 7, 2021).
// Latencies and launches as assumed of the H200.
inline Machine juwelsBooster() {
  Machine machine;
  machine.copyBandwidth = 1.367e12;
  machine.nodeBandwidth = 300e9;
  machine.networkBandwidth = 25e9;
  machine.ranksPerNode = 4;
  return machine;
}

// Figure 10, section 5.2.2: weak scaling of an empty channel, 320^3 nodes a GPU.
constexpr double weakNodes = 320.0 * 320.0 * 320.0;
constexpr int weakRanks = 1024;
constexpr double weakHidden = 0.83;    // efficiency on 1024 with hidden communication
constexpr double weakUnhidden = 0.63;  // without
constexpr double weakMflups = 2500.0;  // a GPU of 1024

// Figure 13, section 6.1: particle bed of porosity 0.357, 512^3 cells a GPU.
constexpr int bedRanks = 64;
constexpr double bedNodes = 8.61098e9 * 0.356663;  // fluid
constexpr double bedKernel = 203'408.0;            // MFLUPS of all, the kernel alone
constexpr double bedFull = 83'475.0;               // with boundaries and communication

// Figure 17, section 6.3: coronary artery, blocks of 128^3.
constexpr int arteryRanks = 60;
constexpr double arteryNodes = 1.2e8;    // fluid
constexpr double arteryKernel = 1374.0;  // MFLUPS a GPU
constexpr double arteryFull = 230.0;

}  // namespace tessera::scaling
