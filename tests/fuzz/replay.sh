#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# The fuzz targets take their corpora, and mutations of them, without a crash or a complaint of the sanitizers.
. "$(dirname "$0")/../lib.sh"
programs=$(dirname "$FT")/tests/fuzz

# mutate SEED FOLDER FILE...: cut, flipped and overwritten copies, the same ones each time.
mutate() {
	python3 - "$@" <<-'END'
		import os, random, sys
		rng = random.Random(int(sys.argv[1]))
		for number, path in enumerate(sys.argv[3:]):
		    with open(path, "rb") as f:
		        data = bytearray(f.read())
		    for copy in range(4):
		        changed = bytearray(data)
		        for _ in range(rng.randint(1, 8)):
		            if changed:
		                changed[rng.randrange(len(changed))] = rng.choice((0, 1, 127, 128, 255, rng.randrange(256)))
		        if copy == 3:
		            del changed[rng.randrange(len(changed) + 1):]
		        with open(os.path.join(sys.argv[2], f"{number}-{copy}"), "wb") as f:
		            f.write(changed)
	END
}

# replay TARGET FILE...
replay() {
	local target=$1 folder=$T_TMP/$1

	shift
	mkdir -p "$folder"
	t_status 0 "$target takes its $# inputs" "$programs/fuzz-$target" "$@"
	mutate 1 "$folder" "$@"
	t_status 0 "$target takes mutations of them" "$programs/fuzz-$target" "$folder"/*
}

[ -x "$programs/fuzz-filter" ] || t_skip_all "the fuzz targets are not built"
replay dat_reader "$T_TOP"/tests/golden/files/*.dat

# Version 7, which has what that lacks: options that lead from one to the next, and tables of compressed chunks.
mkdir "$T_TMP/version7"
PYTHONPATH=$T_TOP/tests python3 - "$T_TMP/version7" <<'END'
import itertools, os, sys
from tracedat import TraceFile
for compression, (order, size), text in itertools.product(("none", "zlib", "zstd"), (("<", 8), (">", 4)), ("", "text\n" * 100)):
    f = TraceFile(order, size, cpus=2)
    f.add_print()
    for number in range(200):
        f.mark(number % 2, 1000000000 + number * 1000, 100, f"marker {number}")
    f.cmdlines, f.kallsyms, f.text = "100 lab\n", "ffffffff81000000 T start\n", text
    f.instances = [("inst", [f.records[1], []])]
    with open(os.path.join(sys.argv[1], f"{compression}-{size}-{len(text)}"), "wb") as out:
        out.write(f.to_bytes7(compression))
END
rm -r "$T_TMP/dat_reader"
replay dat_reader "$T_TMP/version7"/*
replay filter "$T_TOP"/tests/fuzz/corpus/filter/*

# The target for formats wants flags and a record in front of the text.
mkdir "$T_TMP/formats"
python3 - "$T_TOP/tests/golden/formats" "$T_TMP/formats" <<'END'
import os, sys
for case in sorted(os.listdir(sys.argv[1])):
    folder = os.path.join(sys.argv[1], case)
    with open(os.path.join(folder, "format"), "rb") as f:
        text = f.read()
    with open(os.path.join(folder, "record.hex"), encoding="ascii") as f:
        record = bytes.fromhex("".join(f.read().split()))
    with open(os.path.join(sys.argv[2], case), "wb") as f:
        f.write(bytes([4]) + len(record).to_bytes(2, "little") + record + text)
END
replay decode_format "$T_TMP/formats"/*
t_done
