# csv2bin: encodings, line ends, delimiters, and what a text may look like.

setup() {
	load helper
	load csv2bin
	common_setup
	needs_tool csv2bin bin2csv
}

# as ENCODING TEXT: the text (printf's escapes) in another encoding.
as() {
	printf "$2" | "$RF_PYTHON" -c 'import sys
text = sys.stdin.buffer.read().decode()
sys.stdout.buffer.write(text.encode(sys.argv[1]))' "$1"
}

@test "csv2bin reads what --encoding says, plain and compressed" {
	local text='a,\xc3\xa9\n1,"caf\xc3\xa9\n\xe2\x82\xac"\n2,\xe2\x80\x9cx\n'

	printf "$text" >wanted
	for pair in utf-8/utf-8 utf-8-sig/utf-8 utf-16/utf-16 \
	    utf-16-le/utf-16le utf-16-be/utf-16be utf-16-le/utf-16 \
	    utf-16-be/utf-16 cp1252/windows-1252; do
		as "${pair%/*}" "$text" >t.csv
		csv2bin -q --encoding "${pair#*/}" t.csv | bin2csv | cmp - wanted
		gzip <t.csv | csv2bin -q --encoding "${pair#*/}" | bin2csv |
		    cmp - wanted
		# Byte by byte.
		dribble t.csv | csv2bin -q --encoding "${pair#*/}" | bin2csv |
		    cmp - wanted
	done
	as latin-1 'a,\xc3\xa9\n1,\xc3\xbf\n' | csv2bin -q --encoding latin1 |
	    bin2csv | diff - <(printf 'a,\xc3\xa9\n1,\xc3\xbf\n')
}

@test "csv2bin reads characters past 16 bits out of UTF-16" {
	local text='a,b\n1,\xf0\x9f\x98\x80\n2,\xf4\x8f\xbf\xbf\n'

	printf "$text" >wanted
	for pair in utf-16/utf-16 utf-16-le/utf-16 utf-16-be/utf-16be; do
		as "${pair%/*}" "$text" | csv2bin -q --encoding "${pair#*/}" |
		    bin2csv | cmp - wanted
	done
}

@test "csv2bin decodes every character as Python does" {
	needs_python pyarrow
	run -0 "$RF_PYTHON" - <<'END'
import subprocess, pyarrow as pa
def check(encoding, name, codes):
    rows = ''.join('%d,"x%sy"\n' % (c, chr(c)) for c in codes)
    data = ('c,t\n' + rows).encode(encoding)
    done = subprocess.run(['csv2bin', '-q', '--encoding', name, '--type',
                           't=category'], input=data, capture_output=True)
    assert done.returncode == 0, done.stderr
    table = pa.ipc.open_stream(done.stdout).read_all()
    assert table['c'].to_pylist() == codes
    assert table['t'].to_pylist() == ['x%sy' % chr(c) for c in codes]
some = [c for c in list(range(1, 0x3000)) + list(range(0x3000, 0x110000, 97))
        if not 0xd800 <= c < 0xe000 and c != 0x22]
check('utf-8', 'utf-8', some)
check('utf-16', 'utf-16', some)
check('utf-16-le', 'utf-16le', some)
check('utf-16-be', 'utf-16be', some)
check('latin-1', 'latin1', [c for c in range(1, 256) if c != 0x22])
check('cp1252', 'windows-1252', [ord(bytes([b]).decode('cp1252'))
      for b in range(1, 256) if b not in (0x22, 0x81, 0x8d, 0x8f, 0x90, 0x9d)])
END
}

@test "csv2bin names the option that reads UTF-16" {
	refused 65 '\xff\xfea\0,\0b\0\n\0'
	assert_equal "$stderr" "csv2bin: table.csv: UTF-16, by its byte order \
mark: --encoding utf-16 reads it"
	refused 65 'a\0,\0b\0\n\0001\0,\0002\0\n\0'
	assert_equal "$stderr" "csv2bin: table.csv: UTF-16, by its NUL bytes: \
--encoding utf-16le reads it"
	refused 65 '\0a\0,\0b\0\n\0001\0,\0002\0\n'
	assert_equal "$stderr" "csv2bin: table.csv: UTF-16, by its NUL bytes: \
--encoding utf-16be reads it"
	refused 65 '\xff\xfe\0\0a\0\0\0'
	[[ $stderr == *': UTF-32, by its byte order mark: '* ]]
}

