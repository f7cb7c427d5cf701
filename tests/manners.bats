# What all tools do alike: help, version, mistakes, terminals, pipes, disks.

setup() {
	load helper
	common_setup
}

# Makes the files that the tools read.
make_files() {
	needs_tool csv2bin rf-fit rf-pack rf-predict rf-vote rf-score bin2csv \
	    rf-info
	cp "$RF_DATA/iris.csv" iris.csv
	csv2bin --no-header -l 5 iris.csv -o data.arrows
	rf-fit -n 3 data.arrows -o forest.arrows
	rf-pack forest.arrows -o forest.rfb
	rf-predict forest.rfb data.arrows -o tally.arrows
	rf-vote tally.arrows -o decided.arrows
}

# The words of a run that writes something, for each tool.
operands() {
	case $1 in
	csv2bin) echo --no-header -l 5 iris.csv ;;
	rf-fit) echo --trees 3 data.arrows ;;
	rf-pack) echo forest.arrows ;;
	rf-predict) echo forest.rfb data.arrows ;;
	rf-vote) echo tally.arrows ;;
	rf-score | bin2csv | rf-info) echo decided.arrows ;;
	*) fail "tests/manners.bats does not know $1" ;;
	esac
}

# The same, the last one being on standard input.
stdin_operands() {
	case $1 in
	csv2bin) echo --no-header -l 5 ;;
	rf-fit) echo --trees 3 ;;
	rf-predict) echo forest.rfb ;;
	rf-info) echo - ;;
	esac
}

last_operand() {
	operands "$1" | awk '{ print $NF }'
}

# Checks one error line of the tool, without control characters.
assert_one_error() {
	assert_equal "${#stderr_lines[@]}" 1
	[[ ${stderr_lines[0]} == "$1: "* ]] ||
	    fail "does not begin with '$1: ': ${stderr_lines[0]}"
	[[ ${stderr_lines[0]} != *[[:cntrl:]]* ]] ||
	    fail "control characters: ${stderr_lines[0]}"
	[[ ${stderr_lines[0]} != *. ]] || fail "full stop: ${stderr_lines[0]}"
}

@test "--help begins with the usage and ends with 0, on standard output" {
	for tool in $(all_tools); do
		run --separate-stderr "$tool" --help
		assert_success
		[[ ${lines[0]} == "usage: $tool "* ]] || fail "${lines[0]}"
		[ -z "$stderr" ] || fail "$tool: $stderr"
		awk 'length($0) > 100' <<<"$output" >wide
		[ ! -s wide ] || fail "$tool: $(cat wide)"
		run "$tool" -h
		assert_success
	done
}

# Operands of a usage line or synopsis on stdin, as the tool takes them.
operands_shown() {
	sed "s/…/.../g; s/−/-/g; s/^ *\(usage: *\)*$1//" | tr '\n' ' ' |
	    sed 's/\[-[^]]*\(\[[^]]*\][^]]*\)*\]//g; s/\[options\]//g' |
	    tr -d ' ' | tr '[:upper:]' '[:lower:]'
}

@test "the usage of --help has the operands of the manual's SYNOPSIS" {
	needs_command mandoc
	for tool in $(all_tools); do
		"$tool" --help | awk '/^(usage:| )/ { print; next } { exit }' \
		    >usage
		mandoc -Tutf8 -O width=200 "$RF_ROOT/man/$tool.1" | col -bx |
		    sed -n '/^SYNOPSIS/,/^DESCRIPTION/p' | sed '1d;$d' \
		    >synopsis
		[ -s usage ] && [ -s synopsis ] || fail "$tool: nothing found"
		assert_equal "$(operands_shown "$tool" <usage)" \
		    "$(operands_shown "$tool" <synopsis)"
	done
}

