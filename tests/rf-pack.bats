# rf-pack: packed forests, merged from parts and unpacked again.

setup() {
	load helper
	common_setup
	needs_tool csv2bin rf-fit rf-pack rf-info
	make_data
}

make_data() {
	csv2bin --no-header -l 5 "$RF_DATA/iris.csv" -o iris.arrows
}

fit() {
	rf-fit -q -t 2 --device cpu "$@"
}

# Every set there is in small: numbers, text and gaps, regression, int64.
make_sets() {
	csv2bin -q -l Survived --task classification "$RF_DATA/titanic.csv" \
	    -o titanic.arrows
	csv2bin -q -l 9 --task regression "$RF_DATA/concrete.csv" \
	    -o concrete.arrows
	awk 'BEGIN { print "id,y"; for (i = 0; i < 60; i++)
		printf "9007199254740%d,%s\n", 993 + i * 7 % 60,
		    i % 3 ? "a" : "b" }' |
	    csv2bin -q -l y -o int64.arrows
}

@test "a packed forest unpacks to the stream it was packed from" {
	make_sets
	for set in iris titanic concrete int64; do
		for option in -q --no-stats --max-depth=2 --ordinal=Sex; do
			[ "$set" = titanic ] || [ "$option" != --ordinal=Sex ] ||
			    continue
			fit -n 6 "$option" "$set.arrows" -o forest.arrows
			rf-pack forest.arrows -o model.rfb
			rf-pack -d model.rfb -o back.arrows
			cmp forest.arrows back.arrows
			rf-pack back.arrows | cmp - model.rfb
		done
	done
}

@test "standard input, a file and bytes one by one pack to the same model" {
	needs_python sys
	fit -n 2 iris.arrows -o forest.arrows
	rf-pack forest.arrows -o model.rfb
	rf-pack <forest.arrows | cmp - model.rfb
	rf-pack - <forest.arrows | cmp - model.rfb
	bash -o pipefail -c "$(declare -f dribble)
	    dribble forest.arrows | rf-pack | cmp - model.rfb"
	cat model.rfb | rf-pack -d | cmp - forest.arrows
}

@test "a model reads as its manual says, and equals what pyarrow reads" {
	needs_python numpy pyarrow
	make_sets
	for set in iris titanic concrete int64; do
		fit -n 3 "$set.arrows" -o forest.arrows
		rf-pack forest.arrows -o model.rfb
		"$RF_PYTHON" "$RF_ROOT/tests/interop/read_pack.py" model.rfb \
		    forest.arrows
	done
	fit -n 3 --no-stats titanic.arrows -o forest.arrows
	rf-pack forest.arrows -o model.rfb
	"$RF_PYTHON" "$RF_ROOT/tests/interop/read_pack.py" model.rfb \
	    forest.arrows
}

@test "parts in any order make the model of one run" {
	fit -n 20 iris.arrows | rf-pack -o whole.rfb
	fit -n 0:3/20 iris.arrows -o a
	fit -n 3:4/20 iris.arrows -o b
	fit -n 4:20/20 iris.arrows -o c
	for order in 'a b c' 'a c b' 'b a c' 'b c a' 'c a b' 'c b a'; do
		rf-pack $order | cmp - whole.rfb
	done
	rf-pack b a - <c | cmp - whole.rfb
}

@test "parts that do not know the whole make the model of one run too" {
	fit -n 20 iris.arrows | rf-pack -o whole.rfb
	fit -n 0:3 iris.arrows -o a
	fit -n 3:20 iris.arrows -o b
	rf-pack b a | cmp - whole.rfb
}

@test "a tree in two parts is refused with 65 and both are named" {
	fit -n 0:3/4 iris.arrows -o a
	fit -n 2:4/4 iris.arrows -o b
	run -65 --separate-stderr bash -c 'rf-pack a b >out'
	assert_equal "$stderr" "rf-pack: tree 2 is both in a and in b"
	run -65 --separate-stderr bash -c 'rf-pack --partial a a >out'
	assert_equal "$stderr" "rf-pack: tree 0 is both in a and in a"
}

@test "missing trees are refused with 65, and --partial packs the others" {
	fit -n 1:3/9 iris.arrows -o a
	fit -n 6:8/9 iris.arrows -o b
	run -65 --separate-stderr bash -c 'rf-pack a b >out'
	[[ $stderr == *"5 of 9 trees are missing: 0:1, 3:6, 8:9 ("* ]] ||
	    fail "$stderr"
	run -0 --separate-stderr rf-pack --partial b a -o part.rfb
	[[ $stderr == *"5 of 9 trees are missing: 0:1, 3:6, 8:9" ]] ||
	    fail "$stderr"
	run -0 rf-info part.rfb
	assert_line --regexp '^trees +4 of 9, 1:3,6:8$'
	run -0 --separate-stderr rf-pack -q --partial a b -o again.rfb
	[ -z "$stderr" ]
	cmp part.rfb again.rfb
	rf-pack -d part.rfb | rf-pack -q --partial | cmp - part.rfb
}

