// SPDX-License-Identifier: GPL-3.0-or-later
#include "solver/file/checkpoint_file.hpp"
#include "pipelines/stage/io/provenance.hpp"

#include <array>
#include <cmath>
#include <exception>
#include <numeric>

#include "pipelines/stage/cli/command_line.hpp"
#include "pipelines/stage/cli/progress.hpp"
#include "pipelines/stage/error.hpp"
#include "pipelines/stage/io/atomic_file.hpp"
#include "pipelines/stage/io/container_together.hpp"
#include "pipelines/stage/system/large_array.hpp"
#include "pipelines/stage/text.hpp"
#include "solver/file/checkpoint_meta.hpp"
#include "solver/model/stored_values.hpp"

namespace tessera::solver::file {

using stage::ContainerReader;
using stage::ContainerWriter;
using stage::ExitCode;
using stage::fail;
using stage::Processes;
using stage::Provenance;
using stage::together;

namespace {

constexpr unsigned keptValues = 10;  // backend::observedValues and run::linearMoments
constexpr std::uint16_t majorVersion = 1;
// 1: forces on walls; 2: recoveries; 3: march; 4: moments of m32/16.
constexpr std::uint16_t minorVersion = 4;

// Next to the target of a link, which may be on another disk.
std::filesystem::path previous(const std::filesystem::path& path) {
  return stage::followLink(path).string() + ".prev";
}

// Newest first; as many for all processes. The last is the previous checkpoint of a path that
// became a link since; otherwise it is empty.
std::array<std::filesystem::path, 3> generations(const std::filesystem::path& path) {
  const std::filesystem::path ownPrevious = path.string() + ".prev";
  return {path, previous(path), previous(path) != ownPrevious ? ownPrevious : ""};
}

// Layout of Sums::nodes.
TileLayout sumsLayout(TileLayout layout) {
  layout.values = model::meanValues;
  layout.bytes = sizeof(float);
  return layout;
}

// Layout of KeptState::nodes, or with doubles of MarchState::moments; order: 0, 1, 2 and so on, for
// each tile of the layout.
TileLayout keptLayout(TileLayout layout, const std::vector<std::uint32_t>& order,
                      unsigned bytes = sizeof(float)) {
  layout.slotOfTile = order;
  layout.values = keptValues;
  layout.bytes = bytes;
  return layout;
}

std::vector<std::uint32_t> inFileOrder(const TileLayout& layout) {
  std::vector<std::uint32_t> order(layout.slotOfTile.size());
  std::iota(order.begin(), order.end(), 0U);
  return order;
}

std::string nth(const char* name, std::size_t k) {
  return name + std::to_string(k);
}

// Values at the given offsets; own == nullptr: the whole section.
template <class T>
std::vector<T> readSection(const ContainerReader& reader, const char* name,
                           const TileOffsets* own) {
  return own == nullptr ? reader.read<T>(name) : readAtOffsets<T>(reader, name, *own);
}

// A count in a section of doubles.
std::uint64_t countOf(double value, const std::filesystem::path& path) {
  if (!(value >= 0.0 && value <= 9007199254740992.0) || value != std::floor(value))
    fail(ExitCode::BadInput, path.string() + ": section cycle_samples does not begin with a count");
  return static_cast<std::uint64_t>(value);
}

void readKept(const ContainerReader& reader, const TileLayout& layout, Checkpoint& out) {
  const std::vector<std::uint32_t> order = inFileOrder(layout);
  const TileLayout inOrder = keptLayout(layout, order);
  for (std::size_t k = 0; k < out.kept.size(); ++k) {
    const auto nodes = std::make_shared<stage::LargeArray<float>>(inOrder.size() / sizeof(float));
    readTileSection(reader, nth("kept_", k), inOrder, std::as_writable_bytes(std::span(*nodes)));
    out.kept[k].nodes = nodes;
  }
}

// Absent before version 1.3. Changes of outlets are as many as those of moments.
void readMarch(const std::filesystem::path& path, const ContainerReader& reader,
               const TileLayout& layout, Checkpoint& out) {
  if (!reader.has("march_state")) return;
  out.march = marchStateOf(reader.text("march_state"), path.string());
  if (!reader.has("march")) return;
  const std::vector<std::uint32_t> order = inFileOrder(layout);
  const TileLayout whole = keptLayout(layout, order, sizeof(double));
  const auto moments = std::make_shared<std::vector<double>>(whole.size() / sizeof(double));
  readTileSection(reader, "march", whole, std::as_writable_bytes(std::span(*moments)));
  out.march.moments = moments;
  const TileLayout half = keptLayout(layout, order);
  for (std::size_t k = 0; k < out.march.outletChanges.size(); ++k) {
    const auto change = std::make_shared<stage::LargeArray<float>>(half.size() / sizeof(float));
    readTileSection(reader, nth("march_", k), half, std::as_writable_bytes(std::span(*change)));
    out.march.changes.push_back(change);
  }
}

void readRest(const std::filesystem::path& path, const ContainerReader& reader,
              const TileLayout& layout, const OwnOfCheckpoint* own, Checkpoint& out) {
  out.build = Provenance::fromJson(reader.text("provenance")).build;
  out.monitorRows = reader.read<double>("monitor");
  out.outlets = reader.read<double>("outlets");
  if (reader.has("forces")) out.forces = reader.read<double>("forces");
  out.state.resize(layout.size());
  readTileSection(reader, "populations", layout, out.state);
  readKept(reader, layout, out);
  readMarch(path, reader, layout, out);
  if (reader.has("walls"))
    out.walls = readSection<double>(reader, "walls", own != nullptr ? &own->wallLinks : nullptr);
  if (!reader.has("cycles")) return;
  out.cycles.cycles = reader.read<double>("cycles");
  const auto counts = reader.read<double>("cycle_samples", 2);
  out.cycles.samples = countOf(counts[0], path);
  out.cycles.pressureReference = counts[1];
  const bool sums = reader.has("cycle_nodes");
  // Wall sums exist only with node sums.
  out.cycles.wall = readSection<std::array<double, 4>>(
      reader, "cycle_wall", own != nullptr && sums ? &own->wallPoints : nullptr);
  if (!sums) return;
  const TileLayout sumsBySlot = sumsLayout(layout);
  out.cycles.nodes.resize(sumsBySlot.size() / sizeof(float));
  readTileSection(reader, "cycle_nodes", sumsBySlot,
                  std::as_writable_bytes(std::span(out.cycles.nodes)));
}

// The first part that belongs to another run; empty: none.
std::string difference(const Checkpoint& found, const Checkpoint& expected) {
  if (found.tilesHash != expected.tilesHash) return "geometry";
  if (found.variant != expected.variant)
    return "variant (" + found.variant + ", not " + expected.variant + ")";
  if (found.physics != expected.physics && !found.olderFormulas)
    return "fluid, force, ramp, probes, stations or conditions at openings and walls, or by the "
           "defaults of an older version collision, walls or equilibrium (walls = \"halfway\", "
           "equilibrium = \"quasi-compressible\")";
  if (found.tau != expected.tau || found.timeStep != expected.timeStep) return "time step";
  return "";
}

template <class T>
void addSection(ContainerWriter& writer, const char* name, const std::vector<T>& values,
                const TileOffsets* own) {
  if (own == nullptr)
    writer.add(name, values);
  else
    addAtOffsets(writer, name, *own, std::span(values));
}

}  // namespace

// The sections of a file; refers to its arguments.
class CheckpointSections {
 public:
  CheckpointSections(const Checkpoint& checkpoint, std::span<const std::byte> state,
                     const TileLayout& layout, const OwnOfCheckpoint* own)
      : checkpoint_(checkpoint),
        state_(state),
        layout_(layout),
        own_(own),
        order_(inFileOrder(layout)),
        counts_{static_cast<double>(checkpoint.cycles.samples),
                checkpoint.cycles.pressureReference} {}

