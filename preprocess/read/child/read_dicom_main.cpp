// SPDX-License-Identifier: GPL-3.0-or-later
// tessera-read-dicom: reads DICOM files by GDCM for tessera-preprocess, which does not trust it
// (confined.hpp). Modes: "headers", words are files: DicomImage or NoImage for each; "voxels",
// words are a frame and its file in turn: Voxels for each. Tags: PS3.6; enhanced multi-frame files
// have the values of a frame in functional groups (PS3.3 C.7.6.16).
#include <gdcmImageReader.h>
#include <gdcmReader.h>
#include <gdcmSequenceOfItems.h>
#include <gdcmTrace.h>

#include <charconv>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <limits>
#include <optional>
#include <span>
#include <sstream>
#include <vector>

#include "pipelines/stage/error.hpp"
#include "pipelines/stage/text.hpp"
#include "preprocess/read/child/confined.hpp"
#include "preprocess/read/decode.hpp"

using namespace tessera;
using namespace tessera::preprocess::read;

namespace {

constexpr double absent = std::numeric_limits<double>::quiet_NaN();

[[noreturn]] void refuse(const std::string& sentence) {
  stage::fail(stage::ExitCode::BadInput, sentence);
}

// Buffer that notices a read beyond the end of the file. GDCM fills what is missing of an element;
// after the last element it looks for a tag.
template <class Buffer>
class WatchedBuffer : public Buffer {
 public:
  using Buffer::Buffer;
  [[nodiscard]] bool isCut() const { return isCut_; }

 protected:
  std::streamsize xsgetn(char* target, std::streamsize count) override {
    constexpr std::streamsize longestTag = 12;  // with its type and length
    const std::streamsize taken = Buffer::xsgetn(target, count);
    isCut_ = isCut_ || (taken < count && count > longestTag);
    return taken;
  }

 private:
  bool isCut_ = false;
};

// A file, decompressed where it is named .gz.
class DicomStream {
 public:
  explicit DicomStream(const std::string& path) : stream_(&file_) {
    if (path.ends_with(".gz")) {
      inflated_.str(std::string(readUncompressed(path).text()));
      stream_.rdbuf(&inflated_);
    } else if (file_.open(path, std::ios::in | std::ios::binary) == nullptr) {
      refuse("it cannot be opened");
    }
  }
  [[nodiscard]] std::istream& stream() { return stream_; }
  [[nodiscard]] bool isCut() const { return file_.isCut() || inflated_.isCut(); }

