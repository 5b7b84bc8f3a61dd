// SPDX-License-Identifier: GPL-3.0-or-later
#include "pipelines/picture/typeset.hpp"

#include <ft2build.h>
#include FT_FREETYPE_H
#include FT_OUTLINE_H
#include <hb.h>
#include <raqm.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "pipelines/picture/unicode.hpp"
#include "pipelines/stage/cli/progress.hpp"
#include "pipelines/stage/text.hpp"

namespace tessera::picture {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t mostFonts = 4000;
constexpr double unitsOfFreeType = 64.0;  // positions are in 1/64

std::vector<fs::path> fontFolders() {
  std::vector<fs::path> folders;
  if (const char* given = std::getenv(fontsVariable)) {
    std::string_view rest = given;
    while (!rest.empty()) {
      const std::size_t end = std::min(rest.find(':'), rest.size());
      if (end > 0) folders.emplace_back(rest.substr(0, end));
      rest.remove_prefix(std::min(end + 1, rest.size()));
    }
    return folders;
  }
  folders = {"/usr/share/fonts", "/usr/local/share/fonts"};
  if (const char* home = std::getenv("HOME"); home != nullptr && *home != '\0')
    folders.push_back(fs::path(home) / ".local/share/fonts");
  return folders;
}

bool isFont(const fs::path& path) {
  const std::string ending = path.extension().string();
  return ending == ".ttf" || ending == ".otf" || ending == ".ttc";
}

// Order in which fonts are asked for a character; equal ones by path.
int rankOf(const fs::path& path, bool bold) {
  const std::string stem = path.stem().string();
  if (stem == (bold ? "DejaVuSans-Bold" : "DejaVuSans")) return 0;
  if (stem == "DejaVuSans") return 1;
  if (stem == "DroidSansFallbackFull") return 2;
  if (stem == "DroidSansFallback") return 3;
  if (stem.find("Sans") != std::string::npos && stem.ends_with("-Regular")) return 4;
  if (stem.ends_with("-Regular")) return 5;
  return 6;
}

std::vector<fs::path> fontFiles() {
  std::vector<fs::path> files;
  for (const fs::path& folder : fontFolders()) {
    std::error_code error;
    fs::recursive_directory_iterator entry(folder, fs::directory_options::skip_permission_denied,
                                           error);
    for (; !error && entry != fs::recursive_directory_iterator() && files.size() < mostFonts;
         entry.increment(error))
      if (isFont(entry->path()) && entry->is_regular_file(error)) files.push_back(entry->path());
  }
  std::sort(files.begin(), files.end());
  return files;
}

struct CloseFace {
  void operator()(FT_Face face) const { FT_Done_Face(face); }
};
using Face = std::unique_ptr<FT_FaceRec, CloseFace>;

// Fonts of one weight in the order of rankOf(), opened when they are first asked.
class FontList {
 public:
  FontList(FT_Library library, std::vector<fs::path> files, bool bold) : library_(library) {
    std::stable_sort(files.begin(), files.end(), [bold](const fs::path& a, const fs::path& b) {
      return rankOf(a, bold) < rankOf(b, bold);
    });
    for (fs::path& file : files) fonts_.push_back({std::move(file), {}, false});
  }
  // The first font; null without any.
  FT_Face first() {
    for (std::size_t i = 0; i < fonts_.size(); ++i)
      if (FT_Face face = faceOf(i)) return face;
    return nullptr;
  }
  // The first font that has the character; null if none has.
  FT_Face having(char32_t code) {
    for (std::size_t i = 0; i < fonts_.size(); ++i)
      if (FT_Face face = faceOf(i); face != nullptr && FT_Get_Char_Index(face, code) != 0)
        return face;
    return nullptr;
  }

 private:
  struct Font {
    fs::path file;
    Face face;
    bool asked = false;
  };
  // Scalable fonts of Unicode only, sized so that a pixel is a unit of the font; else null.
  FT_Face faceOf(std::size_t index) {
    Font& font = fonts_[index];
    if (font.asked) return font.face.get();
    font.asked = true;
    FT_Face opened = nullptr;
    if (FT_New_Face(library_, font.file.c_str(), 0, &opened) != 0) return nullptr;
    font.face.reset(opened);
    const bool isUsable = FT_IS_SCALABLE(opened) && opened->charmap != nullptr &&
                          opened->charmap->encoding == FT_ENCODING_UNICODE &&
                          FT_Set_Pixel_Sizes(opened, 0, opened->units_per_EM) == 0;
    if (!isUsable) font.face.reset();
    return font.face.get();
  }

  FT_Library library_;
  std::vector<Font> fonts_;
};

// Contours under construction, in em.
struct Pen {
  std::vector<std::vector<Point>>& contours;
  double scale;  // em per 1/64 unit
  double x, y;   // em, of the glyph's origin