@test "csv2bin refuses an encoding that the text contradicts" {
	refused 64 'a\n1\n' --encoding koi8-r
	[[ $stderr == *"--encoding: 'koi8-r' is none of utf-8, "* ]]
	refused 65 '\xef\xbb\xbfa\n1\n' --encoding latin1
	assert_equal "$stderr" "csv2bin: table.csv: --encoding latin1: the \
text begins with the byte order mark of utf-8"
	refused 65 '\xfe\xff\0a\0\n' --encoding utf-16le
	[[ $stderr == *' mark of utf-16be' ]]
	refused 65 'a,b\n1,2\n' --encoding utf-16
	[[ $stderr == *': give --encoding utf-16le or utf-16be' ]]
}

@test "csv2bin names line and column of what is not in the encoding" {
	refused 65 'a,b\n1,x\n2,"y\nz",\n3,caf\xe9\n' --ragged pad
	assert_equal "$stderr" "csv2bin: table.csv: line 5, column 'b': \
'caf\\xe9' is not UTF-8 (--encoding latin1 or windows-1252 may read it)"
	refused 65 'a,b\n1,\x81\n' --encoding windows-1252
	[[ $stderr == *": line 2, column 'b': '\\x81' has a byte that "* ]]
	# A surrogate alone, the second before the first, half a unit.
	refused 65 'a\0\n\0x\0\n\0\0\xd8y\0\n\0' --encoding utf-16le
	[[ $stderr == *": line 3, column 'a': "*' is not UTF-16: '* ]]
	refused 65 'a\0\n\0x\0\n\0\0\xdc\0\xd8\n\0' --encoding utf-16le
	[[ $stderr == *": line 3, column 'a': "*' is not UTF-16: '* ]]
	refused 65 'a\0\n\0x\0\n\0y' --encoding utf-16le
	[[ $stderr == *": line 3, column 'a': "*' is not UTF-16: '* ]]
	# In a name.
	refused 65 'x\0,\0\0\xd8\n\0' --encoding utf-16le
	[[ $stderr == *": line 1: column 2: the name "*' is not UTF-16: '* ]]
	# In a column that is not sent.
	refused 65 'a,b\n1,\xc0\x80\n' --columns a
	[[ $stderr == *": line 2, column 'b': "* ]]
}

@test "csv2bin keeps every line end inside of quotes, and counts it" {
	for end in '\n' '\r\n' '\r' '\r\r\n'; do
		printf "a,b${end}1,\"x${end}y\"${end}" >t.csv
		printf "a,b\n1,\"x${end}y\"\n" >wanted
		csv2bin -q t.csv | bin2csv | cmp - wanted
		refused 65 "a,b${end}1,\"x${end}${end}y\"${end}${end}2${end}"
		[[ $stderr == *': line 6: 1 cell where'* ]]
		refused 65 "#${end}a,b${end}2${end}" --skip-lines 1
		[[ $stderr == *': line 3: 1 cell where'* ]]
	done
}

@test "csv2bin reads CR CR LF as one line end" {
	refused 65 'a,b\r\r\n1,2\r\r\n3\r\r\n'
	[[ $stderr == *': line 3: 1 cell where'* ]]
	refused 65 '#\r\r\na,b\r\r\n3\r\r\n' --skip-lines 1
	[[ $stderr == *': line 3: 1 cell where'* ]]
}

# H22: ends of all kinds in one text.
@test "csv2bin reads line ends of all kinds in one text" {
	assert_equal "$(table 'a,b\r1,x\r\n2,y\n3,z\r\r\n\r\n4,"\r"\n\r5,w')" \
	    $'a,b\n1,x\n2,y\n3,z\n4,"\r"\n5,w'
}

@test "csv2bin reads several files with one header as one table" {
	printf 'a,b\n1,x\n2,y\n' >a.csv
	printf '\xef\xbb\xbf\na,"b"\r\n3.5,z\r\n' | gzip >b.csv.gz
	printf 'a,b\n' >none.csv
	printf 'a,b\n4,"w\nw"' >c.csv
	# Types are of all files, rows in the order given.
	assert_equal "$(csv2bin a.csv none.csv b.csv.gz c.csv | bin2csv)" \
	    $'a,b\n1,x\n2,y\n3.5,z\n4,"w\nw"'
	assert_equal "$(csv2bin c.csv - a.csv <c.csv | bin2csv)" \
	    $'a,b\n4,"w\nw"\n4,"w\nw"\n1,x\n2,y'
	assert_equal "$(csv2bin --no-header a.csv none.csv | bin2csv)" \
	    $'V1,V2\na,b\n1,x\n2,y\na,b'
	assert_equal "$(csv2bin --skip-lines 1 a.csv c.csv --no-header |
	    bin2csv)" $'V1,V2\n1,x\n2,y\n4,"w\nw"'
	run -0 --separate-stderr csv2bin -v a.csv c.csv -o t.arrows
	assert_equal "$stderr" \
	    "csv2bin: 3 rows of 2 of 2 columns, delimiter ','"
}

