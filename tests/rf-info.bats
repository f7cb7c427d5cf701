# rf-info: what a stream or a model file is, and the devices.

setup() {
	load helper
	common_setup
	needs_tool csv2bin rf-fit rf-pack rf-info
	csv2bin --no-header -l 5 "$RF_DATA/iris.csv" -o iris.arrows
	rf-fit -q -n 4 --device cpu iris.arrows -o forest.arrows
	rf-pack forest.arrows -o model.rfb
}

@test "a data stream is told by rows, columns and label" {
	run -0 --separate-stderr rf-info iris.arrows
	assert_line --regexp '^kind +data stream, whole and verified$'
	assert_line --regexp '^rows +150$'
	assert_line --regexp '^  V1 +float64$'
	assert_line --regexp '^  V5 +dictionary<int32, utf8>, 3 levels, label$'
	[ -z "$stderr" ]
}

@test "a forest is told alike by its stream and packed" {
	rf-info forest.arrows >stream
	rf-info model.rfb >packed
	grep -q '^kind  *forest stream, whole and verified$' stream
	grep -q '^kind  *packed forest, whole and verified$' packed
	diff <(sed 1d stream) <(sed 1d packed)
	grep -q '^classes  *3: Iris-setosa, Iris-versicolor, Iris-virginica$' \
	    packed
	grep -q '^trees  *4 of 4, 0:4$' packed
	grep -Eq '^fingerprint +[0-9a-f]{32}$' packed
}

@test "--json gives the figures that pyarrow counts in the stream" {
	needs_python pyarrow
	rf-info --json model.rfb >model.json
	rf-info --json forest.arrows >forest.json
	rf-info --json iris.arrows >iris.json
	"$RF_PYTHON" - <<'END'
import json
import pyarrow as pa
model, forest, iris = (json.load(open(f + ".json"))
    for f in ("model", "forest", "iris"))
assert model.pop("format") == "packed forest"
assert forest.pop("format") == "forest stream"
assert model == forest
rows = pa.ipc.open_stream("forest.arrows").read_all().to_pylist()
inner = [r for r in rows if r["feature"] is not None]
assert model["nodes"] == len(rows)
assert model["leaves"] == len(rows) - len(inner)
for i, f in enumerate(model["features"]):
    assert f["nodes"] == sum(
        r["feature"] == i for r in inner)
depth, deepest = {}, 0
for r in rows:
    d = 0 if r["node"] == 0 else depth[r["tree"], r["node"]]
    deepest = max(deepest, d)
    if r["feature"] is not None:
        for child in (r["left"], r["left"] + 1):
            depth[r["tree"], child] = d + 1
assert model["depth"] == deepest
assert model["trees"] == 4 and model["rows"] == 150
table = pa.ipc.open_stream("iris.arrows").read_all()
assert iris["rows"] == table.num_rows
assert [c["name"] for c in iris["columns"]] == table.schema.names
assert [c["missing"] for c in iris["columns"]] == [
    c.null_count for c in table.columns]
END
}

@test "a pipe tells the same as a file" {
	for file in iris.arrows forest.arrows model.rfb; do
		rf-info --json "$file" >wanted
		cat "$file" | rf-info --json | cmp - wanted
		rf-info --json - <"$file" | cmp - wanted
	done
}

@test "bytes that come one by one tell the same" {
	needs_python sys
	for file in forest.arrows model.rfb; do
		rf-info "$file" >wanted
		dribble "$file" | rf-info | cmp - wanted
	done
}

@test "a damaged file is refused with 65 and nothing is printed" {
	for file in iris.arrows forest.arrows model.rfb; do
		size=$(stat -c %s "$file")
		for cut in 1 8 64 $((size / 2)) $((size - 1)); do
			head -c "$cut" "$file" >cut
			run -65 --separate-stderr rf-info cut
			[ -z "$output" ]
			[[ $stderr == "rf-info: cut: "* ]] || fail "$stderr"
		done
	done
	(cat model.rfb; echo x) >long
	run -65 rf-info long
	run -65 --separate-stderr rf-info "$RF_DATA/iris.csv"
	[[ $stderr == *csv2bin* ]] || fail "$stderr"
}

@test "names that would drive a terminal are shown harmlessly" {
	printf '"a\033[31m",y\n1,"p\tq"\n2,b\n3,b\n' | csv2bin -l y -o odd.arrows
	rf-info odd.arrows >out
	rf-fit -q -n 1 --device cpu odd.arrows | rf-info >>out
	! grep -q $'[\033\t]' out
	rf-info --json odd.arrows >json
	! grep -q $'[\033\t]' json
}

@test "a stream of others is told as such" {
	needs_python pyarrow
	"$RF_PYTHON" -c '
import pyarrow as pa
t = pa.table({"a": [1, None, 3], "b": ["x", "y", None],
    "t": pa.array([1, 2, 3], pa.timestamp("us"))})
with pa.ipc.new_stream("other.arrows", t.schema) as w: w.write_table(t)
with pa.ipc.new_file("other.arrow", t.schema) as w: w.write_table(t)'
	for file in other.arrows other.arrow; do
		run -0 rf-info "$file"
		assert_line --regexp '^kind +Arrow stream, not of rf-tools$'
		assert_line --regexp '^rows +3$'
		assert_line --regexp '^  a +int64, 1 missing$'
		assert_line --regexp '^  t +timestamp\[us\]$'
	done
}

@test "--devices names build, processor and what would be used, without a card" {
	run -0 --separate-stderr env CUDA_VISIBLE_DEVICES= rf-info --devices
	assert_line --regexp '^build: [0-9.]+ '
	assert_line --regexp '^cpu: [0-9]+ threads, '
	assert_line --regexp '^would use: the CPU, as .+'
	[ -z "$stderr" ]
	run -64 rf-info --devices model.rfb
}

@test "--devices --json is an object of arrays" {
	needs_python json
	rf-info --devices --json | "$RF_PYTHON" -c '
import json, sys
devices = json.load(sys.stdin)
assert list(devices)[:2] == ["build", "cpu"]
assert all(isinstance(v, list) for v in devices.values())'
}

# bats test_tags=gpu
@test "a card is named with its capability and memory" {
	needs_gpu
	run -0 rf-info --devices
	assert_line --regexp '^cuda:0: .+, compute capability [0-9.]+, '
	assert_line --regexp '^would use: the card '
}
