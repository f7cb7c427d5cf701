# Equal input, options and seed give equal bytes, whatever the threads, the pipe
# and the batches.

setup_file() {
	load helper
	common_setup
	load matrix
	needs_tool csv2bin rf-fit rf-pack rf-predict
	make_sets "$BATS_FILE_TMPDIR"
}

setup() {
	load helper
	common_setup
	load matrix
	sets=$BATS_FILE_TMPDIR
}

same_forests() {
	local set=$1 options

	while IFS= read -r options; do
		# shellcheck disable=SC2086
		rf-fit -q -n 3 $options -t 1 --device cpu "$sets/$set.arrows" \
		    >one
		# shellcheck disable=SC2086
		rf-fit -q -n 3 $options -t 3 --device cpu "$sets/$set.arrows" \
		    >three
		cmp one three || {
			echo "$set: $options"
			return 1
		}
	done < <(options_of "$set")
}

@test "thread counts do not show in forests of iris" {
	same_forests iris
}

@test "thread counts do not show in forests of digits" {
	same_forests digits
}

@test "thread counts do not show in forests of covtype" {
	same_forests covtype
}

@test "thread counts do not show in forests of concrete" {
	same_forests concrete
}

@test "thread counts do not show in forests of titanic" {
	same_forests titanic
}

@test "thread counts do not show in forests with weights" {
	same_forests weighted
	same_forests weighted_regression
}

@test "every option changes some forest, but those that only say less" {
	for options in "--max-features 1" "--max-depth 1" \
	    "--min-samples-split 5" "--min-samples-leaf 2" \
	    "--min-impurity-decrease 0.01" "--max-samples 100" \
	    --no-bootstrap "--bins 2" "--seed 1" "--min-category-rows 50" \
	    "--max-categories 2" "--criterion entropy" \
	    "--class-weight balanced" --count-constant --no-stats; do
		rf-fit -q -n 3 "$sets/titanic.arrows" >plain
		# shellcheck disable=SC2086
		rf-fit -q -n 3 $options "$sets/titanic.arrows" >other
		if cmp -s plain other; then
			rf-fit -q -n 3 "$sets/covtype.arrows" >plain
			# shellcheck disable=SC2086
			rf-fit -q -n 3 $options "$sets/covtype.arrows" >other
			run ! cmp -s plain other
		fi
	done
}

@test "a pipe of single bytes gives the bytes of a file" {
	needs_python os
	for set in iris titanic; do
		rf-fit -q -n 3 "$sets/$set.arrows" >file
		dribble "$sets/$set.arrows" | rf-fit -q -n 3 >pipe
		cmp file pipe
	done
}

@test "ranges of trees, grown apart and merged, are one run's model" {
	for set in "${matrix_sets[@]}"; do
		rf-fit -q -n 7 "$sets/$set.arrows" | rf-pack >whole
		rf-fit -q -n 0:2/7 "$sets/$set.arrows" >a
		rf-fit -q -n 2:6/7 "$sets/$set.arrows" >b
		rf-fit -q -n 6:7/7 "$sets/$set.arrows" >c
		rf-pack c a b >merged
		cmp whole merged
	done
}

@test "other cuts into batches give the same forest and predictions" {
	needs_python pyarrow
	for set in titanic covtype weighted_regression; do
		"$RF_PYTHON" - "$sets/$set.arrows" recut.arrows <<-'EOF'
		import sys
		import pyarrow as pa
		with pa.ipc.open_stream(sys.argv[1]) as r:
		    table = r.read_all()
		with pa.ipc.new_stream(sys.argv[2], table.schema) as w:
		    w.write_table(table.unify_dictionaries(), max_chunksize=37)
		EOF
		rf-fit -q -n 3 "$sets/$set.arrows" | rf-pack >whole.rfb
		rf-fit -q -n 3 recut.arrows | rf-pack >recut.rfb
		cmp whole.rfb recut.rfb
		rf-predict whole.rfb "$sets/$set.arrows" | rf-vote | bin2csv \
		    >whole.csv
		rf-predict whole.rfb recut.arrows | rf-vote | bin2csv >recut.csv
		cmp whole.csv recut.csv
	done
}

@test "thread counts do not show in predictions" {
	for set in "${matrix_sets[@]}"; do
		rf-fit -q -n 20 "$sets/$set.arrows" | rf-pack >model.rfb
		rf-predict -t 1 model.rfb "$sets/$set.arrows" >one
		rf-predict -t 3 model.rfb "$sets/$set.arrows" >three
		cmp one three
	done
}
