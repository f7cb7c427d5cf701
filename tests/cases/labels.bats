# Labels, names of columns, and pipes: public failures of other systems.

setup() {
	load ../helper
	load cases
	common_setup
	cases_setup
}

# orders A B C: every order of three words, one a line.
orders() {
	printf '%s\n' "$1 $2 $3" "$1 $3 $2" "$2 $1 $3" "$2 $3 $1" \
	    "$3 $1 $2" "$3 $2 $1"
}

# C01: names of probability columns against their contents.
@test "a probability column holds its class, whatever the order of the rows" {
	local class names order

	for names in "setosa versicolor virginica" "10 9 -3" "b B a"; do
		read=
		case $names in 10*) read="--task classification" ;; esac
		orders $names | while read -r order; do
			echo x,y >train.csv
			for class in $order; do
				# x depends on the class, not on the order
				set -- $names
				case $class in
				"$1") echo "1,$class" ;;
				"$2") echo "2,$class" ;;
				*) echo "3,$class" ;;
				esac
			done >>train.csv
			fit_one train.csv
			decide train.csv --prefix p. --probabilities >out
			for class in $names; do
				awk -F, -v c="$class" '
				NR == 1 { for (i = 1; i <= NF; i++) {
					if ($i == "p.probability." c) p = i
					if ($i == "y") y = i }; next }
				{ n++; if ($p != ($y == c)) exit 1 }
				END { if (n != 3 || !p) exit 1 }' out
			done
		done
	done
}

# C02: the parts of a total, whose classes are in another order.
@test "the tallies of single trees add up to those of the forest" {
	local how

	awk 'BEGIN { srand(2); print "x,z,y"; for (i = 0; i < 200; i++) {
		x = rand(); z = rand()
		print x "," z "," substr("ebdac", 1 + int(5 * x * z * 2) % 5, 1)
	    } }' >train.csv
	fit train.csv -n 7 --max-depth 3
	for how in soft hard; do
		csv2bin -q --like model.rfb train.csv -o new.arrows
		rf-predict --vote $how model.rfb new.arrows | bin2csv >whole
		for tree in 0 1 2 3 4 5 6; do
			rf-predict --vote $how --trees $tree:$((tree + 1)) \
			    model.rfb new.arrows | bin2csv | tail -n +2
		done | awk -F, -v OFS=, '
		{ for (i = 3; i <= 7; i++) sum[$2, i] += $i; y[$2] = $1 }
		END { for (r = 0; r < 200; r++) { printf "%s,%d", y[r], r
			for (i = 3; i <= 7; i++) printf ",%.0f", sum[r, i]
			print "" } }' >parts
		tail -n +2 whole | cmp - parts
	done
}

# C04: a column of text as the label.
@test "iris is answered with names of species, never with numbers" {
	awk 'NR == 1 { print "a,b,c,d,y" } 1' "$RF_DATA/iris.csv" >train.csv
	fit train.csv -n 10
	assert_equal "$(answers train.csv | tr ' ' '\n' | sort | uniq -c |
	    awk '$1 > 45 && $1 < 55 { print $2 }' | tr '\n' ' ')" \
	    "Iris-setosa Iris-versicolor Iris-virginica "
}

# C05: labels that are no 0..K-1.
@test "labels of any kind are accepted and given back as they came" {
	local labels

	for labels in "-3 0 4" "9223372036854775807 -9223372036854775808 0" \
	    "10 20 30" "true false maybe" "NaNa 0x1 1e5x" "é ü 漢" \
	    "a=b c|d e;f" "1.0.0 1.0.1 1.1"; do
		set -- $labels
		printf 'x,y\n1,%s\n2,%s\n3,%s\n' $labels >train.csv
		read=
		case $1 in -3 | 9* | 10) read="--task classification" ;; esac
		fit_one train.csv
		assert_equal "$(answers train.csv)" "$labels"
		# and are not decoded a second time (C07)
		rf-pack -d model.rfb | rf-pack | rf-pack -d | rf-pack \
		    -o again.rfb
		cmp model.rfb again.rfb
	done
	# the types stay
	printf 'x,y\n1,10\n2,20\n' >train.csv
	read="--task classification"
	fit_one train.csv
	csv2bin -q --like model.rfb train.csv | rf-predict model.rfb |
	    rf-vote -o decided.arrows
	run -0 rf-info decided.arrows
	[[ $output == *int* ]] || fail "$output"
}

# C08: labels that seem changed, by the bootstrap.
@test "--no-bootstrap recovers every label of rows of their own" {
	seq 15 | awk 'BEGIN { print "x,y" } { print $1 ",c" $1 * 7 % 15 }' \
	    >train.csv
	fit_one train.csv
	is_right train.csv
	seq 2000 | awk 'BEGIN { print "x,y" }
	    { print $1 ",c" $1 * 7919 % 2000 }' >train.csv
	fit_one train.csv --bins 2000
	is_right train.csv
}

# C10, C13: columns go by name.
@test "columns go by name: more of them and another order change nothing" {
	awk 'BEGIN { srand(5); print "a,b,c,y"; for (i = 0; i < 60; i++) {
		a = rand(); b = rand(); c = rand()
		print a "," b "," c "," (a > b ? "p" : c > .5 ? "q" : "r") } }' \
	    >train.csv
	fit train.csv -n 5
	decide train.csv >wanted
	awk -F, -v OFS=, '{ print (NR == 1 ? "extra" : "text" NR), $3, $1, $4,
	    $2 }' train.csv >moved.csv
	csv2bin -q -l y moved.csv | rf-predict model.rfb | rf-vote | bin2csv |
	    cmp - wanted
	csv2bin -q --like model.rfb moved.csv | rf-predict model.rfb |
	    rf-vote | bin2csv | cmp - wanted
	# an id is passed on, as a column of its own
	csv2bin -q -l y --id extra moved.csv | rf-predict model.rfb | rf-vote |
	    bin2csv | column extra | grep -q '^text2 text3 '
}

