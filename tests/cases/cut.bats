# Files cut off: every kind, by every tool that reads it (H17, G20).

setup() {
	load ../helper
	load cases
	common_setup
	cases_setup
	needs_python subprocess
	make_files
}

# The smallest of each kind, with all that a stream can have.
make_files() {
	printf 'x,c,y\n' >train.csv
	for i in 1 2 3 4 5; do printf '%s,u,a\n,v,b\n' "$i"; done >>train.csv
	csv2bin -q -l y train.csv -o data
	rf-fit -q -n 2 data --oob=oob -o forest
	rf-pack forest -o model
	rf-predict model data -o tally
	rf-predict --leaves model data -o leaf
	rf-vote --probabilities tally -o decided
}

# cut FILE COMMAND ..: at every byte in make soak, else at some.
cut_off() {
	STRIDE=$(in_soak 1 61) "$RF_PYTHON" "$RF_ROOT/tests/cases/cut.py" "$@"
}

@test "a data stream cut at any byte ends every reader with 65" {
	cut_off data rf-fit -q -n 1 --device cpu {}
	cut_off data rf-predict --device cpu model {}
	cut_off data bin2csv {}
	cut_off data rf-info {}
}

@test "a forest stream cut at any byte ends every reader with 65" {
	cut_off forest rf-pack {}
	cut_off forest bin2csv {}
	cut_off forest rf-info {}
}

@test "a tally stream cut at any byte ends every reader with 65" {
	cut_off tally rf-vote {}
	cut_off tally bin2csv {}
	cut_off tally rf-info {}
}

@test "a leaf stream cut at any byte ends every reader with 65" {
	cut_off leaf bin2csv {}
	cut_off leaf rf-info {}
}

@test "an out-of-bag stream cut at any byte ends every reader with 65" {
	cut_off oob rf-vote {}
	cut_off oob bin2csv {}
	cut_off oob rf-info {}
}

@test "a decided stream cut at any byte ends every reader with 65" {
	cut_off decided rf-score {}
	cut_off decided bin2csv {}
	cut_off decided rf-info {}
}

@test "a packed forest cut at any byte ends every reader with 65" {
	cut_off model rf-predict --device cpu {} data
	cut_off model rf-pack -d {}
	cut_off model rf-info {}
	cut_off model csv2bin --like {} train.csv
}

@test "one part that is cut off among whole ones is found" {
	rf-fit -q -n 0:1/2 data -o one
	rf-fit -q -n 1:2/2 data -o two
	cut_off two rf-pack one {}
	cut_off one rf-pack {} two
	rf-predict --trees 0:1 model data -o first
	rf-predict --trees 1:2 model data -o second
	rf-vote first second | cmp - <(rf-vote tally)
	cut_off second rf-vote first {}
	cut_off data rf-fit -q -n 1 --device cpu data {}
}

@test "a cut stream on a pipe is no whole stream either" {
	local command size

	while read -r command; do
		set -- $command
		for size in 0 1 7 8 200 $(($(stat -c %s "$1") - 8)) \
		    $(($(stat -c %s "$1") - 1)); do
			run -65 --separate-stderr bash -c \
			    "head -c $size $1 | ${*:2} >out"
			run ! bin2csv out
		done
	done <<-'END'
		data rf-fit -q -n 1
		data rf-predict model
		forest rf-pack
		tally rf-vote
		oob rf-vote
	END
}