 private:
  WatchedBuffer<std::filebuf> file_;
  WatchedBuffer<std::stringbuf> inflated_;
  std::istream stream_;
};

// Data set and, in multi-frame files, the functional groups of one frame and those of all frames.
using DataSets = std::vector<gdcm::DataSet>;

std::string_view bytesOf(const gdcm::DataSet& set, const gdcm::Tag& tag) {
  if (!set.FindDataElement(tag)) return {};
  const gdcm::ByteValue* value = set.GetDataElement(tag).GetByteValue();
  if (value == nullptr || value->GetPointer() == nullptr) return {};
  return {value->GetPointer(), value->GetLength()};
}

std::string_view trimmed(std::string_view text) {
  text = text.substr(0, text.find('\0'));
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  return text;
}

std::string_view textOf(const gdcm::DataSet& set, const gdcm::Tag& tag) {
  return trimmed(bytesOf(set, tag));
}

double parsed(std::string_view word) {
  word = trimmed(word);
  if (word.starts_with('+')) word.remove_prefix(1);
  double value = absent;
  const auto result = std::from_chars(word.data(), word.data() + word.size(), value);
  return result.ec == std::errc() ? value : absent;
}

// Numbers written as text (IS, DS), separated by backslashes; too few: not a number.
std::vector<double> numbersOf(const gdcm::DataSet& set, const gdcm::Tag& tag, std::size_t count) {
  std::string_view text = textOf(set, tag);
  std::vector<double> values;
  while (values.size() < count) {
    const std::size_t end = std::min(text.find('\\'), text.size());
    values.push_back(parsed(text.substr(0, end)));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return values;
}

double numberOf(const gdcm::DataSet& set, const gdcm::Tag& tag) {
  return numbersOf(set, tag, 1).front();
}

// A binary number (US, UL, FD).
template <class Number>
std::optional<Number> binaryOf(const gdcm::DataSet& set, const gdcm::Tag& tag) {
  const std::string_view bytes = bytesOf(set, tag);
  Number value{};
  if (bytes.size() < sizeof value) return std::nullopt;
  std::memcpy(&value, bytes.data(), sizeof value);
  return value;
}

std::uint32_t shortOf(const gdcm::DataSet& set, const gdcm::Tag& tag, std::uint32_t otherwise) {
  return binaryOf<std::uint16_t>(set, tag).value_or(static_cast<std::uint16_t>(otherwise));
}

gdcm::SmartPointer<gdcm::SequenceOfItems> sequenceOf(const gdcm::DataSet& set,
                                                     const gdcm::Tag& tag) {
  if (!set.FindDataElement(tag)) return nullptr;
  return set.GetDataElement(tag).GetValueAsSQ();
}

// The item of that number, from 1, of a sequence; an empty data set if there is none.
gdcm::DataSet itemOf(const gdcm::SmartPointer<gdcm::SequenceOfItems>& sequence,
                     std::size_t number) {
  if (sequence == nullptr || number > sequence->GetNumberOfItems()) return {};
  return sequence->GetItem(number).GetNestedDataSet();
}

// The first data set, or first item of a sequence in one, that has the tag: of the frame, of all
// frames, of the file.
gdcm::DataSet setWith(const DataSets& sets, const gdcm::Tag& sequence, const gdcm::Tag& tag) {
  for (const gdcm::DataSet& set : sets) {
    const gdcm::DataSet inside = itemOf(sequenceOf(set, sequence), 1);
    if (inside.FindDataElement(tag)) return inside;
  }
  return sets.back();
}

void writeNumbers(ChildWriter& writer, std::span<const double> values) {
  bool areThere = true;
  for (const double value : values) areThere = areThere && std::isfinite(value);
  writer.number(areThere ? 1 : 0);
  for (const double value : values) writer.real(value);
}

double orElse(double value, double otherwise) {
  return std::isfinite(value) ? value : otherwise;
}

double realOf(const DataSets& sets, const gdcm::Tag& sequence, const gdcm::Tag& tag) {
  return binaryOf<double>(setWith(sets, sequence, tag), tag).value_or(0.0);
}

void writePhases(ChildWriter& writer, const DataSets& sets) {
  const gdcm::DataSet& file = sets.back();
  const gdcm::Tag content(0x20, 0x9111), temporal(0x20, 0x9128), stack(0x20, 0x9056);
  const bool isMultiFrame = sets.size() > 1;
  const double index =
      binaryOf<std::uint32_t>(setWith(sets, content, temporal), temporal).value_or(0);
  writer.real(orElse(numberOf(file, {0x20, 0x12}), 0.0));
  writer.real(isMultiFrame ? realOf(sets, {0x18, 0x9114}, {0x18, 0x9082})
                           : orElse(numberOf(file, {0x18, 0x86}), 0.0));
  writer.real(isMultiFrame ? index : orElse(numberOf(file, {0x20, 0x100}), 0.0));
  writer.real(orElse(numberOf(file, {0x18, 0x1060}), 0.0));
  writer.real(orElse(numberOf(setWith(sets, content, stack), stack), 0.0));
  writer.real(realOf(sets, {0x18, 0x9117}, {0x18, 0x9087}));
}

// The position of a frame is in its functional groups alone.
std::vector<double> positionOf(DataSets sets) {
  const gdcm::Tag position(0x20, 0x32);
  if (sets.size() > 1) sets.back() = gdcm::DataSet();
  return numbersOf(setWith(sets, {0x20, 0x9113}, position), position, 3);
}

void writeFrame(ChildWriter& writer, const DataSets& sets) {
  const gdcm::Tag direction(0x20, 0x37), spacing(0x28, 0x30);
  const gdcm::Tag intercept(0x28, 0x1052), slope(0x28, 0x1053);
  writeNumbers(writer, positionOf(sets));
  writeNumbers(writer, numbersOf(setWith(sets, {0x20, 0x9116}, direction), direction, 6));
  // Between rows first, as in the file.
  const auto sides = numbersOf(setWith(sets, {0x28, 0x9110}, spacing), spacing, 2);
  writeNumbers(writer, std::array{sides[1], sides[0]});
  const gdcm::DataSet scale = setWith(sets, {0x28, 0x9145}, slope);
  writer.real(orElse(numberOf(scale, slope), 1.0));
  writer.real(orElse(numberOf(scale, intercept), 0.0));
  writePhases(writer, sets);
}

// Careless programs declare 0 frames of an image.
std::uint32_t framesOf(const gdcm::DataSet& set) {
  const double declared = orElse(numberOf(set, {0x28, 0x8}), 1.0);
  return static_cast<std::uint32_t>(std::clamp(declared, 1.0, 4e9));
}

void writeImage(ChildWriter& writer, const gdcm::DataSet& set) {
  constexpr std::uint32_t grey = 1;
  writer.begin(ChildMessage::DicomImage);
  for (const gdcm::Tag& tag : {gdcm::Tag(0x8, 0x18), gdcm::Tag(0x20, 0xe), gdcm::Tag(0x8, 0x103e),
                               gdcm::Tag(0x8, 0x60), gdcm::Tag(0x28, 0x4)})
    writer.text(textOf(set, tag));
  writer.real(orElse(numberOf(set, {0x20, 0x11}), 0.0));
  const std::uint32_t bits = shortOf(set, {0x28, 0x100}, 0);
  const std::uint32_t stored = shortOf(set, {0x28, 0x101}, bits);
  for (const std::uint32_t value :
       {shortOf(set, {0x28, 0x11}, 0), shortOf(set, {0x28, 0x10}, 0), bits, stored,
        shortOf(set, {0x28, 0x102}, stored - 1), shortOf(set, {0x28, 0x2}, grey),
        shortOf(set, {0x28, 0x103}, 0)})
    writer.number(value);
  const std::uint32_t frames = framesOf(set);
  writer.number(frames);
  if (frames == 1 && !set.FindDataElement(gdcm::Tag(0x5200, 0x9230)))
    return writeFrame(writer, {set});
  const auto each = sequenceOf(set, {0x5200, 0x9230}), all = sequenceOf(set, {0x5200, 0x9229});
  for (std::uint32_t k = 0; k < frames; ++k)
    writeFrame(writer, {itemOf(each, std::size_t{k} + 1), itemOf(all, 1), set});
}

void writeHeader(const std::string& path, ChildWriter& writer) {
  const auto skip = [&](const std::string& reason) {
    writer.begin(ChildMessage::NoImage);
    writer.text(reason);
  };
  gdcm::Reader reader;
  DicomStream file(path);
  reader.SetStream(file.stream());
  const auto isRead = [&] {
    try {
      return reader.ReadUpToTag(gdcm::Tag(0x7fe0, 0x10));
    } catch (const std::bad_alloc&) {
      throw;
    } catch (const std::exception&) {
      return false;
    }
  };
  if (!isRead()) return skip("is damaged or not DICOM");
  const gdcm::DataSet& set = reader.GetFile().GetDataSet();
  if (!set.FindDataElement(gdcm::Tag(0x28, 0x10)) || !set.FindDataElement(gdcm::Tag(0x28, 0x11)))
    return skip("has no image (such as a directory, report or dose)");
  std::error_code error;
  const std::uint64_t bytes = std::filesystem::file_size(path, error);
  if (const std::uint32_t frames = framesOf(set); error || !canHoldFrames(bytes, frames))
    return skip(fmt::format("declares {} frames, more than its {} bytes can hold, {} each", frames,
                            bytes, leastFrameBytes));
  writeImage(writer, set);
}

// Voxels of all frames of the file read last.
struct DicomVoxels {
  std::string path;
  std::uint32_t columns = 0, rows = 0, bits = 0, stored = 0;
  bool isSigned = false;
  std::size_t frameBytes = 0;
  std::vector<char> bytes;
};

// Values are the lowest bits; older files have overlays in the others.
template <class Stored>
void keepStoredBits(std::vector<char>& bytes, std::uint32_t stored) {
  const auto unused = static_cast<unsigned>(8 * sizeof(Stored) - stored);
  using Unsigned = std::make_unsigned_t<Stored>;
  for (std::size_t at = 0; at + sizeof(Stored) <= bytes.size(); at += sizeof(Stored)) {
    Unsigned value{};
    std::memcpy(&value, bytes.data() + at, sizeof value);
    value = static_cast<Unsigned>(value << unused);
    const auto kept = static_cast<Stored>(static_cast<Stored>(value) >> unused);
    std::memcpy(bytes.data() + at, &kept, sizeof kept);
  }
}

void keepStoredBits(DicomVoxels& voxels) {
  if (voxels.stored < 1 || voxels.stored >= voxels.bits) return;
  std::vector<char>& bytes = voxels.bytes;
  if (voxels.bits == 8)
    return voxels.isSigned ? keepStoredBits<std::int8_t>(bytes, voxels.stored)
                           : keepStoredBits<std::uint8_t>(bytes, voxels.stored);
  if (voxels.bits == 16)
    return voxels.isSigned ? keepStoredBits<std::int16_t>(bytes, voxels.stored)
                           : keepStoredBits<std::uint16_t>(bytes, voxels.stored);
  if (voxels.bits == 32)
    return voxels.isSigned ? keepStoredBits<std::int32_t>(bytes, voxels.stored)
                           : keepStoredBits<std::uint32_t>(bytes, voxels.stored);
}

DicomVoxels decode(const std::string& path) {
  gdcm::ImageReader reader;
  DicomStream file(path);
  reader.SetStream(file.stream());
  if (!reader.Read()) refuse("its voxels are damaged or of an unknown compression");
  // A deflated file is read in blocks; its own check value says whether it is whole.
  const bool isDeflated = reader.GetFile().GetHeader().GetDataSetTransferSyntax() ==
                          gdcm::TransferSyntax::DeflatedExplicitVRLittleEndian;
  if (file.isCut() && !isDeflated) refuse("it is truncated");
  const gdcm::Image& image = reader.GetImage();
  const gdcm::PixelFormat& format = image.GetPixelFormat();
  DicomVoxels voxels;
  voxels.path = path;
  voxels.columns = image.GetColumns();
  voxels.rows = image.GetRows();
  voxels.bits = format.GetBitsAllocated();
  voxels.stored = format.GetBitsStored();
  voxels.isSigned = format.GetPixelRepresentation() != 0;
  voxels.frameBytes = std::size_t{voxels.columns} * voxels.rows * (voxels.bits / 8);
  if (format.GetSamplesPerPixel() != 1 || voxels.frameBytes == 0) refuse("its voxels are colours");
  // Bytes that are not compressed; GDCM fills what is missing.
  const std::string_view raw = bytesOf(reader.GetFile().GetDataSet(), {0x7fe0, 0x10});
  if (raw.data() != nullptr && raw.size() < image.GetBufferLength())
    refuse(
        fmt::format("it has {} bytes of voxels, expected {}", raw.size(), image.GetBufferLength()));
  voxels.bytes.resize(image.GetBufferLength());
  if (!image.GetBuffer(voxels.bytes.data())) refuse("its voxels are damaged");
  keepStoredBits(voxels);
  return voxels;
}

void writeVoxels(const DicomVoxels& voxels, std::size_t frame, ChildWriter& writer) {
  if ((frame + 1) * voxels.frameBytes > voxels.bytes.size())
    refuse(fmt::format("it has no voxels of frame {}", frame + 1));
  writer.begin(ChildMessage::Voxels);
  for (const std::uint32_t value :
       {voxels.columns, voxels.rows, voxels.bits, voxels.isSigned ? 1U : 0U})
    writer.number(value);
  writer.bytes(voxels.bytes.data() + frame * voxels.frameBytes, voxels.frameBytes);
}

void readDicomTask(const ChildTask& task, ChildWriter& writer) {
  gdcm::Trace::WarningOff();
  gdcm::Trace::ErrorOff();
  if (task.mode == "headers")
    for (const std::string& path : task.words) {
      writer.flush();  // so that a crash is blamed on its file
      writeHeader(path, writer);
    }
  if (task.mode != "voxels") return;
  DicomVoxels voxels;
  for (std::size_t k = 0; k + 1 < task.words.size(); k += 2) {
    writer.flush();
    if (voxels.path != task.words[k + 1]) voxels = decode(task.words[k + 1]);
    writeVoxels(voxels, static_cast<std::size_t>(parsed(task.words[k])), writer);
  }
}

}  // namespace

int main(int argc, char** argv) {
  runConfined(argc, argv, readDicomTask);
}
