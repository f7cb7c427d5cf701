# What all bats files load first:
#
#	setup() { load helper; common_setup; }		(tests/NAME.bats)
#	setup() { load ../helper; common_setup; }	(tests/DIR/NAME.bats)
#
# Then: the tools are in PATH, the tree is $RF_ROOT, shipped data $RF_DATA,
# bats-support and bats-assert are there, and the work directory is the test's
# own.  Python is "$RF_PYTHON".

bats_require_minimum_version 1.5.0

common_setup() {
	local directory

	RF_ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
	RF_BUILD=${BUILD:-build}
	[[ $RF_BUILD == /* ]] || RF_BUILD=$RF_ROOT/$RF_BUILD
	RF_DATA=$RF_ROOT/data
	: "${RF_PYTHON:=python3}"
	PATH=$RF_BUILD/bin:$PATH
	export RF_ROOT RF_BUILD RF_DATA RF_PYTHON PATH
	unset CDPATH
	for directory in /usr/lib/bats /usr/share/bats \
	    /usr/lib/node_modules /usr/local/lib; do
		if [ -e "$directory/bats-assert/load.bash" ]; then
			load "$directory/bats-support/load.bash"
			load "$directory/bats-assert/load.bash"
			break
		fi
	done
	cd "$BATS_TEST_TMPDIR" || return 1
}

# A test that cannot run here is skipped; under RF_STRICT=1 it fails.
skip_unless_strict() {
	if [ "${RF_STRICT-}" = 1 ]; then
		echo "RF_STRICT=1, and: $1" >&2
		return 1
	fi
	skip "$1"
}

# needs_python numpy pyarrow: skips where a module is missing; looked for only,
# as some take long to import.
needs_python() {
	local module

	for module in "$@"; do
		"$RF_PYTHON" -c "import importlib.util as u
raise SystemExit(u.find_spec('$module') is None)" 2>/dev/null ||
		    skip_unless_strict "$RF_PYTHON lacks $module"
	done
}

# needs_command expect: skips where a program is missing.
needs_command() {
	local command

	for command in "$@"; do
		command -v "$command" >/dev/null ||
		    skip_unless_strict "no $command here"
	done
}

# needs_tool rf-fit rf-pack: skips where a tool is not built.
needs_tool() {
	local tool

	for tool in "$@"; do
		[ -x "$RF_BUILD/bin/$tool" ] ||
		    skip_unless_strict "$tool is not built"
	done
}

# Limits of memory mean nothing to a build with sanitizers.
needs_plain_memory() {
	! grep -q __asan_init "$RF_BUILD/bin/rf-fit" ||
	    skip "sanitizers take memory of their own"
}

# in_soak N M: N in `make soak`, M else, for sizes that take their time.
in_soak() {
	if [ "${RF_SOAK-}" = 1 ]; then echo "$1"; else echo "$2"; fi
}

# A test that only `make soak` runs.
needs_soak() {
	[ "${RF_SOAK-}" = 1 ] || skip "run by make soak"
}

# Whether there is a card that this build can use.  For setup_file, which
# cannot skip.
has_gpu() {
	[ -n "${RF_HAVE_CUDA-}" ] && compgen -G '/dev/nvidia[0-9]*' >/dev/null
}

needs_gpu() {
	has_gpu || skip_unless_strict "no GPU here, or built without CUDA"
}

# on_terminal COMMAND..: runs it with stdin, stdout and stderr on a terminal.
on_terminal() {
	local line

	needs_command script
	printf -v line '%q ' "$@"
	# %q writes for bash, which SHELL need not be.
	SHELL=$(command -v bash) script -qec "$line" /dev/null </dev/null
}

# The bytes come one by one, as from the slowest writer.
dribble() {
	"$RF_PYTHON" -c '
import os, sys
for byte in open(sys.argv[1], "rb").read():
    os.write(1, bytes([byte]))' "$1"
}

all_tools() {
	ls "$RF_BUILD/bin"
}