  [[nodiscard]] Point at(const FT_Vector* p) const {
    return {x + scale * static_cast<double>(p->x), y - scale * static_cast<double>(p->y)};
  }
  // Bezier curve of second or third order through its control points, as chords.
  void curve(const std::vector<Point>& control) {
    constexpr int chords = 8;
    const Point start = contours.back().back();
    for (int i = 1; i <= chords; ++i) {
      std::vector<Point> p{start};
      p.insert(p.end(), control.begin(), control.end());
      const double t = static_cast<double>(i) / chords;
      for (; p.size() > 1; p.pop_back())  // de Casteljau
        for (std::size_t k = 0; k + 1 < p.size(); ++k)
          p[k] = {p[k].x + t * (p[k + 1].x - p[k].x), p[k].y + t * (p[k + 1].y - p[k].y)};
      contours.back().push_back(p.front());
    }
  }
};

Pen& penOf(void* user) {
  return *static_cast<Pen*>(user);
}

void appendGlyph(FT_Face face, unsigned glyph, Pen pen) {
  if (FT_Load_Glyph(face, glyph, FT_LOAD_NO_HINTING | FT_LOAD_NO_BITMAP) != 0 ||
      face->glyph->format != FT_GLYPH_FORMAT_OUTLINE)
    return;
  FT_Outline_Funcs draw{};
  draw.move_to = [](const FT_Vector* to, void* user) {
    penOf(user).contours.push_back({penOf(user).at(to)});
    return 0;
  };
  draw.line_to = [](const FT_Vector* to, void* user) {
    penOf(user).contours.back().push_back(penOf(user).at(to));
    return 0;
  };
  draw.conic_to = [](const FT_Vector* control, const FT_Vector* to, void* user) {
    penOf(user).curve({penOf(user).at(control), penOf(user).at(to)});
    return 0;
  };
  draw.cubic_to = [](const FT_Vector* a, const FT_Vector* b, const FT_Vector* to, void* user) {
    penOf(user).curve({penOf(user).at(a), penOf(user).at(b), penOf(user).at(to)});
    return 0;
  };
  FT_Outline_Decompose(&face->glyph->outline, &draw, &pen);
}

bool isMark(char32_t code) {
  const auto category = hb_unicode_general_category(hb_unicode_funcs_get_default(), code);
  return category == HB_UNICODE_GENERAL_CATEGORY_NON_SPACING_MARK ||
         category == HB_UNICODE_GENERAL_CATEGORY_SPACING_MARK ||
         category == HB_UNICODE_GENERAL_CATEGORY_ENCLOSING_MARK ||
         category == HB_UNICODE_GENERAL_CATEGORY_FORMAT;
}

// A mark or joiner keeps the font of the character before it where that has it or no other does.
FT_Face faceFor(char32_t code, FT_Face before, FontList& fonts) {
  if (before == nullptr || !isMark(code)) return fonts.having(code);
  if (FT_Get_Char_Index(before, code) != 0) return before;
  FT_Face const other = fonts.having(code);
  return other != nullptr ? other : before;
}

struct DestroyLayout {
  void operator()(raqm_t* layout) const { raqm_destroy(layout); }
};

// Shaped glyphs of the whole text, with a face for each character, as outlines.
TextOutline outlineOf(const std::u32string& codes, const std::vector<FT_Face>& faces) {
  const std::unique_ptr<raqm_t, DestroyLayout> layout(raqm_create());
  TextOutline outline;
  std::vector<std::uint32_t> text(codes.begin(), codes.end());
  bool done = layout && raqm_set_text(layout.get(), text.data(), text.size()) &&
              raqm_set_par_direction(layout.get(), RAQM_DIRECTION_DEFAULT) &&
              raqm_set_freetype_load_flags(layout.get(), FT_LOAD_NO_HINTING);
  for (std::size_t i = 0, end = 0; done && i < faces.size(); i = end) {
    while (end < faces.size() && faces[end] == faces[i]) ++end;
    done = raqm_set_freetype_face_range(layout.get(), faces[i], i, end - i);
  }
  std::size_t count = 0;
  const raqm_glyph_t* glyphs = nullptr;
  if (done && raqm_layout(layout.get())) glyphs = raqm_get_glyphs(layout.get(), &count);
  for (std::size_t i = 0; glyphs != nullptr && i < count; ++i) {
    const raqm_glyph_t& glyph = glyphs[i];
    const double scale = 1.0 / (unitsOfFreeType * glyph.ftface->units_per_EM);
    appendGlyph(
        glyph.ftface, glyph.index,
        {outline.contours, scale, outline.width + scale * glyph.x_offset, -scale * glyph.y_offset});
    outline.width += scale * glyph.x_advance;
  }
  return outline;
}

// FreeType is used by one thread at a time.
class Typesetter {
 public:
  TextOutline outline(std::string_view utf8, bool bold) {
    const std::u32string codes = drawnCodes(utf8);
    const std::lock_guard lock(mutex_);
    if (!open() || codes.empty()) return {};
    FontList& fonts = bold ? *bold_ : *plain_;
    FT_Face const first = fonts.first();
    if (first == nullptr) {
      warn(saidNoFont_,
           "no font was found, so pictures have no text; install the package fonts-dejavu-core, or "
           "name folders with fonts in TESSERA_FONTS");
      return {};
    }
    std::vector<FT_Face> faces;
    for (char32_t code : codes) {
      FT_Face const face = faceFor(code, faces.empty() ? nullptr : faces.back(), fonts);
      if (face == nullptr)
        warn(
            saidMissing_,
            fmt::format("no installed font has the character U+{:04X} of \"{}\", so it is drawn as "
                        "a box; install fonts-droid-fallback or a font of its script",
                        static_cast<std::uint32_t>(code), cutToWidth(utf8, bold, 40.0)));
      faces.push_back(face != nullptr ? face : first);
    }
    return outlineOf(codes, faces);
  }

 private:
  bool open() {
    if (plain_) return true;
    if (library_ == nullptr && FT_Init_FreeType(&library_) != 0) return false;
    const std::vector<fs::path> files = fontFiles();
    plain_.emplace(library_, files, false);
    bold_.emplace(library_, files, true);
    return true;
  }
  static void warn(bool& said, const std::string& text) {
    if (!said) stage::logWarning(text);
    said = true;
  }

  std::mutex mutex_;
  FT_Library library_ = nullptr;
  std::optional<FontList> plain_, bold_;
  bool saidNoFont_ = false, saidMissing_ = false;
};

}  // namespace

TextOutline typeset(std::string_view utf8, bool bold) {
  static Typesetter typesetter;
  return typesetter.outline(utf8, bold);
}

}  // namespace tessera::picture
