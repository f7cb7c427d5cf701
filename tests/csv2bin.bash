# What csv2bin's tests share: a text in, what was read out.

# table TEXT OPTION..: what csv2bin makes of the text (printf's escapes), as CSV.
table() {
	local text=$1
	shift
	printf "$text" >table.csv
	csv2bin -q "$@" table.csv -o table.arrows && bin2csv table.arrows
}

# columns FILE: a line a column, "name type role".
columns() {
	"$RF_PYTHON" - "$1" <<'END'
import sys, pyarrow as pa
for f in pa.ipc.open_stream(sys.argv[1]).schema:
    t = 'category' if pa.types.is_dictionary(f.type) else str(f.type)
    print(f.name, t, (f.metadata or {}).get(b'rf.role', b'feature').decode())
END
}

# schema TEXT OPTION..: the same of a text, on one line.
schema() {
	local text=$1
	shift
	printf "$text" >table.csv
	csv2bin -q "$@" table.csv -o table.arrows
	columns table.arrows | paste -sd ,
}

# refused STATUS TEXT OPTION..: csv2bin ends so, in one line and without output.
refused() {
	local status=$1 text=$2
	shift 2
	rm -f table.arrows
	printf "$text" >table.csv
	run "-$status" --separate-stderr csv2bin "$@" table.csv -o table.arrows
	assert_equal "${#stderr_lines[@]}" 1
	[ ! -e table.arrows ]
}
