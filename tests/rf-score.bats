# rf-score: figures against scikit-learn's, what is left out, manners.

setup() {
	load helper
	common_setup
	needs_tool rf-score
}

decided() {
	needs_python pyarrow
	"$RF_PYTHON" "$RF_ROOT/tests/interop/make_decided.py" "$@"
}

# field NAME: that value of the JSON line in $output, or "absent".
field() {
	"$RF_PYTHON" -c '
import json, sys
print(json.dumps(json.loads(sys.argv[2]).get(sys.argv[1], "absent")))' \
	    "$1" "$output"
}

# Three classes; a, b and c are right 2, 1 and 1 times of 2.
three() {
	decided truth='["a","a","b","b","c","c"]' \
	    prediction='["a","a","b","c","c","a"]' \
	    probability.a='[0.5,1,0.25,0,0.25,0.5]' \
	    probability.b='[0.25,0,0.5,0.25,0.25,0.25]' \
	    probability.c='[0.25,0,0.25,0.75,0.5,0.25]' "$@"
}

@test "rf-score prints counts, metrics, classes and the confusion table" {
	three >in
	run --separate-stderr rf-score in
	assert_success
	[ "$stderr" = "" ]
	# By hand: accuracy 4/6; f1 4/5, 2/3, 1/2; MCC (4*6 - 12) / sqrt(22 * 24).
	# By scikit-learn 1.9.1: log_loss, brier_score_loss, roc_auc_score.
	diff - <(echo "$output") <<'END'
rows                                 6

accuracy                      0.666667
balanced_accuracy             0.666667
log_loss                      0.808672
brier_score                   0.520833
roc_auc                       0.791667
f1_macro                      0.655556
matthews_corrcoef             0.522233

class               rows     predicted          f1
a                      2             3    0.800000
b                      2             1    0.666667
c                      2             2    0.500000

confusion table: a line a true class, a column a predicted one
            a  b  c
a           2  0  0
b           0  1  1
c           1  0  1
END
}

@test "rf-score prints metrics of regression" {
	decided truth='[1.5,2,4,null]' prediction='[1,2,2.5,7]' >in
	run --separate-stderr rf-score in
	assert_success
	[ "$stderr" = "rf-score: left out: 1 of 4 rows without truth" ]
	# mean 2.5, squares 3.5, errors .5 0 1.5: r2 1 - 2.5/3.5
	diff - <(echo "$output") <<'END'
rows                                 4
rows without truth                   1

r2                            0.285714
root_mean_squared_error       0.912871
mean_absolute_error           0.666667
median_absolute_error              0.5
END
}

@test "rf-score --json prints one line under scikit-learn's names" {
	three >in
	run -0 --separate-stderr rf-score --json in
	[ "${#lines[@]}" = 1 ]
	[ "$(field task)" = '"classification"' ]
	[ "$(field accuracy)" = 0.6666666666666666 ]
	[ "$(field classes)" = '["a", "b", "c"]' ]
	[ "$(field confusion_matrix)" = '[[2, 0, 0], [0, 1, 1], [1, 0, 1]]' ]
	[ "$(field f1)" = '[0.8, 0.6666666666666666, 0.5]' ]
	[ "$(field weighted)" = false ]
}

@test "rf-score agrees with scikit-learn on random rows" {
	needs_python pyarrow numpy sklearn
	"$RF_PYTHON" "$RF_ROOT/tests/interop/check_score.py" 60
}

# pipeline FILE OPTIONS..: that data through all tools.
pipeline() {
	local file=$1
	shift
	csv2bin "$@" "$file" -o data
	rf-fit -q -n 20 data | rf-pack >model
	rf-predict model data | rf-vote --probabilities >decided
	rf-score --json decided >score
	"$RF_PYTHON" "$RF_ROOT/tests/interop/check_decided.py" decided score
}

@test "rf-score agrees with scikit-learn on what rf-vote writes" {
	needs_python pyarrow numpy sklearn
	needs_tool csv2bin rf-fit rf-pack rf-predict rf-vote
	pipeline "$RF_DATA/iris.csv" -l 5 --no-header
	pipeline "$RF_DATA/titanic.csv" -l Survived --task classification -q
	pipeline "$RF_DATA/concrete.csv" -l 9 --task regression
}

