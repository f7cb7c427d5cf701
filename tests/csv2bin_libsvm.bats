# csv2bin: libsvm files, and the sparse columns that they become.

setup() {
	load helper
	load csv2bin
	common_setup
	needs_tool csv2bin bin2csv
}

# svm TEXT OPTION..: what csv2bin makes of the text (printf's escapes), as CSV.
svm() {
	local text=$1
	shift
	printf "$text" >t.libsvm
	csv2bin -q --task regression "$@" t.libsvm -o t.arrows
	bin2csv t.arrows
}

# bad TEXT MESSAGE OPTION..: refused with 65, in one line, without output.
bad() {
	local text=$1 message=$2
	shift 2
	rm -f t.arrows
	printf "$text" >t.libsvm
	run -65 --separate-stderr csv2bin --task regression "$@" \
	    --format libsvm t.libsvm -o t.arrows
	assert_equal "$stderr" "csv2bin: t.libsvm: $message"
	[ ! -e t.arrows ]
}

@test "csv2bin reads rows of libsvm, absent cells as 0" {
	wanted=$'label,f1,f2,f3\n1.5,0.1,0,-2000\n-1,0,0,0\n0,0,1e-07,0'
	for layout in dense sparse; do
		run -0 svm '1.5 1:.1 3:-2e3\n-1\n+0 2:1E-7\n' --layout $layout
		assert_output "$wanted"
	done
}

@test "csv2bin reads libsvm whatever its blanks, comments and line ends" {
	wanted=$'label,f1,f2\n1,2,0\n3,0,4'
	for text in '1 1:2\n3 2:4\n' '1 1:2\r\n3 2:4\r\n' '1 1:2\r3 2:4\r' \
	    '1 1:2\r\r\n3 2:4\r\r\n' '1 1:2\n3 2:4' '1 1:2\r\n3 2:4' \
	    '\n \n1 1:2\n\n\n3 2:4\n\n' '# a: b\n1 1:2 # 5:6\n3 2:4#x\n#' \
	    ' 1\t1:2 \t \n\t3  2:4\t\n' '\xef\xbb\xbf1 1:2\n3 2:4\n'; do
		run -0 svm "$text"
		assert_output "$wanted"
	done
}

@test "csv2bin reads nan in libsvm as missing and inf as infinite" {
	wanted=$'label,f1,f2,f3\n1,,inf,0\n2,1,0,\n3,0,-inf,0'
	for layout in dense sparse; do
		run -0 svm '1 1:nan 2:inf\n2 1:1 3:-NaN\n3 2:-Infinity\n' \
		    --layout $layout
		assert_output "$wanted"
	done
}

@test "csv2bin passes a qid on as a column that is no feature" {
	run -0 svm '1 qid:7 1:2\n3 qid:8 2:4\n'
	assert_output $'label,qid,f1,f2\n1,7,2,0\n3,8,0,4'
	bad '1 qid:7 1:2\n3 2:4\n' \
	    'line 2: no qid, which the first row has'
	bad '1 1:2\n3 qid:1 2:4\n' \
	    'line 2: a qid, which the first row does not have'
	bad '1 qid:x 1:2\n' \
	    "line 1: 'qid:x' is no qid: a whole number is needed"
}

@test "csv2bin counts the indices of libsvm from 0 where told" {
	run -0 svm '1 0:2\n3 2:4\n' --zero-based
	assert_output $'label,f0,f1,f2\n1,2,0,0\n3,0,0,4'
	bad '1 1:1\n1 0:2\n' \
	    "line 2: '0:2': indices count from 1; --zero-based counts from 0"
}

