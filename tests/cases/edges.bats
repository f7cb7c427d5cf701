# Edges: many classes, few rows, odd options, deep trees, odd streams.

setup() {
	load ../helper
	load cases
	common_setup
	cases_setup
}

# grid CLASSES: three rows of each class, which is 256 hi + lo.
grid() {
	awk -v n="$1" 'BEGIN { print "hi,lo,y"
	    for (r = 0; r < 3; r++) for (c = 0; c < n; c++)
		print int(c / 256) "," c % 256 ",c" c }'
}

# H04: more classes than a byte or two count.
@test "255 to 70 000 classes of three rows each are answered right" {
	local n

	for n in 255 256 257 $(in_soak "65535 65536 65537 70000" 70000); do
		grid "$n" >train.csv
		fit_one train.csv --bins 300
		csv2bin -q --like model.rfb train.csv -o new.arrows
		rf-predict model.rfb new.arrows | rf-vote --prefix p. |
		    bin2csv | awk -F, '
		    NR > 1 && ($1 != $2 || $3 != 1)' >wrong
		[ ! -s wrong ] || fail "$n: $(head -n 3 wrong)"
	done
}

@test "70 000 classes as whole numbers, of which one tree has a part" {
	seq 70000 | awk 'BEGIN { print "x,y" } { print $1 "," 3 * $1 }' \
	    >train.csv
	read="--task classification"
	fit train.csv -n 2 --max-depth 2
	head -n 3 train.csv >new.csv
	decide new.csv --prefix p. >out
	column p.prediction <out | awk '$1 % 3 || $2 % 3 || $1 > 210000 {
	    exit 1 }'
}

# H04: more votes than a byte or two count.
@test "more than 255 and more than 65 535 trees are counted" {
	local n

	printf 'x,y\n1,a\n1,b\n1,b\n' >train.csv
	for n in 255 256 300 $(in_soak "65535 65536 70000" 66000); do
		fit train.csv -n "$n" --no-bootstrap
		csv2bin -q --like model.rfb train.csv -o new.arrows
		assert_equal "$(rf-predict --vote hard model.rfb new.arrows |
		    bin2csv | column rf.sum.1)" "$n $n $n"
		# 2/3 of 2^40 by largest remainder: 733007751851
		assert_equal "$(rf-predict model.rfb new.arrows | bin2csv |
		    column rf.sum.1 | cut -d' ' -f1)" $((n * 733007751851))
		rf-predict model.rfb new.arrows | rf-vote | bin2csv |
		    column prediction >said
		assert_equal "$(cat said)" "b b b"
	done
}

# H05: one class.
@test "a training set of one class answers it with probability 1" {
	printf 'x,y\n1,a\n2,a\n3,a\n' >train.csv
	fit train.csv -n 5
	decide train.csv --prefix p. --probabilities >out
	assert_equal "$(column p.probability.a <out)" "1 1 1"
	assert_equal "$(column p.confidence <out)" "1 1 1"
	assert_equal "$(forest feature)" "    "
}

# H07, H08: nothing to split.
@test "constant features, one row and two rows give trees that answer" {
	for i in 1 2 3 4 5 6 7 8 9 10; do echo 5,7,$((i % 3)); done |
	    sed 's/0$/c/;s/1$/a/;s/2$/b/;1i x,z,y' >train.csv
	fit_one train.csv
	assert_equal "$(forest feature)" ""
	assert_equal "$(answers train.csv | cut -c1-5)" "a a a"
	run ! grep -qi nan <(bin2csv forest.arrows)
	printf 'x,y\n1,a\n' >train.csv
	fit train.csv -n 3
	is_right train.csv
	printf 'x,y\n1,.5\n2,1.5\n' >train.csv
	fit_one train.csv
	assert_equal "$(answers train.csv)" "0.5 1.5"
}