# C10: columns that training left out.
@test "what was no feature in training is none in prediction, under any role" {
	printf 'k,x,w,y\n1,1,1,a\n2,2,1,b\n3,3,1,a\n' >train.csv
	read="--id k --weight w"
	fit_one train.csv
	run -0 rf-info model.rfb
	[[ $output == *"features        1"* ]] || fail "$output"
	printf 'y,w,x,k\na,9,1,77\nb,9,2,78\na,9,3,79\n' >new.csv
	csv2bin -q -l y new.csv | rf-predict model.rfb | rf-vote | bin2csv |
	    column prediction >said
	assert_equal "$(cat said)" "a b a"
}

# C11: the first column is no label.
@test "no column is taken for the label without being told" {
	printf 'x,y\n1,2\n3,4\n' | csv2bin -q -o in
	run -64 --separate-stderr rf-fit in
	[[ $stderr == *--label* ]] || fail "$stderr"
	[ -z "$output" ]
	for label in x y 1 2; do
		rf-fit -q -l $label --task regression in >out
	done
	run -64 rf-fit -l 3 --task regression in
}

# C13: columns that are not there, or of another kind.
@test "a missing column is an error that names it, and so is another type" {
	printf 'x,c,y\n' >train.csv
	for i in 1 2 3 4 5 6; do printf '%s,u,a\n%s,v,b\n' $i $i; done \
	    >>train.csv
	fit train.csv -n 3
	printf 'x\n1\n' | csv2bin -q -o lacks.arrows
	run -65 --separate-stderr rf-predict model.rfb lacks.arrows
	[[ $stderr == *[\'\"]c[\'\"]* ]] || fail "$stderr"
	[ -z "$output" ]
	rf-predict -q --missing-ok model.rfb lacks.arrows >out
	printf 'x,c\n1,2\n' | csv2bin -q -o number.arrows
	run -65 --separate-stderr rf-predict model.rfb number.arrows
	[[ $stderr == *[\'\"]c[\'\"]* ]] || fail "$stderr"
	printf 'x,c\nlow,u\nhigh,v\n' | csv2bin -q --type x=category \
	    -o text.arrows
	run -65 --separate-stderr rf-predict model.rfb text.arrows
	[[ $stderr == *[\'\"]x[\'\"]* ]] || fail "$stderr"
	# whole numbers for decimal ones are the same numbers
	printf 'x,c\n1.0,u\n2.0,v\n' | csv2bin -q | rf-predict model.rfb |
	    rf-vote | bin2csv | column prediction >said
	assert_equal "$(cat said)" "a b"
}

# F01, F02: a reader that leaves early, in the midst of much data.
@test "every tool of a pipe ends quietly when head has its line" {
	local words

	seq 200000 | awk 'BEGIN { print "x,y" } { print $1 "," $1 % 7 }' \
	    >train.csv
	read="--task classification"
	fit train.csv -n 2 --max-depth 4
	csv2bin -q --like model.rfb train.csv -o data.arrows
	rf-predict model.rfb data.arrows -o tally.arrows
	rf-vote tally.arrows -o decided.arrows
	while read -r words; do
		run --separate-stderr bash -c "$words | head -c 100 >/dev/null
		    exit \${PIPESTATUS[0]}"
		[ "$status" = 141 ] || fail "$words: $status"
		[ -z "$stderr" ] || fail "$stderr"
	done <<-'END'
		csv2bin -q --like model.rfb train.csv
		rf-predict model.rfb data.arrows
		rf-vote tally.arrows
		bin2csv decided.arrows
		bin2csv data.arrows
	END
}

# F04, F05: what recognises a file must not swallow a pipe.
@test "a table on a pipe is read from its first row to its last" {
	local n

	for n in 0 1 2 3 50; do
		seq "$n" | awk 'BEGIN { print "x,y" } { print $1 ",a" $1 }' \
		    >some.csv
		csv2bin -q some.csv -o file.arrows
		cat some.csv | csv2bin -q | cmp - file.arrows
		cat some.csv | csv2bin -q - | cmp - file.arrows
		cat some.csv | csv2bin -q /dev/stdin | cmp - file.arrows
		(head -c 3 some.csv; sleep .1; tail -c +4 some.csv) |
		    csv2bin -q | cmp - file.arrows
		gzip -c some.csv | csv2bin -q | cmp - file.arrows
		bin2csv file.arrows | cmp - some.csv
	done
}

@test "a pipe longer than what types are told from is read in one pass" {
	local n last

	# 7 bytes a row; types are told from 16 MiB
	n=$(in_soak 1400000000 3000000)
	last=$( (echo x,y; (yes 12,abc || true) | head -n "$n"; echo 34,xyz) |
	    csv2bin -q | bin2csv | tail -n 1)
	assert_equal "$last" 34,xyz
	(echo x; (yes 1234567 || true) | head -n 3000000; echo 12x) >late.csv
	run -65 --separate-stderr bash -c 'cat late.csv | csv2bin >out'
	[[ $stderr == *"line 3000002"*"12x"* ]] || fail "$stderr"
	run ! bin2csv out
	(head -n 3000001 late.csv; echo 007) >code.csv
	run -65 --separate-stderr csv2bin code.csv -o out
	assert_equal "$stderr" "csv2bin: code.csv: line 3000002, column 'x': \
'007' looks like a code among numbers; --type x=integer takes it as a number, \
--type x=text the column as text"
	csv2bin --type x=integer code.csv | bin2csv | tail -n 1 | grep -x 7
}