@test "csv2bin refuses libsvm that is malformed, with the line" {
	bad '# x\n\n1 1:1\n1 2:1 31\n' \
	    "line 4: '31' has no colon: INDEX:VALUE is needed"
	bad '1 2:1 2:1\n' "line 1: '2:1' follows index 2: indices must ascend"
	bad '1 3:1 2:1\n' "line 1: '2:1' follows index 3: indices must ascend"
	bad '1 1:\n' "line 1: '1:' has no number after its colon"
	bad '1 :1\n' "line 1: ':1' has no whole number before its colon"
	bad '1 -1:1\n' "line 1: '-1:1' has no whole number before its colon"
	bad '1 1.5:1\n' "line 1: '1.5:1' has no whole number before its colon"
	bad '1 1:0x10\n' "line 1: '1:0x10' has no number after its colon"
	bad '1 1:1:1\n' "line 1: '1:1:1' has no number after its colon"
	bad '1 1: 1\n' "line 1: '1:' has no number after its colon"
	bad 'a 1:1\n' "line 1: 'a' is no label: a number is needed"
	bad '1,2 1:1\n' "line 1: '1,2' is no label: a number is needed"
	bad 'nan 1:1\n' "line 1: 'nan' is no label: a number is needed"
	bad 'inf 1:1\n' "line 1: 'inf' is no label: it is not finite"
	bad '1:1\n' "line 1: '1:1' stands where the label is to be"
	bad '1\n2\n' 'no features: no row has an INDEX:VALUE'
	bad '1 1048577:1\n' \
	    "line 1: '1048577:1': the highest index is 1048576"
	bad '1 99999999999999999999:1\n' \
	    "line 1: '99999999999999999999:1': the highest index is 1048576"
	bad '1 2:1\n1 4:1\n' \
	    "line 2: '4:1': the highest index is 3, by --n-features" \
	    --n-features 3
}

@test "csv2bin asks what whole labels of libsvm are for" {
	printf '1 1:1\n2 1:2\n' >t.libsvm
	run -64 --separate-stderr csv2bin -q t.libsvm -o t.arrows
	assert_equal "$stderr" "csv2bin: the label 'label' has whole numbers:\
 give --task classification or --task regression"
	csv2bin -q --task classification t.libsvm -o t.arrows
	run -0 columns t.arrows
	assert_output $'label int64 label\nf1 double feature'
	csv2bin -q --task regression t.libsvm -o t.arrows
	run -0 columns t.arrows
	assert_output $'label double label\nf1 double feature'
	printf '1 1:1\n2.5 1:2\n' | csv2bin -q -o t.arrows
	run -0 columns t.arrows
	assert_output $'label double label\nf1 double feature'
	run -65 --separate-stderr csv2bin -q --task classification \
	    <<<$'1.0 1:1\n2.5 1:2'
	assert_equal "$stderr" "csv2bin: <stdin>: line 2: '2.5' is no class: a\
 whole number is needed"
}

@test "csv2bin recognises libsvm by its first record or name, with a note" {
	printf '1 1:2\n3 2:4\n' >t
	run -0 --separate-stderr csv2bin --task regression t -o t.arrows
	assert_equal "$stderr" "csv2bin: t: read as libsvm; --format csv reads\
 it as a table"
	printf '# a\n1 qid:3 1:2\n' | csv2bin --task regression 2>note |
	    bin2csv >t.csv
	grep -q 'read as libsvm' note
	# Not of this form: a table.
	for text in '1 12:30,5\n' '1 a:2\n' 'a 1:2\n' '1 2\n' '1\n2\n'; do
		printf "$text" >t
		csv2bin t -o t.arrows 2>note
		run ! grep libsvm note
	done
	printf '1 12\n' >t.svm
	run -65 --separate-stderr csv2bin --task regression t.svm -o t.arrows
	assert_equal "${stderr_lines[1]}" "csv2bin: t.svm: line 1: '12' has no\
 colon: INDEX:VALUE is needed"
}

@test "csv2bin takes an option of tables for a table, with a note" {
	printf '1 1:2\n3 2:4\n' >t
	run -0 --separate-stderr csv2bin --no-header t -o t.arrows
	[[ $stderr == "csv2bin: t: looks like libsvm and is read as CSV\
 for --no-header: --format says which"* ]] || fail "$stderr"
	run -0 bin2csv t.arrows
	assert_output $'V1,V2\n1,1:2\n3,2:4'
	run -0 csv2bin -q --format csv t -o t.arrows
	run -64 --separate-stderr csv2bin --format libsvm -l 1 t -o t.arrows
	assert_equal "$stderr" "csv2bin: --label: a libsvm file has no such\
 thing (--format csv for a table)"
	for option in --describe --bad-cells=missing --thousands=comma \
	    --trim --ragged=pad; do
		run -64 csv2bin --format libsvm $option t -o t.arrows
	done
}

