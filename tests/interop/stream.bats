# Streams of pyarrow and ours, both ways.

setup() {
	load ../helper
	common_setup
	needs_python pyarrow numpy
	script=$RF_ROOT/tests/interop/arrow_stream.py
	echo=$RF_BUILD/tests/unit/stream_echo
}

@test "what pyarrow writes comes back with equal values from our writer" {
	run -0 "$RF_PYTHON" "$script" echo "$echo"
}

@test "columns of types that are not read are stepped over, or named" {
	run -0 "$RF_PYTHON" "$script" skipped "$echo"
}

@test "streams that pyarrow would not write are refused, by name" {
	run -0 "$RF_PYTHON" "$script" refused "$echo"
}

@test "a stream that comes byte by byte is read" {
	mkdir whole
	run -0 "$RF_PYTHON" "$script" write whole
	"$echo" echo <whole/plain >fast
	dribble whole/plain | "$echo" echo >slow
	cmp fast slow
}

@test "damaged streams of pyarrow are refused or read" {
	mkdir whole
	run -0 "$RF_PYTHON" "$script" write whole
	N_FLIPS=50 run -0 "$RF_BUILD/tests/unit/stream_damage" whole/*
	refute_line --partial "not ok"
}
