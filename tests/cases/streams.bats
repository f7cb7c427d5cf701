# Arrow streams that broke other readers.

setup() {
	load ../helper
	load cases
	common_setup
	cases_setup
	needs_python pyarrow
	# Once for all tests; "big" is the last that is written.
	[ -e "$BATS_FILE_TMPDIR/big" ] || (cd "$BATS_FILE_TMPDIR" &&
	    "$RF_PYTHON" "$RF_ROOT/tests/cases/streams.py")
	ln -s "$BATS_FILE_TMPDIR"/* .
	# Memory by what has arrived, not by what is claimed; seconds of CPU.
	grep -q __asan_init "$RF_BUILD/bin/bin2csv" || ulimit -v 2000000
	ulimit -t 20
}

# refused FILE WORDS: 65 on a pipe and as a file, one line with these words.
refused() {
	run -65 --separate-stderr bin2csv "$1"
	[[ $stderr == *"$2"* && $stderr != *$'\n'* ]] || fail "$1: $stderr"
	run -65 --separate-stderr bash -c "cat $1 | bin2csv"
	[[ $stderr == *"$2"* && $stderr != *$'\n'* ]] || fail "$1: $stderr"
}

# rows FILE: its first column, in one line, as a file and on a pipe.
rows() {
	cat "$1" | bin2csv | cmp - <(bin2csv "$1")
	bin2csv "$1" | tail -n +2 | cut -d, -f1 | paste -sd' '
}

# G01, G02
@test "a schema alone has 0 rows, and a batch of 0 rows is not the end" {
	assert_equal "$(bin2csv bare)" x
	assert_equal "$(rows empty_first)" "1 2 3"
}

# G04, G17
@test "lengths that cannot be are refused, and cost no memory" {
	refused metadata_most "damaged, or no Arrow stream"
	refused metadata_negative "damaged, or no Arrow stream"
	refused body_huge malformed
	refused body_negative malformed
	refused node_nulls "3 rows with 4 nulls"
	refused node_rows "-3 rows"
	refused node_more "rows"
}

@test "columns that are claimed or shared cost no more than their bytes" {
	assert_equal "$(bin2csv columns_few)" x,x,x
	refused columns_claim malformed
	# 4 MB of references to one field
	assert_equal "$(bin2csv columns_many | tr -cd x | wc -c)" 1000000
	assert_equal "$(bin2csv dictionaries | tr -cd x | wc -c)" 100000
	run -0 rf-info deep_few
	refused deep_many malformed
}

# G05, G07, G08
@test "a dictionary is replaced, grows by a delta, and begins with neither" {
	assert_equal "$(rows replaced)" "a b c d"
	assert_equal "$(rows delta)" "a b a e"
	refused delta_first "grows before it was sent"
}

# G10, G11
@test "a slice that begins inside a byte is its dense copy" {
	bin2csv sliced | cmp - <(bin2csv dense)
}

# G13, G14
@test "compressed bodies are read, raw buffers in them too, bombs are not" {
	local codec

	for codec in lz4 zstd; do
		bin2csv $codec | cmp - <(bin2csv plain)
		assert_equal "$(bin2csv ${codec}_empty)" x,y
		refused ${codec}_bomb "compressed buffer"
		refused ${codec}_claim "compressed buffer"
	done
}

@test "buffers may be shared, but not so that few bytes are endless work" {
	local codec

	for codec in None lz4 zstd; do
		run -0 bash -o pipefail -c "bin2csv shared_8_$codec | uniq"
		[ "${lines[*]:1}" = 0,0,0,0,0,0,0,0 ]
		refused shared_500_$codec "times their body"
	done
}

# G16, G19
@test "Arrow files and streams of the old framing are read" {
	assert_equal "$(rows file)" "1 2 3"
	assert_equal "$(rows legacy)" "1 2 3"
}

# G20
@test "a foreign stream cut at any byte is refused, by its place" {
	local size whole

	whole=$(stat -c %s empty_first)
	for size in $(seq 1 $(in_soak 1 29) $((whole - 9))); do
		head -c "$size" empty_first >cut
		run --separate-stderr bin2csv cut
		# between messages a foreign producer may end: a note
		[ "$status" = 65 ] || [[ $stderr == *"no end mark"* ]] ||
		    fail "$size of $whole: $status $stderr"
		[ "$status" = 0 ] || [[ $stderr == *cut:* ]] || fail "$stderr"
	done
}

# G22
@test "a big-endian stream is refused by name" {
	refused big big-endian
}
