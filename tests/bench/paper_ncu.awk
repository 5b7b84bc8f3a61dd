# SPDX-License-Identifier: GPL-3.0-or-later
# Output of ncu (--csv --page raw) as Table 5, with the paper's values. The last launch of each kernel
# counts.
function layoutsOf(kernel) {
  if (kernel ~ /readWriteKernel/) return "read/write only"
  if (kernel ~ /D3Q19PaperLayouts/) return "XYZ + YXZ + zigzagNE"
  if (kernel ~ /D3Q19YxzLayout/) return "XYZ + YXZ"
  if (kernel ~ /D3Q19ZigzagLayout/) return "XYZ + zigzagNE"
  return "XYZ"
}
function number(name,   text) {
  text = field[column[name]]
  gsub(/,/, "", text)
  return text + 0
}
!/^"/ { next }
{
  sub(/^"/, ""); sub(/"\r?$/, "")
  fields = split($0, field, "\",\"")
}
field[1] == "ID" { for (f = 1; f <= fields; f++) column[field[f]] = f; next }
field[1] == "" { next }  # units
{
  name = layoutsOf(field[column["Kernel Name"]])
  l2Reads[name] = number("lts__t_sectors_op_read.sum")
  l2Writes[name] = number("lts__t_sectors_op_write.sum")
  memoryReads[name] = number("dram__sectors_read.sum")
  memoryWrites[name] = number("dram__sectors_write.sum")
  warps = number("smsp__warps_launched.sum")
  instructions[name] = warps > 0 ? number("smsp__inst_executed.sum") / warps : 0
}
END {
  rows = split("XYZ|XYZ + zigzagNE|XYZ + YXZ|XYZ + YXZ + zigzagNE|read/write only", row, "|")
  split("8188609 7827219 6730769 6368191 4812588", paperL2, " ")
  split("7298421 6824451 5397210 4919420 4812524", paperMemory, " ")
  split("673 701 681 711 99", paperInstructions, " ")
  print "layouts,l2_reads,l2_writes,memory_reads,memory_writes,hit_rate,instructions_per_warp,paper_l2_reads,paper_memory_reads,paper_hit_rate,paper_instructions"
  for (r = 1; r <= rows; r++) {
    name = row[r]
    if (!(name in l2Reads)) continue
    printf "%s,%.0f,%.0f,%.0f,%.0f,%.4f,%.1f,%s,%s,%.4f,%s\n", name, l2Reads[name], l2Writes[name], \
      memoryReads[name], memoryWrites[name], \
      (l2Reads[name] > 0 ? 1 - memoryReads[name] / l2Reads[name] : 0), instructions[name], paperL2[r], \
      paperMemory[r], 1 - paperMemory[r] / paperL2[r], paperInstructions[r]
  }
}
