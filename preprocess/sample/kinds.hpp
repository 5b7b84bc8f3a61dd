// SPDX-License-Identifier: GPL-3.0-or-later
// Kinds of tessera-sample: each parses its own command line (argv[0] is the kind's name), writes
// its sample and returns the exit status.
#pragma once

namespace tessera::preprocess::sample {

int makeAneurysm(int argc, const char* const* argv);
int makeAorta(int argc, const char* const* argv);
int makeTube(int argc, const char* const* argv);
int makeBentTube(int argc, const char* const* argv);
int makeChannel(int argc, const char* const* argv);
int makeExpansion(int argc, const char* const* argv);  // also as an image
int makeBox(int argc, const char* const* argv);        // also as an image
int makeSpheres(int argc, const char* const* argv);
int makeLattice(int argc, const char* const* argv);
int makeSphereBed(int argc, const char* const* argv);
int makeRiverBed(int argc, const char* const* argv);
int makeChannelImage(int argc, const char* const* argv);
int makeBoxImage(int argc, const char* const* argv);
int makeNetworkImage(int argc, const char* const* argv);

}  // namespace tessera::preprocess::sample