# H08: no tree was without the row.
@test "rows that every tree drew have no out-of-bag answer, and are not scored" {
	printf 'x,y\n1,a\n' | csv2bin -q -l y -o one.arrows
	run --separate-stderr rf-fit -n 5 --oob=oob one.arrows -o forest
	assert_success
	[[ $stderr == *"accuracy nan (0 of 1 row)"* ]] || fail "$stderr"
	rf-vote -q oob | bin2csv | column prediction >said
	assert_equal "$(cat said)" ""
	run ! grep -qi nan <(rf-vote -q --probabilities oob | bin2csv)
	rf-vote -q oob -o decided
	run -65 --separate-stderr rf-score decided
}

# H10: max_features that cannot be.
@test "--max-features is one feature at least and all at most" {
	printf 'x,z,w,y\n1,2,3,a\n2,1,3,b\n3,3,1,a\n' | csv2bin -q -l y -o in
	run --separate-stderr rf-fit -n 2 --max-features 5 in -o five
	assert_success
	[[ $stderr == *max-features*3* ]] || fail "$stderr"
	rf-fit -q -n 2 --max-features 3 in -o three
	rf-fit -q -n 2 --max-features all in -o all
	bin2csv three | cmp - <(bin2csv five)
	bin2csv three | cmp - <(bin2csv all)
	rf-fit -q -n 2 --max-features .01 in | bin2csv >share
	rf-fit -q -n 2 --max-features 1 in | bin2csv | cmp - share
	for bad in 0 0.0 -1 1.5 nan '' 1e999; do
		run -64 --separate-stderr rf-fit --max-features "$bad" in
		[[ $stderr == *max-features* ]] || fail "$stderr"
	done
}

# H11: leaves too large to split.
@test "leaves of more than half of the rows leave the root alone" {
	local least

	printf 'x,y\n' >train.csv
	for i in 1 2 3 4 5 6 7 8 9 10; do echo $i,$((i % 2))z; done >>train.csv
	for least in 6 9 10 11 1000 0.51 0.999 1.0; do
		fit_one train.csv --min-samples-leaf $least
		assert_equal "$(forest feature)" ""
	done
	fit_one train.csv --min-samples-leaf 5
	assert_equal "$(forest feature)" "0  "
	fit_one train.csv --min-samples-leaf 0.5
	assert_equal "$(forest feature)" "0  "
	fit_one train.csv --min-samples-split 11
	assert_equal "$(forest feature)" ""
}

# H13: no label.
@test "a row without a label is refused by its number, or left out" {
	local y

	for y in '' NA NaN '" "'; do
		printf 'x,y\n1,a\n2,%s\n3,b\n' "$y" | csv2bin -q -l y -o in
		run -65 --separate-stderr rf-fit -n 1 in
		[[ $stderr == *"row 2"*--drop-unlabelled* ]] || fail "$stderr"
		[ -z "$output" ]
		rf-fit -q -n 1 --no-bootstrap --drop-unlabelled in -o out
		printf 'x,y\n1,a\n3,b\n' | csv2bin -q -l y |
		    rf-fit -q -n 1 --no-bootstrap | bin2csv |
		    cmp - <(bin2csv out)
	done
	printf 'x,y\n1,.5\n2,\n3,1\n' | csv2bin -q -l y -o in
	run -65 --separate-stderr rf-fit -n 1 in
	[[ $stderr == *"row 2"* ]] || fail "$stderr"
}

# H14: trees deeper than a stack of calls.
@test "a chain of splits deeper than 1 000 passes every tool" {
	seq 5000 | awk 'BEGIN { print "x,y" } {
	    print $1 "," ($1 % 2 ? "a" : "b") }' >train.csv
	fit_one train.csv --bins 65535
	run -0 rf-info model.rfb
	[[ $output =~ depth\ +([0-9]+) ]]
	[ "${BASH_REMATCH[1]}" -gt 1000 ] || fail "$output"
	is_right train.csv
	rf-pack -d model.rfb | cmp - forest.arrows
	csv2bin -q --like model.rfb train.csv |
	    rf-predict --leaves model.rfb | bin2csv | cut -d, -f3 | sort -u |
	    wc -l >leaves
	assert_equal "$(cat leaves)" 5001
}

