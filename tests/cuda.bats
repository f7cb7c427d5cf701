# Forests and predictions of a card are those of the CPU, byte for byte.
# bats file_tags=gpu

setup_file() {
	load helper
	common_setup
	load matrix
	! has_gpu || make_sets "$BATS_FILE_TMPDIR"
}

setup() {
	load helper
	common_setup
	load matrix
	needs_gpu
	sets=$BATS_FILE_TMPDIR
}

# Both devices grow the same forest of a set under every option.
same_forests() {
	local set=$1 options

	while IFS= read -r options; do
		# shellcheck disable=SC2086
		rf-fit -q -n 3 $options --device cpu "$sets/$set.arrows" >cpu
		# shellcheck disable=SC2086
		rf-fit -q -n 3 $options --device cuda $2 "$sets/$set.arrows" \
		    >cuda
		cmp cpu cuda || {
			echo "$set: $options $2"
			return 1
		}
	done < <(options_of "$set")
}

@test "a card grows the CPU's forest on iris" {
	same_forests iris
}

@test "a card grows the CPU's forest on digits" {
	same_forests digits
}

@test "a card grows the CPU's forest on covtype" {
	same_forests covtype
}

@test "a card grows the CPU's forest on concrete (regression)" {
	same_forests concrete
}

@test "a card grows the CPU's forest on titanic (missing, categories)" {
	same_forests titanic
}

@test "a card grows the CPU's forest with weights" {
	same_forests weighted
}

@test "a card grows the CPU's forest with weights in regression" {
	same_forests weighted_regression
}

@test "every tier of a card grows the same forest" {
	for set in "${matrix_sets[@]}"; do
		rf-fit -q -n 4 --device cpu "$sets/$set.arrows" >cpu
		for tier in level block warp lane; do
			rf-fit -q -n 4 --device cuda --tier "$tier" \
			    "$sets/$set.arrows" >cuda
			cmp cpu cuda
		done
	done
}

@test "ranges of trees from a card and from the CPU pack to one run's model" {
	rf-fit -q -n 0:3/10 --device cuda "$sets/covtype.arrows" >a
	rf-fit -q -n 3:10/10 --device cpu "$sets/covtype.arrows" >b
	rf-fit -q -n 10 --device cpu "$sets/covtype.arrows" | rf-pack >whole
	rf-pack b a >merged
	cmp whole merged
}

@test "a card predicts what the CPU predicts" {
	for set in "${matrix_sets[@]}"; do
		rf-fit -q -n 20 "$sets/$set.arrows" | rf-pack >model.rfb
		for vote in "--vote soft" "--vote hard" --leaves; do
			# shellcheck disable=SC2086
			rf-predict $vote --device cpu model.rfb \
			    "$sets/$set.arrows" >cpu
			# shellcheck disable=SC2086
			rf-predict $vote --device cuda model.rfb \
			    "$sets/$set.arrows" >cuda
			cmp cpu cuda
		done
	done
}

@test "out-of-bag tallies do not depend on the device" {
	rf-fit -q -n 30 --device cpu --oob=cpu.oob "$sets/titanic.arrows" >cpu
	rf-fit -q -n 30 --device cuda --oob=cuda.oob "$sets/titanic.arrows" \
	    >cuda
	cmp cpu cuda
	cmp cpu.oob cuda.oob
}

@test "a card that is asked for by number and is not there is status 69" {
	run -69 rf-fit --device cuda:99 "$sets/iris.arrows"
	assert_output --partial "no CUDA device 99"
}
