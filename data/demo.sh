#!/bin/sh
# The pipeline on the shipped forest cover data: trains on four fifths, predicts
# the held-out fifth, scores it, and says what each stage took.
# Run by `make demo`; BUILD names the build directory.
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
build=${BUILD:-build}
case $build in /*) ;; *) build=$root/$build ;; esac
PATH=$build/bin:$PATH
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

# stage COMMAND: shows it, runs it, keeps its time in milliseconds.
stage() {
	echo "\$ $1"
	start=$(date +%s%N)
	sh -ec "$1"
	took=$((($(date +%s%N) - start) / 1000000))
	printf '  %-12s %6d ms\n' "${1%% *}" "$took" >>stages.txt
}

echo "Forest cover types: 5999 patches of 30 m by 30 m, 54 features, 7 classes."
echo "Every fifth row is held out."
gzip -dc "$root/data/covtype.csv.gz" |
    awk 'NR == 1 || NR % 5 != 0' >train.csv
gzip -dc "$root/data/covtype.csv.gz" |
    awk 'NR == 1 || NR % 5 == 0' >test.csv
echo
stage 'csv2bin -l Cover_Type --task classification train.csv -o train.arrows'
stage 'rf-fit -n 100 --oob train.arrows -o forest.arrows'
stage 'rf-pack forest.arrows -o forest.rfb'
stage 'csv2bin --like forest.rfb test.csv -o test.arrows'
stage 'rf-predict forest.rfb test.arrows -o tally.arrows'
stage 'rf-vote --probabilities tally.arrows -o decided.arrows'
stage 'rf-score decided.arrows'
stage 'bin2csv decided.arrows | head -n 4'
echo
echo "Time of each stage:"
cat stages.txt
