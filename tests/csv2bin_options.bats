# csv2bin: its options, and tables of every kind and size.

setup() {
	load helper
	load csv2bin
	common_setup
	needs_tool csv2bin bin2csv
}

@test "csv2bin --label takes a name first, else a number" {
	needs_python pyarrow
	assert_equal "$(schema 'a,b,1\nx,y,z\n' -l 1)" \
	    'a category feature,b category feature,1 category label'
	assert_equal "$(schema 'a,b,c\nx,y,z\n' -l 2)" \
	    'a category feature,b category label,c category feature'
	refused 64 'a,b\n1,2\n' -l 3
	assert_equal "$stderr" "csv2bin: table.csv: --label: no column is \
called '3', nor has it that number (2 columns)"
}

@test "csv2bin does not guess a label" {
	needs_python pyarrow
	assert_equal "$(schema 'y,x\n0,1\n')" 'y int64 feature,x int64 feature'
}

@test "csv2bin asks for --task where the label has whole numbers" {
	needs_python pyarrow
	refused 64 'x,y\n1,0\n' -l y
	assert_equal "$stderr" "csv2bin: table.csv: the label 'y' has whole \
numbers: give --task classification or --task regression"
	assert_equal "$(table 'x,y\n1,-3\n2,0\n3,4\n' -l y --task classification)" \
	    $'x,y\n1,-3\n2,0\n3,4'
	assert_equal "$(schema 'x,y\n1,0\n' -l y --task regression)" \
	    'x int64 feature,y int64 label'
}

@test "csv2bin refuses a task that the label does not suit" {
	needs_python pyarrow
	refused 64 'x,y\n1,a\n' -l y --task regression
	refused 64 'x,y\n1,1.5\n' -l y --task classification
	assert_equal "$(schema 'x,y\n1,1.5\n' -l y --task classification \
	    --type y=category)" 'x int64 feature,y category label'
	# Classes that were written as decimal numbers stay whole ones.
	assert_equal "$(schema 'x,y\n1,1.0\n2,2.0e0\n' -l y \
	    --task classification)" 'x int64 feature,y int64 label'
}

@test "csv2bin gives id, weight and fold their roles and types" {
	needs_python pyarrow
	assert_equal "$(schema 'i,w,f,x\nA1,1,0,2\n22,2,1,3\n' --id i \
	    --weight w --fold f)" \
	    'i string id,w double weight,f int64 fold,x int64 feature'
	# An id keeps its zeros.
	assert_equal "$(table 'i,x\n007,1\n' --id i)" $'i,x\n007,1'
	refused 64 'a,b\n1,2\n' --id a --weight a
	refused 65 'a,b\n1,x\n' --weight b
	refused 65 'a,b\n1,0.5\n' --fold b
}

@test "csv2bin --columns sends some columns, or all but some" {
	assert_equal "$(table 'a,b,c,d\n1,2,3,4\n' --columns d,2)" $'b,d\n2,4'
	assert_equal "$(table 'a,b,c,d\n1,2,3,4\n' --columns '!d,2')" \
	    $'a,c\n1,3'
	# Roles stay; what is left out need not be well formed.
	assert_equal "$(table 'a,b\n1,x\n2,2\n3,3\n4,4\n5,5\n' --columns a \
	    | head -n 2)" $'a\n1'
	assert_equal "$(table 'a,y\n1,x\n' -l y --columns a)" $'a,y\n1,x'
	refused 64 'a,b\n1,2\n' --columns a,e
	refused 64 'a,b\n1,2\n' --columns '!a,b'
	assert_equal "$stderr" \
	    'csv2bin: table.csv: no column of the table is to be sent'
}

@test "csv2bin --type overrides the guess" {
	needs_python pyarrow
	assert_equal "$(schema 'a,b,c=d\n1,2,3\n' --type a=number \
	    --type b=category --type c=d=text)" \
	    'a double feature,b category feature,c=d category feature'
	refused 64 'a\n1\n' --type a=float
	refused 64 'a\n1\n' --type a
	refused 65 'a\nx\n' --type a=number
	refused 65 'a\n1.5\n' --type a=integer
}

@test "csv2bin --row0 stands in the metadata" {
	needs_python pyarrow
	printf 'a\n1\n' | csv2bin --row0 100 -o t.arrows
	run -0 "$RF_PYTHON" -c '
import pyarrow as pa
print(pa.ipc.open_stream("t.arrows").schema.metadata[b"rf.row0"].decode())'
	assert_output 100
}

