# csv2bin: what is read as what, and what is refused with which words.

setup() {
	load helper
	load csv2bin
	common_setup
	needs_tool csv2bin bin2csv
}

@test "csv2bin makes whole numbers int64, others float64, words categories" {
	needs_python pyarrow
	assert_equal "$(schema 'i,f,c\n1,1.5,a\n-2,2,b\n')" \
	    'i int64 feature,f double feature,c category feature'
}

@test "csv2bin reads past a byte order mark, also before a quote" {
	assert_equal "$(table '\xEF\xBB\xBFid,x\n1,2\n')" $'id,x\n1,2'
	assert_equal "$(table '\xEF\xBB\xBF"a","b"\n1,2\n')" $'a,b\n1,2'
}

@test "csv2bin numbers equal names and says so" {
	printf 'id,id,y,id\n1,2,0,3\n' >t.csv
	run -0 --separate-stderr csv2bin t.csv -o t.arrows
	assert_equal "$stderr" "csv2bin: 2 columns of a name that is taken: \
column 2 is called 'id_2'"
	assert_equal "$(bin2csv t.arrows | head -n 1)" id,id_2,y,id_3
}

@test "csv2bin leaves a name to the column that is given it" {
	assert_equal "$(table 'a,a,a_2,a\n1,2,3,4\n' | head -n 1)" a,a_3,a_2,a_4
	assert_equal "$(table ',V1,V1\n1,2,3\n' | head -n 1)" V1_2,V1,V1_3
}

@test "csv2bin calls a column without a name V and its number" {
	assert_equal "$(table 'a,,  ,d\n1,2,3,4\n' | head -n 1)" a,V2,V3,d
	assert_equal "$(table '1,2\n3,4\n' --no-header)" $'V1,V2\n1,2\n3,4'
}

@test "csv2bin refuses a row with too few or too many cells, with its line" {
	refused 65 'a,b,c\n1,2\n3,4,5\n'
	assert_equal "$stderr" "csv2bin: table.csv: line 2: 2 cells where 3 are \
wanted; --ragged pad takes what lacks as missing, --ragged drop leaves such \
rows out"
	refused 65 'a,b\n1,2\n3,4,\n'
	[[ $stderr == *': line 3: 3 cells where 2 are wanted;'* ]]
}

@test "csv2bin --ragged pads or drops such rows and counts them" {
	printf 'a,b\n1,2\n3\n4,5,\n6,7\n' >t.csv
	run -0 --separate-stderr csv2bin --ragged pad t.csv -o t.arrows
	assert_equal "$stderr" 'csv2bin: 2 ragged rows padded'
	assert_equal "$(bin2csv t.arrows)" $'a,b\n1,2\n3,\n4,5\n6,7'
	run -0 --separate-stderr csv2bin --ragged drop t.csv -o t.arrows
	assert_equal "$stderr" 'csv2bin: 2 ragged rows left out'
	assert_equal "$(bin2csv t.arrows)" $'a,b\n1,2\n6,7'
	# A cell too many with something in it is lost by no option but drop.
	refused 65 'a,b\n1,2,3\n' --ragged pad
}

@test "csv2bin takes a trailing comma in the header for one more column" {
	assert_equal "$(table 'a,b,\n1,2,\n')" $'a,b,V3\n1,2,'
	refused 65 'a,b,\n1,2\n'
}

@test "csv2bin counts records, not lines, and names lines, not records" {
	assert_equal "$(table 'n,t\n1,"x\ny"\n2,"z"\n')" $'n,t\n1,"x\ny"\n2,z'
	refused 65 'n,t\n1,"x\ny"\n2,"z",\n'
	[[ $stderr == *': line 4: 3 cells'* ]]
}

