# rf-vote: decisions worked by hand, parts that fit and parts that do not.

setup() {
	load helper
	common_setup
	needs_tool rf-vote
	needs_python pyarrow
}

streams() {
	"$RF_PYTHON" "$RF_ROOT/tests/predict/streams.py" "$@"
}

# tally FILE META COLUMNS: both JSON; META may be '' for a whole forest of 4.
tally() {
	streams tally "{\"meta\": {${2}}, \"columns\": {${3}}}" >"$1"
}

# A model of 10 trees on iris, and the tallies of all its rows.
iris() {
	needs_tool csv2bin rf-fit rf-pack rf-predict
	csv2bin -q --no-header -l 5 "$RF_DATA/iris.csv" -o iris.arrows
	rf-fit -q -n 10 --max-depth 3 iris.arrows | rf-pack -q -o iris.rfb
	rf-predict iris.rfb iris.arrows -o whole
	rf-vote whole -o decided
}

@test "the class of most votes wins, a tie goes to the lowest" {
	tally in '' '"rf.row": [0, 1, 2, 3], "rf.sum.0": [4, 1, 2, 0],
	    "rf.sum.1": [0, 3, 2, 4]'
	rf-vote in -o out
	run streams show out prediction confidence
	assert_output '[["a", "b", "a", "b"], [1.0, 0.75, 0.5, 1.0]]'
}

@test "shares are rounded correctly, and --probabilities gives all" {
	tally in '"rf.vote": "soft", "rf.tree.ranges": "0:3",
	    "rf.trees.total": "3"' '"rf.row": [0, 1],
	    "rf.sum.0": [1, 2199023255553], "rf.sum.1": [3298534883327,
	    1099511627775]'
	rf-vote --probabilities in -o out
	run streams show out prediction probability.a probability.b confidence
	# Python divides whole numbers correctly rounded.
	assert_output "$("$RF_PYTHON" -c '
import json
t = 3 << 40
a, b = [1 / t, 2199023255553 / t], [3298534883327 / t, 1099511627775 / t]
print(json.dumps([["b", "a"], a, b, [b[0], a[1]]]))')"
}

@test "regression gives the mean in units" {
	tally in '"rf.task": "regression", "rf.vote": null,
	    "rf.classes": null, "rf.label.type": "float", "rf.unit": "0x1p-2",
	    "rf.tree.ranges": "0:3", "rf.trees.total": "3"' \
	    '"rf.row": [0, 1, 2], "rf.sum.0": [-7, 0, 9007199254740993]'
	rf-vote in -o out
	run streams show out prediction
	assert_output "$("$RF_PYTHON" -c '
print([[-7 / 3 / 4, 0.0, 9007199254740993 / 3 / 4]])')"
}

@test "labels that were whole numbers or boolean come back so" {
	columns='"rf.row": [0, 1], "rf.sum.0": [4, 0], "rf.sum.1": [0, 4]'
	tally in '"rf.label.type": "int", "rf.classes": "[\"-3\",\"40\"]"' \
	    "$columns"
	rf-vote in -o out
	run streams show out prediction
	assert_output '[[-3, 40]]'
	tally in '"rf.label.type": "bool",
	    "rf.classes": "[\"false\",\"true\"]"' "$columns"
	rf-vote in -o out
	run streams show out prediction
	assert_output '[[false, true]]'
}

@test "a row without any vote has no prediction" {
	tally in '"rf.forest": null, "rf.params.hash":
	    "22222222222222222222222222222222",
	    "rf.data.hash": "33333333333333333333333333333333"' \
	    '"rf.row": [0, 1, 2], "rf.n": [2, 0, 1], "rf.sum.0": [1, 0, 0],
	    "rf.sum.1": [1, 0, 1]'
	rf-vote --probabilities in -o out
	run streams show out prediction confidence probability.b
	assert_output '[["a", null, "b"], [0.5, null, 1.0], [0.5, null, 1.0]]'
}

@test "out-of-bag tallies of parts of a forest are those of the whole" {
	needs_tool csv2bin rf-fit
	csv2bin -q --no-header -l 5 "$RF_DATA/iris.csv" -o iris.arrows
	rf-fit -q -n 6 --oob=whole iris.arrows >/dev/null
	rf-fit -q -n 0:2/6 --oob=a iris.arrows >/dev/null
	rf-fit -q -n 2:6/6 --oob=b iris.arrows >/dev/null
	rf-vote whole -o one
	rf-vote a b | cmp one
	run -65 rf-vote a
}

@test "columns of the data go on, and --prefix makes way for them" {
	tally in '' '"id": ["x", null], "prediction": [1.5, 2.5],
	    "rf.row": [0, 1], "rf.sum.0": [4, 1], "rf.sum.1": [0, 3]'
	run --separate-stderr -64 rf-vote in
	[[ $stderr == *"'prediction' is there already"*--prefix* ]]
	rf-vote --prefix rf_ in -o out
	run streams show out id prediction rf_prediction rf_confidence
	assert_output '[["x", null], [1.5, 2.5], ["a", "b"], [1.0, 0.75]]'
}

