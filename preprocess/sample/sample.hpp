// SPDX-License-Identifier: GPL-3.0-or-later
// Everything that tessera-sample makes.
#pragma once

#include "preprocess/sample/image.hpp"
#include "preprocess/sample/network.hpp"
#include "preprocess/sample/solids.hpp"
#include "preprocess/sample/spheres.hpp"
#include "preprocess/sample/vessels.hpp"
