#!/bin/sh
# Prints bash completion for the tool $1, from the table that it parses by.
set -eu
tool=$(basename "$1")
"$1" --list-options | awk -F '\t' -v tool="$tool" '
function words(argument) {
	# soft|hard is a list of words, DEVICE is auto cpu cuda
	if (argument == "DEVICE")
		return "auto cpu cuda"
	if (argument ~ /^[a-z0-9]+(\|[a-z0-9]+)+$/) {
		gsub(/\|/, " ", argument)
		return argument
	}
	return ""
}
{
	name = "--" $2
	if ($1 != "")
		all = all " -" $1
	all = all " " name
	if ($3 == "" || $3 ~ /^\[/)
		next
	patterns = ($1 != "" ? "-" $1 "|" : "") name
	list = words($3)
	if (list != "")
		cases = cases "\t" patterns ")\n\t\tCOMPREPLY=($(compgen -W \"" \
		    list "\" -- \"$word\"))\n\t\treturn ;;\n"
	else if ($3 == "FILE")
		files = files (files == "" ? "" : "|") patterns
	else
		others = others (others == "" ? "" : "|") patterns
}
END {
	name = tool
	gsub(/-/, "_", name)
	print "# bash completion for " tool
	print "_" name "()\n{"
	print "\tlocal word=${COMP_WORDS[COMP_CWORD]}"
	print "\tlocal before=${COMP_WORDS[COMP_CWORD - 1]}"
	print "\tCOMPREPLY=()"
	print "\tcase $before in"
	printf "%s", cases
	if (files != "")
		print "\t" files ")\n\t\tCOMPREPLY=($(compgen -f -- \"$word\"))" \
		    "\n\t\treturn ;;"
	if (others != "")
		print "\t" others ")\n\t\treturn ;;"
	print "\tesac"
	print "\tcase $word in"
	print "\t-*)\n\t\tCOMPREPLY=($(compgen -W \"" substr(all, 2) \
	    "\" -- \"$word\")) ;;"
	print "\t*)\n\t\tCOMPREPLY=($(compgen -f -- \"$word\")) ;;"
	print "\tesac"
	print "}"
	print "complete -o filenames -F _" name " " tool
}'
