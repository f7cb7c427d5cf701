# Training: public failures of other systems, each as the whole kind.

setup() {
	load ../helper
	load cases
	common_setup
	cases_setup
}

# B01: a midpoint that overflows.
@test "values too far apart, too close and too large for a midpoint are told apart" {
	local pair

	for pair in 3.0e38,3.4e38 -3.4e38,-3.0e38 -3.4e38,3.4e38 \
	    1.7e308,1.75e308 -1.7976931348623157e308,1.7976931348623157e308 \
	    1.7976931348623155e308,1.7976931348623157e308 \
	    1.7976931348623157e308,inf -inf,-1.7976931348623157e308 -inf,inf \
	    1,1.0000000000000002 -1.0000000000000002,-1 0,5e-324 \
	    5e-324,1e-323 -5e-324,0 9007199254740992,9007199254740993 \
	    -9223372036854775808,9223372036854775807; do
		printf 'x,y\n%s,a\n%s,b\n' ${pair/,/ } >train.csv
		fit_one train.csv
		is_right train.csv
	done
	for pair in 3.0e38,3.4e38 -3.4e38,3.4e38 1,1.0000001192092896 \
	    0,1.401298464324817e-45; do
		printf 'x,y\n%s,a\n%s,b\n' ${pair/,/ } >train.csv
		fit_one train.csv --float32
		is_right train.csv
	done
}

@test "a threshold lies at its left value or above and below its right one" {
	printf 'x,y\n1.7e308,a\n1.75e308,b\n' >train.csv
	fit_one train.csv
	# halves before the sum: 1.725e308
	assert_equal "$(forest threshold)" "1.725e+308  "
	printf 'x,y\n1,a\n1.0000000000000002,b\n' >train.csv
	fit_one train.csv
	assert_equal "$(forest threshold)" "1  "
}

# B02: missing values against the rest.
@test "missing against the rest is a threshold of infinity, and stays so" {
	printf 'x,y\n1,a\n2,a\n,b\n' >train.csv
	printf 'x\n-inf\n1\n1e308\ninf\n""\n' >new.csv
	fit_one train.csv
	assert_equal "$(forest threshold)" "inf  "
	assert_equal "$(forest missing_left)" "false  "
	assert_equal "$(answers new.csv)" "a a a a b"
	rf-pack -d model.rfb | cmp - forest.arrows
	# with categories, the set of all levels
	printf 'x,y\n' >train.csv
	for i in 1 2 3 4 5; do printf 'p,a\nq,a\n,b\n'; done >>train.csv
	fit_one train.csv
	is_right train.csv
	# and in regression
	printf 'x,y\n1,.5\n2,.5\n,7.5\n' >train.csv
	fit_one train.csv
	assert_equal "$(answers new.csv)" "0.5 0.5 0.5 0.5 7.5"
}

# gapped SEED: 60 rows, a column with missing values and one without, the
# label y of three classes.
gapped() {
	awk -v seed="$1" 'BEGIN { srand(seed); print "x,z,y"
		for (i = 0; i < 60; i++) {
			x = rand(); z = rand()
			print (rand() < .3 ? "" : x) "," z "," \
			    substr("abc", 1 + int(3 * (x + z) / 2), 1) } }'
}

# B04, B05: an impurity that remembers missing rows of the feature before.
@test "gains are finite and not negative, whichever columns have missing values" {
	local options seed

	for seed in 1 2 3 4 5; do
		gapped $seed >class.csv
		# B05: 1 2 3 4 and two missing rows, targets 0 to 5
		awk -F, -v OFS=, 'NR > 1 { $3 = NR % 6 } { print }' class.csv \
		    >number.csv
		for options in "class.csv" "class.csv --criterion entropy" \
		    "number.csv"; do
			read=
			[ "${options%%.*}" = class ] || read="--task regression"
			fit $options -n 20 -s "$seed"
			run ! grep -qiE 'nan|inf' <(forest gain)
			run ! grep -q -- - <(forest gain)
			run ! grep -qi nan <(bin2csv forest.arrows)
		done
	done
}

# B05: the case itself.
@test "the split of 1 2 3 4 and two missing values is the best by hand" {
	printf 'x,y\n1,0\n2,1\n3,2\n4,3\n,4\n,5\n' >train.csv
	read="--task regression"
	fit_one train.csv --max-depth 1
	# {1 2} of mean .5 against {3 4 missing} of mean 3.5, or {1 2 3}
	# against {4 missing} of mean 4: 2*4*9/6 = 12, 3*3*9/6 = 13.5
	assert_equal "$(forest threshold)" "3.5  "
	assert_equal "$(answers train.csv)" "1 1 1 4 4 4"
}

# B07: constant left, varying right.
@test "a feature that is constant in a node still splits its sibling" {
	local seed

	printf 'x,z,y\n0,5,a\n0,5,a\n1,5,b\n1,6,c\n1,5,b\n1,6,c\n' >train.csv
	for seed in {1..12}; do
		fit_one train.csv -s "$seed" --max-features 1
		is_right train.csv
		fit_one train.csv -s "$seed" --max-features 1 --count-constant
		is_right train.csv
	done
	# deeper, and in the tier of larger nodes
	awk 'BEGIN { print "x,z,y"; for (i = 0; i < 4000; i++) {
		x = i % 5; z = x % 2 ? int(i / 5) % 40 : 7
		print x "," z ",c" x "_" int(z / 3) } }' >train.csv
	for seed in 1 2 3; do
		fit_one train.csv -s "$seed" --max-features 1
		is_right train.csv
	done
}