@test "csv2bin passes on text with too many words, with a note" {
	needs_python pyarrow
	seq 1 30 | sed 's/^/x/; 1i t' >few.csv
	run -0 --separate-stderr csv2bin few.csv -o few.arrows
	[[ $stderr == *"column 't' is text with mostly different cells"* ]]
	assert_equal "$(columns few.arrows)" 't string ignore'
	csv2bin -q --type t=category few.csv -o few.arrows
	assert_equal "$(columns few.arrows)" 't category feature'
	# 20 different ones of 20 are few; 21 of 42 are half, not more.
	seq 1 20 | sed 's/^/x/; 1i t' | csv2bin -o few.arrows
	assert_equal "$(columns few.arrows)" 't category feature'
	{ echo t; seq 1 21; seq 1 21; } | sed '2,$s/^/x/' | csv2bin -o few.arrows
	assert_equal "$(columns few.arrows)" 't category feature'
	# 4096 different ones are categories where they are repeated, 4097 not.
	for i in 1 2 3; do seq 1 4096; done | sed 's/^/x/; 1i t' | \
	    csv2bin -q -o many.arrows
	assert_equal "$(columns many.arrows)" 't category feature'
	for i in 1 2 3; do seq 1 4097; done | sed 's/^/x/; 1i t' | \
	    csv2bin -q -o many.arrows
	assert_equal "$(columns many.arrows)" 't string ignore'
	# A label keeps them all.
	for i in 1 2 3; do seq 1 4097; done | sed 's/^/x/; 1i t' | \
	    csv2bin -q -l t -o many.arrows
	assert_equal "$(columns many.arrows)" 't category label'
}

@test "csv2bin sends categories that appear late, old codes unchanged" {
	awk 'BEGIN { print "c,x"; for (i = 0; i < 3000000; i++)
	    print "ab,1234"; print "cd,5"; print "ab,6" }' >late.csv
	csv2bin -t 2 late.csv -o late.arrows
	bin2csv late.arrows | cmp - late.csv
}

@test "csv2bin reads gzip, of several members, and refuses a cut one" {
	printf 'a,b\n1,x\n' | gzip >t.csv.gz
	printf '2,y\n' | gzip >>t.csv.gz
	assert_equal "$(csv2bin t.csv.gz | bin2csv)" $'a,b\n1,x\n2,y'
	assert_equal "$(csv2bin <t.csv.gz | bin2csv)" $'a,b\n1,x\n2,y'
	seq 1 100000 | gzip >big.gz
	head -c 1000 big.gz >cut.gz
	run -65 --separate-stderr csv2bin cut.gz -o t.arrows
	assert_equal "$stderr" 'csv2bin: cut.gz: the gzip data is cut short'
	{ head -c 2000 big.gz; head -c 1000 /dev/zero; } >bad.gz
	run -65 --separate-stderr csv2bin bad.gz -o t.arrows
	{ cat t.csv.gz; echo junk; } >junk.gz
	run -65 --separate-stderr csv2bin junk.gz -o t.arrows
	assert_equal "$stderr" 'csv2bin: junk.gz: bytes after the gzip data'
}

# H19.
@test "csv2bin makes the same bytes of file, pipe, single bytes and threads" {
	needs_python pyarrow
	for file in iris.csv titanic.csv concrete.csv; do
		csv2bin -q -t 1 "$RF_DATA/$file" -o wanted
		for t in 2 3 8; do
			csv2bin -q -t $t "$RF_DATA/$file" | cmp - wanted
		done
		head -c 3000 "$RF_DATA/$file" >part.csv
		csv2bin -q --ragged pad part.csv -o wanted
		dribble part.csv | csv2bin -q --ragged pad | cmp - wanted
	done
	gzip -dc "$RF_DATA/covtype.csv.gz" >covtype.csv
	csv2bin -q -t 1 covtype.csv -o wanted
	csv2bin -q -t 4 "$RF_DATA/covtype.csv.gz" | cmp - wanted
}

@test "csv2bin makes the same batches for every thread count, in large tables" {
	awk 'BEGIN { srand(1); print "a,b,c"; for (i = 0; i < 400000; i++)
	    printf "%.6f,%d,\"w %d\"\n", rand(), i, rand() * 100 }' >big.csv
	csv2bin -q -t 1 big.csv -o wanted
	for t in 2 5; do
		csv2bin -q -t $t big.csv | cmp - wanted
	done
	bin2csv wanted | sed 's/w \([0-9]*\)/"w \1"/; 1s/"//g' >again.csv
	# Numbers come shortest: compare as such.
	awk -F, 'NR > 1 { $1 += 0 } { print $1, $2, $3 }' big.csv >one
	awk -F, 'NR > 1 { $1 += 0 } { print $1, $2, $3 }' again.csv >two
	cmp one two
}

@test "csv2bin reads a line of 300 000 columns" {
	seq 1 300000 | paste -sd , >wide.csv
	seq 1 300000 | paste -sd , >>wide.csv
	csv2bin -q -t 1 --columns 299999 wide.csv | bin2csv >got
	diff got - <<<$'299999\n299999'
	csv2bin -q -t 1 wide.csv | bin2csv | cmp - wide.csv
}

@test "csv2bin refuses a line that never ends" {
	head -c 70000000 /dev/zero | tr '\0' a >long.csv
	run -65 --separate-stderr csv2bin long.csv -o t.arrows
	assert_equal "$stderr" \
	    'csv2bin: long.csv: a first record of more than 64 MiB'
	{ echo 'a,b'; for i in $(seq 1 5); do echo '1,x'; done; echo '1,"x'
	    head -c 70000000 /dev/zero | tr '\0' '\n'; } >open.csv
	run -65 --separate-stderr csv2bin open.csv -o t.arrows
	assert_equal "$stderr" "csv2bin: open.csv: line 7: a record of more \
than 64 MiB; the quote that opens here is never closed?"
}