@test "--version names version, compiler and CUDA or its lack" {
	for tool in $(all_tools); do
		run --separate-stderr "$tool" --version
		assert_success
		[[ $output =~ ^$tool\ [0-9.]+\ \((gcc|clang)\ [0-9.]+,\ .*CUDA ]] ||
		    fail "$output"
		[ -z "$stderr" ]
	done
}

@test "a mistaken option is named in one line and ends with 64" {
	for tool in $(all_tools); do
		run -64 --separate-stderr "$tool" --no-such-option
		assert_one_error "$tool"
		[[ $stderr == *"'--no-such-option'"*"$tool --help"* ]] ||
		    fail "$stderr"
		run -64 --separate-stderr "$tool" -Z
		[[ $stderr == *"'-Z'"* ]] || fail "$stderr"
		assert_one_error "$tool"
		run -64 --separate-stderr "$tool" --help=x
		[[ $stderr == *"takes no argument"* ]] || fail "$stderr"
		[ -z "$output" ]
	done
}

@test "an option that lacks its argument is named and ends with 64" {
	for tool in $(all_tools); do
		"$tool" --list-options | awk -F '\t' '$3 !~ /^(\[.*)?$/' >table
		while IFS=$'\t' read -r name argument; do
			run -64 --separate-stderr "$tool" "--$name"
			assert_one_error "$tool"
			[[ $stderr == *"'--$name' needs an argument"* ]] ||
			    fail "$stderr"
		done < <(awk -F '\t' '{ print $2 "\t" $3 }' table)
	done
}

@test "words that are no numbers are refused by number options with 64" {
	for tool in $(all_tools); do
		while read -r name; do
			for word in '' x 1x ' 1' 1e; do
				run -64 --separate-stderr "$tool" \
				    "--$name=$word" </dev/null
				assert_one_error "$tool"
				[[ $stderr == *"--$name"* ]] || fail "$stderr"
			done
		done < <("$tool" --list-options | awk -F '\t' '$3 == "N" {
			print $2 }')
	done
}

@test "a missing input file ends with 66 and is named" {
	make_files
	for tool in $(all_tools); do
		words=$(operands "$tool")
		words=${words% *}
		[[ $words != "$(operands "$tool")" ]] || words=
		run -66 --separate-stderr "$tool" $words no-such-file
		assert_one_error "$tool"
		[[ $stderr == *no-such-file*"No such file"* ]] ||
		    fail "$stderr"
		run -66 --separate-stderr "$tool" $words /
		assert_one_error "$tool"
	done
	for words in "rf-predict /dev/zero data.arrows" \
	    "csv2bin --like /dev/zero data.csv"; do
		run -65 --separate-stderr timeout 20 $words
	done
	for words in "rf-predict / data.arrows" "csv2bin --like / data.csv"; do
		run -66 --separate-stderr $words
		[[ $stderr == *"/: is a directory" ]] || fail "$stderr"
	done
}

@test "an empty input ends with 65" {
	make_files
	for tool in $(all_tools); do
		run -65 --separate-stderr bash -c \
		    "$tool $(stdin_operands "$tool") </dev/null >out"
		assert_one_error "$tool"
	done
}

@test "a truncated input ends with 65 and leaves no output that reads whole" {
	make_files
	for tool in rf-fit rf-pack rf-predict rf-vote rf-score bin2csv rf-info
	do
		file=$(last_operand "$tool")
		size=$(stat -c %s "$file")
		for cut in 1 7 8 100 $((size / 2)) $((size - 9)) \
		    $((size - 1)); do
			head -c "$cut" "$file" >cut
			run -65 --separate-stderr bash -c \
			    "$tool $(stdin_operands "$tool") <cut >out"
			assert_one_error "$tool"
			run -65 --separate-stderr bin2csv -q out
		done
	done
}

@test "other files than streams are refused with 65 by what they are" {
	make_files
	for tool in rf-fit rf-pack rf-predict rf-vote rf-score bin2csv; do
		for file in iris.csv forest.rfb /bin/sh; do
			run -65 --separate-stderr bash -c \
			    "$tool $(stdin_operands "$tool") <$file >out"
			assert_one_error "$tool"
		done
	done
}

@test "binary to a terminal is refused with 64, and --force allows it" {
	make_files
	for tool in csv2bin rf-fit rf-pack rf-predict rf-vote; do
		run -64 on_terminal "$tool" $(operands "$tool")
		[[ $output == "$tool: "*terminal* ]] || fail "$output"
		run -0 on_terminal "$tool" --force $(operands "$tool")
	done
}

@test "a stream from a terminal is refused with 64" {
	make_files
	for tool in rf-fit rf-pack rf-predict rf-vote rf-score bin2csv; do
		run -64 on_terminal bash -c \
		    "$tool $(stdin_operands "$tool") >out"
		[[ $output == "$tool: "*terminal* ]] || fail "$output"
	done
}

@test "a full disk ends with 74" {
	make_files
	for tool in $(all_tools); do
		run -74 --separate-stderr bash -c \
		    "$tool -q $(operands "$tool") >/dev/full"
		assert_one_error "$tool"
		run -74 --separate-stderr "$tool" -q $(operands "$tool") \
		    -o /dev/full
		run -74 --separate-stderr bash -c "$tool --help >/dev/full"
		assert_one_error "$tool"
		run -74 --separate-stderr bash -c "$tool --version >/dev/full"
	done
}

@test "a closed standard output ends with 74" {
	make_files
	for tool in $(all_tools); do
		run -74 --separate-stderr bash -c \
		    "$tool -q $(operands "$tool") >&-"
		assert_one_error "$tool"
	done
}

@test "a reader that leaves early ends a tool without a word" {
	make_files
	for tool in $(all_tools); do
		run --separate-stderr bash -c \
		    "$tool -q $(operands "$tool") | true
		    exit \${PIPESTATUS[0]}"
		[ "$status" = 141 ] || [ "$status" = 0 ] ||
		    fail "$tool: $status"
		[ -z "$stderr" ] || fail "$stderr"
	done
}

@test "a tool whose parent ignores SIGPIPE ends without a word too" {
	make_files
	seq 400000 | sed 's/$/,a/' >big.csv
	run --separate-stderr bash -c "trap '' PIPE
	    csv2bin --no-header -l 2 big.csv | true
	    exit \${PIPESTATUS[0]}"
	assert_equal "$status" 141
	[ -z "$stderr" ] || fail "$stderr"
}

@test "-o makes the file that standard output would be" {
	make_files
	for tool in $(all_tools); do
		"$tool" -q $(operands "$tool") >direct
		"$tool" -q $(operands "$tool") -o named
		cmp direct named
	done
}

@test "a failed tool leaves -o as it was and nothing beside it" {
	make_files
	mkdir out
	for tool in rf-fit rf-pack rf-predict rf-vote rf-score bin2csv; do
		head -c 600 "$(last_operand "$tool")" >cut
		run -65 "$tool" $(stdin_operands "$tool") cut -o out/new
		assert_equal "$(ls -A out)" ""
		echo kept >out/old
		run -65 "$tool" $(stdin_operands "$tool") cut -o out/old
		assert_equal "$(cat out/old)" kept
		rm out/old
	done
}

@test "an output that cannot be created ends with 73" {
	make_files
	for tool in $(all_tools); do
		run -73 --separate-stderr "$tool" $(operands "$tool") \
		    -o no/such/directory
		assert_one_error "$tool"
		run -73 --separate-stderr "$tool" $(operands "$tool") -o .
		assert_one_error "$tool"
	done
}

@test "-o may name the input, a link, a pipe or /dev/stdout" {
	make_files
	cp decided.arrows same
	bin2csv decided.arrows >wanted
	bin2csv same -o same
	cmp same wanted
	ln -s target link
	bin2csv decided.arrows -o link
	[ -L link ]
	cmp target wanted
	mkfifo pipe
	cat pipe >got &
	bin2csv decided.arrows -o pipe
	wait
	cmp got wanted
	(echo before; bin2csv decided.arrows -o /dev/stdout) >appended
	cmp appended <(echo before; cat wanted)
}

@test "-o keeps the permissions of a file and honours the umask" {
	make_files
	(umask 027; bin2csv decided.arrows -o fresh)
	assert_equal "$(stat -c %a fresh)" 640
	chmod 604 fresh
	bin2csv decided.arrows -o fresh
	assert_equal "$(stat -c %a fresh)" 604
}

@test "no progress and no escape sequences where stderr is no terminal" {
	make_files
	for tool in $(all_tools); do
		"$tool" -v $(operands "$tool") >out 2>err
		! grep -q $'\033\|\r' err
	done
}

@test "progress is shown on a terminal after a second, and cleared" {
	needs_tool csv2bin
	slow='(seq 9; sleep 1.3; seq 9; sleep .2; seq 9) |
	    csv2bin --no-header %s >out'
	run -0 on_terminal bash -c "${slow/\%s/}"
	[[ $output == *$'\r'"csv2bin: "* ]] || fail "$output"
	[[ $output == *$'\r\033[K' ]] || fail "$output"
	run -0 on_terminal bash -c "${slow/\%s/-q}"
	assert_output ""
	run -0 bash -c "${slow/\%s/}"
	assert_output ""
}

@test "-q says nothing at all where all goes well" {
	make_files
	for tool in $(all_tools); do
		"$tool" -q $(operands "$tool") >out 2>err
		[ ! -s err ] || fail "$(cat err)"
	done
}

@test "a minus sign and no operand mean standard input" {
	make_files
	for tool in csv2bin rf-fit rf-pack rf-predict rf-vote rf-score bin2csv
	do
		words=$(stdin_operands "$tool")
		file=$(last_operand "$tool")
		"$tool" -q $words <"$file" >none
		"$tool" -q $words - <"$file" >minus
		"$tool" -q $words "$file" >named
		cmp none minus
		cmp none named
	done
}

@test "the result does not depend on threads or on how the bytes arrive" {
	make_files
	needs_python os
	for tool in csv2bin rf-fit rf-pack rf-predict rf-vote rf-score bin2csv
	do
		words=$(stdin_operands "$tool")
		file=$(last_operand "$tool")
		"$tool" -q $words <"$file" >whole
		dribble "$file" | "$tool" -q $words >slow
		cmp whole slow
		"$tool" --list-options | grep -q $'\tthreads\t' || continue
		for threads in 1 2 7; do
			"$tool" -q -t "$threads" $words <"$file" >threaded
			cmp whole threaded
		done
	done
}

@test "a device that is not there ends with 69" {
	make_files
	for tool in $(all_tools); do
		"$tool" --list-options | grep -q $'\tdevice\t' || continue
		CUDA_VISIBLE_DEVICES= run -69 --separate-stderr "$tool" \
		    -q --device cuda $(operands "$tool")
		assert_one_error "$tool"
		run -64 --separate-stderr "$tool" --device tpu
		assert_one_error "$tool"
	done
}
