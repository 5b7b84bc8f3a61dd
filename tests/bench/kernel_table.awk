# SPDX-License-Identifier: GPL-3.0-or-later
# Output of cuobjdump (--dump-resource-usage, --dump-elf, --dump-sass) or ptxas -v as one line per
# kernel and architecture. Occupancy: warps of a multiprocessor by registers, in units of 256 per warp,
# and static shared memory; shared memory given at a launch is in no file.
function note(name) {
  key = arch SUBSEP name
  if (!(key in known)) { known[key] = ++kernels; keyOf[kernels] = key; nameOf[key] = name; archOf[key] = arch }
}
function after(text, mark,   rest) {
  if (index(text, mark) == 0) return 0
  rest = substr(text, index(text, mark) + length(mark))
  return rest + 0
}
function limits(arch,   n) {  # of a multiprocessor: warps, blocks, bytes of shared memory
  n = substr(arch, 4) + 0
  mostWarps = n == 75 ? 32 : (n == 86 || n == 87 || n == 89 || n >= 120 ? 48 : 64)
  mostBlocks = n == 75 || n == 86 || n == 87 ? 16 : (n == 89 || n >= 120 ? 24 : 32)
  mostShared = 1024 * (n == 75 ? 64 : (n == 80 || n == 87 ? 164 : (n == 86 || n == 89 || n >= 120 ? 100 : 228)))
}
function blocksOf(key,   warps, perWarp, blocks, byShared) {
  warps = int((threadsOf[key] + 31) / 32)
  perWarp = 256 * int((registers[key] * 32 + 255) / 256)
  if (perWarp == 0 || warps == 0) return 0
  blocks = int(4 * int(65536 / perWarp / 4) / warps)
  if (blocks > int(mostWarps / warps)) blocks = int(mostWarps / warps)
  if (blocks > mostBlocks) blocks = mostBlocks
  byShared = int(mostShared / (shared[key] + 1024))
  return blocks < byShared ? blocks : byShared
}
function kindOf(op) {
  if (op ~ /^SHFL/) return "shfl"
  if (op ~ /^(DADD|DMUL|DFMA|DSETP|DMNMX)/) return "fp64"
  if (op ~ /^(FADD|FMUL|FFMA|FSETP|FMNMX|FSEL|FCHK)/) return "fp32"
  if (op ~ /^(HADD2|HMUL2|HFMA2|HSETP2|HMNMX2)/) return "fp16"
  if (op ~ /^MUFU/) return "mufu"
  if (op ~ /^(F2F|F2I|I2F|F2FP|I2I)/) return "convert"
  if (op ~ /^(IADD|IMAD|ISETP|IMNMX|LEA|LOP|SHF|SHL|SHR|PRMT|SEL|VIADD|VIMNMX|IABS|POPC|FLO|BFE|BFI|R2UR|U)/) return "integer"
  if (op ~ /^LDG/) return "ldg"
  if (op ~ /^STG/) return "stg"
  if (op ~ /^LDS/) return "lds"
  if (op ~ /^STS/) return "sts"
  if (op ~ /^LDL/) return "ldl"
  if (op ~ /^STL/) return "stl"
  if (op ~ /^(BRA|BRX|BSSY|BSYNC|CALL|RET|EXIT)/) return "branch"
  return "other"
}

# --- cuobjdump ------------------------------------------------------------------------------------
/^Fatbin ptx code/ { skip = 1 }
/^Fatbin elf code/ { skip = 0 }
/^arch = / { arch = $3 }
skip { next }
/^ *Function [^:]*:$/ { name = $2; sub(/:$/, "", name); note(name); next }
/REG:[0-9]/ && /STACK:[0-9]/ {
  registers[key] = after($0, "REG:"); stack[key] = after($0, "STACK:")
  shared[key] = after($0, "SHARED:"); localBytes[key] = after($0, "LOCAL:"); next
}
/\.nv\.info\./ {
  name = $0; sub(/.*\.nv\.info\./, "", name); sub(/[^A-Za-z0-9_$.].*/, "", name)
  infoKey = arch SUBSEP name; wantsValue = 0; next
}
/EIATTR_MAX_THREADS/ { wantsValue = 1; next }
wantsValue && /Value:/ {
  wantsValue = 0; sub(/.*Value:[ \t]*/, ""); split($0, value, " ")
  product = 1
  for (a = 1; a <= 3; a++) product *= (value[a] == "" ? 1 : hex(value[a]))
  mostThreads[infoKey] = product; next
}
function hex(text,   i, sum) {
  if (text !~ /^0x/) return text + 0
  sum = 0
  for (i = 3; i <= length(text); i++) sum = 16 * sum + index("0123456789abcdef", tolower(substr(text, i, 1))) - 1
  return sum
}
/^[ \t]*Function : / { note($3); hasSass = 1; next }
/^[ \t]*\/\*[0-9a-f]+\*\/[ \t]+[@A-Z]/ {
  address = $1; gsub(/[\/*]/, "", address); sub(/^0+/, "", address)
  op = $2 ~ /^@/ ? $3 : $2
  target = $2 ~ /^@/ ? $4 : $3
  sub(/;.*/, "", op); gsub(/[;`()]/, "", target); sub(/^0x0*/, "", target)
  if (op ~ /^NOP/ || (op ~ /^BRA/ && target == address)) next  # what fills the end
  ++instructions[key]; ++count[key, kindOf(op)]; sass[key] = 1; next
}

# --- ptxas -v -------------------------------------------------------------------------------------
/Compiling entry function/ {
  split($0, part, "'"); arch = part[4]; note(part[2]); next
}
/bytes stack frame/ && key != "" {
  split($0, part, ","); stack[key] = part[1] + 0; spillStores[key] = part[2] + 0
  spillLoads[key] = part[3] + 0; told[key] = 1; next
}
/ptxas info *: Used [0-9]+ registers/ {
  registers[key] = after($0, "Used "); localBytes[key] = 0; shared[key] = 0
  fields = split($0, part, ",")
  for (f = 2; f <= fields; f++) if (part[f] ~ / smem/) shared[key] = part[f] + 0
  next
}

END {
  fields = split("fp64 fp32 fp16 mufu convert integer ldg stg lds sts ldl stl shfl branch other", kind, " ")
  printf "kernel,arch,registers,stack_bytes,local_bytes,shared_bytes,spill_stores,spill_loads,"
  printf "threads,blocks_per_sm,occupancy,instructions"
  for (f = 1; f <= fields; f++) printf ",%s", kind[f]
  printf "\n"
  for (k = 1; k <= kernels; k++) {
    key = keyOf[k]
    if (!(key in registers)) continue
    threadsOf[key] = key in mostThreads ? mostThreads[key] : threads
    limits(archOf[key])
    blocks = blocksOf(key)
    stores = key in told ? spillStores[key] : (key in sass ? count[key, "stl"] + 0 : "")
    loads = key in told ? spillLoads[key] : (key in sass ? count[key, "ldl"] + 0 : "")
    printf "\"%s\",%s,%d,%d,%d,%d,%s,%s,%d,%d,%.3f,%s", nameOf[key], archOf[key], registers[key], \
      stack[key], localBytes[key], shared[key], stores, loads, threadsOf[key], blocks, \
      blocks * int((threadsOf[key] + 31) / 32) / mostWarps, key in sass ? instructions[key] : ""
    for (f = 1; f <= fields; f++) printf ",%s", key in sass ? count[key, kind[f]] + 0 : ""
    printf "\n"
  }
}