@test "csv2bin gives equal streams for libsvm from file, pipe and gzip" {
	seq 1 5000 | awk '{print $1/2, $1%7+1 ":" $1, 9+$1%91 ":1"}' >t.libsvm
	csv2bin -q t.libsvm -o wanted
	csv2bin -q <t.libsvm | cmp - wanted
	cat t.libsvm | csv2bin -q | cmp - wanted
	gzip <t.libsvm | csv2bin -q | cmp - wanted
	gzip <t.libsvm >t.libsvm.gz
	csv2bin -q t.libsvm.gz | cmp - wanted
	head -c 20000 t.libsvm >head.libsvm
	dribble head.libsvm | csv2bin -q | cmp - <(csv2bin -q head.libsvm)
	csv2bin -q --n-features 99 t.libsvm | cmp - wanted
	head -n 2000 t.libsvm >a.libsvm
	tail -n +2001 t.libsvm >b.libsvm
	csv2bin -q a.libsvm b.libsvm | bin2csv | cmp - <(bin2csv wanted)
}

@test "csv2bin reads libsvm past its first 16 MiB twice, or asks" {
	"$RF_PYTHON" -c 'for i in range(450000):
    print("%d %d:%d.5 %d:1 2000:7 %d:-0.25" % (i % 3, 1 + i % 50, i, 60 + i % 900, 2001 + i // 1000))' >t.libsvm
	csv2bin -q --task classification t.libsvm -o wanted
	csv2bin -q --task classification --n-features 2450 t.libsvm |
	    cmp - wanted
	cat t.libsvm | csv2bin -q --task classification --n-features 2450 |
	    cmp - wanted
	gzip -1 <t.libsvm >t.libsvm.gz
	csv2bin -q --task classification t.libsvm.gz | cmp - wanted
	run -64 --separate-stderr bash -c 'cat t.libsvm | csv2bin -q \
	    --task classification -o t.arrows'
	assert_equal "$stderr" "csv2bin: <stdin>: more than 16 MiB that cannot\
 be read twice: give the highest index by --n-features, or a regular file"
	"$RF_PYTHON" - <<'END'
import pyarrow as pa
table = pa.ipc.open_stream('wanted').read_all()
assert len(table) == 450000
i = 449999
assert table['label'][i].as_py() == i % 3
assert [(c['column'] + 1, c['value']) for c in table['features'][i].as_py()] \
    == [(1 + i % 50, i + .5), (60 + i % 900, 1), (2000, 7), (2450, -.25)]
END
}

@test "csv2bin reads every cell of libsvm as scikit-learn does" {
	needs_python pyarrow sklearn
	[ -n "${RF_DATASETS:-}" ] || skip_unless_strict "RF_DATASETS is not set"
	for file in a9a.libsvm.gz heart_scale.libsvm agaricus.libsvm; do
		for layout in dense sparse; do
			csv2bin -q --task classification --layout $layout \
			    "$RF_DATASETS/$file" -o $layout.arrows
		done
		run -0 "$RF_PYTHON" - "$RF_DATASETS/$file" <<'END'
import sys, numpy as np, pyarrow as pa
from sklearn.datasets import load_svmlight_file
X, y = load_svmlight_file(sys.argv[1])
table = pa.ipc.open_stream('dense.arrows').read_all()
assert table.schema.names == ['label'] + ['f%d' % (i + 1)
                                          for i in range(X.shape[1])]
assert np.array_equal(table['label'].to_numpy(), y)
for i in range(X.shape[1]):
    assert np.array_equal(table[i + 1].to_numpy(), X[:, i].toarray()[:, 0])
table = pa.ipc.open_stream('sparse.arrows').read_all()
table.validate(full=True)
assert table.schema.field(1).metadata == {
    b'rf.sparse': b'%d' % X.shape[1], b'rf.sparse.first': b'1'}
lists = table['features'].combine_chunks()
X.sum_duplicates()
assert np.array_equal(lists.offsets, X.indptr)
assert np.array_equal(lists.flatten().field('column'), X.indices)
assert np.array_equal(lists.flatten().field('value'), X.data)
END
	done
}

@test "csv2bin refuses libsvm that has lost its colons" {
	[ -n "${RF_DATASETS:-}" ] || skip_unless_strict "RF_DATASETS is not set"
	run -65 --separate-stderr csv2bin -q --task classification \
	    "$RF_DATASETS/a9a_colons_lost.libsvm.gz" -o t.arrows
	[[ $stderr == *"line 1: '31' has no colon: INDEX:VALUE is needed" ]]
}

@test "all tools take sparse columns for the dense ones" {
	needs_tool rf-fit rf-pack rf-predict rf-info rf-vote
	awk 'BEGIN { for (i = 0; i < 3000; i++) {
	    printf "%d", i % 7 < 3
	    printf " %d:%s", 1 + i % 5, i % 11 ? i % 13 : "nan"
	    printf " %d:%d %d:%g\n", 6 + i % 7, i % 3, 20 + i % 180, i / 64
	} }' >t.libsvm
	for layout in dense sparse; do
		csv2bin -q --task classification --layout $layout t.libsvm \
		    -o $layout.arrows
		rf-fit -q -n 5 $layout.arrows -o $layout.rf
		rf-pack -q $layout.rf -o $layout.rfb
		bin2csv $layout.arrows >$layout.csv
		rf-predict -q --keep all $layout.rfb $layout.arrows |
		    rf-vote -q | bin2csv >$layout.voted
	done
	for kind in rf rfb csv voted; do
		cmp dense.$kind sparse.$kind
	done
	# The sparse one in batches of other cuts.
	needs_python pyarrow
	"$RF_PYTHON" - <<'END'
import pyarrow as pa
table = pa.ipc.open_stream('sparse.arrows').read_all()
for name, rows in ('one', 1), ('odd', 1237):
    with pa.ipc.new_stream(name, table.schema) as out:
        out.write_table(table, max_chunksize=rows)
END
	for name in one odd; do
		rf-fit -q -n 5 $name 2>/dev/null | cmp - dense.rf
	done
}