@test "rf-score scores out-of-bag votes" {
	needs_tool csv2bin rf-fit rf-vote
	csv2bin -l 5 --no-header "$RF_DATA/iris.csv" |
	    rf-fit -q -n 50 --oob=oob >/dev/null
	run -0 --separate-stderr bash -o pipefail -c 'rf-vote oob |
	    rf-score --json'
	[ "$(field n_scored)" = 150 ]
}

@test "rf-score finds the columns of rf-vote --prefix" {
	needs_tool csv2bin rf-fit rf-pack rf-predict rf-vote
	csv2bin -l 5 --no-header "$RF_DATA/iris.csv" -o data
	rf-fit -q -n 5 data | rf-pack >model
	rf-predict model data >tally
	cmp <(rf-vote --probabilities tally | rf-score) \
	    <(rf-vote --probabilities --prefix my. tally | rf-score)
}

@test "rf-score leaves out metrics of probabilities where there are none" {
	decided truth='["a","b"]' prediction='["a","b"]' >in
	run -0 --separate-stderr rf-score --json in
	[ "$stderr" = "" ]
	for name in log_loss brier_score roc_auc; do
		[ "$(field $name)" = '"absent"' ]
	done
	[ "$(field accuracy)" = 1.0 ]
}

@test "rf-score counts a class that the model lacks as wrong" {
	decided truth='["a","b","z","b"]' prediction='["a","b","a","b"]' \
	    probability.a='[1,0,0.5,0.5]' probability.b='[0,1,0.5,0.5]' >in
	run -0 --separate-stderr rf-score --json in
	[ "$stderr" = "rf-score: of a class that the model lacks: 1 of 4 \
rows, counted as wrong, and left out of log_loss, brier_score, \
roc_auc" ]
	[ "$(field accuracy)" = 0.75 ]
	[ "$(field classes)" = '["a", "b", "z"]' ]
	# f1 of a is 2/3, of b 1, of z 0; Brier of three rows 0, 0, .25
	[ "$(field f1)" = '[0.6666666666666666, 1.0, 0.0]' ]
	[ "$(field brier_score)" = 0.08333333333333333 ]
	[ "$(field roc_auc)" = 1.0 ]
}

@test "rf-score notes an unknown class without probabilities too" {
	decided truth='["z","b"]' prediction='["a","b"]' >in
	run -0 --separate-stderr rf-score in
	[ "$stderr" = "rf-score: of a class that the model lacks: 1 of 2 \
rows, counted as wrong" ]
}

@test "rf-score leaves out rows without truth or prediction" {
	decided truth='["a",null,"b",null]' prediction='["a","a",null,null]' \
	    >in
	run -0 --separate-stderr rf-score --json in
	[ "${stderr_lines[0]}" = \
	    "rf-score: left out: 2 of 4 rows without truth" ]
	[ "${stderr_lines[1]}" = \
	    "rf-score: left out: 1 of 4 rows without prediction" ]
	[ "$(field n_scored)" = 1 ]
	[ "$(field n_without_truth)" = 2 ]
	[ "$(field n_without_prediction)" = 1 ]
	[ "$(field accuracy)" = 1.0 ]
}

@test "rf-score -q keeps its notes" {
	decided truth='["a",null]' prediction='["a","a"]' >in
	run -0 --separate-stderr rf-score -q in
	[ "$stderr" = "" ]
}

@test "rf-score matches classes by text, not by code" {
	# The truth's dictionary is b, a; the prediction's a, b.
	decided truth='["b","a","b"]' prediction='["b","a","a"]' >in
	run -0 --separate-stderr rf-score --json in
	[ "$(field confusion_matrix)" = '[[1, 0], [1, 1]]' ]
}

@test "rf-score matches texts of every type of text" {
	for type in utf8 large_utf8 utf8_view; do
		decided truth:$type='["b","a","b"]' \
		    prediction='["b","a","a"]' >in
		run -0 --separate-stderr rf-score --json in
		[ "$(field confusion_matrix)" = '[[1, 0], [1, 1]]' ]
	done
}

@test "rf-score matches numbers by value, whatever their types" {
	for type in int8 int32 int64 uint64 float32 float64; do
		decided truth:$type='[1,10,100,2]' \
		    prediction='[1,10,100,10]' >in
		run -0 --separate-stderr rf-score --json in
		[ "$(field accuracy)" = 0.75 ]
		[ "$(field classes)" = '["1", "2", "10", "100"]' ]
	done
}

