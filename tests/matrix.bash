# Data streams made of the sets in data/, and every option of rf-fit that
# changes a forest, each at two values: for tests that compare forests byte by
# byte.

matrix_sets=(iris digits covtype concrete titanic weighted weighted_regression)

# make_sets DIRECTORY: a stream a set, SET.arrows.
make_sets() {
	csv2bin --no-header -l 5 "$RF_DATA/iris.csv" >"$1/iris.arrows"
	csv2bin --no-header -l 65 --task classification \
	    "$RF_DATA/digits.csv.gz" >"$1/digits.arrows"
	csv2bin -l Cover_Type --task classification \
	    "$RF_DATA/covtype.csv.gz" >"$1/covtype.arrows"
	csv2bin -l 9 --task regression "$RF_DATA/concrete.csv" \
	    >"$1/concrete.arrows"
	csv2bin -q -l Survived --task classification --id PassengerId \
	    "$RF_DATA/titanic.csv" >"$1/titanic.arrows"
	csv2bin -q -l Survived --task classification --id PassengerId \
	    --weight Fare "$RF_DATA/titanic.csv" >"$1/weighted.arrows"
	csv2bin -l 9 --task regression --weight 8 "$RF_DATA/concrete.csv" \
	    >"$1/weighted_regression.arrows"
}

# Options of one word list each; for every task.
matrix_options=(
	""
	"--max-features 1" "--max-features all"
	"--max-depth 1" "--max-depth 6"
	"--min-samples-split 5" "--min-samples-split 0.1"
	"--min-samples-leaf 2" "--min-samples-leaf 0.05"
	"--min-impurity-decrease 0.0001" "--min-impurity-decrease 0.01"
	"--max-samples 100" "--max-samples 0.5"
	"--no-bootstrap" "--no-bootstrap --max-features 2"
	"--bins 2" "--bins 1000"
	"--seed 1" "--seed 9223372036854775807"
	"--min-category-rows 1" "--min-category-rows 50"
	"--max-categories 2" "--max-categories 1000"
	"--count-constant" "--count-constant --max-features 2"
	"--no-stats" "--float32"
)

matrix_class_options=(
	"--criterion entropy" "--criterion entropy --min-samples-leaf 3"
	"--class-weight balanced" "--criterion entropy --class-weight balanced"
)

# options_of SET: one a line.
options_of() {
	printf '%s\n' "${matrix_options[@]}"
	case $1 in
	concrete | weighted_regression) ;;
	*) printf '%s\n' "${matrix_class_options[@]}" ;;
	esac
}
