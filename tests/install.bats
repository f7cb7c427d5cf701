# make install, from outside: what a package would hold.

setup() {
	load helper
	common_setup
	cd "$RF_ROOT" || return 1
	root=$BATS_TEST_TMPDIR/root
}

# The make that runs the tests, with the words that it was given.
make_it() {
	eval "set -- ${RF_MAKE_WORDS-} \"\$@\""
	MAKEFLAGS='' "${MAKE:-make}" -s BUILD="${BUILD:-build}" \
	    DESTDIR="$root" "$@"
}

@test "install puts every tool, page and completion under DESTDIR" {
	make_it PREFIX=/opt/rf install
	for tool in $(all_tools); do
		[ -x "$root/opt/rf/bin/$tool" ]
		[ -s "$root/opt/rf/share/man/man1/$tool.1" ]
		[ -s "$root/opt/rf/share/bash-completion/completions/$tool" ]
		run "$root/opt/rf/bin/$tool" --version
		assert_success
	done
	[ -s "$root/opt/rf/share/man/man7/rf-tools.7" ]
}

@test "a program finds librf by pkg-config, shared and static" {
	needs_command pkg-config
	make_it PREFIX=/usr install
	cat >"$BATS_TEST_TMPDIR/p.c" <<-'END'
	#include <rf.h>
	#include <stdio.h>
	int main(void) { puts(rf_version()); return 0; }
	END
	export PKG_CONFIG_PATH=$root/usr/lib/pkgconfig
	export PKG_CONFIG_SYSROOT_DIR=$root
	export PKG_CONFIG_ALLOW_SYSTEM_CFLAGS=1 PKG_CONFIG_ALLOW_SYSTEM_LIBS=1
	cd "$BATS_TEST_TMPDIR"
	! grep -q __asan_init "$RF_BUILD/bin/rf-fit" ||
	    CC="${CC:-cc} -fsanitize=address,undefined"
	${CC:-cc} p.c -o shared $(pkg-config --cflags --libs rf)
	LD_LIBRARY_PATH=$root/usr/lib run ./shared
	assert_output "$(pkg-config --modversion rf)"
	rm "$root"/usr/lib/librf.so*
	${CC:-cc} p.c -o static $(pkg-config --cflags --libs --static rf)
	run ./static
	assert_output "$(pkg-config --modversion rf)"
}

@test "librf.so shows rf.h's names alone and has a versioned soname" {
	run bash -c "nm -D --defined-only $RF_BUILD/librf.so |
	    awk '\$3 ~ /^[a-z]/ { print \$3 }' | sort"
	assert_output "$(sed -n 's/^RF_PUBLIC.*[ *]\(rf_[a-z_]*\)(.*/\1/p' \
	    "$RF_ROOT/lib/rf.h" | sort)"
	run bash -c "objdump -p $RF_BUILD/librf.so | grep SONAME"
	assert_output --regexp 'librf\.so\.[0-9]+$'
}

@test "uninstall leaves no file" {
	make_it install
	make_it uninstall
	run find "$root" ! -type d
	assert_output ""
}

@test "a second make does nothing" {
	make_it all
	run make_it all
	assert_success
	assert_output ""
}