@test "csv2bin points at the cell whose quotes do not match" {
	refused 65 'h\n"A "B"\nA"\n'
	assert_equal "$stderr" "csv2bin: table.csv: line 2, column 'h': text \
follows the cell's closing quote (a quote inside is written twice)"
	refused 65 'a,b\n1,2\n3,"x\ny\n'
	assert_equal "$stderr" "csv2bin: table.csv: line 3, column 'b': the \
cell's quote is never closed"
}

@test "csv2bin reads doubled quotes, and quotes inside a cell as text" {
	assert_equal "$(table 'a,b\n"x""y",5" pipe\n')" \
	    $'a,b\n"x""y","5"" pipe"'
}

@test "csv2bin refuses NUL bytes and what is not UTF-8, by name and line" {
	refused 65 'one,two\nthr\0ee,four\n'
	assert_equal "$stderr" "csv2bin: table.csv: line 2, column 'one': \
'thr\\x00ee' has a NUL byte"
	refused 65 'a,b\n1,x\n2,caf\xe9\n'
	assert_equal "$stderr" "csv2bin: table.csv: line 3, column 'b': \
'caf\\xe9' is not UTF-8 (--encoding latin1 or windows-1252 may read it)"
	refused 65 'a,caf\xe9\n1,x\n'
	[[ $stderr == *'line 1: column 2: '* ]]
}

@test "csv2bin says what a file is that is none of its own" {
	printf 'a\n1\n' | csv2bin -q -o s.arrows
	cp s.arrows t.csv
	run -65 --separate-stderr csv2bin t.csv
	assert_equal "$stderr" \
	    'csv2bin: t.csv: not a CSV file: it is an Arrow stream already'
	refused 65 '\xff\xfea\0,\0'
	[[ $stderr == *UTF-16* ]]
	refused 65 'PK\x03\x04'
	[[ $stderr == *'zip file or spreadsheet'* ]]
	refused 65 ''
	[[ $stderr == *': empty input' ]]
	refused 65 '\n\n'
	[[ $stderr == *': no records' ]]
}

@test "csv2bin takes a header alone for a table of 0 rows" {
	assert_equal "$(table 'a,b\n')" a,b
	assert_equal "$(table 'a,b')" a,b
}

@test "csv2bin reads every form of number, correctly rounded" {
	# Python's float of the same texts.
	assert_equal "$(table 'x\n428.E+03\n.5\n5.\n+1.5\n3.106e+04\n1E5\n')" \
	    $'x\n428000\n0.5\n5\n1.5\n31060\n100000'
	assert_equal "$(table 'x\n9.900000000000006573e-01\n
0.1000000000000000055511151231257827021181583404541015625\n
179769313486231570000000000000000000000e270\n4.9e-324\n
2.4703282292062327e-324\n2.4703282292062328e-324\n')" \
	    $'x\n0.9900000000000007\n0.1\n1.7976931348623157e+308\n5e-324\n0\n5e-324'
}

@test "csv2bin takes exponents of any size" {
	assert_equal "$(table 'x\n10E-999999999999999999\n1e400\n1e-400\n-1e400\n')" \
	    $'x\n0\ninf\n0\n-inf'
}

@test "csv2bin makes whole numbers past int64 float64" {
	assert_equal "$(table 'x\n9223372036854775807\n-9223372036854775808\n')" \
	    $'x\n9223372036854775807\n-9223372036854775808'
	assert_equal "$(table 'x\n9223372036854775808\n')" \
	    $'x\n9.223372036854776e+18'
}

@test "csv2bin reads 1.5 in every locale" {
	for locale in $(locale -a | head -n 20) de_DE.UTF-8; do
		assert_equal "$(LC_ALL=$locale table 'x\n1.5\n')" $'x\n1.5'
	done
}

# H23.
@test "csv2bin takes numbers with blanks, hexadecimals and the like for text" {
	needs_python pyarrow
	for cell in 0x1p3 1_000 '１' ' 1' '1 ' 1e 1e+ -- 1-2 infin; do
		assert_equal "$(schema "x,y\n$cell,1\n")" \
		    'x category feature,y int64 feature'
	done
	assert_equal "$(schema 'x,y\n 1 ,"2" \n' --trim)" \
	    'x int64 feature,y int64 feature'
}

