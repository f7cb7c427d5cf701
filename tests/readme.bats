# The commands of README.md are run as they stand.

setup() {
	load helper
	common_setup
	readme=$RF_ROOT/README.md
}

# Lines "$ COMMAND" of the ```sh blocks.
commands() {
	awk '/^```/ { inside = /^```sh/; next }
	    inside && /^\$ / { sub(/^\$ /, ""); print }' "$readme"
}

@test "the examples of README.md run" {
	needs_tool csv2bin rf-fit rf-pack rf-predict rf-vote rf-score bin2csv
	mkdir data
	cp "$RF_DATA"/*.csv "$RF_DATA"/*.gz data
	commands >script
	[ -s script ]
	bash -e -o pipefail script
}

@test "make demo prints score, confusion table and times" {
	needs_tool csv2bin rf-fit rf-pack rf-predict rf-vote rf-score bin2csv
	run "$RF_DATA/demo.sh"
	assert_success
	assert_output --partial accuracy
	assert_output --regexp 'rf-fit +[0-9]+ ms'
}

@test "files that README.md names are there" {
	grep -o '](\([A-Za-z][A-Za-z0-9_./-]*\))' "$readme" |
	    sed 's/](\(.*\))/\1/' >links
	[ -s links ]
	while read -r link; do
		[ -e "$RF_ROOT/$link" ] || fail "no $link"
	done <links
}
