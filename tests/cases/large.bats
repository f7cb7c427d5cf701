# Large inputs: at full size in make soak, reduced in make check.

setup() {
	load ../helper
	load cases
	common_setup
	cases_setup
	needs_python pyarrow numpy
}

wide() {
	"$RF_PYTHON" "$RF_ROOT/tests/cases/make_wide.py" "$@"
}

# needs_memory GIB: skips in make soak where it is not there.
needs_memory() {
	[ "${RF_SOAK-}" = 1 ] || return 0
	awk -v gib="$1" '/^MemAvailable/ { exit !($2 >= gib * 1048576) }' \
	    /proc/meminfo || skip_unless_strict "less than $1 GiB of memory"
}

# finds_last ROWS COLUMNS: the one column that decides is found, and answers.
finds_last() {
	wide "$1" "$2" >in
	rf-fit -q -n 1 --no-bootstrap --max-features all in -o forest
	rf-pack forest -o model.rfb
	assert_equal "$(bin2csv forest | column feature)" "$(($2 - 1))  "
	assert_equal "$(bin2csv forest | column threshold)" "0.5  "
	rf-predict model.rfb in | rf-vote --prefix p. | bin2csv | awk -F, '
	    NR > 1 && $1 != $2 { exit 1 }
	    END { if (NR != 1 + '"$1"') exit 1 }'
}

# B19: more cells than 2^31.
@test "more cells than 32 bits count are all there" {
	needs_memory 12
	finds_last $(in_soak "1000000 2500" "20000 250")
}

# B20: very many columns.
@test "very many columns are all there" {
	needs_memory 16
	finds_last $(in_soak "2048 331072" "32 20000")
}

# B22: many rows of few columns.
@test "many rows of few columns train and are answered" {
	finds_last $(in_soak "2000000 4" "50000 4")
}

# B23: columns past a block, 18 levels deep.
@test "hundreds of columns train 18 levels deep" {
	wide $(in_soak "91457 331" "600 331") noise >in
	rf-fit -q -n "$(in_soak 200 3)" --max-depth 18 in -o forest
	run -0 rf-info forest
	[[ $output =~ depth\ +([0-9]+) ]]
	[ "${BASH_REMATCH[1]}" -le 18 ] || fail "$output"
	[ "${BASH_REMATCH[1]}" -gt 6 ] || fail "$output"
	rf-pack forest -o model.rfb
	rf-predict model.rfb in | rf-vote | rf-score --json >score
	# one label of five is wrong, so .8 is what there is to learn
	sed 's/.*"accuracy": *\([0-9.]*\).*/\1/' score |
	    awk '{ exit !($1 > .75) }'
}

# B25: more trees than memory has room for.
@test "what cannot fit is refused beforehand, and trees do not add up" {
	local rows trees

	needs_plain_memory
	rows=$(in_soak 2000000 200000)
	trees=$(in_soak 1500 150)
	wide "$rows" 7 noise >in
	run -71 --separate-stderr bash -c "ulimit -v $((rows / 5))
	    exec rf-fit -t 2 --device cpu -n $trees in -o forest"
	[[ $stderr == *memory* ]] || fail "$stderr"
	[ ! -e forest ]
	# what is said beforehand is of one tree a thread, not of all trees
	run ! cmp -s in forest
	rf-fit -v -t 2 --device cpu -n 3 in 2>few >forest
	(rf-fit -v -t 2 --device cpu -n "$trees" in 2>many || true) |
	    head -c 100 >cut
	assert_equal "$(grep -o '[0-9]* MiB more to grow.*' many)" \
	    "$(grep -o '[0-9]* MiB more to grow.*' few)"
	grep -q 'MiB more to grow' few
}

# B26: columns of few distinct values.
@test "columns of few distinct values take no longer than others" {
	local first second size

	size=$(in_soak "250000 380" "2000 380")
	for kind in many few; do
		wide $size $kind >$kind.arrows
		first=$(date +%s%N)
		rf-fit -q -n 10 --device cpu $kind.arrows -o forest
		second=$(date +%s%N)
		echo $((second - first)) >$kind.time
	done
	[ "${RF_SOAK-}" != 1 ] ||
	    [ "$(cat few.time)" -lt $((3 * $(cat many.time))) ]
}
