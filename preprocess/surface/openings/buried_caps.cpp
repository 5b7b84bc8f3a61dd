// SPDX-License-Identifier: GPL-3.0-or-later
#include "preprocess/surface/openings/buried_caps.hpp"

#include <algorithm>
#include <set>

#include "preprocess/geometry/winding_number.hpp"

namespace tessera::preprocess::surface {

using geometry::TriangleMesh;

namespace {

// Whether points lie in the fluid of parts.
class Fluid {
 public:
  Fluid(const TriangleMesh& mesh, const Parts& parts)
      : mesh_(mesh), parts_(parts), triangles_(parts.part.size()) {
    for (std::uint32_t t = 0; t < parts.ofTriangle.size(); ++t)
      triangles_[parts.ofTriangle[t]].push_back(t);
  }
  [[nodiscard]] std::uint32_t partOf(const Cap& cap) const {
    return parts_.ofTriangle[cap.triangle.front()];
  }
  // Of all parts but one; cavities take away.
  [[nodiscard]] bool besides(std::uint32_t own, const Double3& point) const {
    return holds(point, [&](std::size_t k) { return k != own; });
  }
  // Of larger parts than that one.
  [[nodiscard]] bool ofLarger(std::uint32_t own, const Double3& point) const {
    const double volume = parts_.part[own].volume;
    return holds(point, [&](std::size_t k) {
      const double other = parts_.part[k].volume;
      return k != own && (other < 0.0 || other > volume || (other == volume && k < own));
    });
  }

 private:
  template <class Counts>
  [[nodiscard]] bool holds(const Double3& point, Counts counts) const {
    double winding = 0.0;
    for (std::size_t k = 0; k < parts_.part.size(); ++k)
      if (counts(k) && boxHolds(parts_.part[k], point))
        winding += geometry::windingAround(mesh_, triangles_[k], point);
    return winding > 0.5;
  }
  [[nodiscard]] static bool boxHolds(const Part& part, const Double3& point) {
    for (std::size_t c = 0; c < 3; ++c)
      if (point[c] < part.low[c] || point[c] > part.high[c]) return false;
    return true;
  }

  const TriangleMesh& mesh_;
  const Parts& parts_;
  std::vector<std::vector<std::uint32_t>> triangles_;  // of each part
};

// On a cap, and to either side of it by a hundredth of a triangle's size.
struct Probe {
  Double3 within{}, beyond{};
};

Probe probeAt(const TriangleMesh& mesh, std::uint32_t t, std::size_t corner) {
  const stage::Triangle& at = mesh.triangle[t];
  const Double3 outward = geometry::areaVector(mesh, t);
  const Double3 step = (0.01 / std::sqrt(length(outward))) * outward;
  const Double3 place = 0.8 * mesh.vertex[at[corner]] + 0.1 * mesh.vertex[at[(corner + 1) % 3]] +
                        0.1 * mesh.vertex[at[(corner + 2) % 3]];  // near the rim, mostly
  return {place - step, place + step};
}

// Spread over the cap.
std::vector<Probe> probesOf(const TriangleMesh& mesh, const Cap& cap) {
  constexpr std::size_t most = 12;
  const std::size_t corners = 3 * cap.triangle.size(), count = std::min(most, corners);
  std::vector<Probe> probes;
  for (std::size_t k = 0; k < count; ++k) {
    const std::size_t place = (k * corners / count + (count < corners ? k % 3 : 0)) % corners;
    const std::uint32_t t = cap.triangle[place / 3];
    if (length(geometry::areaVector(mesh, t)) > 0.0) probes.push_back(probeAt(mesh, t, place % 3));
  }
  return probes;
}

// Whether the fluid of other parts goes on beyond the cap, or what the cap ends is fluid of a
// larger part anyway: of two that end in one plane one has the opening.
bool isBuried(const TriangleMesh& mesh, const Fluid& fluid, const Cap& cap) {
  const std::uint32_t own = fluid.partOf(cap);
  const std::vector<Probe> probes = probesOf(mesh, cap);
  const auto all = [&](auto lies) {
    return !probes.empty() && std::all_of(probes.begin(), probes.end(), lies);
  };
  return all([&](const Probe& p) { return fluid.besides(own, p.beyond); }) ||
         all([&](const Probe& p) { return fluid.ofLarger(own, p.within); });
}

}  // namespace

std::uint64_t dropBuriedCaps(const TriangleMesh& mesh, const Parts& parts, std::vector<Cap>& caps) {
  if (parts.part.size() < 2) return 0;
  const Fluid fluid(mesh, parts);
  std::set<std::uint32_t> ends;
  std::erase_if(caps, [&](const Cap& cap) {
    if (!isBuried(mesh, fluid, cap)) return false;
    ends.insert(*std::min_element(cap.triangle.begin(), cap.triangle.end()));
    return true;
  });
  return ends.size();
}

}  // namespace tessera::preprocess::surface