# B08: bags of rows without weight.
@test "a tree of weights that are zero but for one row answers that row" {
	local seed

	printf 'x,w,y\n' >class.csv
	for i in {1..9}; do echo "$i,0,a"; done >>class.csv
	echo 10,3,b >>class.csv
	sed 's/a$/-1.5/;s/b$/2.5/' class.csv >number.csv
	read="--weight w"
	fit class.csv -n 100
	assert_equal "$(answers class.csv)" "b b b b b b b b b b"
	fit number.csv -n 100
	assert_equal "$(answers number.csv | tr ' ' '\n' | sort -u)" 2.5
	for seed in 1 2 3 4 5; do
		fit number.csv -n 4 -s $seed --max-samples 1
		assert_equal "$(answers number.csv | tr ' ' '\n' | sort -u)" 2.5
	done
}

# B10: fractions that round to nothing.
@test "the smallest fractions still mean one row and one feature" {
	local small

	seq 178 | awk 'BEGIN { print "x,z,y" }
	    { print $1 ",-" $1 "," ($1 % 2 ? "a" : "b") }' >train.csv
	for small in 0.0001 1e-9 1e-300; do
		fit train.csv -n 3 --max-samples $small
		assert_equal "$(forest cover)" "1 1 1"
		fit train.csv -n 3 --max-features $small \
		    --min-samples-leaf $small --min-samples-split $small
	done
	run -64 --separate-stderr rf-fit --max-samples 0 train.arrows
	[[ $stderr == *max-samples* ]] || fail "$stderr"
}

# B11: a fraction of all rows, as scikit-learn's min_samples_leaf: ceil(.1 *
# 1000), also where a tree draws half of them.
@test "a fraction of --min-samples-leaf is one of all rows, not of the bag" {
	seq 1000 | awk 'BEGIN { print "x,y" } { print $1 "," ($1 * 7) % 11 }' \
	    >train.csv
	read="--task regression"
	fit train.csv -n 5 --max-samples 0.5 --min-samples-leaf 0.1
	bin2csv forest.arrows | awk -F, 'NR > 1 && $3 == "" && $8 < 100' >small
	[ ! -s small ] || fail "$(cat small)"
	# 500 draws are at most 500 distinct rows: no sixth leaf
	fit train.csv -n 5 --max-samples 0.5 --min-samples-leaf 0.25
	run ! grep -q '[^ ]' <(forest feature | tr -d ' ' | tr -d 0)
}

# B13: what max_samples counts where weights do not sum to the rows.
@test "--max-samples counts rows, whatever their weights sum to" {
	seq 100 | awk 'BEGIN { print "x,w,y" }
	    { print $1 ",.5," ($1 % 3 ? "a" : "b") }' >half.csv
	sed 's/,.5,/,1,/' half.csv >one.csv
	read="--weight w"
	fit half.csv -n 3 --max-depth 0 --max-samples 100
	assert_equal "$(forest cover)" "50 50 50"
	cp forest.arrows rows.arrows
	fit half.csv -n 3 --max-depth 0
	assert_equal "$(forest cover)" "50 50 50"
	fit half.csv -n 3 --max-depth 0 --max-samples 0.5
	assert_equal "$(forest cover)" "25 25 25"
	# the same trees as of weight 1, but for the covers
	fit half.csv -n 3
	forest threshold >half
	fit one.csv -n 3
	forest threshold | cmp - half
}

# B14: iris, 66 % elsewhere.
@test "iris by default options is right out of bag in 94 of 100" {
	local said

	csv2bin -q --no-header -l 5 "$RF_DATA/iris.csv" -o iris.arrows
	for seed in 0 1 2; do
		rf-fit --oob -s $seed iris.arrows -o forest.arrows 2>notes
		said=$(sed -n 's/.*out-of-bag accuracy \([0-9.]*\).*/\1/p' notes)
		awk -v x="$said" 'BEGIN { exit !(x >= .94) }' || fail "$said"
	done
}

# B16: numbers of bins around powers of two.
@test "any number of bins trains, with the same accuracy" {
	local bins

	csv2bin -q -l Cover_Type --task classification "$RF_DATA/covtype.csv.gz" \
	    -o train.arrows
	for bins in 2 3 16 31 32 33 63 64 65 127 128 129 130 253 254 255 256 \
	    257 511 513 65535; do
		rf-fit --oob -n 10 --bins $bins train.arrows -o forest.arrows \
		    2>notes
		echo "$bins $(sed -n \
		    's/.*out-of-bag accuracy \([0-9.]*\).*/\1/p' notes)"
	done >said
	# of 31 bins on: ten trees out of bag lie within .03 of another
	awk '$1 >= 31 { n++; if (n == 1 || $2 < low) low = $2
		if ($2 > high) high = $2 }
	    END { exit !(n == 18 && low > .6 && high - low < .03) }' said ||
	    fail "$(cat said)"
	run -64 rf-fit --bins 1 train.arrows
	run -64 rf-fit --bins 65536 train.arrows
}