@test "csv2bin makes one table of files beyond the sample, for any threads" {
	for i in 1 2 3; do
		awk -v i=$i 'BEGIN { print "n,c"; for (r = 0; r < 700000; r++)
		    print i * 1000000 + r ",word " i r % 7 }' >$i.csv
	done
	csv2bin -q -t 1 1.csv 2.csv 3.csv -o wanted
	for t in 2 5; do
		csv2bin -q -t $t 1.csv 2.csv 3.csv | cmp - wanted
	done
	bin2csv wanted | cmp - <(cat 1.csv; tail -n +2 2.csv; tail -n +2 3.csv)
	echo 5,6,7 >>3.csv
	run -65 --separate-stderr csv2bin -t 3 1.csv 2.csv 3.csv -o t.arrows
	[[ $stderr == 'csv2bin: 3.csv: line 700002: 3 cells where 2 '* ]]
	[ ! -e t.arrows ]
	# The fourth is opened once the others are read.
	echo n,d >4.csv
	run -65 --separate-stderr csv2bin 1.csv 2.csv 4.csv -o t.arrows
	assert_equal "$stderr" "csv2bin: 4.csv: line 1: column 2 is called 'd' \
but 'c' in 1.csv: files of one table have equal headers"
}

@test "csv2bin names file and line where files do not fit" {
	printf 'a,b\n1,x\n' >a.csv
	printf '\na,b,c\n1,x,2\n' >b.csv
	run -65 --separate-stderr csv2bin a.csv b.csv -o t.arrows
	assert_equal "$stderr" "csv2bin: b.csv: line 2: 3 columns but 2 in \
a.csv: files of one table have equal headers"
	printf 'b,a\n1,x\n' >b.csv
	run -65 --separate-stderr csv2bin a.csv b.csv -o t.arrows
	assert_equal "$stderr" "csv2bin: b.csv: line 1: column 1 is called 'b' \
but 'a' in a.csv: files of one table have equal headers"
	# A quote does not go on in the next file.
	printf 'a,b\n\n1,"x\n' >b.csv
	run -65 --separate-stderr csv2bin a.csv b.csv a.csv -o t.arrows
	assert_equal "$stderr" "csv2bin: b.csv: line 3, column 'b': the cell's \
quote is never closed"
	printf 'a,b\n1,x\n2,x\n3,x\n4,x\n' >a.csv
	printf 'a,b\nz,x\n' >b.csv
	run -65 --separate-stderr csv2bin a.csv b.csv -o t.arrows
	assert_equal "$stderr" "csv2bin: a.csv: numbers with other words among \
them (give --na WORD or --type COLUMN=text) in column 'a' (b.csv line 2: 'z')"
	run -65 --separate-stderr csv2bin a.csv /dev/null -o t.arrows
	assert_equal "$stderr" 'csv2bin: /dev/null: empty input'
	run -66 --separate-stderr csv2bin a.csv none.csv -o t.arrows
	printf 'a,b\n1,x\n' | gzip | head -c 20 >cut.gz
	run -65 --separate-stderr csv2bin a.csv cut.gz -o t.arrows
	assert_equal "$stderr" 'csv2bin: cut.gz: the gzip data is cut short'
}

@test "csv2bin recognises pipes, and runs of spaces with a note" {
	assert_equal "$(table 'a|b\n1|2\n')" $'a,b\n1,2'
	printf '  a   b  \n 1     2\n\n  3 "x  y"\n' >t.csv
	run -0 --separate-stderr csv2bin t.csv -o t.arrows
	assert_equal "$stderr" "csv2bin: cells are taken to lie between runs of \
spaces: --delimiter comma takes each line for one cell"
	assert_equal "$(bin2csv t.arrows)" $'a,b\n1,2\n3,x  y'
	assert_equal "$(table 'a b\n1 2\n' --delimiter comma)" $'a b\n1 2'
	run -0 --separate-stderr csv2bin -v --delimiter spaces t.csv -o t.arrows
	assert_equal "$stderr" \
	    "csv2bin: 2 rows of 2 of 2 columns, delimiter 'spaces'"
	# One space is another thing.
	assert_equal "$(table 'a b c\n1  3\n' --delimiter space)" $'a,b,c\n1,,3'
	refused 65 'a b\n1 2\n\n3  \n' --delimiter spaces
	[[ $stderr == *': line 4: 1 cell where 2 are wanted;'* ]]
}

