# How much memory the tools take.

setup() {
	load helper
	common_setup
	needs_python pyarrow numpy
	needs_plain_memory
}

peak() {
	"$RF_PYTHON" "$RF_ROOT/tests/peak.py" "$@"
}

# --- rf-fit: rf-fit(1), all rows are kept ----------------------------------

# table NAME LABEL [WEIGHT]: two columns of bytes, the second one categories
# where the name says so.
table() {
	[ ! -e "$1" ] || return 0
	"$RF_PYTHON" - "$rows" "$@" >"$1" <<-'END'
		import sys, numpy as np, pyarrow as pa
		n, name, label, *weight = sys.argv[1:]
		n = int(n)
		rng = np.random.default_rng(1)
		def texts(k):
		    return pa.DictionaryArray.from_arrays(
		        pa.array(rng.integers(0, k, n, np.int16)),
		        pa.array([f"t{i}" for i in range(k)]))
		def floats():
		    return pa.array(rng.random(n, np.float32) + .5)
		x = floats() if "float" in name else pa.array(
		    rng.integers(-99, 99, n, np.int8))
		if "missing" in name:
		    x = pa.array(x.to_numpy(), mask=rng.random(n) < .1)
		z = texts(40) if "text" in name else pa.array(
		    rng.integers(-99, 99, n, np.int8))
		y = floats() if label == "number" else texts(int(label))
		columns = {"x": x, "z": z, "y": y}
		if weight:
		    columns["w"] = floats()
		table = pa.table(columns)
		with pa.ipc.new_stream(sys.stdout.buffer, table.schema) as out:
		    out.write_table(table, max_chunksize=1 << 16)
	END
}

# grows FILE TALLY_BYTES OPTION ..: within the rule and within what was said.
grows() {
	local file=$1 tallies=$2 taken more peak most

	shift 2
	peak 0 rf-fit --device cpu -t 8 -n 8 --max-depth 2 -l y -v "$@" \
	    "$file" -o out 2>said
	read -r taken more < <(sed -n \
	    's/.*: \([0-9]*\) MiB of .* \([0-9]*\) MiB more to grow.*/\1 \2/p' \
	    said)
	peak=$(sed -n 's/peak \([0-9]*\) KiB/\1/p' said)
	most=$((($(stat -c %s "$file") + 3 * 2 * rows + 32 * 8 * rows +
	    tallies * rows) / 1024 + 65536))
	echo "$file $*: $peak KiB, the rule $most, said $taken + $more MiB"
	[ "$peak" -lt "$most" ]
	[ "$peak" -lt $(((taken + more) * 1024)) ]
}

@test "rf-fit takes what it says, and 32 bytes a row and thread at most" {
	rows=$(in_soak 2000000 200000)
	table bytes 2
	grows bytes 0
	grows bytes 0 --no-bootstrap
	grows bytes 0 --criterion entropy --no-bootstrap
	grows bytes 0 --class-weight balanced --no-bootstrap
	grows bytes 24 --oob
	table text 2
	grows text 0 --no-bootstrap
	table bytes.number number
	grows bytes.number 0 --no-bootstrap
	grows bytes.number 24 --oob
	table text.number number
	grows text.number 0 --no-bootstrap
	table missing 2
	grows missing 0 --no-bootstrap
	table float 2
	grows float 0 --no-bootstrap --bins 1000
	table float.weights number w
	grows float.weights 0 --no-bootstrap --weight w
	grows float.weights 0 --no-bootstrap --weight w --bins 1000
	table bytes.100 100
	grows bytes.100 0 --no-bootstrap
}

# large_tree SLACK_KIB OPTION ..: one tree of two nodes a row, within the rule.
large_tree() {
	local slack=$1 nodes peak most

	shift
	peak 0 rf-fit -q --device cpu -t 1 -n 1 --no-bootstrap -l y "$@" \
	    floats -o forest 2>said
	peak=$(sed -n 's/peak \([0-9]*\) KiB/\1/p' said)
	nodes=$(rf-info forest | awk '$1 == "nodes" { print $2 + 0 }')
	[ "$nodes" -gt $((rows * 19 / 10)) ]
	most=$((($(stat -c %s floats) + 3 * 5 * rows + 64 * nodes +
	    32 * rows) / 1024 + slack))
	echo "$*: $peak KiB, $most allowed"
	[ "$peak" -lt "$most" ]
}

@test "a large tree on its way out is in memory once" {
	rows=$(in_soak 500000 200000)
	"$RF_PYTHON" - "$rows" >floats <<-'END'
		import sys, numpy as np, pyarrow as pa
		n = int(sys.argv[1])
		rng = np.random.default_rng(1)
		table = pa.table({name: rng.random(n, np.float32) + .5
		                  for name in "abcdeyw"})
		with pa.ipc.new_stream(sys.stdout.buffer, table.schema) as out:
		    out.write_table(table, max_chunksize=1 << 16)
	END
	# The rule has 64 MiB for what does not grow with the tree.
	large_tree $(in_soak 65536 24576) --weight w
	large_tree $(in_soak 65536 24576) --max-features 5
}

# --- Constant memory -------------------------------------------------------

# The bound is 256 MiB; with the fewer rows of make check it is halved, which
# is less than those rows of 8 KiB take together.

# wide_rows N: N rows of 8 KiB.
wide_rows() {
	"$RF_PYTHON" - "$1" <<-'END'
		import sys, numpy as np, pyarrow as pa
		rng = np.random.default_rng(1)
		n = 1000
		columns = {f"c{i}": np.round(rng.normal(size=n), 2)
		           for i in range(1023)}
		columns["y"] = (columns["c0"] > 0).astype(np.int64)
		batch = pa.record_batch(
		    [pa.array(c) for c in columns.values()], list(columns))
		with pa.ipc.new_stream(sys.stdout.buffer, batch.schema) as out:
		    for first in range(0, int(sys.argv[1]), n):
		        out.write_batch(batch)
	END
}

answers() {
	local model

	most=$(($(in_soak 256 128) << 10))
	rf-fit -q --device cpu --task classification -l y -n 5 train -o forest
	rf-pack forest -o model
	model=$(($(stat -c %s model) / 1024))
	"$@" | peak $((most + model)) rf-predict --device cpu model |
	    tee >(peak $most bin2csv -o tally.csv) |
	    peak $most rf-vote --probabilities |
	    peak $most bin2csv -o votes.csv
	wait $!
}

@test "rf-predict and rf-vote keep 10^7 rows within 256 MiB" {
	set -o pipefail
	rows=$(in_soak 10000000 500000)
	rows_of() {
		awk -v n="$1" 'BEGIN {
			print "a,b,c,y"
			for (i = 0; i < n; i += 2)
				print "1.5,22,-7,p\n2.5,21,-8,n"
		}' | csv2bin -q -l y
	}
	rows_of 1000 >train
	answers rows_of "$rows"
	assert_equal "$(wc -l <votes.csv)" $((rows + 1))
	assert_equal "$(wc -l <tally.csv)" $((rows + 1))
}

@test "rows of 8 KiB take no more" {
	set -o pipefail
	rows=$(in_soak 500000 20000)
	wide_rows 1000 >train
	answers wide_rows "$rows"
	assert_equal "$(wc -l <votes.csv)" $((rows + 1))
	wide_rows "$rows" | peak $most bin2csv |
	    peak $most csv2bin -q --task classification -l y |
	    peak $most bin2csv | wc -l >n
	assert_equal "$(cat n)" $((rows + 1))
}
