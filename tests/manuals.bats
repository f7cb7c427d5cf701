# The manual pages against the tools: one truth about every option.

setup() {
	load helper
	common_setup
}

@test "groff has nothing to say about any manual page" {
	needs_command groff
	for page in "$RF_ROOT"/man/*.[1-8]; do
		run --separate-stderr groff -mdoc -ww -z "$page"
		assert_success
		[ -z "$stderr" ] || fail "$page: $stderr"
	done
}

@test "every tool has a page and every page of section 1 a tool" {
	diff <(all_tools) <(cd "$RF_ROOT/man" && ls ./*.1 |
	    sed 's|^\./||; s|\.1$||')
}

@test "every page has its sections in the order of mdoc(7)" {
	for page in "$RF_ROOT"/man/*.1; do
		sed -n 's/^\.Sh //p' "$page" >found
		printf '%s\n' NAME SYNOPSIS DESCRIPTION ENVIRONMENT FILES \
		    'EXIT STATUS' EXAMPLES 'SEE ALSO' STANDARDS AUTHORS \
		    CAVEATS | grep -Fxf found >wanted
		grep -Fxf wanted found >order
		diff order wanted || fail "$page: order of sections"
		for section in NAME SYNOPSIS DESCRIPTION 'EXIT STATUS' \
		    EXAMPLES 'SEE ALSO'; do
			grep -Fxq "$section" found ||
			    fail "$page: no $section"
		done
	done
}

# Options as a page's .It Fl lines name them ("Fl o , -output Ar FILE"), one a
# line, with a star where an argument follows.
options_of_page() {
	awk '/^\.It Fl/ {
		gsub(/\\-/, "-")
		has = / (Ar|Cm|Oo) /
		for (i = 3; i <= NF && $i !~ /^(Ar|Cm|Ns|Oo)$/; i++)
			if ($i != "," && $i != "Fl") {
				sub(/[=,]+$/, "", $i)
				print $i (has ? "*" : "")
			}
	}' "$1" | sort -u
}

# The same from the tool's table.
options_of_tool() {
	"$1" --list-options | awk -F '\t' '{
		star = $3 == "" ? "" : "*"
		if ($1 != "")
			print $1 star
		print "-" $2 star
	}' | sort -u
}

@test "page, --help and completion of each tool name the same options" {
	for tool in $(all_tools); do
		options_of_tool "$tool" >options
		options_of_page "$RF_ROOT/man/$tool.1" >in_page
		diff options in_page || fail "$tool.1 (left: the tool)"
		"$tool" --help >help
		source "$RF_BUILD/completion/$tool"
		COMP_WORDS=("$tool" -) COMP_CWORD=1
		"_${tool//-/_}"
		printf '%s\n' "${COMPREPLY[@]}" >completed
		while read -r option; do
			option=${option%\*}
			grep -qE -- "(^|[ ,])-$option([ ,=[]|\$)" help ||
			    fail "$tool --help lacks -$option"
			grep -Fxq -- "-$option" completed ||
			    fail "completion of $tool lacks -$option"
		done <options
	done
}

@test "the completion offers the words of an option and files else" {
	needs_tool rf-predict
	source "$RF_BUILD/completion/rf-predict"
	COMP_WORDS=(rf-predict --device c) COMP_CWORD=2
	_rf_predict
	assert_equal "${COMPREPLY[*]}" "cpu cuda"
	touch model.rfb
	COMP_WORDS=(rf-predict mod) COMP_CWORD=1
	_rf_predict
	assert_equal "${COMPREPLY[*]}" "model.rfb"
}

# What a page's SYNOPSIS says, as a usage line does.
synopsis_of_page() {
	awk -v tool="$2" '/^\.Sh / { inside = / SYNOPSIS$/; next }
	    inside { is_optional = sub(/^\.Op Ar /, "["); sub(/^\.Ar /, "")
		sub(/^\.Nm$/, "\n" tool); sub(/^\.Fl /, "-")
		printf "%s%s ", $0, is_optional ? "]" : "" }
	    END { print "" }' "$1" | sed 's/ $//; /^$/d'
}

@test "the usage line of each tool is its page's SYNOPSIS" {
	for tool in $(all_tools); do
		"$tool" --help | sed -n 's/^usage: //p; s/^       //p' |
		    grep "^$tool" >usage
		synopsis_of_page "$RF_ROOT/man/$tool.1" "$tool" >in_page
		diff usage in_page || fail "$tool.1 (left: the tool)"
	done
}

# The commands of a page: what follows "$ " in .Dl lines and in displays; a
# line that ends in a backslash goes on.
examples_of_page() {
	awk '/^\.Dl \$ / { sub(/^\.Dl \$ /, ""); print; next }
	    /^\$ / { sub(/^\$ /, ""); print; more = /\\e$/; next }
	    more { print; more = /\\e$/ }' "$1" |
	    sed 's/\\e$/\\/; s/\\-/-/g; s/\\&//g; s/\\e/\\/g; s/\\(aq/'"'"'/g'
}

@test "the examples of every manual page run" {
	for page in "$RF_ROOT"/man/*.[1-8]; do
		examples_of_page "$page" >examples
		[ -s examples ] || continue
		rm -rf work
		mkdir work
		cp "$RF_DATA"/*.csv "$RF_DATA"/*.gz work
		(cd work && bash -e -o pipefail ../examples) >log 2>&1 ||
		    fail "${page##*/}: $(cat examples log)"
	done
}

@test "every page of section 1 has an example that runs" {
	for page in "$RF_ROOT"/man/*.1; do
		[ -n "$(examples_of_page "$page")" ] ||
		    fail "${page##*/} has no example"
	done
}
