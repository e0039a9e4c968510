#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# The runner counts what the programs really said: a test of tests that fail, die or forget their plan.
. "$(dirname "$0")/../lib.sh"

program() {
	printf '#!/bin/sh\n%s\n' "$1" >"$T_TMP/program"
	chmod +x "$T_TMP/program"
}

# check DESC PROGRAM STATUS COUNTS
check() {
	program "$2"
	t_run env FT_TEST_TIMEOUT=2 "$T_TOP/tests/run" "$T_TMP/program"
	t_is "$status: $(tail -n 1 <<<"$out")" "$3: $4" "$1"
}

check "passes are counted" 'echo 1..2; echo ok 1; echo ok 2 - x' 0 "2 passed, 0 failed, 0 skipped"
check "a plan at the end" 'echo ok 1; echo 1..1' 0 "1 passed, 0 failed, 0 skipped"
check "several plans" 'echo 1..1; echo ok 1; echo 1..1; echo ok 1' 0 "2 passed, 0 failed, 0 skipped"
check "a failure" 'echo 1..2; echo ok 1; echo not ok 2; exit 1' 1 "1 passed, 1 failed, 0 skipped"
check "a failed check, status 0" 'echo 1..1; echo not ok 1' 1 "0 passed, 1 failed, 0 skipped"
check "skips are no passes" 'echo 1..2; echo ok 1; echo "ok 2 # SKIP not here"' 0 "1 passed, 0 failed, 1 skipped"
t_like "$out" "skipped: not here" "the reason of a skip is shown"
check "only skips: nothing ran" 'echo "1..0 # SKIP no root"' 1 "0 passed, 0 failed, 1 skipped"
check "a missing check" 'echo 1..2; echo ok 1' 1 "1 passed, 1 failed, 0 skipped"
check "a missing plan" 'echo ok 1' 1 "1 passed, 1 failed, 0 skipped"
check "silence" 'true' 1 "0 passed, 1 failed, 0 skipped"
check "death after success" "echo 1..1; echo ok 1; kill -SEGV \$\$" 1 "1 passed, 1 failed, 0 skipped"
check "an error after success" 'echo 1..1; echo ok 1; exit 3' 1 "1 passed, 1 failed, 0 skipped"
check "a program that hangs" 'echo 1..1; echo ok 1; exec sleep 60' 1 "1 passed, 1 failed, 0 skipped"
check "a failure far above the end" \
	"echo ok 1 - first; echo ok 2 - before; echo not ok 3 - early; echo '# why: x'; seq -f 'ok %g - fine' 4 400; echo 1..400; exit 1" \
	1 "399 passed, 1 failed, 0 skipped"
t_like "$out" "failed
 *\| ok 2 - before
 *\| not ok 3 - early
 *\| # why: x
 *\| ok 397" "... is shown with its note"
t_is "$(grep -c "ok 30 - fine" <<<"$out")" 0 "... without all that passed"
t_done
