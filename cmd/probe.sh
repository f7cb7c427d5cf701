#!/bin/sh
# Finds by use what the build needs, writes it as make variables to $1 and says
# it in one line.  Called by the Makefile with CC, NVCC, CUDA_ARCHS ..
set -eu
out=$1
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT

# probe HEADER FLAGS..: whether a program with this header links.
probe() {
	header=$1
	shift
	printf '#include <stddef.h>\n#include <%s>\nint main(void){return 0;}\n' \
	    "$header" >"$dir/p.c"
	# shellcheck disable=SC2086
	$CC ${CPPFLAGS-} "$dir/p.c" -o "$dir/p" ${LDFLAGS-} "$@" \
	    >"$dir/log" 2>&1
}

need() {
	package=$1
	shift
	probe "$@" || missing="${missing-} $package"
}

if ! probe stdint.h; then
	echo "rf-tools: the compiler '$CC' does not work:" >&2
	cat "$dir/log" >&2
	exit 1
fi
need libxxhash-dev xxhash.h -lxxhash
need liblz4-dev lz4frame.h -llz4
need libzstd-dev zstd.h -lzstd
need libjansson-dev jansson.h -ljansson
need zlib1g-dev zlib.h -lz
if ! probe omp.h -fopenmp; then
	missing="${missing-} libomp-dev"
fi
if [ -n "${missing-}" ]; then
	echo "rf-tools: missing:$missing (apt-get install$missing)" >&2
	exit 1
fi

# The cards' compute capabilities, or nothing: "90".
cards() {
	if command -v nvidia-smi >/dev/null 2>&1; then
		nvidia-smi --query-gpu=compute_cap --format=csv,noheader \
		    2>/dev/null | sed -n 's/^\([0-9]*\)\.\([0-9]\)$/\1\2/p' |
		    sort -nu
	fi
}

# Those of the list that nvcc knows.
known() {
	for arch in $1; do
		if "$NVCC" --list-gpu-arch 2>/dev/null |
		    grep -qx "compute_$arch"; then
			printf '%s ' "$arch"
		fi
	done
}

gencode() {
	for arch in $1; do
		last=$arch
		printf -- '-gencode=arch=compute_%s,code=sm_%s ' \
		    "$arch" "$arch"
	done
	if [ "$2" = ptx ]; then
		printf -- '-gencode=arch=compute_%s,code=compute_%s ' \
		    "$last" "$last"
	fi
}

cuda() {
	[ -n "$NVCC" ] || return 1
	printf '#include <cuda_runtime.h>\n__global__ void k(int *p){*p=1;}\n%s' \
	    'int main(){int n=0; cudaGetDeviceCount(&n); return 0;}' \
	    >"$dir/k.cu"
	archs=$CUDA_ARCHS ptx=ptx from=CUDA_ARCHS
	if [ -z "$archs" ]; then
		archs=$(known "$(cards)") ptx='' from='the card found'
	fi
	if [ -z "$archs" ]; then
		archs=$(known "$DEFAULT_ARCHS") ptx=ptx from='no card found'
	fi
	[ -n "$archs" ] || return 1
	flags=$(gencode "$archs" "$ptx")
	# shellcheck disable=SC2086
	"$NVCC" $flags -c -o "$dir/k.o" "$dir/k.cu" >"$dir/log" 2>&1 || return 1
	lib=$(dirname "$("$NVCC" --dryrun "$dir/k.cu" 2>&1 |
	    sed -n 's/^#\$ TOP=//p')/lib64/x")
	[ -e "$lib/libcudart_static.a" ] ||
	    lib=$(dirname "$(find /usr/lib /usr/local/lib \
	    -name libcudart_static.a 2>/dev/null | head -n 1)")
	$CC -o "$dir/k" "$dir/k.o" -L"$lib" -lcudart_static -lstdc++ -ldl \
	    -lrt -lpthread >"$dir/log" 2>&1 || return 1
	version=$("$NVCC" --version | sed -n 's/.*release \([0-9.]*\),.*/\1/p')
}

echo "MACHINE = $($CC -dumpmachine | cut -d- -f1)" >"$dir/mk"
if cuda; then
	archs=$(echo $archs)
	says="CUDA $version, sm $archs${ptx:+ and PTX}"
	{
		echo "HAVE_CUDA = 1"
		echo "GENCODE = $flags"
		echo "CUDA_LIB = $lib"
		echo "CUDA_SAYS = $says"
	} >>"$dir/mk"
	echo "rf-tools: builds with $says ($from); zlib found"
elif [ -n "$NVCC" ]; then
	echo "rf-tools: builds without CUDA: '$NVCC' does not work" \
	    "($(head -n 1 "$dir/log")); zlib found"
else
	echo "rf-tools: builds without CUDA: no nvcc; zlib found"
fi
mv "$dir/mk" "$out"
