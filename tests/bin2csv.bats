# bin2csv: every type of value as text, quoting, damaged streams.

setup() {
	load helper
	common_setup
	needs_tool bin2csv
}

# arrow EXPRESSION: writes s.arrows of a pyarrow table of that expression.
arrow() {
	needs_python pyarrow
	"$RF_PYTHON" - "$1" <<'END'
import datetime, decimal, math, sys
import pyarrow as pa
t = eval(sys.argv[1])
with pa.ipc.new_stream('s.arrows', t.schema) as w:
    w.write_table(t, max_chunksize=2)
END
}

# printed EXPRESSION: the lines after the header of a table of one column x.
printed() {
	arrow "pa.table({'x': $1})"
	bin2csv s.arrows | tail -n +2
}

@test "bin2csv prints integers of all widths" {
	assert_equal "$(printed 'pa.array([-128, 127], pa.int8())')" $'-128\n127'
	assert_equal "$(printed 'pa.array([2**64 - 1, 0], pa.uint64())')" \
	    $'18446744073709551615\n0'
	assert_equal "$(printed 'pa.array([-2**63, 2**63 - 1])')" \
	    $'-9223372036854775808\n9223372036854775807'
}

@test "bin2csv prints the fewest digits that read back" {
	# Python's repr, without ".0".
	assert_equal "$(printed '[0.1, 1/3, 1e16, 123456789.0, 1e-5, 5e-324,
	    2.0**-44, 1e23, 9007199254740993.0, -0.0, 0.3]')" \
	    $'0.1\n0.3333333333333333\n1e+16\n123456789\n1e-05\n5e-324
5.684341886080802e-14\n1e+23\n9007199254740992\n-0\n0.3'
	assert_equal "$(printed 'pa.array([0.1, 1e30, 16777216], pa.float32())')" \
	    $'0.1\n1e+30\n16777216'
	assert_equal "$(printed 'pa.array([0.5, 65504], pa.float16())')" \
	    $'0.5\n65504'
	assert_equal "$(printed '[math.nan, math.inf, -math.inf]')" \
	    $'NaN\ninf\n-inf'
}

@test "bin2csv prints dates and times by ISO 8601" {
	assert_equal "$(printed "pa.array([-1, 0, 11016, 2932896], pa.date32())")" \
	    $'1969-12-31\n1970-01-01\n2000-02-29\n9999-12-31'
	assert_equal "$(printed "pa.array([-1, 86399500], pa.timestamp('ms'))")" \
	    $'1969-12-31T23:59:59.999\n1970-01-01T23:59:59.500'
	assert_equal "$(printed "pa.array([0], pa.timestamp('s', 'Europe/Berlin'))")" \
	    1970-01-01T00:00:00Z
	assert_equal "$(printed "pa.array([3723000001], pa.time64('us'))")" \
	    01:02:03.000001
	assert_equal "$(printed "pa.array([-1500], pa.duration('ms'))")" -PT1.500S
}

@test "bin2csv prints booleans, decimals, binary and nulls" {
	assert_equal "$(printed '[True, None, False]')" $'true\n""\nfalse'
	assert_equal "$(printed "pa.array([decimal.Decimal('-0.05')],
	    pa.decimal128(20, 2))")" -0.05
	assert_equal "$(printed "pa.array([decimal.Decimal('1e30')],
	    pa.decimal256(60, 3))")" 1000000000000000000000000000000.000
	assert_equal "$(printed "[b'\\x00\\xff']")" 00ff
	assert_equal "$(printed 'pa.nulls(2)')" $'""\n""'
}

@test "bin2csv prints lists and structures as JSON" {
	assert_equal "$(printed "[[{'class': 0, 'value': 1.5}], [], None]")" \
	    $'"[{""class"": 0, ""value"": 1.5}]"\n[]\n""'
	assert_equal "$(printed "[['a\"', None]]")" '"[""a\"""", null]"'
}

@test "bin2csv prints texts of dictionaries, batch by batch" {
	assert_equal "$(printed "pa.array(['b', 'a', None, 'b']).dictionary_encode()")" \
	    $'b\na\n""\nb'
	assert_equal "$(printed "pa.array([3, 1]).dictionary_encode()")" $'3\n1'
}

@test "bin2csv quotes what needs it, and nothing else" {
	arrow "pa.table({'a,b': ['x', 'y,z', 'q\"q', '', ' p', 'n\nm', None],
	    'c': ['1', '2', '3', '4', '5', '6', '7']})"
	run -0 bin2csv s.arrows
	assert_output '"a,b",c
x,1
"y,z",2
"q""q",3
"",4
" p",5
"n
m",6
,7'
	assert_equal "$(bin2csv --delimiter ';' s.arrows | head -n 1)" 'a,b;c'
}

@test "bin2csv --na and --no-header change what they say" {
	arrow "pa.table({'a': [1, None], 'b': ['x', None]})"
	assert_equal "$(bin2csv --na NA --no-header s.arrows)" $'1,x\nNA,NA'
	assert_equal "$(bin2csv s.arrows)" $'a,b\n1,x\n,'
}

@test "bin2csv prints the header of a stream without rows" {
	arrow "pa.table({'a': pa.array([], pa.int32()), 'b': []})"
	assert_equal "$(bin2csv s.arrows)" a,b
}

@test "bin2csv refuses maps and the like by name" {
	arrow "pa.table({'m': pa.array([[('a', 1)]], pa.map_(pa.string(), pa.int32()))})"
	run -65 --separate-stderr bin2csv s.arrows
	assert_equal "$stderr" \
	    "bin2csv: s.arrows: column 'm': type map is not supported"
}

@test "bin2csv and csv2bin give back what went in" {
	needs_tool csv2bin
	needs_python pyarrow
	run -0 "$RF_PYTHON" "$RF_ROOT/tests/interop/check_csv.py" round 40
	assert_output 'ok'
}

@test "bin2csv fails on a stream cut at any byte" {
	needs_tool csv2bin
	printf 'a,b\n1,x\n2,y\n' | csv2bin -o s.arrows
	size=$(stat -c %s s.arrows)
	for ((n = 0; n < size; n += 37)); do
		head -c $n s.arrows >cut.arrows
		run -65 --separate-stderr bin2csv cut.arrows
		assert_equal "${#stderr_lines[@]}" 1
	done
}

@test "bin2csv leaves quietly with its reader, and says when the disk is full" {
	needs_tool csv2bin
	seq 1 300000 | csv2bin -o s.arrows
	run -0 --separate-stderr bash -c 'bin2csv s.arrows | head -n 1 >x'
	[ "$stderr" = "" ]
	run -74 --separate-stderr bash -c 'bin2csv s.arrows >/dev/full'
	assert_equal "${#stderr_lines[@]}" 1
}