@test "csv2bin asks for --delimiter where two would do" {
	refused 65 'a,b;c\n1,2;3\n'
	assert_equal "$stderr" "csv2bin: table.csv: comma and semicolon give \
records of one size alike: say which it is by --delimiter"
	assert_equal "$(table 'a,b;c\nx,y;3\n' --delimiter ';')" \
	    $'"a,b",c\n"x,y",3'
	# A comma that is the decimal point is none.
	assert_equal "$(table '1,5;2,5\n3,5;4,5\n' --decimal , --no-header)" \
	    $'V1,V2\n1.5,2.5\n3.5,4.5'
}

@test "csv2bin reads runs of spaces as Python splits them, of any length" {
	needs_python pyarrow
	run -0 "$RF_PYTHON" - <<'END'
import gzip, random, subprocess, pyarrow as pa
random.seed(5)
for n, encoding in [(1, 'utf-8'), (50, 'utf-8'), (20000, 'utf-8'),
                    (20000, 'utf-16'), (300000, 'utf-8')]:
    lines = ['a b c'] + ['%s%d%s%d%s%d%s' % (
        ' ' * random.randrange(3), i, ' ' * random.randrange(1, 9), i * 7,
        ' ' * random.randrange(1, 4), -i, ' ' * random.randrange(3))
        for i in range(n)]
    data = '\n'.join(lines).encode(encoding)
    for text in (data, gzip.compress(data, 1)):
        done = subprocess.run(['csv2bin', '-q', '--encoding', encoding],
                              input=text, capture_output=True)
        assert done.returncode == 0, done.stderr
        table = pa.ipc.open_stream(done.stdout).read_all()
        rows = [[int(x) for x in line.split()] for line in lines[1:]]
        assert [list(r) for r in zip(*(c.to_pylist()
                for c in table.columns))] == rows
END
}

# E14.
@test "csv2bin takes time by the bytes of a wide table, whatever its cells" {
	needs_python pyarrow
	run -0 "$RF_PYTHON" - <<'END'
import resource, subprocess, sys
def seconds(n, cell, between):
    """Of CSV to stream and back, in processor time."""
    name = 'w%d.csv' % n
    with open(name, 'w') as f:
        f.write(between.join('x' for i in range(n)) + '\n')
        f.write((between.join(cell(i) for i in range(n)) + '\n') * 2)
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    with open('s', 'wb') as out:
        subprocess.run(['csv2bin', '-q', '-t', '1', name], stdout=out,
                       check=True)
    text = subprocess.run(['bin2csv', 's'], stdout=subprocess.PIPE,
                          check=True).stdout.decode()
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    assert text.split('\n')[1] == ','.join(cell(i) for i in range(n))
    return after.ru_utime - before.ru_utime
for between in ',', '  ':
    for cell in str, lambda i: 'w%d' % (i % 100):
        one, eight = (seconds(n, cell, between) for n in (10000, 80000))
        # 64 times where it goes by the square; 8 where it does not.
        assert eight < 24 * max(one, .02), (between, one, eight)
END
}

@test "csv2bin --ragged drop leaves out footnotes, and counts them" {
	printf 'Country\ty2015\nA\t"1,5"\nB\t2\n\nSource, 2016' >t.csv
	run -0 --separate-stderr csv2bin --ragged drop --decimal , t.csv \
	    -o t.arrows
	assert_equal "$stderr" 'csv2bin: 1 ragged row left out'
	assert_equal "$(bin2csv t.arrows)" $'Country,y2015\nA,1.5\nB,2'
	run -65 --separate-stderr csv2bin --decimal , t.csv -o t.arrows
	assert_equal "$stderr" "csv2bin: t.csv: line 5: 1 cell where 2 are \
wanted; --ragged pad takes what lacks as missing, --ragged drop leaves such \
rows out"
}

@test "csv2bin reads a gzip bomb in little memory" {
	needs_plain_memory
	needs_python resource
	run -0 "$RF_PYTHON" - <<'END'
import resource, subprocess, zlib
def bomb(head, block, n):
    z = zlib.compressobj(1, zlib.DEFLATED, 31)
    return z.compress(head) + b''.join(z.compress(block)
                                       for _ in range(n)) + z.flush()
for data, status in ((bomb(b'a\n', b'\n' * (1 << 20), 400), 65),
                     (bomb(b'a\n', b'1\n' * (1 << 19), 400), 0),
                     (bomb(b'a\n1\n', b'x' * (1 << 20), 400), 65),
                     (bomb(b'a\n1\n', b'\0' * (1 << 20), 400), 65)):
    done = subprocess.run(['csv2bin', '-q', '-t', '2', '-f', '-o',
                           '/dev/null'], input=data, capture_output=True)
    assert done.returncode == status, done.stderr
kib = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
assert kib < 256 << 10, kib
END
}
