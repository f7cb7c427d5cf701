# Training, where the answer is known: constants, ties, zeros, votes.

setup() {
	load ../helper
	load cases
	common_setup
	cases_setup
}

# B28: a constant target.
@test "a constant target is the leaf's value, and comes back from the votes" {
	local y

	for y in -2.5 0.1 0.0 1e+300 -1e+300 5e-324 1e-300 123456789.123; do
		printf 'x,y\n1,%s\n2,%s\n3,%s\n' $y $y $y >train.csv
		read="--task regression"
		fit train.csv -n 10
		forest leaf >leaves
		run ! grep -qi 'nan\|inf' leaves
		bin2csv forest.arrows | sed -n 's/.*""value"": \(.*\)}.*/\1/p' |
		    sort -u >values
		assert_equal "$(cat values)" "${y%.0}"
		# sums have a unit of 2^-40 of the power of two above: half
		# a unit is 2^-40 of the value at most
		answers train.csv | tr ' ' '\n' | awk -v y=$y '
		function abs(x) { return x < 0 ? -x : x }
		abs($1 - y) > abs(y) / 1099511627776' >wrong
		assert_equal "$(cat wrong)" ""
	done
	printf 'x,y\n1,-2.5\n2,-2.5\n' >train.csv
	fit train.csv -n 10
	assert_equal "$(answers train.csv)" "-2.5 -2.5"
}

# B29: a class that no row has.
@test "a class of the dictionary that no row has gets a column of zeros" {
	needs_python pyarrow numpy
	"$RF_PYTHON" "$RF_ROOT/tests/interop/make_data.py" \
	    'x=[1.0,2.0,3.0]' 'y:dictionary(a,b,c)=["b","b","b"]' >in
	rf-fit -q -l y -n 5 in | rf-pack -o model.rfb
	rf-predict model.rfb in | rf-vote --probabilities | bin2csv >out
	assert_equal "$(column probability.a <out)" "0 0 0"
	assert_equal "$(column probability.b <out)" "1 1 1"
	assert_equal "$(column probability.c <out)" "0 0 0"
	assert_equal "$(column prediction <out)" "b b b"
}

# B31: rows out of the bag against rows held out.
@test "out-of-bag accuracy agrees with that of held-out rows" {
	local oob held

	# the rows neighbour each other on the map: so not every other one
	gunzip -c "$RF_DATA/covtype.csv.gz" | tr -d '"' | awk '
	NR == 1 { print >"a.csv"; print >"b.csv"; seed = 1; next }
	{ seed = (seed * 16807) % 2147483647
	    print >(seed % 1000 < 500 ? "a.csv" : "b.csv") }'
	csv2bin -q -l Cover_Type --task classification a.csv -o a.arrows
	rf-fit --oob a.arrows 2>notes | rf-pack -o model.rfb
	oob=$(sed -n 's/.*out-of-bag accuracy \([0-9.]*\).*/\1/p' notes)
	held=$(csv2bin -q --like model.rfb b.csv | rf-predict model.rfb |
	    rf-vote | rf-score --json | sed 's/.*"accuracy": *\([0-9.]*\).*/\1/')
	# two standard deviations of the difference of two shares of 3000
	awk -v a="$oob" -v b="$held" 'BEGIN { d = a - b; p = (a + b) / 2
		exit !(p > .6 && d * d < 4 * 2 * p * (1 - p) / 3000) }' ||
	    fail "$oob out of bag, $held held out"
}

# B32: ties.
@test "equal votes go to the lowest class, for every number of classes and order" {
	local n

	for n in 2 3 5 7 10; do
		for order in "0 1 $((n - 1))" "$((n - 1)) -1 0"; do
			seq $order | sed 's/^/1,c/;1i x,y' >train.csv
			fit_one train.csv
			assert_equal "$(answers train.csv | tr ' ' '\n' |
			    sort -u)" c0
			fit train.csv -n 3 --no-bootstrap
			csv2bin -q --like model.rfb train.csv |
			    rf-predict --vote hard model.rfb | rf-vote |
			    bin2csv | column prediction | tr ' ' '\n' |
			    sort -u >said
			assert_equal "$(cat said)" c0
		done
	done
}

