// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/validation/cases.hpp"

#include <array>

namespace tessera::validation {

std::span<const Case> cases() {
  static constexpr std::array all{
      Case{"plane_channel", "Plane channel",
           "TRT at the magic parameter 3/16 gives Poiseuille's parabola to round-off",
           &planeChannel},
      Case{"square_duct", "Square duct", "Flow rate and peak velocity against the series",
           &squareDuct},
      Case{"staircase_pipe", "Pipe as a staircase", "What walls half way cost on a curved wall",
           &staircasePipe},
      Case{"curved_walls", "Interpolated walls",
           "Second order in a pipe and an inclined duct, the staircase beside", &curvedWalls},
      Case{"taylor_green", "Taylor-Green vortices",
           "Second order and the viscosity asked for, by every collision on every lattice",
           &taylorGreen},
      Case{"non_newtonian", "Non-Newtonian fluids",
           "Channel and pipe of every fluid model, and Smagorinsky's viscosity, against integrals",
           &nonNewtonian},
      Case{"conservation", "Conservation of mass", "Mass to round-off in closed and periodic boxes",
           &conservation},
      Case{"mirror_symmetry", "Mirror symmetry",
           "Symmetric input gives a flow that is its own mirror image, bit for bit",
           &mirrorSymmetry},
      Case{"cavity", "Lid-driven cavity", "Velocities on the middle lines against Ghia et al. 1982",
           &cavity},
      Case{"cylinder", "Cylinder in a channel",
           "Drag, lift, pressure difference and Strouhal number against Schaefer & Turek 1996",
           &cylinder},
      Case{"sphere_array", "Simple cubic spheres",
           "Permeability against Zick & Homsy, whatever the viscosity", &sphereArray},
      Case{"orifice", "Hole in a thin plate",
           "Flow past a plate without nodes in it against one with", &orifice},
      Case{"sudden_expansion", "Sudden expansion",
           "Profiles behind the step of Rinaldi et al. 2011 at a Reynolds number of 100",
           &suddenExpansion},
      Case{"symmetry_breaking", "Symmetry breaking",
           "The Reynolds number at which the flow into a channel three times as high leans to a "
           "side",
           &symmetryBreaking},
      Case{"womersley", "Womersley flow",
           "Amplitude and phase of a pulsating flow in a pipe at three Womersley numbers",
           &womersley},
      Case{"windkessel", "Windkessel outlet",
           "The pressure behind a pulsating flow against the differential equation", &windkessel},
  };
  return all;
}

}  // namespace tessera::validation