@test "csv2bin -v says how many rows it read, and how" {
	printf 'a;b\n1;2\n3;4\n' >t.csv
	run -0 --separate-stderr csv2bin -v --columns b t.csv -o t.arrows
	assert_equal "$stderr" \
	    "csv2bin: 2 rows of 1 of 2 columns, delimiter ';'"
}

@test "csv2bin puts no cell elsewhere, wherever a block ends" {
	needs_python pyarrow
	run -0 "$RF_PYTHON" "$RF_ROOT/tests/interop/check_csv.py" blocks
	assert_output 'ok'
}

@test "csv2bin reads random tables as Python's csv module does" {
	needs_python pyarrow
	run -0 "$RF_PYTHON" "$RF_ROOT/tests/interop/check_csv.py" random 60
	assert_output 'ok'
}

@test "csv2bin --like takes columns, types and words from a model" {
	needs_python pyarrow
	needs_tool rf-fit rf-pack
	csv2bin -q -l Survived --task classification --na none \
	    "$RF_DATA/titanic.csv" | rf-fit -q -n 2 | rf-pack -o m.rfb
	head -n 1 "$RF_DATA/titanic.csv" >new.csv
	echo '1,1,3.0,"X",female,none,1,0,A,7,,Q' >>new.csv
	echo '2,,2,"Y",other,4,1,0,B,7.5,,' >>new.csv
	run -0 --separate-stderr csv2bin --like m.rfb new.csv -o new.arrows
	assert_equal "$stderr" "csv2bin: 3 columns that the model lacks left \
out: 'Name' first"
	assert_equal "$(columns new.arrows | paste -sd ,)" \
'PassengerId double feature,Survived int64 label,Pclass double feature,'\
'Sex category feature,Age double feature,SibSp double feature,'\
'Parch double feature,Fare double feature,Embarked category feature'
	bin2csv new.arrows | tail -n 2 >got
	diff got - <<<$'1,1,3,female,,1,0,7,Q\n2,,2,other,4,1,0,7.5,'
	# Without the label it is as well; without a feature it is not.
	cut -d, -f1,3- new.csv >no_label.csv
	csv2bin -q --like m.rfb no_label.csv -o new.arrows
	cut -d, -f1-4 new.csv >short.csv
	run -65 --separate-stderr csv2bin -q --like m.rfb short.csv -o t.arrows
	assert_equal "$stderr" "csv2bin: short.csv: no column 'Sex', which the \
model has as a feature; without --like, rf-predict --missing-ok does without \
it"
}

@test "csv2bin --like keeps label texts that the model lacks" {
	needs_tool rf-fit rf-pack
	csv2bin --no-header -l 5 "$RF_DATA/iris.csv" | rf-fit -q -n 2 |
	    rf-pack -o m.rfb
	printf 'V1,V2,V3,V4,V5\n1,2,3,4,new\n1,2,3,4,Iris-setosa\n' >new.csv
	csv2bin -q --like m.rfb new.csv | bin2csv | cmp - new.csv
}

@test "csv2bin --like knows a table without a header by a model without one" {
	needs_python pyarrow
	needs_tool rf-fit rf-pack
	csv2bin --no-header -l 5 "$RF_DATA/iris.csv" | rf-fit -q -n 2 |
	    rf-pack -o m.rfb
	csv2bin --like m.rfb "$RF_DATA/iris.csv" -o new.arrows
	assert_equal "$(bin2csv new.arrows | wc -l)" 151
	assert_equal "$(columns new.arrows | tail -n 1)" 'V5 category label'
	run -66 --separate-stderr csv2bin --like none.rfb "$RF_DATA/iris.csv"
	run -65 --separate-stderr csv2bin --like new.arrows "$RF_DATA/iris.csv"
}

@test "csv2bin leaves quietly with its reader, and says when the disk is full" {
	seq 1 2000000 >big.csv
	run -0 --separate-stderr bash -c 'csv2bin --no-header -t 2 big.csv | head -c 100 >x'
	[ "$stderr" = "" ]
	run -74 --separate-stderr bash -c 'csv2bin --no-header -t 2 big.csv >/dev/full'
	assert_equal "${#stderr_lines[@]}" 1
}

@test "csv2bin keeps 10^7 rows within 256 MiB" {
	needs_python pyarrow
	rows=1000000
	[ "${RF_SOAK-}" != 1 ] || rows=10000000
	needs_python resource
	run -0 "$RF_PYTHON" - $rows <<'END'
import subprocess, sys, resource, os
p = subprocess.Popen(['csv2bin', '-q', '-t', '8', '-o', '/dev/null', '-f'],
                     stdin=subprocess.PIPE)
block = b''.join(b'%d,%d.5,word %d\n' % (i, i, i % 50) for i in range(10000))
p.stdin.write(b'a,b,c\n')
for i in range(int(sys.argv[1]) // 10000):
    p.stdin.write(block)
p.stdin.close()
assert p.wait() == 0
kib = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
assert kib < 256 << 10, kib
END
}