@test "csv2bin tells that --trim would read numbers between blanks" {
	printf 'a, b\n1, 2\n3, 4\n' >t.csv
	run -0 --separate-stderr csv2bin t.csv -o t.arrows
	assert_equal "$stderr" "csv2bin: numbers between blanks in 1 column \
are text, ' b' first: --trim reads them as numbers"
}

@test "csv2bin refuses decimal commas unless --decimal says so" {
	refused 65 'a,b\n1,"9,99"\n'
	assert_equal "$stderr" "csv2bin: table.csv: numbers with other words \
among them (give --decimal ,; or give --na WORD or --type COLUMN=text) in \
column 'b' (line 2: '9,99')"
	assert_equal "$(table 'a,b\n1,"9,99"\n' --decimal ,)" $'a,b\n1,9.99'
	assert_equal "$(table 'a;b\n1;9,99\n2;-,5\n' --decimal ,)" \
	    $'a,b\n1,9.99\n2,-0.5'
	refused 65 'a;b\n1;9.99\n' --decimal ,
}

@test "csv2bin takes an empty cell for missing everywhere, and blanks too" {
	assert_equal "$(table 'a,b,c\n1,,3\n2,  ,x\n"",5,\n')" \
	    $'a,b,c\n1,,3\n2,,x\n,5,'
}

@test "csv2bin knows the words for missing, quoted or not" {
	assert_equal "$(table 'a\nNA\nN/A\nNaN\n"nan"\nnull\nNULL\n?\n1\n')" \
	    $'a\n""\n""\n""\n""\n""\n""\n""\n1'
	# Case and parts of words count.
	refused 65 'a\n1\n2\n3\n4\nna\n'
}

@test "csv2bin --na adds a word, --only-na forgets the others" {
	assert_equal "$(table 'a,b\n-999,x\n1,-\n' --na -999 --na -)" \
	    $'a,b\n,x\n1,'
	assert_equal "$(table 'a,b\n?,NA\nx,none\n' --only-na --na none)" \
	    $'a,b\n?,NA\nx,'
}

@test "csv2bin refuses all columns of numbers with words at once" {
	needs_python pyarrow
	refused 65 'a,b,c\n1,x,1\n2,2,y\n3,3,3\n4,4,4\n5,5,5\n'
	assert_equal "$stderr" "csv2bin: table.csv: numbers with other words \
among them (give --na WORD or --type COLUMN=text) in columns 'b' (line 2: \
'x'), 'c' (line 3: 'y')"
	assert_equal "$(table 'a\nx\n1\n2\n3\n4\n' --type a=text | tail -n 2)" \
	    $'3\n4'
	# 79 % are not enough to call it a mistake.
	assert_equal "$(schema 'a\nx\n1\n2\n3\n')" 'a category feature'
}

@test "csv2bin names line, column, cell and option of a late contradiction" {
	awk 'BEGIN { print "a,b"; for (i = 0; i < 900000; i++)
	    print "123456789,1234567890"; print "1,12x" }' >late.csv
	run -65 --separate-stderr csv2bin late.csv -o late.arrows
	assert_equal "$stderr" "csv2bin: late.csv: line 900002, column 'b': \
cannot read '12x' as a number; --na '12x' takes it as missing, --type b=text \
the column as text"
	sed -i 's/12x/12.5/' late.csv
	run -65 --separate-stderr csv2bin late.csv -o late.arrows
	[[ $stderr == *"cannot read '12.5' as a whole number; --type b=number takes it" ]]
	csv2bin --type b=number late.csv | bin2csv | tail -n 1 >last
	assert_equal "$(cat last)" 1,12.5
}