@test "rf-score matches 0 and 1 with false and true" {
	decided truth='[0,1,1]' prediction='[false,true,false]' \
	    probability.false='[1,0,0.5]' probability.true='[0,1,0.5]' >in
	run -0 --separate-stderr rf-score --json in
	[ "$(field confusion_matrix)" = '[[1, 0], [1, 1]]' ]
	[ "$(field classes)" = '["false", "true"]' ]
	[ "$(field roc_auc)" = 1.0 ]
	decided truth='[false,true,true]' prediction='[0,1,0]' >in
	run -0 --separate-stderr rf-score --json in
	[ "$(field confusion_matrix)" = '[[1, 0], [1, 1]]' ]
}

@test "rf-score takes the truth from role, rf.truth and --truth" {
	decided --no-roles truth='["a"]' prediction='["a"]' >in
	run -64 --separate-stderr rf-score in
	[ "$stderr" = "rf-score: in: no column has rf.role=label; --truth \
NAME says which holds the truth" ]
	rf-score --truth truth in
	decided --no-roles --meta rf.truth=other other='["b","a"]' \
	    prediction='["a","a"]' >in
	run -0 --separate-stderr rf-score --json in
	[ "$(field accuracy)" = 0.5 ]
	decided truth='["a"]' other='["b"]' prediction='["a"]' >in
	run -0 --separate-stderr rf-score --json --truth other in
	[ "$(field accuracy)" = 0.0 ]
	run -64 --separate-stderr rf-score --truth none in
	[ "$stderr" = "rf-score: in: --truth: there is no column 'none'" ]
}

@test "rf-score weighs rows by role and by --weight" {
	decided truth='["a","b"]' prediction='["a","a"]' weight='[3,1]' \
	    other='[1.5,0]' >in
	run -0 --separate-stderr rf-score --json in
	[ "$(field accuracy)" = 0.75 ]
	[ "$(field weighted)" = true ]
	[ "$(field confusion_matrix)" = '[[3.0, 0.0], [1.0, 0.0]]' ]
	run -0 --separate-stderr rf-score --json --weight other in
	[ "$(field accuracy)" = 1.0 ]
	run -64 --separate-stderr rf-score --weight none in
	[ "$stderr" = "rf-score: in: --weight: there is no column 'none'" ]
}

@test "rf-score has no metric where all weights are 0" {
	decided truth='["a","b"]' prediction='["b","a"]' weight='[0,0]' >in
	run -0 --separate-stderr rf-score --json in
	[ "$(field accuracy)" = '"absent"' ]
	[ "${stderr_lines[0]}" = \
	    "rf-score: no accuracy: all weights are 0" ]
	decided truth='[1.5,2]' prediction='[1.5,2]' weight='[0,0]' >in
	run -0 --separate-stderr rf-score --json in
	[ "$(field r2)" = '"absent"' ]
}

@test "rf-score refuses weights that are none" {
	for weight in null -1; do
		decided truth='["a","b"]' prediction='["a","a"]' \
		    weight="[1,$weight]" >in
		run -65 --separate-stderr rf-score in
		[[ "$stderr" = "rf-score: in: row 2, column 'weight': "* ]]
	done
}

@test "rf-score has no roc_auc where the truth is of one class" {
	decided truth='["a","a"]' prediction='["a","b"]' \
	    probability.a='[1,0.25]' probability.b='[0,0.75]' >in
	run -0 --separate-stderr rf-score --json in
	[ "$(field roc_auc)" = '"absent"' ]
	[ "$stderr" = "rf-score: no roc_auc: the truth has one class only" ]
	[ "$(field matthews_corrcoef)" = 0.0 ]
}

@test "rf-score has r2 of a constant truth as scikit-learn" {
	decided truth='[2,2]' prediction='[2.0,2.0]' >in
	run -0 --separate-stderr rf-score --json in
	[ "$(field r2)" = 1.0 ]
	decided truth='[0.1,0.1,0.1]' prediction='[0.1,0.1,0.2]' >in
	run -0 --separate-stderr rf-score --json in
	[ "$(field r2)" = 0.0 ]
	decided truth='[2.5]' prediction='[2.0]' >in
	run -0 --separate-stderr rf-score --json in
	[ "$(field r2)" = '"absent"' ]
	[ "$stderr" = "rf-score: no r2: fewer than two rows" ]
}

