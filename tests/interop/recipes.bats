# The programs of rf-stream(5) as they stand in the page, between our tools.

setup() {
	load ../helper
	common_setup
	needs_python pyarrow
	page=$RF_ROOT/man/rf-stream.5
	cp "$RF_DATA/titanic.csv" .
}

# display ITEM N: the N-th display of the list's item.
display() {
	awk -v item="$1" -v n="$2" '/^\.It / { inside = $2 == item }
	    /^\.Bd / { k++; shown = inside && k == n; next }
	    /^\.Ed/ { shown = 0 } /^\.It / { k = 0 }
	    shown { gsub(/\\\(aq/, "\047"); gsub(/\\e/, "\\"); print }' "$page"
}

# recipe ITEM MODULE: rf-fit reads what the first part writes, and the second
# part has the rows that rf-vote wrote.
recipe() {
	needs_python "$2"
	display "$1" 1 >writer.py
	display "$1" 2 >reader.py
	[ -s writer.py ] && [ -s reader.py ]
	echo 'print(len(rows))' >>reader.py
	bash -o pipefail -c '"$RF_PYTHON" writer.py |
	    rf-fit -q -n 3 -l Survived --task classification |
	    rf-pack -o m.rfb'
	bash -o pipefail -c '"$RF_PYTHON" writer.py | rf-predict -q m.rfb |
	    rf-vote -q | "$RF_PYTHON" reader.py >n'
	[ "$(cat n)" = 891 ]
}

@test "rf-stream(5)'s lines for pyarrow run" {
	recipe pyarrow pyarrow
}

@test "rf-stream(5)'s lines for pandas run" {
	recipe pandas pandas
}

@test "rf-stream(5)'s lines for polars run" {
	recipe polars polars
}

@test "rf-stream(5)'s lines for DuckDB run" {
	recipe DuckDB duckdb
}

@test "rf-stream(5)'s lines for arro3 run" {
	recipe arro3 arro3.io
}

@test "rf-stream(5)'s lines for nanoarrow run" {
	recipe nanoarrow nanoarrow
}

@test "rf-stream(5)'s lines for ClickHouse run" {
	recipe ClickHouse chdb
}

@test "each partner of the tests has its lines in rf-stream(5)" {
	sed -n 's/^@test "what our tools write, \(.*\) reads".*/\1/p' \
	    "$RF_ROOT/tests/interop/partners.bats" |
	    sed 's/chdb/clickhouse/' | sort >wanted
	awk '/^\.It / { item = $2 } /^\.Bd -literal$/ { print tolower(item) }' \
	    "$page" | sort | uniq -d >found
	[ -s wanted ]
	diff wanted found
}

@test "rf-stream(5)'s lines for a sparse column give scikit-learn's matrix" {
	needs_python scipy sklearn
	printf '1 1:0.5 4:2\n0 2:-1e3\n1\n0 3:7 4:1\n' >few.libsvm
	awk '/^A sparse column/ { found = 1 } found && /^\.Ed/ { exit }
	    shown { print } found && /^\.Bd/ { shown = 1 }' "$page" >sparse.py
	cat >>sparse.py <<'END'
from sklearn.datasets import load_svmlight_file
want, _ = load_svmlight_file("few.libsvm")
assert (X.toarray() == want.toarray()).all(), X.toarray()
END
	csv2bin -q --layout sparse --task classification few.libsvm |
	    "$RF_PYTHON" sparse.py
}
