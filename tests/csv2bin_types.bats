# csv2bin: the types of columns, bad cells, and what --describe says.

setup() {
	load helper
	load csv2bin
	common_setup
	needs_tool csv2bin bin2csv
}

@test "csv2bin recognises dates and times, in the coarsest unit" {
	needs_python pyarrow
	assert_equal "$(schema 'd,s,m,u,n,z\n
2024-02-29,2024-02-29T10:00,2024-02-29 10:00:00.5,2024-02-29T10:00:00.1234,2024-02-29T10:00:00.123456789,2024-02-29T10:00Z\n
2023-01-01,2024-02-28,2024-02-28T00:00:01,2024-02-28,2024-02-28,2024-02-29T10:00:00+05:30\n')" \
	    'd date32[day] feature,s timestamp[s] feature,m timestamp[ms] feature,u timestamp[us] feature,n timestamp[ns] feature,z timestamp[s, tz=UTC] feature'
	assert_equal "$(bin2csv table.arrows | tail -n 1)" \
	    2023-01-01,2024-02-28T00:00:00,2024-02-28T00:00:01,2024-02-28T00:00:00,2024-02-28T00:00:00,2024-02-29T04:30:00Z
}

@test "csv2bin reads dates and times as Python does" {
	needs_python pyarrow
	"$RF_PYTHON" - <<'END'
import datetime as dt, random, subprocess, sys
import pyarrow as pa
random.seed(5)
rows, want = ['d,t,z'], []
edges = [dt.datetime(1, 1, 1), dt.datetime(9999, 12, 31, 23, 59, 59, 999999),
         dt.datetime(1970, 1, 1), dt.datetime(1969, 12, 31, 23, 59, 59, 1),
         dt.datetime(1600, 2, 29), dt.datetime(2000, 2, 29),
         dt.datetime(1900, 2, 28), dt.datetime(1900, 3, 1)]
first = dt.datetime(1, 1, 3)
span = int((dt.datetime(9999, 12, 29) - first).total_seconds())
for i in range(3000):
    t = edges[i] if i < len(edges) else first + dt.timedelta(
        seconds=random.randrange(span), microseconds=random.randrange(10**6))
    zone = 0 if i < len(edges) else random.randrange(-1439, 1440)
    z = t.replace(tzinfo=dt.timezone(dt.timedelta(minutes=zone)))
    rows.append('%s,%s,%s' % (t.date().isoformat(),
        t.isoformat(random.choice('T ')), z.isoformat()))
    want.append((t.date(), t, z))
text = '\n'.join(rows) + '\n'
out = subprocess.run(['csv2bin', '-q'], input=text.encode(),
                     capture_output=True, check=True).stdout
table = pa.ipc.open_stream(out).read_all()
assert str(table.schema.field('t').type) == 'timestamp[us]'
assert str(table.schema.field('z').type) == 'timestamp[us, tz=UTC]'
got = [table.column(i).cast(pa.int64() if i else pa.int32()).to_pylist()
       for i in range(3)]
epoch = dt.datetime(1970, 1, 1)
micro = dt.timedelta(microseconds=1)
for i, (d, t, z) in enumerate(want):
    assert got[0][i] == (d - epoch.date()).days, (d, got[0][i])
    assert got[1][i] == (t - epoch) // micro, (t, got[1][i])
    assert got[2][i] == (z - epoch.replace(tzinfo=dt.timezone.utc)) // micro
END
}

@test "csv2bin takes what is no date or time for text" {
	needs_python pyarrow
	for cell in 2023-02-29 1900-02-29 0000-01-01 2023-13-01 2023-00-01 \
	    2023-04-31 2023-1-1 20230101x 2023/01/01 2024-01-01T24:00 \
	    2024-01-01T10:60 2024-01-01T10:00:60 2024-01-01T10 \
	    2024-01-01T10:00:00. 2024-01-01T10:00:00.1234567890 \
	    2024-01-01T10:00+24:00 2024-01-01T10:00+01:60 \
	    2024-01-01t10:00 '2024-01-01  10:00' 2024-01-01T10:00z \
	    0001-01-01T00:00+01:00 yes no t F 12%% tRUE; do
		assert_equal "$(schema "x\n$cell\n")" 'x category feature'
	done
}

@test "csv2bin refuses times that mean several things, or that nothing holds" {
	refused 65 't\n2024-01-01T10:00\n2024-01-01T10:00Z\n'
	assert_equal "$stderr" "csv2bin: table.csv: times with and without an \
offset from UTC in column 't' (line 3: '2024-01-01T10:00Z'): --type t=text \
takes it as text"
	refused 65 't\n1600-01-01\n2024-01-01T10:00:00.1234567\n'
	assert_regex "$stderr" "column 't' has times of nanoseconds"
	assert_equal "$(table 't\n2262-04-11T23:47:15.999999999\n
1677-09-21T00:12:44.000000001\n')" \
	    $'t\n2262-04-11T23:47:15.999999999\n1677-09-21T00:12:44.000000001'
	refused 65 't\n2024-01-01\n2024-01-02\n2024-01-03\n2024-01-04\nfoo\n'
	assert_regex "$stderr" "dates or times with other words among them \
\(give --na WORD or --type COLUMN=text\) in column 't' \(line 6: 'foo'\)"
}

