// SPDX-License-Identifier: GPL-3.0-or-later
#include "solver/case/initial_field.hpp"

#include <cmath>
#include <numbers>

#include "pipelines/stage/error.hpp"
#include "pipelines/stage/io/provenance.hpp"
#include "pipelines/stage/system/parallel_for.hpp"
#include "pipelines/stage/text.hpp"
#include "preprocess/file/node_types.hpp"

namespace tessera::solver::cases {

using stage::CaseTable;
using stage::Dimension;
using stage::ExitCode;
using stage::fail;
using tiler::TiledGeometry;

namespace {

// A quantity with any unit.
std::optional<double> anyQuantity(const std::string& text) {
  for (int d = 0; d <= static_cast<int>(Dimension::Compliance); ++d) {
    try {
      return stage::parseQuantity(text, static_cast<Dimension>(d));
    } catch (const stage::StageError&) {
      continue;  // with a unit of another dimension
    }
  }
  return std::nullopt;
}

// Sides of the box, Lx, Ly and Lz, and other keys of the table.
std::optional<double> constantNamed(const std::string& word, CaseTable& table,
                                    const TiledGeometry& geometry) {
  constexpr const char* sides[] = {"Lx", "Ly", "Lz"};
  for (std::size_t a = 0; a < 3; ++a)
    if (word == sides[a]) return geometry.nodes[a] * geometry.frame.spacing;
  for (const char* key : {"field", "amplitude", "waves", "u", "v", "w", "p"})
    if (word == key) return std::nullopt;
  if (!table.has(word)) return std::nullopt;
  if (!table.isText(word)) return table.quantity(word, Dimension::None);
  const auto value = anyQuantity(*table.text(word));
  if (!value)
    fail(ExitCode::Usage, fmt::format("{}: {} is \"{}\"; a number or a quantity with a unit is "
                                      "required, as \"0.1 m/s\"",
                                      table.where(word), word, *table.text(word)));
  return value;
}

TaylorGreen readVortices(CaseTable& table, double density, const TiledGeometry& geometry) {
  TaylorGreen out;
  out.density = density;
  const auto amplitude = table.quantity("amplitude", Dimension::Velocity, 0.0, 1e9);
  if (!amplitude)
    fail(ExitCode::Usage,
         table.where("field") + ": this field needs amplitude, for instance \"0.1 m/s\"");
  out.amplitude = *amplitude;
  const bool flat = geometry.dimensions == 2;
  const auto waves =
      table.vector("waves", Dimension::None).value_or(Double3{1, 1, flat ? 0.0 : 1.0});
  for (std::size_t a = 0; a < 3; ++a) {
    const bool needed = a < 2;
    if (waves[a] != std::round(waves[a]) || waves[a] < (needed ? 1.0 : 0.0) ||
        2.0 * waves[a] > geometry.nodes[a] || (flat && a == 2 && waves[a] != 0.0))
      fail(ExitCode::Usage,
           fmt::format("{}: waves on {} is {}; a whole number of waves in the box is required, at "
                       "least 1 on x and y, 0 on z in 2D, each at least two nodes long",
                       table.where("waves"), "xyz"[a], stage::number(waves[a])));
    out.number[a] =
        2.0 * std::numbers::pi * waves[a] / (geometry.nodes[a] * geometry.frame.spacing);
  }
  return out;
}

void readFormulas(CaseTable& table, const TiledGeometry& geometry, InitialField& out) {
  const auto read = [&](const char* key, std::optional<stage::Formula>& formula) {
    if (!table.has(key)) return;
    const std::string text =
        table.isText(key) ? *table.text(key)
                          : stage::number(table.quantity(key, Dimension::None).value_or(0.0), 17);
    try {
      formula = stage::Formula::parse(text, {"x", "y", "z"}, [&](const std::string& word) {
        return constantNamed(word, table, geometry);
      });
    } catch (const stage::StageError& error) {
      // A fault of a constant names its own place.
      const std::string sentence = error.what();
      if (sentence.find(table.where(key).substr(0, table.where(key).find(':') + 1)) == 0) throw;
      fail(ExitCode::Usage, fmt::format("{}: {}", table.where(key), sentence));
    }
    out.text += fmt::format("{}{} = {}", out.text.empty() ? "" : ", ", key, text);
    for (const double constant : formula->constants())
      out.hash += fmt::format(" {}", stage::number(constant, 17));
  };
  read("u", out.velocityFormula[0]);
  read("v", out.velocityFormula[1]);
  read("w", out.velocityFormula[2]);
  read("p", out.pressureFormula);
  if (geometry.dimensions == 2 && out.velocityFormula[2])
    fail(ExitCode::Usage, table.where("w") + ": the geometry is 2D; omit w");
}

// Largest speed at the fluid nodes of a tile. Throws for a value there, or a velocity beside them
// that the strain rate is taken from, that is not finite.
double fastestInTile(const CaseTable& table, const TiledGeometry& geometry,
                     const InitialField& field, std::size_t tile) {
  const auto speedAt = [&](const Double3& place) {
    const Double3 u = field.velocityAt(place, geometry.frame);
    return std::sqrt(dot(u, u));
  };
  double fastest = 0.0;
  for (int l = 0; l < tiler::tileNodes; ++l) {
    if (geometry.nodeType[tile * tiler::tileNodes + static_cast<std::size_t>(l)] ==
        static_cast<std::uint8_t>(preprocess::file::NodeType::Solid))
      continue;
    const Int3 at = geometry.nodeOf(tile, l);
    const Double3 node{double(at[0]), double(at[1]), double(at[2])};
    const double speed = speedAt(node);
    bool finite = std::isfinite(speed) && std::isfinite(field.pressureAt(node, geometry.frame));
    for (std::size_t side = 0; side < 6 && finite && !field.vortices; ++side) {
      Double3 beside = node;
      beside[side / 2] += (side % 2 == 0 ? 1.0 : -1.0) * InitialField::differenceStep;
      finite = std::isfinite(speedAt(beside));
    }
    if (!finite) {
      const Double3 world = geometry.frame.toWorld(node);
      fail(ExitCode::Usage,
           fmt::format("{}: the formulas give no finite number at x, y, z = {}, {}, {} m; one "
                       "that does is required at all nodes",
                       table.where(), stage::number(world[0]), stage::number(world[1]),
                       stage::number(world[2])));
    }
    fastest = std::max(fastest, speed);
  }
  return fastest;
}

void measureField(const CaseTable& table, const TiledGeometry& geometry, InitialField& field) {
  std::vector<double> fastest(geometry.tiles());
  stage::parallelFor(fastest.size(),
                     [&](std::size_t t) { fastest[t] = fastestInTile(table, geometry, field, t); });
  for (const double speed : fastest) field.fastest = std::max(field.fastest, speed);
}

}  // namespace

Double3 TaylorGreen::velocity(const Double3& at) const {
  const auto& k = number;
  const double z = std::cos(k[2] * at[2]);
  return {amplitude * std::sin(k[0] * at[0]) * std::cos(k[1] * at[1]) * z,
          -amplitude * k[0] / k[1] * std::cos(k[0] * at[0]) * std::sin(k[1] * at[1]) * z, 0.0};
}

double TaylorGreen::pressure(const Double3& at) const {
  const auto& k = number;
  const double x = std::cos(2.0 * k[0] * at[0]);
  const double y = std::cos(2.0 * k[1] * at[1]);
  const double z = std::cos(2.0 * k[2] * at[2]);
  const double kx = 4.0 * k[0] * k[0];
  const double ky = 4.0 * k[1] * k[1];
  const double kz = 4.0 * k[2] * k[2];
  return 0.5 * density * amplitude * amplitude * k[0] * k[0] *
         (x / kx + y / ky + x * z / (kx + kz) + y * z / (ky + kz));
}

Double3 InitialField::velocityAt(const Double3& node,
                                 const preprocess::geometry::Frame& frame) const {
  if (vortices) return vortices->velocity(frame.spacing * (node + Double3{0.5, 0.5, 0.5}));
  const Double3 world = frame.toWorld(node);
  Double3 u{};
  for (std::size_t c = 0; c < 3; ++c)
    if (velocityFormula[c]) u[c] = (*velocityFormula[c])(world);
  return {dot(frame.axis[0], u), dot(frame.axis[1], u), dot(frame.axis[2], u)};
}

double InitialField::pressureAt(const Double3& node,
                                const preprocess::geometry::Frame& frame) const {
  if (vortices) return vortices->pressure(frame.spacing * (node + Double3{0.5, 0.5, 0.5}));
  return pressureFormula ? (*pressureFormula)(frame.toWorld(node)) : 0.0;
}

std::shared_ptr<const InitialField> readInitialField(CaseTable table, double density,
                                                     const TiledGeometry& geometry) {
  if (!table.present()) return nullptr;
  auto out = std::make_shared<InitialField>();
  if (const auto name = table.word("field", {"taylor-green"})) {
    out->vortices = readVortices(table, density, geometry);
    const TaylorGreen& of = *out->vortices;
    out->text =
        fmt::format("{}, {}", *name, stage::formatQuantity(of.amplitude, Dimension::Velocity));
    for (const double k : of.number) out->hash += fmt::format(" {}", stage::number(k, 17));
    out->hash += fmt::format(" {}", stage::number(of.amplitude, 17));
  } else {
    readFormulas(table, geometry, *out);
    if (out->text.empty())
      fail(ExitCode::Usage, table.where() +
                                ": [initial] needs field = \"taylor-green\", or formulas, for "
                                "instance u = \"0.1*sin(2*pi*x/Lx)\"");
  }
  table.rejectUnknown();
  out->hash = out->text + out->hash;
  out->hash = stage::hashBytes(out->hash.data(), out->hash.size());
  measureField(table, geometry, *out);
  return out;
}

}  // namespace tessera::solver::cases