@test "csv2bin --like takes the features of libsvm from the model" {
	needs_tool rf-fit rf-pack rf-predict rf-vote
	printf '0 1:1 4:1\n1 2:1\n0 1:2 3:1\n1 3:5\n' >train.libsvm
	csv2bin -q --task classification train.libsvm | rf-fit -q -n 3 |
	    rf-pack -q -o m.rfb
	printf '0 2:1 7:1\n1 1:4\n' >new.libsvm
	csv2bin -q --like m.rfb new.libsvm -o t.arrows
	run -0 bin2csv t.arrows
	assert_output $'label,f1,f2,f3,f4\n0,0,1,0,0\n1,4,0,0,0'
	rf-predict -q m.rfb t.arrows | rf-vote -q | bin2csv >voted
	assert_equal "$(wc -l <voted)" 3
}

@test "tools refuse a sparse column that is not of the layout" {
	needs_tool rf-fit
	needs_python pyarrow
	run -0 "$RF_PYTHON" - <<'END'
import subprocess, pyarrow as pa
pair = pa.struct([('column', pa.int32()), ('value', pa.float64())])
def refused(message, rows=[[(0, 1.)]], type=pa.list_(pair), width=b'4'):
    field = pa.field('x', type, metadata={b'rf.sparse': width})
    batch = pa.record_batch([pa.array(rows, type)], schema=pa.schema([field]))
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, batch.schema) as out:
        out.write_batch(batch)
    done = subprocess.run(['bin2csv'], input=sink.getvalue().to_pybytes(),
                          capture_output=True)
    assert done.returncode == 65, done
    assert message in done.stderr.decode(), done.stderr
refused('row 2 of the batch: a column out of range', [[], [(4, 1.)]])
refused('row 1 of the batch: a column out of range', [[(-1, 1.)]])
refused('row 1 of the batch: columns that do not ascend', [[(2, 1.), (2, 1.)]])
refused('row 1 of the batch: a null column', [[(None, 1.)]])
refused('row 1 of the batch: a null column', [[None]])
refused('row 1 of the batch: a null list', [None])
for width in b'0', b'-1', b'x', b'1048577', b'99999999999999999999':
    refused('rf.sparse is not 1 to 1048576 columns', width=width)
refused('a sparse column is list', [1], pa.int32())
refused('a sparse column is list', [[1]], pa.list_(pa.int32()))
END
}
