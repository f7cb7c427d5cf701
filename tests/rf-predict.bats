# rf-predict: tallies against a plain walk in Python, columns, parts, manners.

setup() {
	load helper
	common_setup
	needs_tool csv2bin rf-fit rf-pack rf-predict
}

streams() {
	needs_python pyarrow
	"$RF_PYTHON" "$RF_ROOT/tests/predict/streams.py" "$@"
}

walk_check() {
	needs_python pyarrow
	run "$RF_PYTHON" "$RF_ROOT/tests/predict/walk_check.py" "$@"
	assert_success
}

# fit NAME CSV2BIN-WORDS.. -- RF-FIT-WORDS..: NAME.arrows, .forest and .rfb.
fit() {
	local name=$1 words=()

	shift
	while [ "$1" != -- ]; do
		words+=("$1")
		shift
	done
	shift
	csv2bin -q "${words[@]}" -o "$name.arrows"
	rf-fit -q "$@" "$name.arrows" -o "$name.forest"
	rf-pack -q "$name.forest" -o "$name.rfb"
}

fit_iris() {
	fit iris --no-header -l 5 "$RF_DATA/iris.csv" -- -n 10
}

fit_titanic() {
	fit titanic -l Survived --task classification --type Embarked=category \
	    "$RF_DATA/titanic.csv" -- -n 10
}

@test "tallies are the sums of the leaves' shares" {
	fit_iris
	rf-predict iris.rfb iris.arrows -o tally
	walk_check iris.forest iris.arrows tally
}

@test "impure leaves give shares by largest remainder" {
	fit iris --no-header -l 5 "$RF_DATA/iris.csv" -- -n 10 \
	    --min-samples-leaf 20
	rf-predict iris.rfb iris.arrows -o tally
	walk_check iris.forest iris.arrows tally
}

@test "hard votes are 1 for the heaviest class of a leaf" {
	fit iris --no-header -l 5 "$RF_DATA/iris.csv" -- -n 10 --max-depth 2
	rf-predict --vote hard iris.rfb iris.arrows -o tally
	walk_check iris.forest iris.arrows tally
}

@test "categories and missing values go the ways that the nodes say" {
	fit_titanic
	rf-predict titanic.rfb titanic.arrows -o tally
	walk_check titanic.forest titanic.arrows tally
	rf-predict --leaves titanic.rfb titanic.arrows -o leaves
	walk_check titanic.forest titanic.arrows leaves
}

@test "regression sums the leaves' values in rf.unit" {
	fit concrete -l 9 --task regression "$RF_DATA/concrete.csv" -- -n 5
	rf-predict concrete.rfb concrete.arrows -o tally
	walk_check concrete.forest concrete.arrows tally
}

@test "above 64 classes sums are lists of the classes with a vote" {
	seq 0 299 | awk 'BEGIN { print "x,y,label" }
	    { print $1 % 100 "," int($1 / 100) ",c" $1 % 100 }' >in.csv
	fit many -l label in.csv -- -n 10 --max-depth 4
	rf-predict many.rfb many.arrows -o tally
	walk_check many.forest many.arrows tally
	rf-predict --vote hard many.rfb many.arrows -o tally
	walk_check many.forest many.arrows tally
}

@test "more than 254 thresholds a column, and hundreds of columns" {
	awk 'BEGIN { srand(1); for (j = 0; j < 300; j++) printf "x%d,", j
	    print "label"; for (i = 0; i < 600; i++) { s = 0
	    for (j = 0; j < 300; j++) { v = rand(); if (j < 2) s += v
	    printf "%.7f,", v } print s } }' >in.csv
	fit wide -l label --task regression in.csv -- -n 3 --bins 1000
	rf-predict wide.rfb wide.arrows -o tally
	walk_check wide.forest wide.arrows tally
}

