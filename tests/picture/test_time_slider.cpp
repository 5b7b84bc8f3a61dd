// SPDX-License-Identifier: GPL-3.0-or-later
// The slider through the times of the wall view, in headless Chromium; and animated PNG.
#include <sys/wait.h>

#include <catch2/catch.hpp>
#include <cstdlib>
#include <fstream>

#include "pipelines/picture/animation.hpp"
#include "pipelines/picture/wall_view.hpp"
#include "tests/fixtures/temporary_folder.hpp"

using namespace tessera;
using namespace tessera::picture;

namespace {

// Moves the slider, plays, and chooses the quantity without times; notes what is seen.
constexpr const char* input = R"script(<script>
addEventListener("load", () => setTimeout(() => {
  const view = document.getElementById("wall-view"), bar = view.querySelector(".view-time");
  const [slider, label] = [bar.querySelector("input"), bar.querySelector("span")];
  const choice = view.querySelector("select"), seen = [];
  const canvas = view.querySelector("canvas"), gl = canvas.getContext("webgl");
  const middle = () => {
    const pixel = new Uint8Array(4);
    gl.readPixels(canvas.width / 2, canvas.height / 2, 1, 1, gl.RGBA, gl.UNSIGNED_BYTE, pixel);
    return pixel.join(",");
  };
  const wait = () => new Promise((done) => setTimeout(done, 100));
  (async () => {
    await wait();
    seen.push(slider.max, label.textContent);
    const first = middle();
    slider.value = "1";
    slider.dispatchEvent(new Event("input"));
    await wait();
    seen.push(label.textContent, middle() === first ? "same" : "other");
    choice.value = "1";
    choice.dispatchEvent(new Event("change"));
    seen.push(bar.hidden);
    choice.value = "0";
    choice.dispatchEvent(new Event("change"));
    seen.push(bar.hidden);
    document.title = seen.join("|");
  })();
}, 200));
window.requestAnimationFrame = (draw) => setTimeout(() => draw(performance.now()), 5);
</script>)script";

int bigEndianAt(const std::string& bytes, std::size_t at) {
  return static_cast<unsigned char>(bytes[at + 2]) * 256 +
         static_cast<unsigned char>(bytes[at + 3]);
}

}  // namespace

TEST_CASE("Time slider: it shows the values of its time, and hides for quantities without",
          "[unit]") {
  if (std::system("command -v chromium >/dev/null 2>&1") != 0) {
    WARN("no Chromium here (apt install chromium): the slider is not tried in a browser");
    return;
  }
  const std::vector<Double3> vertex{{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}};
  const std::vector<stage::Triangle> triangle{{0, 1, 2}, {0, 2, 3}};
  const std::vector<double> now(4, 1.0);
  const std::vector<std::vector<float>> frames{std::vector<float>(4, 0.5F),
                                               std::vector<float>(4, 9.5F)};
  std::vector<WallViewValues> choices(2);
  for (WallViewValues& values : choices) {
    values.title = "shear";
    values.vertex = now;
    values.scale = {ColourMap::Viridis, 0.0, 10.0};
  }
  choices[0].frames = frames;
  choices[0].times = {"t = 1 s", "t = 2 s"};
  const TemporaryFolder folder;
  std::ofstream(folder / "page.html")
      << "<!DOCTYPE html><html><head><style>" << wallViewStyle << "</style>" << input
      << "</head><body>" << wallView(vertex, triangle, choices) << "</body></html>";
  const std::string command =
      "timeout 300 chromium --headless=new --no-sandbox --use-angle=swiftshader "
      "--enable-unsafe-swiftshader --virtual-time-budget=10000 --user-data-dir='" +
      (folder / "profile").string() + "' --dump-dom 'file://" + (folder / "page.html").string() +
      "' >'" + (folder / "dom").string() + "' 2>/dev/null";
  REQUIRE(std::system(command.c_str()) == 0);
  CHECK(readWhole(folder / "dom").find("<title>1|t = 1 s|t = 2 s|other|true|false</title>") !=
        std::string::npos);
}

TEST_CASE("Animation: an animated PNG declares its frames and numbers their chunks in order",
          "[unit]") {
  const Image red(6, 4, colourOf(0xff0000)), blue(6, 4, colourOf(0x0000ff));
  const std::vector<std::string> pngs{encodePng(red), encodePng(blue), encodePng(red)};
  const std::string file = encodeAnimation(pngs, 250);
  CHECK(file == encodeAnimation(pngs, 250));
  CHECK(file.substr(1, 3) == "PNG");
  CHECK(bigEndianAt(file, file.find("acTL") + 4) == 3);
  CHECK(file.find("acTL") < file.find("IDAT"));
  int number = 0;
  for (std::size_t at = file.find("fcTL"); at != std::string::npos;
       at = std::min(file.find("fcTL", at + 4), file.find("fdAT", at + 4)))
    CHECK(bigEndianAt(file, at + 4) == number++);
  CHECK(number == 5);  // three frames, the later two with one chunk of data each
  CHECK(file.substr(file.size() - 8, 4) == "IEND");
  const Image half = halved(red);
  CHECK(half.width == 3);
  CHECK(half.at(2, 1) == colourOf(0xff0000));
}