@test "parts of the trees add up to the whole, in any order and number" {
	iris
	rf-predict -n 0:3 iris.rfb iris.arrows -o a
	rf-predict -n 3:4 iris.rfb iris.arrows -o b
	rf-predict -n 4:10 iris.rfb iris.arrows -o c
	for parts in "a b c" "c a b" "b c a"; do
		# shellcheck disable=SC2086
		rf-vote $parts | cmp decided
	done
}

@test "parts of the trees may be cut into other batches" {
	iris
	rf-predict -n 0:3 iris.rfb iris.arrows -o a
	streams recut iris.arrows 7 >cut
	rf-predict -n 3:10 iris.rfb cut -o b
	rf-vote a b | cmp decided
}

@test "parts of the rows add up to the whole, in any order" {
	iris
	for rows in 0:64 64:100 100:150; do
		streams select iris.arrows $rows |
		    rf-predict --row0 "${rows%:*}" iris.rfb -o "$rows"
	done
	rf-vote 100:150 0:64 64:100 -o out
	columns=(prediction confidence)
	cmp <(streams show decided "${columns[@]}") \
	    <(streams show out "${columns[@]}")
}

@test "a part given twice, a gap and a part that lacks are errors" {
	iris
	rf-predict -n 0:3 iris.rfb iris.arrows -o a
	rf-predict -n 2:10 iris.rfb iris.arrows -o b
	run --separate-stderr -65 rf-vote whole whole
	[[ $stderr == *"is there twice"*--row0* ]]
	run --separate-stderr -65 rf-vote a b
	[[ $stderr == *"both have tree 2" ]]
	run --separate-stderr -65 rf-vote a
	[[ $stderr == *"trees 3:10 of 0:10 are not there; --partial"* ]]
	rf-vote --partial a -o out
	run streams meta out rf.partial
	assert_output 3
	rf-predict --row0 0 iris.rfb iris.arrows -o first
	rf-predict --row0 200 iris.rfb iris.arrows -o last
	run --separate-stderr -65 rf-vote first last
	[[ $stderr == *"rows 151 to 200 are in none of the parts" ]]
}

@test "parts of other forests, votes and rows are errors" {
	iris
	rf-fit -q -n 10 -s 1 iris.arrows | rf-pack -q -o other.rfb
	rf-predict -n 0:3 iris.rfb iris.arrows -o a
	rf-predict -n 3:10 other.rfb iris.arrows -o b
	run --separate-stderr -65 rf-vote a b
	[[ $stderr == *"they differ in the forest"* ]]
	rf-predict -n 3:10 --vote hard iris.rfb iris.arrows -o b
	run --separate-stderr -65 rf-vote a b
	[[ $stderr == *"they differ in the vote"* ]]
	rf-predict -n 3:10 --row0 1 iris.rfb iris.arrows -o b
	run --separate-stderr -65 rf-vote a b
	[[ $stderr == *"not of the same rows"* ]]
	streams select iris.arrows 0:100 | rf-predict -n 3:10 iris.rfb -o b
	run --separate-stderr -65 rf-vote a b
	[[ $stderr == *"b has fewer rows than a" ]]
	run --separate-stderr -65 rf-vote b a
	[[ $stderr == *"a has more rows than b" ]]
}

@test "parts of the trees on other data of as many rows are errors" {
	iris
	rf-predict -n 0:5 iris.rfb iris.arrows -o a
	# The same rows in another order.
	sed '/^$/d' "$RF_DATA/iris.csv" | LC_ALL=C sort -r |
	    csv2bin -q --no-header -l 5 -o back.arrows
	rf-predict -n 5:10 iris.rfb back.arrows -o b
	run -65 rf-vote -o out a b
	assert_output "rf-vote: a and b are not of the same data: row 1 \
differs in column 'V5'"
	# Each type of a column that is passed on, at the last row; missing.
	"$RF_PYTHON" - <<'END'
import pyarrow as pa

def write(name, columns):
    table = pa.table({'V%d' % i: pa.array([1.0] * 9) for i in range(1, 5)} |
                     columns)
    with pa.ipc.new_stream(name, table.schema) as stream:
        stream.write_table(table)

for name, kind, value, other in (
        ('int', pa.int32(), 1, 2), ('double', pa.float64(), 1.5, 2.5),
        ('bool', pa.bool_(), True, False), ('text', pa.string(), 'u', 'v'),
        ('date', pa.date32(), 1, 2)):
    write(name + '0', {'x': pa.array([value] * 9, kind)})
    write(name + '1', {'x': pa.array([value] * 8 + [other], kind)})
    write(name + '2', {'x': pa.array([value] * 8 + [None], kind)})
END
	for type in int double bool text date; do
		for i in 0 1 2; do
			rf-predict --keep x -n 0:5 iris.rfb $type$i -o a$i
			rf-predict --keep x -n 5:10 iris.rfb $type$i -o b$i
			rf-vote -o out a$i b$i
		done
		for i in "a0 b1" "a0 b2" "a2 b0" "a1 b0"; do
			run -65 rf-vote -o out $i
			assert_output --partial \
			    ": row 9 differs in column 'x'"
		done
		# One that only one part has does not count.
		rf-predict --keep none -n 5:10 iris.rfb ${type}1 -o b
		rf-vote -o out a0 b
	done
}

