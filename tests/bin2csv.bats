# bin2csv: every type of value as text, quoting, damaged streams.

setup() {
	load helper
	common_setup
	needs_tool bin2csv
	needs_python pyarrow
}

# arrow EXPRESSION..: a pyarrow table each, into 1.arrows, 2.arrows ..
arrow() {
	"$RF_PYTHON" - "$@" <<'END'
import datetime, decimal, math, sys
import pyarrow as pa
for i, expression in enumerate(sys.argv[1:], 1):
    t = eval(expression)
    with pa.ipc.new_stream('%d.arrows' % i, t.schema) as w:
        w.write_table(t, max_chunksize=2)
END
}

# printed EXPRESSION..: a column x each, its lines after the header.
printed() {
	local i tables=()

	for i in "$@"; do
		tables+=("pa.table({'x': $i})")
	done
	arrow "${tables[@]}"
	for i in $(seq 1 $#); do
		bin2csv "$i.arrows" | tail -n +2
	done
}

@test "bin2csv prints integers of all widths" {
	run -0 printed 'pa.array([-128, 127], pa.int8())' \
	    'pa.array([2**64 - 1, 0], pa.uint64())' \
	    'pa.array([-2**63, 2**63 - 1])'
	assert_output "$(cat <<'END'
-128
127
18446744073709551615
0
-9223372036854775808
9223372036854775807
END
)"
}

@test "bin2csv prints the fewest digits that read back" {
	# Python's repr, without ".0".
	run -0 printed '[0.1, 1/3, 1e16, 123456789.0, 1e-5, 5e-324,
	    2.0**-44, 1e23, 9007199254740993.0, -0.0, 0.3]' \
	    'pa.array([0.1, 1e30, 16777216], pa.float32())' \
	    'pa.array([0.5, 65504], pa.float16())' \
	    '[math.nan, math.inf, -math.inf]'
	assert_output "$(cat <<'END'
0.1
0.3333333333333333
1e+16
123456789
1e-05
5e-324
5.684341886080802e-14
1e+23
9007199254740992
-0
0.3
0.1
1e+30
16777216
0.5
65504
NaN
inf
-inf
END
)"
}

@test "bin2csv prints dates and times by ISO 8601" {
	run -0 printed "pa.array([-1, 0, 11016, 2932896], pa.date32())" \
	    "pa.array([-1, 86399500], pa.timestamp('ms'))" \
	    "pa.array([0], pa.timestamp('s', 'Europe/Berlin'))" \
	    "pa.array([3723000001], pa.time64('us'))" \
	    "pa.array([-1500], pa.duration('ms'))"
	assert_output "$(cat <<'END'
1969-12-31
1970-01-01
2000-02-29
9999-12-31
1969-12-31T23:59:59.999
1970-01-01T23:59:59.500
1970-01-01T00:00:00Z
01:02:03.000001
-PT1.500S
END
)"
}

@test "bin2csv prints booleans, decimals, binary and nulls" {
	run -0 printed '[True, None, False]' \
	    "pa.array([decimal.Decimal('-0.05')],
	    pa.decimal128(20, 2))" \
	    "pa.array([decimal.Decimal('1e30')],
	    pa.decimal256(60, 3))" \
	    "[b'\\x00\\xff']" \
	    'pa.nulls(2)'
	assert_output "$(cat <<'END'
true
""
false
-0.05
1000000000000000000000000000000.000
00ff
""
""
END
)"
}

@test "bin2csv prints lists and structures as JSON" {
	run -0 printed "[[{'class': 0, 'value': 1.5}], [], None]" \
	    "[['a\"', None]]"
	assert_output "$(cat <<'END'
"[{""class"": 0, ""value"": 1.5}]"
[]
""
"[""a\"""", null]"
END
)"
}

@test "bin2csv prints bool8, and numbers in JSON as Python's json" {
	run -0 printed "pa.ExtensionArray.from_storage(pa.bool8(),
	    pa.array([1, 0, None, -5], pa.int8()))" \
	    "[[math.inf, -math.inf, math.nan, 0.5]]"
	assert_output 'true
false
""
true
"[Infinity, -Infinity, NaN, 0.5]"'
}

@test "bin2csv reads an Arrow file by its name and on a pipe" {
	"$RF_PYTHON" - <<'END'
import pyarrow as pa
t = pa.table({'a': [1, None, 3], 'b': pa.array(['x', 'y', 'x']).dictionary_encode()})
with pa.ipc.new_file('t.arrow', t.schema) as w:
    w.write_table(t, max_chunksize=2)
END
	assert_equal "$(bin2csv t.arrow)" $'a,b\n1,x\n,y\n3,x'
	assert_equal "$(cat t.arrow | bin2csv)" $'a,b\n1,x\n,y\n3,x'
}

@test "bin2csv prints texts of dictionaries, batch by batch" {
	run -0 printed "pa.array(['b', 'a', None, 'b']).dictionary_encode()" \
	    "pa.array([3, 1]).dictionary_encode()"
	assert_output "$(cat <<'END'
b
a
""
b
3
1
END
)"
}

@test "bin2csv quotes what needs it, and nothing else" {
	arrow "pa.table({'a,b': ['x', 'y,z', 'q\"q', '', ' p', 'n\nm', None],
	    'c': ['1', '2', '3', '4', '5', '6', '7']})"
	run -0 bin2csv 1.arrows
	assert_output '"a,b",c