@test "-0.0 is 0.0, denormals count, infinities are ordinary" {
	printf 'x,label\n0,a\n1e-320,b\n1e300,c\n' >in.csv
	fit edge -l label in.csv -- -n 1 --no-bootstrap
	streams data '{"columns": {"x": ["-0.0", 0.0, 5e-324, 1e-320, "inf",
	    "-inf", 1e308]}}' >new
	rf-predict -q edge.rfb new -o tally
	walk_check edge.forest new tally
	# The cut between 0 and 1e-320 is at 5e-321 (1012 denormals of 2024).
	run streams show tally rf.sum.0 rf.sum.1 rf.sum.2
	one=1099511627776
	assert_output "[[$one, $one, $one, 0, 0, $one, 0],\
 [0, 0, 0, $one, 0, 0, 0], [0, 0, 0, 0, $one, 0, $one]]"
}

@test "a text that training did not see counts as missing" {
	fit_titanic
	streams data '{"columns": {"PassengerId": [1, 1], "Pclass": [3, 3],
	    "Sex": ["robot", null], "Age": [20.0, 20.0], "SibSp": [0, 0],
	    "Parch": [0, 0], "Fare": [8.0, 8.0],
	    "Embarked": ["Z", null]}}' >new
	rf-predict -q titanic.rfb new -o tally
	walk_check titanic.forest new tally
	run streams show tally rf.sum.0
	read -r first second <<<"$(tr -d '[],' <<<"$output")"
	assert_equal "$first" "$second"
}

@test "columns go by name, whatever their order and numeric type" {
	fit concrete -l 9 --task regression "$RF_DATA/concrete.csv" -- -n 5
	tr -d '\r' <"$RF_DATA/concrete.csv" | awk -F';' -v OFS=';' \
	    '{ print $9, $8, $7, $6, $5, $4, $3, $2, $1 }' >turned.csv
	csv2bin -q -l 1 --task regression turned.csv -o turned.arrows
	rf-predict --keep none concrete.rfb concrete.arrows -o a
	rf-predict --keep none concrete.rfb turned.arrows -o b
	cmp a b
}

@test "a column that the data lack is an error that names it" {
	fit_iris
	streams data '{"columns": {"V1": [1.0], "V3": [2.0], "V4": [3.0]}}' \
	    >new
	run --separate-stderr -65 rf-predict iris.rfb new
	assert_equal "$stderr" "rf-predict: column 'V2' of the model is not\
 in the data; --missing-ok takes it as missing"
	rf-predict -q --missing-ok iris.rfb new -o a
	streams data '{"columns": {"V1": [1.0], "V2": [null], "V3": [2.0],
	    "V4": [3.0]}}' >new
	rf-predict -q iris.rfb new -o b
	cmp a b
}

@test "a column of another kind is an error that names it" {
	fit_iris
	streams data '{"columns": {"V1": [1.0], "V2": ["x"], "V3": [2.0],
	    "V4": [3.0]}}' >new
	run --separate-stderr -65 rf-predict iris.rfb new
	[[ $stderr == *"column 'V2' (type utf8) is a column of categories"* ]]
}

@test "other columns go on as --keep says" {
	fit_iris
	streams data '{"columns": {"V1": [1.0], "V2": [1.0], "V3": [2.0],
	    "V4": [3.0], "name": ["x"], "V5": ["Iris-setosa"]}}' >new
	rf-predict -q --keep all iris.rfb new -o out
	run streams show out V3 name V5
	assert_output '[[2.0], ["x"], ["Iris-setosa"]]'
	rf-predict -q --keep V4,name iris.rfb new -o out
	run streams show out V4 name
	assert_output '[[3.0], ["x"]]'
	# The model's label is known by name where roles were lost.
	rf-predict -q iris.rfb new -o out
	run streams show out V5
	assert_output '[["Iris-setosa"]]'
	run --separate-stderr -64 rf-predict --keep V9 iris.rfb new
	[[ $stderr == *"'V9' is not in the data"* ]]
}

@test "parts of the trees say which they are, and must be there" {
	fit_iris
	rf-predict --trees 2:5 iris.rfb iris.arrows -o part
	walk_check iris.forest iris.arrows part
	run streams meta part rf.tree.ranges
	assert_output 2:5
	run --separate-stderr -64 rf-predict --trees 5:11 iris.rfb iris.arrows
	[[ $stderr == *"its trees are 0:10"* ]]
	run -64 rf-predict --trees 5:5 iris.rfb iris.arrows
	run -64 rf-predict --trees 5:x iris.rfb iris.arrows
}

