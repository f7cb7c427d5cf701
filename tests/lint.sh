#!/bin/sh
# Layout of code, lengths of files, manual pages, scripts; nothing is changed.
set -u
cd "$(dirname "$0")/.." || exit 1
status=0
fail() {
	echo "lint: $1" >&2
	status=1
}

sources=$(git ls-files --cached --others --exclude-standard 2>/dev/null |
    grep -E '\.(c|h|cu|cuh)$')
[ -n "$sources" ] || sources=$(find cmd lib cuda tests -name '*.[ch]' \
    -o -name '*.cu' -o -name '*.cuh')
scripts=$(grep -lE '^#!/bin/(ba)?sh' -r .ci cmd data tests |
    grep -v '\.bats$')

if command -v clang-format >/dev/null; then
	for file in $sources; do
		clang-format "$file" | cmp -s - "$file" ||
		    fail "clang-format -i would change $file"
	done
else
	fail "no clang-format (apt-get install clang-format)"
fi
for file in $sources; do
	lines=$(wc -l <"$file")
	[ "$lines" -le 500 ] || fail "$file has $lines lines, over 500"
done
for page in man/*.[1-8]; do
	[ -e "$page" ] || continue
	warnings=$(groff -mdoc -ww -z "$page" 2>&1)
	[ -z "$warnings" ] || fail "$page: $warnings"
done
if command -v shellcheck >/dev/null; then
	# shellcheck disable=SC2086
	shellcheck -S warning $scripts || fail "shellcheck warns"
fi
exit $status