x,1
"y,z",2
"q""q",3
"",4
" p",5
"n
m",6
,7'
	assert_equal "$(bin2csv --delimiter ';' 1.arrows | head -n 1)" 'a,b;c'
}

@test "bin2csv --na and --no-header change what they say" {
	arrow "pa.table({'a': [1, None], 'b': ['x', None]})"
	assert_equal "$(bin2csv --na NA --no-header 1.arrows)" $'1,x\nNA,NA'
	assert_equal "$(bin2csv 1.arrows)" $'a,b\n1,x\n,'
}

@test "bin2csv quotes a cell that equals --na's word, and says so" {
	arrow "pa.table({'a': ['x', 'NA', None], 'b': ['NA', '', None]})" \
	    "pa.table({'a': [-1, None, 3], 'b': [0.5, -1.0, None]})"
	run -0 --separate-stderr bin2csv --na NA 1.arrows
	assert_output $'a,b\nx,"NA"\n"NA",""\nNA,NA'
	assert_equal "$stderr" "bin2csv: row 1, column 'b': 2 cells of \
'NA' itself, in quotes to differ from missing"
	run -0 --separate-stderr bin2csv --na -1 2.arrows
	assert_output $'a,b\n"-1",0.5\n-1,"-1"\n3,-1'
	assert_equal "$stderr" "bin2csv: row 1, column 'a': 2 cells of \
'-1' itself, in quotes to differ from missing"
	run -0 --separate-stderr bin2csv --na '\N' 1.arrows
	assert_equal "$stderr" ""
}

@test "bin2csv refuses a word for missing cells that needs quotes" {
	arrow "pa.table({'a': [1]})"
	for word in a,b '"' ' x' $'x\t' $'x\ny'; do
		run -64 --separate-stderr bin2csv --na "$word" 1.arrows
		assert_equal "${#stderr_lines[@]}" 1
	done
	run -0 bin2csv --na a,b --delimiter tab 1.arrows
}

@test "what bin2csv --na writes comes back whole to csv2bin and pandas" {
	needs_tool csv2bin
	needs_python pandas
	cat >check.py <<'END'
import subprocess, sys
import pandas, pyarrow as pa
texts = ['NA', 'null', '?', 'NaN', ' x ', '\ty', 'a,b', 'a;b', 'q"q', '"',
         'n\nm', 'r\r\nn', '\ufeffz', '12', 'true', None, 'x', '']
for columns in (['t'], ['t', 'u']):
    t = pa.table({c: pa.array(texts) for c in columns})
    with pa.ipc.new_stream('t.arrows', t.schema) as w:
        w.write_table(t)
    for delimiter in ',', 'tab', ';', '|':
        words = ['--delimiter', delimiter, '--na', r'\N']
        out = subprocess.run(['bin2csv', *words, 't.arrows', '-o', 't.csv'],
                             check=True)
        back = pandas.read_csv('t.csv', sep='\t' if delimiter == 'tab' else
                               delimiter, dtype=str, keep_default_na=False,
                               na_values=[r'\N'], lineterminator='\n')
        for c in columns:
            got = [None if pandas.isna(v) else v for v in back[c]]
            assert got == texts, (delimiter, got)
        out = subprocess.run(['csv2bin', '-q', '--only-na', *words,
                              '--type', 't=category', 't.csv'],
                             check=True, stdout=subprocess.PIPE).stdout
        got = pa.ipc.open_stream(out).read_all()['t'].to_pylist()
        # A text without a letter is missing to csv2bin, quoted or not.
        assert got == texts[:-1] + [None], (delimiter, got)
END
	run -0 "$RF_PYTHON" check.py
}

@test "bin2csv prints the header of a stream without rows" {
	arrow "pa.table({'a': pa.array([], pa.int32()), 'b': []})"
	assert_equal "$(bin2csv 1.arrows)" a,b
}

@test "bin2csv refuses maps and the like by name" {
	arrow "pa.table({'m': pa.array([[('a', 1)]], pa.map_(pa.string(), pa.int32()))})"
	run -65 --separate-stderr bin2csv 1.arrows
	assert_equal "$stderr" \
	    "bin2csv: 1.arrows: column 'm': type map is not supported"
}

@test "bin2csv and csv2bin give back what went in" {
	needs_tool csv2bin
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
	seq 1 300000 | csv2bin --no-header -o 1.arrows
	run -0 --separate-stderr bash -c 'bin2csv 1.arrows | head -n 1 >x'
	[ "$stderr" = "" ]
	run -74 --separate-stderr bash -c 'bin2csv 1.arrows >/dev/full'
	assert_equal "${#stderr_lines[@]}" 1
}

@test "bin2csv keeps 10^7 rows within 256 MiB" {
	needs_tool csv2bin
	rows=1000000
	[ "${RF_SOAK-}" != 1 ] || rows=10000000
	{ echo a,b; yes '1234,word' | head -n $rows; } |
	    csv2bin -q -o 1.arrows
	run -0 "$RF_PYTHON" - <<'END'
import resource, subprocess
subprocess.run(['bin2csv', '1.arrows', '-o', 'out.csv'], check=True)
kib = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
assert kib < 256 << 10, kib
END
	assert_equal "$(wc -l <out.csv)" $((rows + 1))
}