@test "rf-score prints the same whatever the batches" {
	needs_python pyarrow numpy
	"$RF_PYTHON" - "$RF_ROOT/tests/interop" <<'END'
import sys
sys.path.insert(0, sys.argv[1])
import numpy as np
from make_decided import write
rng = np.random.default_rng(1)
p = rng.dirichlet(np.ones(3), 5000)
columns = {"truth": rng.choice(["a", "b", "c"], 5000),
           "prediction": np.array(["a", "b", "c"])[p.argmax(1)],
           "weight": rng.random(5000)}
for k, name in enumerate("abc"):
    columns["probability." + name] = p[:, k]
numbers = {"truth": rng.normal(size=5000), "prediction":
           rng.normal(size=5000), "weight": rng.random(5000)}
for batch in (1, 7, 1024, 5000):
    write(open(f"c{batch}", "wb"), columns, batch)
    write(open(f"r{batch}", "wb"), numbers, batch)
END
	for batch in 1 7 1024; do
		cmp <(rf-score --json c5000) <(rf-score --json c$batch)
		cmp <(rf-score --json r5000) <(rf-score --json r$batch)
	done
}

@test "rf-score scores several streams as one" {
	three >one
	decided truth='["c","b"]' prediction='["c","c"]' \
	    probability.b='[0,0.25]' probability.c='[1,0.75]' \
	    probability.a='[0,0]' >two
	decided truth='["a","a","b","b","c","c","c","b"]' \
	    prediction='["a","a","b","c","c","a","c","c"]' \
	    probability.a='[0.5,1,0.25,0,0.25,0.5,0,0]' \
	    probability.b='[0.25,0,0.5,0.25,0.25,0.25,0,0.25]' \
	    probability.c='[0.25,0,0.25,0.75,0.5,0.25,1,0.75]' >both
	cmp <(rf-score both) <(rf-score one two)
	decided truth='["c"]' prediction='["c"]' >bare
	run -65 --separate-stderr rf-score one bare
	[ "$stderr" = "rf-score: bare: probabilities of 0 classes, of 3 in \
the stream before" ]
	decided truth='[1.5]' prediction='[2.5]' >number
	run -65 rf-score one number
	decided truth='["c"]' prediction='["c"]' weight='[1]' >weighted
	run -65 rf-score bare weighted
}

@test "rf-score goes by rf.task before the type" {
	decided --meta rf.task=classification truth='[1.0,2.0]' \
	    prediction='[1.0,1.0]' >in
	run -0 --separate-stderr rf-score --json in
	[ "$(field accuracy)" = 0.5 ]
	decided --meta rf.task=regression truth='[1,2]' prediction='[1,1]' >in
	run -0 --separate-stderr rf-score --json in
	[ "$(field mean_absolute_error)" = 0.5 ]
}

@test "rf-score refuses a truth of texts for predictions of numbers" {
	decided truth='["a"]' prediction='[1.5]' >in
	run -65 --separate-stderr rf-score in
	[ "$stderr" = "rf-score: in: column 'truth': type utf8 cannot be the \
truth of numbers" ]
}

@test "rf-score refuses what is infinite, and probabilities past 1" {
	decided truth='[Infinity]' prediction='[1.5]' >in
	run -65 --separate-stderr rf-score in
	[ "$stderr" = "rf-score: in: row 1, column 'truth': an infinite \
value cannot be scored" ]
	decided truth='["a"]' prediction='["a"]' probability.a='[1.5]' \
	    probability.b='[0]' >in
	run -65 --separate-stderr rf-score in
	[ "$stderr" = "rf-score: in: row 1, column 'probability.a': a \
probability lies between 0 and 1" ]
}

@test "rf-score leaves a row with a missing probability out of its metrics" {
	decided truth='["a","b","b"]' prediction='["a","b","a"]' \
	    probability.a='[1,0,null]' probability.b='[0,1,0]' >in
	run -0 --separate-stderr rf-score --json in
	[ "$stderr" = "rf-score: left out of log_loss, brier_score, roc_auc: \
1 of 3 rows without a probability" ]
	[ "$(field brier_score)" = 0.0 ]
	[ "$(field n_scored)" = 3 ]
}