@test "trees that disagree evenly vote for the lowest class" {
	# two trees of one leaf each, of one row: a and b by chance
	printf 'x,y\n1,a\n1,b\n' >train.csv
	for seed in {0..9}; do
		fit train.csv -n 2 -s $seed --max-samples 1
		# the classes of the two leaves: 0 0, 0 1, 1 0 or 1 1
		case $(bin2csv forest.arrows | grep -o 'class"": .' |
		    tr -dc 01) in
		11) wanted="b b" ;;
		*) wanted="a a" ;;
		esac
		assert_equal "$(answers train.csv)" "$wanted"
		echo "$wanted"
	done | sort | uniq -c >seen
	assert_equal "$(wc -l <seen)" 2
}

# B34: weights of which one is tiny.
@test "a weight of 1e-15 beside 1 is kept, one of 1e-30 is dropped and counted" {
	printf 'x,w,y\n1,1e-15,a\n2,1,b\n3,1,b\n' >train.csv
	read="--weight w"
	fit_one train.csv
	is_right train.csv
	sed s/1e-15/1e-30/ train.csv >tiny.csv
	csv2bin -q -l y --weight w tiny.csv -o tiny.arrows
	run --separate-stderr rf-fit -n 1 --no-bootstrap tiny.arrows \
	    -o forest.arrows
	assert_success
	[[ $stderr == *"left out: 1 row of a weight too small"* ]] ||
	    fail "$stderr"
	# all weights tiny alike are weights like any other
	printf 'x,w,y\n1,1e-300,a\n2,1e-300,b\n3,3e-300,b\n' >train.csv
	fit_one train.csv
	is_right train.csv
}

# B35, H01: the two zeros.
@test "-0.0 and 0.0 are one value in training and in prediction" {
	local options

	printf 'x,y\n-0.0,a\n0.0,a\n1.0,b\n' >train.csv
	printf 'x\n-0.0\n0.0\n0\n-0\n0.4\n1\n' >new.csv
	for options in "" --float32 "--bins 2"; do
		fit_one train.csv $options
		assert_equal "$(forest feature)" "0  "
		assert_equal "$(answers new.csv)" "a a a a a b"
		# nothing splits one zero from the other
		printf 'x,y\n-0.0,a\n0.0,b\n' >zeros.csv
		fit_one zeros.csv $options
		assert_equal "$(forest feature)" ""
	done
}

# H01: a threshold of 0.
@test "-0.0 behaves as 0.0 at a threshold of 0, and tiny numbers do not vanish" {
	local options

	printf 'x,y\n-1,a\n1,b\n' >train.csv
	printf 'x\n-0.0\n0.0\n-1e-45\n1e-45\n5e-324\n-5e-324\n' >new.csv
	fit_one train.csv
	assert_equal "$(forest threshold)" "0  "
	assert_equal "$(answers new.csv)" "a a a b b a"
	# in float32 the smallest number is 1.4e-45; 5e-324 rounds to 0
	fit_one train.csv --float32
	assert_equal "$(answers new.csv)" "a a a b a a"
	printf 'x,y\n0,a\n1e-45,b\n3e-45,c\n-1e-45,d\n' >train.csv
	fit_one train.csv
	is_right train.csv
	fit_one train.csv --float32
	is_right train.csv
}

# H02: infinities.
@test "infinities order beyond the largest numbers, in prediction too" {
	printf 'x,y\n-inf,a\n-1.7976931348623157e308,b\n' >train.csv
	printf '1.7976931348623157e308,c\ninf,d\n' >>train.csv
	fit_one train.csv
	is_right train.csv
	printf 'x\n-inf\ninf\n1e400\n-1e400\n0\n' >new.csv
	assert_equal "$(answers new.csv)" "a d d a b"
	# in float32: FLT_MAX is 3.4028234663852886e38, 3.5e38 is infinite
	printf 'x,y\n-3.4028234663852886e38,a\n3.4028234663852886e38,b\n' \
	    >train.csv
	fit_one train.csv --float32
	printf 'x\n-inf\ninf\n3.5e38\n-3.5e38\n' >new.csv
	assert_equal "$(answers new.csv)" "a b b a"
}
