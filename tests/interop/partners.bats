# Other readers and writers of Arrow at both ends of our pipes.  Types that a
# partner lacks are listed in partners.py.

setup() {
	load ../helper
	common_setup
	needs_python pyarrow numpy
	script=$RF_ROOT/tests/interop/partners.py
	echo=$RF_BUILD/tests/unit/stream_echo
	export script echo
}

# written PARTNER CASE [COMPRESSION]: rf-info verifies what the partner writes,
# and bin2csv prints it as pyarrow's values say, which are those handed over.
written() {
	echo "$*"
	bash -o pipefail -c '"$RF_PYTHON" "$script" "$1" write "${@:2}" |
	    tee s.arrows | bin2csv >got.csv' - "$@"
	bash -o pipefail -c 'cat s.arrows | rf-info >info'
	"$RF_PYTHON" "$script" "$1" check "$2" s.arrows got.csv
}

# writes PARTNER [COMPRESSION..]: all cases.
writes() {
	local case partner=$1 compression

	for case in all one none batches; do
		written "$partner" $case
	done
	for compression in "${@:2}"; do
		written "$partner" batches "$compression"
	done
}

# shown PARTNER FILE: the partner reads from a pipe what pyarrow does.
shown() {
	echo "$*"
	bash -o pipefail -c 'cat "$2" | "$RF_PYTHON" "$script" "$1" same "$2"' \
	    - "$@"
}

# reads PARTNER: every kind of stream, and every type by our writer.
reads() {
	"$RF_PYTHON" "$script" "$1" source batches | "$echo" echo >all.arrows
	shown "$1" all.arrows
	csv2bin -q -l Survived --task classification "$RF_DATA/titanic.csv" \
	    -o data.arrows
	rf-fit -q -n 5 data.arrows -o forest.arrows
	rf-pack forest.arrows -o forest.rfb
	rf-predict -q forest.rfb data.arrows -o prediction.arrows
	rf-vote -q --probabilities prediction.arrows -o decided.arrows
	shown "$1" data.arrows
	shown "$1" prediction.arrows
	shown "$1" decided.arrows
	# ClickHouse makes empty lists of null ones.
	[ "$1" = chdb ] || shown "$1" forest.arrows
}

# fits PARTNER: the forest is that of csv2bin's table.
fits() {
	local names=Survived,Pclass,Sex,Age,SibSp,Parch,Fare,Embarked
	local fit=(rf-fit -q -n 5 -l Survived --task classification)

	csv2bin -q --columns $names "$RF_DATA/titanic.csv" |
	    "${fit[@]}" | rf-info | grep -i fingerprint >want
	bash -o pipefail -c '"$RF_PYTHON" "$script" "$1" table "$2" \
	    ${3//,/ } | "${@:4}" | rf-info' - "$1" "$RF_DATA/titanic.csv" \
	    $names "${fit[@]}" >info
	grep -i fingerprint info >got
	cmp got want
}

@test "what pyarrow writes is read" {
	needs_python pyarrow
	writes pyarrow lz4 zstd
}

@test "what our tools write, pyarrow reads" {
	needs_python pyarrow
	reads pyarrow
}

@test "rf-fit grows the forest of csv2bin's table from pyarrow's" {
	needs_python pyarrow
	fits pyarrow
}

@test "what pandas writes is read" {
	needs_python pandas
	writes pandas lz4 zstd
}

@test "what our tools write, pandas reads" {
	needs_python pandas
	reads pandas
}

@test "rf-fit grows the forest of csv2bin's table from pandas's" {
	needs_python pandas
	fits pandas
}

@test "what polars writes is read" {
	needs_python polars
	writes polars lz4 zstd
}

@test "what our tools write, polars reads" {
	needs_python polars
	reads polars
}

@test "rf-fit grows the forest of csv2bin's table from polars's" {
	needs_python polars
	fits polars
}

@test "what duckdb writes is read" {
	needs_python duckdb
	writes duckdb lz4 zstd
}

@test "what our tools write, duckdb reads" {
	needs_python duckdb
	reads duckdb
}

@test "rf-fit grows the forest of csv2bin's table from duckdb's" {
	needs_python duckdb
	fits duckdb
}

@test "what arro3 writes is read" {
	needs_python arro3.core arro3.io
	writes arro3 lz4 zstd
}

@test "what our tools write, arro3 reads" {
	needs_python arro3.core arro3.io
	reads arro3
}

@test "rf-fit grows the forest of csv2bin's table from arro3's" {
	needs_python arro3.core arro3.io
	fits arro3
}

@test "what nanoarrow writes is read" {
	needs_python nanoarrow
	writes nanoarrow
}

@test "what our tools write, nanoarrow reads" {
	needs_python nanoarrow
	reads nanoarrow
}

@test "rf-fit grows the forest of csv2bin's table from nanoarrow's" {
	needs_python nanoarrow
	fits nanoarrow
}

@test "what chdb writes is read" {
	needs_python chdb
	writes chdb lz4 zstd
}

@test "what our tools write, chdb reads" {
	needs_python chdb
	reads chdb
}

@test "rf-fit grows the forest of csv2bin's table from chdb's" {
	needs_python chdb
	fits chdb
}
