// SPDX-License-Identifier: GPL-3.0-or-later
// The kinds of tessera-sample: each reads its own command line (argv[0] is the kind's name), makes
// and delivers its sample and returns the exit status.
#pragma once

namespace tessera::preprocess::sample {

// vessel_kinds.cpp
int makeAneurysm(int argc, const char* const* argv);
int makeAorta(int argc, const char* const* argv);
// solid_kinds.cpp
int makeTube(int argc, const char* const* argv);
int makeBentTube(int argc, const char* const* argv);
int makeChannel(int argc, const char* const* argv);
int makeExpansion(int argc, const char* const* argv);  // also as a picture
int makeBox(int argc, const char* const* argv);        // also as an image
// sphere_kinds.cpp
int makeSpheres(int argc, const char* const* argv);
int makeLattice(int argc, const char* const* argv);
// bed_kinds.cpp
int makeSphereBed(int argc, const char* const* argv);
int makeRiverBed(int argc, const char* const* argv);
// picture_kinds.cpp
int makeChannelImage(int argc, const char* const* argv);
int makeBoxImage(int argc, const char* const* argv);
int makeNetworkImage(int argc, const char* const* argv);

}  // namespace tessera::preprocess::sample