@test "rows are numbered from --row0, else as the stream says" {
	needs_python pyarrow
	fit_iris
	rf-predict --row0 1000 iris.rfb iris.arrows -o out
	run streams show out rf.row
	[[ $output == "[[1000, 1001, "* ]]
	csv2bin -q --no-header -l 5 --row0 70 "$RF_DATA/iris.csv" -o moved
	rf-predict iris.rfb moved -o out
	run streams show out rf.row
	[[ $output == "[[70, 71, "* ]]
}

@test "threads and slow pipes do not change a byte" {
	needs_python pyarrow
	fit_titanic
	rf-predict -t 1 titanic.rfb titanic.arrows -o one
	for threads in 2 7; do
		rf-predict -t $threads titanic.rfb titanic.arrows -o more
		cmp one more
	done
	dribble titanic.arrows | rf-predict titanic.rfb | cmp one
}

@test "batches stay as they came, and do not change a row" {
	fit_titanic
	rf-predict titanic.rfb titanic.arrows -o whole
	for rows in 1 64 500; do
		streams recut titanic.arrows $rows >cut
		rf-predict titanic.rfb cut -o out
		run streams cuts out
		assert_output "$(streams cuts cut)"
		columns=(rf.row rf.sum.0 rf.sum.1 Survived)
		cmp <(streams show whole "${columns[@]}") \
		    <(streams show out "${columns[@]}")
	done
}

@test "CSV, a model as data and data as a model are refused by name" {
	fit_iris
	run --separate-stderr -65 rf-predict iris.rfb "$RF_DATA/iris.csv"
	[[ $stderr == *"csv2bin first?"* ]]
	run --separate-stderr -65 rf-predict iris.rfb iris.rfb
	[[ $stderr == *"a model file"* ]]
	run --separate-stderr -65 rf-predict iris.arrows iris.arrows
	[[ $stderr == "rf-predict: iris.arrows: "* ]]
	run --separate-stderr -65 rf-predict iris.rfb iris.forest
	[[ $stderr == *forest* ]]
	run -66 rf-predict absent.rfb iris.arrows
}

@test "a stream that breaks off gives no whole output" {
	fit_iris
	size=$(stat -c %s iris.arrows)
	for cut in 0 100 $((size / 2)) $((size - 8)); do
		head -c "$cut" iris.arrows >cut
		run --separate-stderr -65 rf-predict iris.rfb cut
		run -65 bash -c 'rf-predict -q iris.rfb cut >out'
		run ! rf-vote out
	done
}

@test "no rows in, no rows out" {
	fit_iris
	streams select iris.arrows 0:0 >none
	rf-predict iris.rfb none -o out
	run streams show out rf.row
	assert_output '[[]]'
}

@test "dates and timestamps are not taken for plain numbers" {
	local type unit

	needs_python pyarrow
	"$RF_PYTHON" - <<'END'
import pyarrow as pa

def write(name, kind):
    t = pa.array([18000 + i % 2 for i in range(20)], pa.int64())
    if kind == pa.date32():
        t = t.cast(pa.int32())
    y = pa.array(['ab'[i % 2] for i in range(20)])
    table = pa.table({'t': t.cast(kind), 'y': y})
    with pa.ipc.new_stream(name, table.schema) as stream:
        stream.write_table(table)

write('int64', pa.int64())
write('double', pa.float64())
write('date32', pa.date32())
for unit in 's', 'ns':
    write('timestamp' + unit, pa.timestamp(unit))
END
	for type in int64 double date32 timestamps; do
		rf-fit -q -l y -n 2 "$type" | rf-pack -o "$type.rfb"
	done
	for type in int64 double; do
		for unit in date32 timestamps timestampns; do
			run -65 rf-predict -o tally "$type.rfb" "$unit"
			assert_output "rf-predict: column 't' (type \
$(sed 's/pn*s$/p/' <<<"$unit")) is a point in time, for the model it is a number without a unit; \
cast it as in training"
		done
	done
	for type in date32 timestamps; do
		for unit in date32 timestamps timestampns; do
			rf-predict -o tally "$type.rfb" "$unit"
		done
	done
}