  void addTo(ContainerWriter& writer, const Provenance& provenance) const {
    writer.addText("meta", metaText(checkpoint_, layout_.bytes));
    writer.addText("provenance", provenance.toJson());
    writer.add("monitor", checkpoint_.monitorRows);
    writer.add("outlets", checkpoint_.outlets);
    writer.add("forces", checkpoint_.forces);
    addTileSection(writer, "populations", layout_, state_);
    for (std::size_t k = 0; k < checkpoint_.kept.size(); ++k)
      addTileSection(writer, nth("kept_", k), keptLayout(layout_, order_),
                     std::as_bytes(std::span(*checkpoint_.kept[k].nodes)));
    addMarch(writer);
    if (!checkpoint_.cycles.cycles.empty()) addCycles(writer);
    const bool walls = own_ != nullptr ? own_->wallLinks.all > 0 : !checkpoint_.walls.empty();
    if (walls)
      addSection(writer, "walls", checkpoint_.walls, own_ != nullptr ? &own_->wallLinks : nullptr);
  }

 private:
  void addMarch(ContainerWriter& writer) const {
    const MarchState& march = checkpoint_.march;
    if (march.next > 0 || !march.jumps.empty()) writer.addText("march_state", marchText(march));
    if (!march.moments) return;
    addTileSection(writer, "march", keptLayout(layout_, order_, sizeof(double)),
                   std::as_bytes(std::span(*march.moments)));
    for (std::size_t k = 0; k < march.changes.size(); ++k)
      addTileSection(writer, nth("march_", k), keptLayout(layout_, order_),
                     std::as_bytes(std::span(*march.changes[k])));
  }

