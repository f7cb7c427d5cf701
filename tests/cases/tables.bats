# Tables that broke other readers of CSV.

setup() {
	load ../helper
	load ../csv2bin
	common_setup
}

# is_refused TEXT MESSAGE [OPTION ..]: 65, and one line that holds MESSAGE, from a
# file, from a pipe and from gzip.
is_refused() {
	printf -- "$1" >t.csv
	gzip -c t.csv >t.csv.gz
	for file in t.csv t.csv.gz; do
		run -65 --separate-stderr csv2bin "${@:3}" "$file"
		[[ $stderr == "csv2bin: $file: "*"$2"* && $stderr != *$'\n'* ]] ||
		    fail "$file: $stderr"
	done
	run -65 --separate-stderr bash -c 'csv2bin "$@" <t.csv' - "${@:3}"
	[[ $stderr == *"$2"* ]] || fail "$stderr"
}

# E01, E02
@test "a byte order mark is no part of the first name or cell" {
	local mark='\xEF\xBB\xBF' text

	for text in 'id,x\n1,2\n' '"id","x"\n"1","2"\n' 'id,x\r\n1,2' \
	    '"id",x\r1,2\r'; do
		assert_equal "$(table "$mark$text")" $'id,x\n1,2'
	done
	assert_equal "$(table "${mark}1,2\n" --no-header)" $'V1,V2\n1,2'
	assert_equal "$(table "${mark}\"1\",2\n" --no-header)" $'V1,V2\n1,2'
	# One only, and at the begin only: another is text.
	assert_equal "$(table "${mark}${mark}id,x\n1,2\n" | head -n 1)" \
	    $'"\uFEFFid",x'
	assert_equal "$(table "id,x\n${mark}a,2\n" | tail -n 1)" \
	    $'"\uFEFFa",2'
	printf "$mark" >mark.csv
	run -65 --separate-stderr csv2bin mark.csv
	[[ $stderr == *"mark.csv: no records"* ]] || fail "$stderr"
}

# E04, E05
@test "names that lack or come again follow one rule, and a note says so" {
	assert_equal "$(table 'id,id,y,id\n1,2,0,3\n')" \
	    $'id,id_2,y,id_3\n1,2,0,3'
	csv2bin table.csv 2>err >out
	grep -q "2 columns of a name that is taken: column 2 is called 'id_2'" err
	assert_equal "$(table 'id,id_2,id\n1,2,3\n')" \
	    $'id,id_2,id_3\n1,2,3'
	assert_equal "$(table 'a,,  ,""\n1,2,3,4\n')" $'a,V2,V3,V4\n1,2,3,4'
	assert_equal "$(table 'V2,,V2,\n1,2,3,4\n')" \
	    $'V2,V2_2,V2_3,V4\n1,2,3,4'
}

# E07
@test "a comma too many in header or rows is an error, or an option's" {
	is_refused 'a,b,\n1,2\n' "line 2: 2 cells where 3 are wanted"
	is_refused 'a,b\n1,2\n1,2,\n' "line 3: 3 cells where 2 are wanted"
	assert_equal "$(table 'a,b\n1,2,\n' --ragged pad)" $'a,b\n1,2'
	assert_equal "$(table 'a,b,\n1,2,\n')" $'a,b,V3\n1,2,'
	is_refused 'a,b\n1,2,x\n' "line 2" --ragged pad
}

# E08
@test "records are counted, not lines" {
	local end

	for end in '\n' '\r\n' '\r' '\r\r\n'; do
		printf "n,t\n1,\"x${end}y\"\n2,\"z\"\n" | csv2bin -v >out 2>err
		grep -q "2 rows of 2 of 2 columns" err
	done
}

# E10
@test "short and long records are refused by line, padded or left out" {
	is_refused 'a,b,c\n3,4,5\n1,2\n' "line 3: 2 cells"
	is_refused 'a,b,c\n"x\ny",4,5\n1,2\n' "line 4: 2 cells"
	assert_equal "$(table 'a,b,c\n1,2\n3,4,5\n6\n' --ragged pad)" \
	    $'a,b,c\n1,2,\n3,4,5\n6,,'
	csv2bin --ragged pad table.csv 2>err >out
	grep -q "2 ragged rows padded" err
	assert_equal "$(table 'a,b,c\n1,2\n3,4,5\n6,7,8,9\n' --ragged drop)" \
	    $'a,b,c\n3,4,5'
	csv2bin --ragged drop table.csv 2>err >out
	grep -q "2 ragged rows left out" err
}

# E11
@test "a quote inside a quoted cell is told where the cell begins" {
	is_refused '"A "B"\nA"' "line 1: column 1"
	is_refused 'a,b\n1,2\n3,"x"y\n4,5\n' "line 3, column 'b'"
	is_refused 'a,b\n1,2\n3,"never closed\n4,5\n6,7\n' "line 3, column 'b'"
	# Inside a cell that has none around it, it is text.
	assert_equal "$(table 'a,b\n5" disc,x"y\n')" $'a,b\n"5"" disc","x""y"'
}

# E13
@test "a NUL is refused by name, wherever it is" {
	is_refused 'one,two\nthr\0ee,four\n' "line 2"
	is_refused 'one,two\n"thr\0ee",four\n' "NUL"
	is_refused 'o\0ne,two\n1,2\n' "NUL"
	is_refused 'one,two\n1,2\n\0' "NUL"
	is_refused '\0' "NUL"
}