@test "csv2bin names the option for a cell that is not of the type" {
	refused 65 'd\n2024-01-01T10:00\n' --type d=date
	assert_equal "$stderr" "csv2bin: table.csv: line 2, column 'd': cannot \
read '2024-01-01T10:00' as a date; --type d=timestamp takes it"
	refused 65 'd\n2024-01-01T10:00:00.5\n' --type 'd=timestamp[s]'
	assert_equal "$stderr" "csv2bin: table.csv: line 2, column 'd': \
'2024-01-01T10:00:00.5' is finer than the column's unit, s; --type \
'd=timestamp[ms]' takes it"
	refused 65 'd\n2300-01-01\n' --type 'd=timestamp[ns]'
	assert_equal "$stderr" "csv2bin: table.csv: line 2, column 'd': \
'2300-01-01' is beyond what 64 bits hold in ns; --type d=text takes the \
column as text"
	refused 65 'b\ntrue\nyes\n' --type b=boolean
	assert_equal "$stderr" "csv2bin: table.csv: line 3, column 'b': cannot \
read 'yes' as true or false; --na 'yes' takes it as missing, --type \
b=category the column as text"
	refused 65 'a;b\n1,234.5;x\n' --type a=number
	assert_regex "$stderr" "cannot read '1,234.5' as a number; --thousands \
',' does"
}

@test "csv2bin sends booleans as such" {
	needs_python pyarrow
	assert_equal "$(schema 'b,c\ntrue,TRUE\nFalse,maybe\n,x\n')" \
	    'b bool feature,c category feature'
	assert_equal "$(bin2csv table.arrows)" \
	    $'b,c\ntrue,TRUE\nfalse,maybe\n,x'
	assert_equal "$(schema 'i,b\nTrue,True\n' --id i --type b=category)" \
	    'i string id,b category feature'
}

@test "a forest of booleans, dates and times gives back what came" {
	needs_tool rf-fit rf-pack rf-predict rf-vote
	{
		echo d,t,b,y
		for i in 1 2 3 4 5 6 7 8 9; do
			echo "2024-01-0$i,2024-01-01T0$i:00:00.5,True,False"
			echo "2024-02-0$i,2024-01-01T1$i:00,False,True"
		done
	} | tr -d '\r' >train.csv
	csv2bin -q -l y train.csv -o train.arrows
	rf-fit -q -n 11 train.arrows | rf-pack -o model.rfb
	# Whole seconds only, and dates that are times.
	printf 't,b,d\n2024-01-01T03:00:00,false,2024-01-03T00:00\n' >new.csv
	bash -o pipefail -c 'csv2bin -q --like model.rfb new.csv |
	    rf-predict -q model.rfb | rf-vote -q | bin2csv' >out
	assert_regex "$(tail -n 1 out)" false
	# Nothing but empty cells, and the label's own.
	printf 't,b,d,y\n,,,TRUE\n' >new.csv
	bash -o pipefail -c 'csv2bin -q --like model.rfb new.csv | bin2csv' >out
	assert_equal "$(tail -n 1 out)" ,,,true
}

@test "csv2bin takes digits with a zero in front for text" {
	needs_python pyarrow
	assert_equal "$(schema 'a,b,c,d\n01,0,0.5,-01\n12,10,01.5,5\n')" \
	    'a category feature,b int64 feature,c double feature,d int64 feature'
	printf 'zip\n00712\n10001\n' >zip.csv
	run -0 --separate-stderr csv2bin zip.csv -o zip.arrows
	assert_equal "$stderr" "csv2bin: 1 column of codes with leading \
zeros taken as text, 'zip' first (line 2: '00712'): --type zip=integer reads numbers"
	assert_equal "$(bin2csv zip.arrows)" $'zip\n00712\n10001'
	assert_equal "$(table 'zip\n00712\n10001\n' --type zip=integer)" \
	    $'zip\n712\n10001'
	assert_equal "$(schema 'y\n01\n2\n' -l y --task regression)" \
	    'y int64 label'
}

@test "csv2bin --thousands reads digits in groups of three" {
	needs_python pyarrow
	assert_equal "$(table 'a,b\n"1,234","-1,234,567.8"\n12,1e3\n' \
	    --thousands ,)" $'a,b\n1234,-1234567.8\n12,1000'
	assert_equal "$(table 'a\n"1.234.567,5"\n' --thousands . --decimal ,)" \
	    $'a\n1234567.5'
	assert_equal "$(table "a,b\n1'234,1\n" --thousands "'")" $'a,b\n1234,1'
	assert_equal "$(table 'a,b\n1 234,1\n' --thousands ' ')" $'a,b\n1234,1'
	for cell in 1,234, 1,234,56 1.5,123; do
		assert_equal "$(schema "a;b\n$cell;1\n" --thousands ,)" \
		    'a category feature,b int64 feature'
	done
	# With decimal commas these would be numbers.
	for cell in 1,23 1234,567 0,123 ,123 1,2345; do
		refused 65 "a;b\n$cell;1\n" --thousands ,
	done
	refused 64 'a\n1\n' --thousands .
	refused 64 'a\n1\n' --thousands x
	refused 65 'a;b\n1,234;1\n12,345;2\n'
	assert_equal "$stderr" "csv2bin: table.csv: numbers with other words \
among them (give --thousands ,; or give --decimal ,; or give --na WORD or \
--type COLUMN=text) in column 'a' (line 2: '1,234')"
}

