# csv2bin on many tables, real and made, against Python's csv module, float()
# and pyarrow: tests/README.md.

setup() {
	load ../helper
	common_setup
	needs_python pyarrow
}

@test "each public file is read cell for cell as Python reads it, or refused" {
	[ -n "${RF_DATASETS:-}" ] || skip_unless_strict "RF_DATASETS is not set"
	"$RF_PYTHON" "$RF_ROOT/tests/check-tables/sweep.py"
}

@test "made tables of every kind of cell are read as Python reads them" {
	needs_python pandas
	"$RF_PYTHON" "$RF_ROOT/tests/check-tables/random_tables.py" 0:200
}