# E16, E17, E19, E20, E25
@test "every form of a number is the one that Python reads" {
	local cells=(9.900000000000006573e-01 0.1000000000000000055511151231257827
	    428.E+03 .5 5. +1.5 3.106e+04 10E-999999999999999999 1e400 -1e400
	    1e-400 10E999999999999999999 0e999999999999 1E5 1e5 9223372036854775808
	    -9223372036854775809 18446744073709551616 0.000000000000000000000001e24
	    2.2250738585072011e-308 4.9e-324 2.4e-324 1.7976931348623159e308
	    179769313486231580793728971405301e277 00.5 -0 -0.0
	    123456789012345678901234567890 .1e1 1.e-1)

	needs_python pyarrow
	for cell in "${cells[@]}"; do
		printf 'x\n0.5\n%s\n' "$cell" | csv2bin -q >out
		"$RF_PYTHON" - "$cell" <<'END'
import struct, sys
import pyarrow as pa
got = pa.ipc.open_stream(open("out", "rb").read()).read_all()["x"]
assert got.type == pa.float64()
assert struct.pack("<d", got[1].as_py()) == struct.pack(
    "<d", float(sys.argv[1])), got
END
	done
	for cell in 0x10 1_000 1e 1e+ . + - e5 1.2.3 '--1' 1d5 ' 1' '1 ' ١; do
		assert_equal "$(table "x\nword\n$cell\n" | tail -n 1 | tr -d '"')" \
		    "$cell"
	done
	assert_equal "$(table 'x,y\n 1 ,2\n' --trim)" $'x,y\n1,2'
}

# E22
@test "the locale decides nothing" {
	needs_command localedef
	mkdir locales
	localedef -i de_DE -f UTF-8 locales/de_DE.UTF-8 ||
	    skip_unless_strict "no sources of locales"
	export LOCPATH=$PWD/locales LC_ALL=de_DE.UTF-8
	[ "$(env printf '%.1f' 0,5)" = 0,5 ]
	assert_equal "$(table 'x\n1.5\n2.25\n')" $'x\n1.5\n2.25'
	assert_equal "$(table 'x;y\n1,5;a\n2,25;b\n' --decimal ,)" \
	    $'x,y\n1.5,a\n2.25,b'
}

# E23
@test "a decimal comma is an error, until an option says what it is" {
	is_refused 'x,y\n"9,99",1\n"1,50",2\n' "--decimal ,"
	is_refused 'x;y\n9,99;1\n1,50;2\n' "--decimal ,"
	assert_equal "$(table 'x,y\n"9,99",1\n' --decimal ,)" $'x,y\n9.99,1'
	assert_equal "$(table 'x;y\n9,99;1\n' --decimal ,)" $'x,y\n9.99,1'
	is_refused 'x,y\n"1,234",1\n"5,678",2\n' "--thousands ,"
	assert_equal "$(table 'x,y\n"1,234",1\n' --thousands ,)" $'x,y\n1234,1'
}

# E26
@test "an empty cell is missing in a column of every type" {
	needs_python pyarrow
	printf '%s\n' i,r,t,b,d,m 1,1.5,x,true,2024-02-29,2024-02-29T10:20 \
	    ,,,,, '"","","","","",""' '  ,\t, ,  ,,' | sed 's/\\t/\t/' |
	    csv2bin -q >out
	"$RF_PYTHON" - <<'END'
import pyarrow as pa
got = pa.ipc.open_stream(open("out", "rb").read()).read_all()
assert got.num_rows == 4
for column in got.columns:
    assert column.null_count == 3, column
END
}

# E28
@test "junk after more than a million rows is refused by its line" {
	local n
	n=$(in_soak 3000000 1500000)
	(echo x,y; (yes 12345.5,word || true) | head -n "$n"; printf '%b' \
	    '\x01\x02\xff\n') >junk.csv
	run -65 --separate-stderr csv2bin junk.csv -o out
	[[ $stderr == "csv2bin: junk.csv: line $((n + 2))"* ]] || fail "$stderr"
	run ! bin2csv out
	# A last line without its end counts like any other.
	(echo x,y; (yes 12345.5,word || true) | head -n "$n"; printf 1x,w) \
	    >junk.csv
	run -65 --separate-stderr csv2bin junk.csv -o out
	[[ $stderr == *"line $((n + 2)), column 'x': cannot read '1x'"* ]] ||
	    fail "$stderr"
}

# E29; E14, a line of 300 000 columns, is in csv2bin_text.bats
@test "16384 columns come out alike wherever a buffer ends" {
	needs_python pyarrow
	for shift in $(seq 0 $(in_soak 1 9) 63); do
		"$RF_PYTHON" - "$shift" <<'END'
import sys
shift = int(sys.argv[1])
with open("wide.csv", "w") as out:
    out.write("n" * (shift + 1) + "".join(f",c{i}" for i in range(16383)))
    for row in range(4):
        out.write("\n" + ",".join(str(i * 7 + row) for i in range(16384)))
END
		cat wide.csv | csv2bin -q | bin2csv >got.csv
		(cat wide.csv; echo) | cmp - got.csv
	done
}

# E31
@test "the first record is the header, whatever the others are like" {
	assert_equal "$(table 'a , b\nx , y\n')" $'"a "," b"\n"x "," y"'
	assert_equal "$(table 'a,b\n"x y z",1\n')" $'a,b\nx y z,1'
	assert_equal "$(table 'x,y\nname,value\n1,2\n' | head -n 1)" x,y
	assert_equal "$(table '2019,2020\n1,2\n')" $'2019,2020\n1,2'
	csv2bin table.csv 2>err >out
	grep -q -- --no-header err
}