@test "a gap below the highest tree is one where the whole is not known" {
	fit -n 2:4 iris.arrows -o a
	run -65 --separate-stderr bash -c 'rf-pack a >out'
	[[ $stderr == *"2 of 4 trees are missing: 0:2 ("* ]] || fail "$stderr"
}

@test "parts of other seed, parameters, wholes or columns are refused" {
	fit -n 0:3/6 iris.arrows -o a
	fit -n 3:6/6 -s 1 iris.arrows -o seed
	fit -n 3:6/6 --max-features 1 iris.arrows -o parameters
	fit -n 3:6/7 iris.arrows -o total
	fit -n 3:6/6 --no-stats iris.arrows -o stats
	sed 's/setosa/Setosa/' "$RF_DATA/iris.csv" |
	    csv2bin --no-header -l 5 | fit -n 3:6/6 -o classes
	for part in seed parameters; do
		run -65 --separate-stderr bash -c "rf-pack a $part >out"
		[[ $stderr == *"$part was grown with other parameters than a"* ]] ||
		    fail "$stderr"
	done
	run -65 --separate-stderr bash -c 'rf-pack a total >out'
	[[ $stderr == *"total is of a forest of 7 trees, a of 6" ]] ||
	    fail "$stderr"
	run -65 --separate-stderr bash -c 'rf-pack a stats >out'
	[[ $stderr == *statistics* ]] || fail "$stderr"
	run -65 --separate-stderr bash -c 'rf-pack --federated a classes >out'
	[[ $stderr == *"classes has other features or classes than a" ]] ||
	    fail "$stderr"
}

@test "parts of other data are refused, and --federated takes them" {
	head -n 120 "$RF_DATA/iris.csv" >first.csv
	fit -n 0:3/6 iris.arrows -o a
	csv2bin --no-header -l 5 first.csv | fit -n 3:6/6 -o b
	run -65 --separate-stderr bash -c 'rf-pack a b >out'
	[[ $stderr == *"b was grown from other data than a"* ]] ||
	    fail "$stderr"
	rf-pack --federated a b -o ab.rfb
	rf-pack --federated b a | cmp - ab.rfb
	run -0 rf-info ab.rfb
	assert_line --regexp '^training rows +270$'
}

@test "a forest of stumps and a tree of one leaf pack and unpack" {
	printf '%s\n' x,y 1,a 1,b 1,a | csv2bin -l y |
	    fit -n 3 -o forest.arrows
	rf-pack forest.arrows -o model.rfb
	rf-pack -d model.rfb | cmp - forest.arrows
	run -0 rf-info model.rfb
	assert_line --regexp '^depth +0$'
	printf '%s\n' x,y 1,a 2,a | csv2bin -l y | fit -n 2 | rf-pack |
	    rf-info >out
	grep -q '^classes *1: a$' out
}

@test "a tree deeper than 1000 packs and unpacks" {
	awk 'BEGIN { print "x,y"; for (i = 0; i < 5000; i++)
		print i "," (i % 2 ? "a" : "b") }' | csv2bin -l y -o chain
	fit -n 1 --no-bootstrap --bins 5000 --min-samples-leaf 1 chain \
	    -o forest.arrows
	rf-pack forest.arrows -o model.rfb
	rf-pack -d model.rfb | cmp - forest.arrows
	rf-info --json model.rfb | grep -q '"nodes":9999'
}

# Each line: what is changed, then a part of the message that it brings.
refuses_each() {
	local number=0 change part

	cut -d '|' -f 1 cases |
	    "$RF_PYTHON" "$RF_ROOT/tests/interop/bad_forest.py" forest.arrows
	while IFS='|' read -r change part; do
		run -65 --separate-stderr bash -c "rf-pack bad.$number >out"
		[[ $stderr == "rf-pack: bad.$number: "*"$part"* ]] ||
		    fail "$change: $stderr"
		number=$((number + 1))
	done <cases
	[ "$number" -gt 0 ]
}