@test "csv2bin recognises comma, tab and semicolon" {
	assert_equal "$(table 'a,b;c\n1,2\n3,4\n')" $'a,b;c\n1,2\n3,4'
	assert_equal "$(table 'a\tb,c\n1\t2\n')" $'a,"b,c"\n1,2'
	assert_equal "$(table 'a;b\n"x,y,z";2\n')" $'a,b\n"x,y,z",2'
	assert_equal "$(table 'only\n1\n')" $'only\n1'
}

@test "csv2bin --delimiter overrides what it would recognise" {
	assert_equal "$(table 'a,b;c\nx,y;3\n' --delimiter semicolon)" \
	    $'"a,b",c\n"x,y",3'
	assert_equal "$(table 'a|b\n1|2\n' --delimiter '|')" $'a,b\n1,2'
	run -64 --separate-stderr csv2bin --delimiter xx table.csv
	run -64 --separate-stderr csv2bin --delimiter 5 table.csv
	run -64 --separate-stderr csv2bin --delimiter '"' table.csv
}

# H22.
@test "csv2bin knows LF, CRLF and CR, mixed, and a last line without any" {
	for end in '\n' '\r\n' '\r'; do
		assert_equal "$(table "a,b${end}1,x${end}2,y")" \
		    $'a,b\n1,x\n2,y'
		assert_equal "$(table "a,b${end}1,x${end}2,y${end}")" \
		    $'a,b\n1,x\n2,y'
	done
	assert_equal "$(table 'a,b\r\r\n1,x\r2,y\n\n3,z\r\n')" \
	    $'a,b\n1,x\n2,y\n3,z'
}

@test "csv2bin steps over blank lines and counts them" {
	assert_equal "$(table '\n\na,b\n\n1,2\n  \n3,4\n\n')" $'a,b\n1,2\n3,4'
	refused 65 '\n\na,b\n\n1,2\n  \n3\n'
	[[ $stderr == *': line 7: 1 cell where'* ]]
}

@test "csv2bin --skip-lines leaves out the first lines" {
	assert_equal "$(table '# "a\n#\na,b\n1,2\n' --skip-lines 2)" $'a,b\n1,2'
	refused 65 'a\n1\n' --skip-lines 5
	refused 65 '#\na,b\n1\n' --skip-lines 1
	[[ $stderr == *': line 3: '* ]]
}

@test "csv2bin takes the first row for the header, whatever it is" {
	assert_equal "$(table 'x , y\n1,2\n' | head -n 1)" '"x "," y"'
	assert_equal "$(table '1,2\n3,4\n')" $'1,2\n3,4'
}

@test "csv2bin tells where the header is a row of numbers" {
	local of='' rows

	# All numbers; over each column of numbers, as in iris.csv, also where
	# it is there twice or a column is left out; only over texts.
	for rows in '1,2.5\n3,4\n' '5.1,0.2,setosa\n4.9,0.3,setosa\n' \
	    'A11,2,2,x\nA12,3,4,y\n' '1,2\nx,y\n'; do
		printf "$rows" >t.csv
		run -0 --separate-stderr csv2bin t.csv -o t.arrows
		of=''
		[[ $rows != *[sA]* ]] || of=' of numbers'
		assert_equal "${stderr##*$'\n'}" "csv2bin: all columns$of are \
called by numbers: --no-header reads the first record as data"
	done
	# Not where one is called by a name, nor where there are no numbers.
	for rows in 'year,2019,2020\n1,2,3\n' 'a,1\nx,y\n' 'a,b\n1,2\n'; do
		printf "$rows" >t.csv
		run -0 --separate-stderr csv2bin t.csv -o t.arrows
		assert_equal "$stderr" ''
	done
	printf '5.1,setosa\n' >t.csv
	run -0 --separate-stderr csv2bin --no-header t.csv -o t.arrows
	assert_equal "$stderr" ''
}