@test "rf-score has no roc_auc of probabilities that do not sum to 1" {
	three | cat >good
	decided truth='["a","b","c"]' prediction='["a","b","c"]' \
	    probability.a='[0.5,0,0]' probability.b='[0,1,0]' \
	    probability.c='[0,0,1]' >in
	run -0 --separate-stderr rf-score --json in
	[ "${stderr_lines[0]}" = \
	    "rf-score: some probabilities do not sum to 1" ]
	[ "$(field roc_auc)" = '"absent"' ]
}

@test "rf-score tells the heaviest confusions of many classes" {
	decided truth='[1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,21]' \
	    prediction='[1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,3,2,2]' \
	    >in
	run -0 --separate-stderr rf-score in
	diff - <(tail -n 4 <<<"$output") <<'END'
most frequent confusions
truth       prediction          rows
21          2                      2
20          3                      1
END
}

@test "rf-score shows class names that are long, empty or not printable" {
	decided truth='["","a\u0007b","é","abcdefghijklmnopqrstuvwxyz"]' \
	    prediction='["","a\u0007b","é","é"]' >in
	run -0 --separate-stderr rf-score in
	diff - <(tail -n 5 <<<"$output") <<'END'
                      ''  a\x07b  abcdefghijklmnopq...  é
''                     1       0                     0  0
a\x07b                 0       1                     0  0
abcdefghijklmnopq...   0       0                     0  1
é                      0       0                     0  1
END
	rf-score --json in | "$RF_PYTHON" -c '
import json, sys
assert json.load(sys.stdin)["classes"][:2] == ["", "a\x07b"]'
}

@test "rf-score refuses a stream without predictions" {
	decided truth='["a"]' other='["a"]' >in
	run -65 --separate-stderr rf-score in
	[ "$stderr" = "rf-score: in: there is no column 'prediction': not an \
output of rf-vote" ]
	decided --meta rf.kind=data truth='["a"]' prediction='["a"]' >in
	run -65 rf-score in
}

@test "rf-score refuses a stream in which no row can be scored" {
	decided truth:utf8='[]' prediction='[]' >in
	run -65 --separate-stderr rf-score in
	[ "$stderr" = "rf-score: there are no rows to score" ]
	decided truth:utf8='[null]' prediction='["a"]' >in
	run -65 --separate-stderr rf-score in
	[ "${stderr_lines[1]}" = \
	    "rf-score: no row has both truth and prediction" ]
}

@test "rf-score refuses a stream that is cut at any byte" {
	three >in
	size=$(stat -c %s in)
	for ((n = 0; n < size; n += 41)); do
		run -65 --separate-stderr rf-score <(head -c $n in)
		[ "$output" = "" ]
	done
	run -65 rf-score <(head -c $((size - 1)) in)
}

@test "rf-score reads a stream that comes byte by byte" {
	three >in
	cmp <(rf-score in) <(dribble in | rf-score)
}

@test "rf-score writes to -o and fails with 74 on a full disk" {
	three >in
	rf-score -o out in
	cmp out <(rf-score in)
	run -74 --separate-stderr bash -c 'rf-score in >/dev/full'
	[[ "$stderr" = "rf-score: <stdout>: "* ]]
}

@test "rf-score names a missing file with 66" {
	run -66 --separate-stderr rf-score none.arrows
	[[ "$stderr" = "rf-score: none.arrows: "* ]]
}

@test "rf-score scores classes in constant memory" {
	needs_python pyarrow numpy
	needs_plain_memory
	"$RF_PYTHON" - "$RF_ROOT/tests/interop" <<'END'
import sys
sys.path.insert(0, sys.argv[1])
import numpy as np
from make_decided import write
rng = np.random.default_rng(1)
n = 3000000
write(open("in", "wb"), {"truth": rng.integers(0, 3, n),
                         "prediction": rng.integers(0, 3, n)}, 65536)
END
	# From a small process: a child starts with its parent's peak.
	"$RF_PYTHON" - <<'END'
import resource, subprocess
subprocess.run(["rf-score", "--json", "-o", "out", "in"], check=True)
peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
assert peak < 32 * 1024, f"{peak} KiB"
END
	grep -q '"n_rows": 3000000' out
}