@test "values that make no tree are refused with 65" {
	needs_python pyarrow
	fit -n 2 iris.arrows -o forest.arrows
	cat >cases <<-'END'
		left 0 2147483647|node 0: child 2147483647
		left 0 -2|node 0: child -2
		left 0 0|node 0: child 0
		left 0 3|tree 0
		feature 0 4|node 0: feature 4 of 4
		feature 0 -1|node 0: feature -1
		threshold 0 NaN|threshold
		threshold 0 null|without threshold
		missing_left 0 null|missing_left
		left 0 null|left
		gain 0 null|gain
		cover 1 null|cover
		node 1 2|node 2 where 1 comes next
		node 0 -1|node -1 where 0 comes next
		tree 0 -1|tree
		tree 0 5|tree
		leaf 0 [{"class":0,"value":1}]|leaf
		leaf leaf []|leaf
		leaf leaf null|leaf
		leaf leaf [{"class":3,"value":1}]|leaf
		leaf leaf [{"class":-1,"value":1}]|leaf
		leaf leaf [{"class":0,"value":Infinity}]|leaf
		leaf leaf [{"class":0,"value":NaN}]|leaf
		leaf leaf [{"class":0,"value":-1}]|leaf
		leaf leaf [{"class":1,"value":1},{"class":0,"value":1}]|leaf
		leaf leaf [{"class":1,"value":0}]|leaf
	END
	refuses_each
}

@test "other batches, and compressed ones, are the same forest" {
	needs_python pyarrow
	make_sets
	for set in iris titanic concrete int64; do
		fit -n 3 "$set.arrows" -o forest.arrows
		rf-pack forest.arrows -o model.rfb
		printf 'recut %s\n' '1 zstd' '7 lz4' '100 zstd' >cases
		"$RF_PYTHON" "$RF_ROOT/tests/interop/bad_forest.py" \
		    forest.arrows <cases
		for number in 0 1 2; do
			rf-pack "bad.$number" | cmp - model.rfb
		done
	done
}

@test "a stream that lacks a column is refused with 65" {
	needs_python pyarrow
	fit -n 2 iris.arrows -o forest.arrows
	for column in tree node feature threshold left missing_left gain \
	    cover leaf; do
		echo "drop $column|column '$column' is missing"
	done >cases
	refuses_each
}

@test "a changed threshold or a lost end batch is refused with 65" {
	needs_python pyarrow
	fit -n 2 iris.arrows -o forest.arrows
	cat >cases <<-'END'
		threshold 0 1.25|not those that were written
		filter|end batch
	END
	refuses_each
}

@test "a model where a stream is due, and the reverse, are named" {
	fit -n 1 iris.arrows -o forest.arrows
	rf-pack forest.arrows -o model.rfb
	run -65 --separate-stderr bash -c 'rf-pack model.rfb >out'
	[[ $stderr == *"model file"* ]] || fail "$stderr"
	run -65 --separate-stderr bash -c 'rf-pack iris.arrows >out'
	[[ $stderr == "rf-pack: iris.arrows: "*data* ]] || fail "$stderr"
	run -65 --separate-stderr bash -c 'rf-pack -d forest.arrows >out'
	[[ $stderr == *"an Arrow stream, not a packed forest"* ]] ||
	    fail "$stderr"
	run -65 --separate-stderr bash -c \
	    'rf-pack -d "$RF_DATA/iris.csv" >out'
	[[ $stderr == *"iris.csv: not a packed forest" ]] || fail "$stderr"
	run -64 --separate-stderr rf-pack -d model.rfb model.rfb
	[[ $stderr == *"one packed forest"* ]] || fail "$stderr"
}

@test "a model cut off or with a byte changed is refused with 65" {
	fit -n 2 iris.arrows | rf-pack -o model.rfb
	size=$(stat -c %s model.rfb)
	for at in 0 9 13 40 70 130 $((size / 2)) $((size - 1)); do
		head -c "$at" model.rfb >bad.rfb
		run -65 --separate-stderr bash -c 'rf-pack -d bad.rfb >out'
		[[ $stderr == "rf-pack: bad.rfb: "* ]] || fail "$stderr"
		byte=$(od -An -tu1 -j "$at" -N 1 model.rfb)
		cp model.rfb bad.rfb
		printf "\\x$(printf %x $((byte ^ 16)))" |
		    dd of=bad.rfb bs=1 seek="$at" conv=notrunc status=none
		run -65 --separate-stderr bash -c 'rf-pack -d bad.rfb >out'
		[[ $stderr == "rf-pack: bad.rfb: "* ]] || fail "$stderr"
	done
	(cat model.rfb; echo) >bad.rfb
	run -65 bash -c 'rf-pack -d bad.rfb >out'
}
