# What rf-fit's tests share: columns in, a value of the forest out.

# data NAME=EXPRESSION..: a data stream of these columns of Python.
data() {
	"$RF_PYTHON" "$RF_ROOT/tests/interop/make_data.py" "$@"
}

# show FILE EXPR: a value of a forest stream.
show() {
	"$RF_PYTHON" "$RF_ROOT/tests/interop/show_forest.py" "$@"
}