@test "csv2bin --bad-cells missing counts them a column" {
	printf 'a,d,b\n1,2024-01-01,x\n2,x,true\nfoo,2024-01-03,true\n
3,2024-01-04,true\n4,2024-01-05,false\n5,2024-01-06,false\nbar,2024-01-07,false\n6,2024-01-08,z\n7,2024-01-09,true\n8,2024-01-01,true\n' >bad.csv
	run -0 --separate-stderr csv2bin --bad-cells missing --type b=boolean \
	    bad.csv -o bad.arrows
	assert_equal "$stderr" "csv2bin: column 'a': 2 cells not of \
type integer taken as missing, the first in bad.csv, line 4: 'foo'
csv2bin: column 'd': 1 cell not of type date taken as \
missing, the first in bad.csv, line 3: 'x'
csv2bin: column 'b': 2 cells not of type boolean taken as \
missing, the first in bad.csv, line 2: 'x'"
	assert_equal "$(bin2csv bad.arrows | head -n 4)" \
	    $'a,d,b\n1,2024-01-01,\n2,,true\n,2024-01-03,true'
	csv2bin -q -t 1 --bad-cells missing --type b=boolean bad.csv -o one
	cmp one bad.arrows
	refused 65 'a\nfoo\n' --type a=number --bad-cells error
}

@test "csv2bin --describe tells of each column" {
	printf 'a,b,c,d,e,f\n1,0.5,x,true,2024-01-01,\n3,-2,y,true,,\n,7,x,false,2023-01-01,\n' >t.csv
	run -0 csv2bin --describe --columns '!f' t.csv
	assert_equal "$output" "$(printf '%s\t%s\t%s\t%s\t%s\t%s\t%s\n' \
	    number name type role missing different values \
	    1 a integer feature 1 2 1..3 \
	    2 b number feature 0 3 -2..7 \
	    3 c category feature 0 2 'x (2)' \
	    4 d boolean feature 0 2 'true (2)' \
	    5 e date feature 1 2 2023-01-01..2024-01-01 \
	    6 f - 'not sent' - - -)

3 rows
csv2bin --delimiter , --columns '!f' --type a=integer --type b=number \
--type c=category --type d=boolean --type e=date"
	seq 0 4096 >n.csv
	assert_regex "$(csv2bin --describe --no-header n.csv)" '>4096'
	refused 65 'a\n1\nx\n' --describe --type a=number
	# A stream is nothing to read.
	refused 64 '+1 1:0.5 3:1\n-1 2:1\n' -q --format libsvm --describe
}

# same FILE OPTION..: what --describe says makes the stream that the options do.
same() {
	local file=$1 line
	shift
	csv2bin -q "$@" "$file" -o first.arrows
	line=$(csv2bin -q --describe "$@" "$file" | tail -n 1)
	eval "$line -q \"\$file\" -o second.arrows"
	cmp first.arrows second.arrows
}

@test "what csv2bin --describe prints gives the same stream again" {
	data=$BATS_TEST_DIRNAME/../data
	same "$data/iris.csv" --no-header -l 5
	same "$data/digits.csv.gz" --no-header -l 65 --task classification
	same "$data/covtype.csv.gz" -l Cover_Type --task classification
	same "$data/concrete.csv" -l 9
	same "$data/titanic.csv" -l Survived --task classification \
	    --columns '!PassengerId,Name,Ticket' --na '' --na "it's"
	printf 'a|b c|d="\n01|2024-01-01 10:00:00.5Z|True\n' >odd.csv
	same odd.csv --id 1 --row0 7
	printf 'x y\n' >>odd.csv
	same odd.csv --ragged pad --trim --only-na --na 01
}

@test "what csv2bin --describe prints gives the same stream of foreign tables" {
	[ -n "${RF_DATASETS:-}" ] || skip_unless_strict "RF_DATASETS is not set"
	same "$RF_DATASETS/ames.csv" -l SalePrice --task regression
	same "$RF_DATASETS/bike_hour.csv" -l cnt --task regression
	same "$RF_DATASETS/verkaufsdaten.csv" --decimal ,
	same "$RF_DATASETS/boston_housing.data.csv" --no-header
	same "$RF_DATASETS/oecd_bli_2015.csv"
	same "$RF_DATASETS/gdp_per_capita.csv" --encoding latin1 \
	    --thousands , --ragged drop --na n/a
	same "$RF_DATASETS/adult_train.csv.gz" --no-header --trim -l 15
}