# H16: no card, as far as a machine without one can tell.
@test "without a card auto is the CPU, and --device cuda ends with 69" {
	CUDA_VISIBLE_DEVICES=
	export CUDA_VISIBLE_DEVICES
	csv2bin -q --no-header -l 5 "$RF_DATA/iris.csv" -o in
	rf-fit -q -n 3 --device cpu in -o cpu
	rf-fit -q -n 3 --device auto in | cmp - cpu
	rf-pack cpu -o model.rfb
	rf-predict --device cpu model.rfb in -o tally
	rf-predict --device auto model.rfb in | cmp - tally
	run -69 --separate-stderr rf-fit -n 3 --device cuda in -o out
	[ ! -e out ]
	run -69 --separate-stderr rf-predict --device cuda:1 model.rfb in
	[ -z "$output" ]
	run -0 --separate-stderr rf-info --devices
}

# H19: how the bytes arrive.
@test "whatever carries a stream, the bytes that come out are the same" {
	needs_command dd
	csv2bin -q -l Cover_Type --task classification "$RF_DATA/covtype.csv.gz" \
	    -o in
	rf-fit -q -n 2 --max-depth 3 in -o forest
	rf-pack forest -o model.rfb
	rf-predict model.rfb in -o tally
	head -n 21 "$RF_DATA/iris.csv" | csv2bin -q --no-header -l 5 -o small
	rf-fit -q -n 2 --max-depth 3 small -o few
	cat in | rf-fit -q -n 2 --max-depth 3 | cmp - forest
	dd if=in bs=4099 status=none | rf-fit -q -n 2 --max-depth 3 |
	    cmp - forest
	dd if=in bs=65536 status=none | rf-predict model.rfb | cmp - tally
	dd if=in bs=513 status=none | rf-predict model.rfb | cmp - tally
	dd if=small bs=1 status=none | rf-fit -q -n 2 --max-depth 3 | cmp - few
	(head -c 1001 small; sleep .1; tail -c +1002 small) |
	    rf-fit -q -n 2 --max-depth 3 | cmp - few
	mkfifo pipe
	cat small >pipe &
	rf-fit -q -n 2 --max-depth 3 pipe | cmp - few
}

# H20: bitmaps that need not be there.
@test "a bitmap that is absent, and one of all valid rows, mean no missing value" {
	needs_python pyarrow
	"$RF_PYTHON" - <<-'END'
		import struct
		import pyarrow as pa
		def stream(values):
		    t = pa.table({"x": pa.array(values, pa.float64())})
		    out = pa.BufferOutputStream()
		    with pa.ipc.new_stream(out, t.schema) as w:
		        w.write_table(t)
		    return out.getvalue().to_pybytes()
		def nodes(n):
		    return struct.pack("<qq", 77, n)
		def put(name, data):
		    open(name, "wb").write(data)
		def swap(data, a, b):
		    assert data.count(a) == 1
		    return data.replace(a, b)
		values = [float(i) for i in range(77)]
		put("absent", stream(values))
		values[5] = None
		gap = stream(values)
		put("gap", gap)
		bits = b"\xdf" + b"\xff" * 8 + b"\x1f"
		put("all_valid", swap(swap(gap, nodes(1), nodes(0)), bits,
		                      b"\xff" * 9 + b"\x1f"))
		put("unknown", swap(gap, nodes(1), nodes(-1)))
	END
	printf 'x\n' >wanted
	seq 0 76 >>wanted
	bin2csv absent | cmp - wanted
	bin2csv gap >with_gap
	sed '7s/.*/""/' wanted >expected
	sed 's/^$/""/' with_gap | cmp - expected
	bin2csv all_valid | sed '7s/^0$/5/' | cmp - wanted
	# a count of -1: not counted
	bin2csv unknown | cmp - with_gap
}