  void addCycles(ContainerWriter& writer) const {
    const CycleState& state = checkpoint_.cycles;
    writer.add("cycles", state.cycles);
    writer.add("cycle_samples", std::span<const double>(counts_));
    const bool sums = !state.nodes.empty();
    if (sums)
      addTileSection(writer, "cycle_nodes", sumsLayout(layout_),
                     std::as_bytes(std::span(state.nodes)));
    addSection(writer, "cycle_wall", state.wall,
               own_ != nullptr && sums ? &own_->wallPoints : nullptr);
  }

  const Checkpoint& checkpoint_;
  std::span<const std::byte> state_;
  const TileLayout& layout_;
  const OwnOfCheckpoint* own_;
  std::vector<std::uint32_t> order_;
  std::array<double, 2> counts_;
};

namespace {

Checkpoint readFile(const std::filesystem::path& path, const Checkpoint& expected,
                    const TileLayout& layout, const OwnOfCheckpoint* own) {
  const ContainerReader reader(path, "ckpt", majorVersion);
  Checkpoint found = readMeta(path, reader);
  found.olderFormulas = found.physics != expected.physics && found.physics == expected.olderPhysics;
  found.otherThanExpected = difference(found, expected);
  found.otherRecoveries = found.recoveries != expected.recoveries;
  if (found.otherThanExpected.empty() && !found.otherRecoveries)
    readRest(path, reader, layout, own, found);
  return found;
}

}  // namespace

void writeCheckpoint(const std::filesystem::path& path, const Checkpoint& checkpoint,
                     std::span<const std::byte> state, const TileLayout& layout,
                     const Provenance& provenance) {
  const CheckpointSections sections(checkpoint, state, layout, nullptr);
  ContainerWriter writer("ckpt", majorVersion, minorVersion);
  sections.addTo(writer, provenance);
  stage::AtomicFile file(path);
  writer.write(file);
  file.commitKeeping(previous(path));
}

struct CheckpointTogether::Writing {
  std::filesystem::path path;
  Processes& processes;
  CheckpointSections sections;
  ContainerWriter writer{"ckpt", majorVersion, minorVersion};
  std::optional<stage::SharedFile> file{};
  std::optional<stage::ContainerTogether> container{};
  std::exception_ptr error{};
};

CheckpointTogether::CheckpointTogether(const std::filesystem::path& path,
                                       const Checkpoint& checkpoint,
                                       std::span<const std::byte> state, const TileLayout& layout,
                                       const OwnOfCheckpoint& own, const Provenance& provenance,
                                       Processes& processes)
    : writing_(new Writing{path, processes, {checkpoint, state, layout, &own}}) {
  together(processes, [&] { writing_->sections.addTo(writing_->writer, provenance); });
  writing_->file.emplace(path, processes);
  writing_->container.emplace(writing_->writer, *writing_->file);
  writing_->container->take();
}

CheckpointTogether::~CheckpointTogether() = default;

void CheckpointTogether::write() noexcept {
  try {
    writing_->container->write();
  } catch (...) {
    writing_->error = std::current_exception();
  }
}

void CheckpointTogether::finish() {
  together(writing_->processes, [&] {
    if (writing_->error) std::rethrow_exception(writing_->error);
  });
  writing_->container->finish();
  writing_->file->commit(previous(writing_->path));
}

void removeCheckpoints(const std::filesystem::path& path) {
  std::error_code ignored;
  for (const auto& candidate : generations(path)) {
    std::filesystem::remove(stage::followLink(candidate), ignored);
    std::filesystem::remove(candidate, ignored);  // a link
  }
}

bool giveUpPrevious(const std::filesystem::path& path) noexcept try {
  ContainerReader(path, "ckpt", majorVersion).verify();
  if (!std::filesystem::remove(previous(path))) return false;
  stage::logWarning(previous(path).string() + " is given up to make room");
  return true;
} catch (const std::exception&) {
  return false;  // run.ckpt is not whole, or this one cannot be removed
}

std::optional<std::string> newestVariant(const std::filesystem::path& path) {
  for (const auto& candidate : generations(path)) try {
      std::error_code absent;
      if (std::filesystem::exists(candidate, absent))
        return readMeta(candidate, ContainerReader(candidate, "ckpt", majorVersion)).variant;
    } catch (const stage::StageError&) {
      continue;  // reported when its state is read
    }
  return std::nullopt;
}

Checkpoint readCheckpointFile(const std::filesystem::path& path, const Checkpoint& expected,
                              const TileLayout& layout) {
  return readFile(path, expected, layout, nullptr);
}

Checkpoint readCheckpointFile(const std::filesystem::path& path, const Checkpoint& expected,
                              const TileLayout& layout, const OwnOfCheckpoint& own) {
  return readFile(path, expected, layout, &own);
}

namespace {

bool existsForAny(const std::filesystem::path& path, Processes& processes) {
  std::uint64_t there = 0;
  together(processes, [&] {
    std::error_code error;
    there = std::filesystem::exists(path, error) ? 1 : 0;
    if (error)
      fail(ExitCode::BadInput, path.string() + " cannot be read: " + error.message() +
                                   "; check the disk or the network it is on, and try again");
  });
  return stage::sumOf(processes, there) > 0;
}

// A checkpoint that all processes could read; nullopt, with a warning, when it is damaged.
std::optional<Checkpoint> readByAll(const std::filesystem::path& path, const Checkpoint& expected,
                                    const TileLayout& layout, const OwnOfCheckpoint* own,
                                    Processes& processes) {
  Checkpoint found;
  std::string damage;
  together(processes, [&] {
    try {
      found = readFile(path, expected, layout, own);
    } catch (const stage::DamagedFile& error) {
      damage = error.what();
    }
  });
  try {
    together(processes, [&] {
      if (!damage.empty()) throw stage::DamagedFile(damage);
    });
  } catch (const stage::StageError& error) {
    if (error.code() != ExitCode::BadInput) throw;
    if (processes.rank() == 0) stage::logWarning(std::string(error.what()) + " (passed over)");
    return std::nullopt;
  }
  stage::requireSameFile(processes, path, found.contentHash);
  return found;
}

void sayTaken(const std::filesystem::path& path, const Checkpoint& found) {
  if (found.build != stage::buildDescription())
    stage::logWarning(path.string() + " was made by a build for " + found.build +
                      "; this one is for " + stage::buildDescription() +
                      ", so the last digits may differ from a run that was not stopped");
  if (found.olderFormulas)
    stage::logWarning(path.string() +
                      " is of version 0.1, whose openings and walls acted by other formulas: the "
                      "flow goes on with a jump, and a mean over a cycle begun before mixes both");
  stage::logInfo(fmt::format("resuming from {} at step {}", path.string(), found.step));
}

// Replaces a damaged newest one, which would otherwise be kept as the previous one. A failure is
// ignored: the next checkpoint reports whether anything can be written.
void makeNewest(const std::filesystem::path& candidate, const std::filesystem::path& path) {
  std::error_code ignored;
  std::filesystem::rename(candidate, stage::followLink(path), ignored);
  if (!ignored) stage::logInfo(candidate.string() + " has taken the place of " + path.string());
}

std::optional<Checkpoint> readNewest(const std::filesystem::path& path, const Checkpoint& expected,
                                     const TileLayout& layout, const OwnOfCheckpoint* own,
                                     Processes& processes) {
  bool isDamaged = false;  // the file with the name of the newest
  for (const auto& candidate : generations(path)) {
    if (!existsForAny(candidate, processes)) continue;
    std::optional<Checkpoint> found = readByAll(candidate, expected, layout, own, processes);
    if (!found) {
      isDamaged = isDamaged || candidate == path;
      continue;
    }
    if (!found->otherThanExpected.empty())
      fail(ExitCode::BadInput, candidate.string() + ": belongs to another " +
                                   found->otherThanExpected +
                                   "; run without --resume, or with what it was made with");
    if (found->otherRecoveries) return found;
    if (processes.rank() == 0) {
      sayTaken(candidate, *found);
      if (isDamaged) makeNewest(candidate, path);
    }
    return found;
  }
  if (processes.rank() == 0) stage::logInfo("no checkpoint " + path.string() + ": starting afresh");
  return std::nullopt;
}

}  // namespace

std::optional<Checkpoint> readCheckpoint(const std::filesystem::path& path,
                                         const Checkpoint& expected, const TileLayout& layout) {
  stage::OneProcess alone;
  return readNewest(path, expected, layout, nullptr, alone);
}

std::optional<Checkpoint> readCheckpoint(const std::filesystem::path& path,
                                         const Checkpoint& expected, const TileLayout& layout,
                                         const OwnOfCheckpoint& own, Processes& processes) {
  return readNewest(path, expected, layout, &own, processes);
}

}  // namespace tessera::solver::file