@test "votes that do not add up are an error, as are nulls" {
	for sums in '[4, 2], "rf.sum.1": [0, 3]' '[4, 5], "rf.sum.1": [0, -1]' \
	    '[4, 1], "rf.sum.1": [0, 2]'; do
		tally in '' "\"rf.row\": [0, 1], \"rf.sum.0\": $sums"
		run --separate-stderr -65 rf-vote in
		[[ $stderr == "rf-vote: in: row 2: the votes do not add up"* ]]
	done
	tally in '' '"rf.row": [0], "rf.sum.0": [4], "rf.sum.1": [null]'
	run --separate-stderr -65 rf-vote in
	[[ $stderr == *"nulls among the tallies" ]]
}

@test "tallies without their metadata are refused" {
	iris
	streams drop whole >bare
	run -65 rf-vote bare
	tally in '"rf.classes": null' '"rf.row": [0], "rf.sum.0": [4],
	    "rf.sum.1": [0]'
	run --separate-stderr -65 rf-vote in
	[[ $stderr == "rf-vote: in: the header lacks rf.classes" ]]
	tally in '' '"rf.row": [0], "rf.sum.0": [4]'
	run --separate-stderr -65 rf-vote in
	[[ $stderr == *"lacks columns of the tallies"* ]]
}

@test "headers that cannot be are refused" {
	columns='"rf.row": [0], "rf.sum.0": [4], "rf.sum.1": [0]'
	for meta in '"rf.tree.ranges": "4:0"' '"rf.tree.ranges": "0:2,1:4"' \
	    '"rf.tree.ranges": "0:4,"' '"rf.tree.ranges": "0:99"' \
	    '"rf.tree.ranges": "0-4"' '"rf.trees.total": "-1"' \
	    '"rf.vote": "loud"' '"rf.mode": "x"' '"rf.task": "x"' \
	    '"rf.forest": "12"' '"rf.classes": "[]"' '"rf.classes": "{"' \
	    '"rf.label.type": "x"' '"rf.row0": "1e3"'; do
		tally in "$meta" "$columns"
		run --separate-stderr -65 rf-vote in
		assert_equal "${#stderr_lines[@]}" 1
	done
}

@test "leaf numbers, data and decided streams are refused by name" {
	iris
	rf-predict --leaves iris.rfb iris.arrows -o leaves
	run --separate-stderr -65 rf-vote leaves
	[[ $stderr == *"without --leaves" ]]
	run -65 rf-vote iris.arrows
	run -65 rf-vote decided
}

@test "lists of many classes merge as columns do" {
	needs_tool csv2bin rf-fit rf-pack rf-predict
	seq 0 299 | awk 'BEGIN { print "x,y,label" }
	    { print $1 % 100 "," int($1 / 100) ",c" $1 % 100 }' >in.csv
	csv2bin -q -l label in.csv -o in.arrows
	rf-fit -q -n 10 --max-depth 4 in.arrows | rf-pack -q -o m.rfb
	for vote in soft hard; do
		rf-predict --vote $vote m.rfb in.arrows |
		    rf-vote --probabilities -o one
		rf-predict --vote $vote -n 0:4 m.rfb in.arrows -o a
		rf-predict --vote $vote -n 4:10 m.rfb in.arrows -o b
		rf-vote --probabilities b a | cmp one
	done
	run "$RF_PYTHON" -c '
import pyarrow as pa
rows = pa.ipc.open_stream(pa.OSFile("one")).read_all().to_pylist()
for row in rows:
    shares = {k[12:]: v for k, v in row.items() if k[:12] == "probability."}
    best = max(shares.values())
    assert abs(sum(shares.values()) - 1) < 1e-12 and row["confidence"] == best
    assert row["prediction"] == min(k for k in shares if shares[k] == best)'
	assert_success
}

@test "batches stay as they came" {
	iris
	streams recut iris.arrows 40 | rf-predict iris.rfb | rf-vote -o out
	run streams cuts out
	assert_output "40 40 40 30"
}
