# What the cases share: a table in, answers out, by the shortest pipes.
#
#	setup() { load ../helper; load cases; common_setup; cases_setup; }

cases_setup() {
	set -o pipefail
	needs_tool csv2bin rf-fit rf-pack rf-predict rf-vote rf-score bin2csv \
	    rf-info
}

# fit FILE OPTION..: model.rfb of one tree of all rows, grown from a table
# whose label is y.
fit_one() {
	fit "$1" -n 1 --no-bootstrap "${@:2}"
}

# The same of a forest; $read has options of csv2bin.
fit() {
	csv2bin -q -l y ${read-} "$1" -o train.arrows
	rf-fit -q -t 2 --device cpu "${@:2}" train.arrows -o forest.arrows
	rf-pack forest.arrows -o model.rfb
}

# decide FILE OPTION..: the decided rows of a table as CSV.
decide() {
	csv2bin -q --like model.rfb "$1" | rf-predict --device cpu model.rfb |
	    rf-vote "${@:2}" | bin2csv
}

# column NAME: that column of CSV without quotes, in one line.
column() {
	awk -F, -v name="$1" '
	NR == 1 { for (i = 1; i <= NF; i++) if ($i == name) c = i; next }
	{ printf "%s%s", n++ ? " " : "", $c }
	END { if (!c) exit 1; print "" }'
}

# answers FILE: the predictions for a table, in one line.
answers() {
	decide "$1" --prefix p. | column p.prediction
}

# forest NAME: a column of the forest stream.
forest() {
	bin2csv forest.arrows | column "$1"
}

# is_right FILE: every row's prediction is its label y.
is_right() {
	assert_equal "$(decide "$1" --prefix p. | awk -F, '
	NR == 1 { for (i = 1; i <= NF; i++) { if ($i == "y") y = i
		if ($i == "p.prediction") p = i }; next }
	$y != $p { print NR ": " $y " is taken for " $p }')" ""
}
