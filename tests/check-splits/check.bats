# The rules of rf-forest(5), redone apart from our code; all in make check-splits.

setup() {
	load ../helper
	common_setup
	needs_tool rf-fit
	needs_python pyarrow numpy mpmath
}

@test "every split of 40 random forests is what rf-forest(5) says" {
	JOBS=2 run -0 "$RF_ROOT/tests/check-splits/run" 0:40
}
