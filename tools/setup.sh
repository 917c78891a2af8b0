#!/bin/sh
# Finds out which of the Debian packages that the project needs are missing, and installs them with apt-get.
#   tools/setup.sh            installs what is missing (through sudo when not root), saying what
#   tools/setup.sh fuzz       also what only fuzzing needs
#   DEPS=skip tools/setup.sh  only reports what is missing; exit 1 when something is
# A package counts as there when what the build uses of it is there: a pkg-config module, a program, a Python module.
set -u

missing=
need() { # need PACKAGE CHECK…
    package=$1
    shift
    "$@" >/dev/null 2>&1 || missing="$missing $package"
}

program() { command -v "$1"; }
module() { pkg-config --exists "$1"; }
# Any Python will do that has all of them; tools/python.sh picks it.
python_has() {
    for python in python3 /usr/bin/python3; do
        "$python" -c "import $1" && return 0
    done
    return 1
}
# A compiler can be there without its sanitizers' runtime.
sanitizes() { echo 'int main(void){return 0;}' | "$1" -x c - -fsanitize=address,undefined -o /dev/null; }

need gcc program gcc
need gcc sanitizes gcc
need clang program clang
fuzzes() { echo 'int LLVMFuzzerTestOneInput(void){return 0;}' | clang -x c - -fsanitize=fuzzer,address,undefined -o /dev/null; }
[ "${1:-}" = fuzz ] && need libclang-rt-14-dev fuzzes
need make program make
need pkg-config program pkg-config
need valgrind program valgrind
need libwebsockets-dev module libwebsockets
need libcjson-dev module libcjson
need libyaml-dev module yaml-0.1
need libsqlite3-dev module sqlite3
need libxml2-dev module libxml-2.0
need libcriterion-dev module criterion
need libssl-dev module openssl
need openssl program openssl
need libcurl4-openssl-dev module libcurl
need nodejs program node
need python3 program /usr/bin/python3
need python3-pytest python_has pytest
need python3-pytest-xdist python_has xdist
need python3-pytest-timeout python_has pytest_timeout
need python3-yaml python_has yaml
need python3-jsonschema python_has jsonschema
need libc6-dev test -e /usr/include/stdio.h

# The Python modules must come together in one Python; Debian's has those that its packages bring.
if [ -z "$missing" ] && ! tools/python.sh >/dev/null 2>&1; then
    missing=" python3-pytest python3-pytest-xdist python3-pytest-timeout python3-yaml python3-jsonschema"
fi
missing=$(for package in $missing; do echo "$package"; done | sort -u | tr '\n' ' ')

# What lives on npm packages is not judged without npm. It is a large package, so whatever npm is there is used as it is, and it is only tried.
try_npm() {
    program npm >/dev/null && return
    [ "${DEPS:-}" != skip ] && [ "$(id -u)" -eq 0 ] && echo "installing Debian package: npm" &&
        DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends npm >/dev/null 2>&1 && return
    echo "npm is not installed: what needs packages from it is not available"
}

if [ -z "$missing" ]; then
    try_npm
    exit 0
fi
if [ "${DEPS:-}" = skip ]; then
    echo "missing Debian packages: $missing" >&2
    exit 1
fi
as_root=
if [ "$(id -u)" -ne 0 ]; then
    if ! program sudo >/dev/null; then
        echo "missing Debian packages: $missing" >&2
        echo "Neither root nor sudo is at hand to install them. As root: apt-get install $missing" >&2
        exit 1
    fi
    as_root=sudo
fi
echo "installing Debian packages: $missing"
export DEBIAN_FRONTEND=noninteractive
install() { $as_root apt-get install -y --no-install-recommends $missing >"$log" 2>&1; }
log=$(mktemp)
trap 'rm -f "$log"' EXIT
# Old package lists name files that are gone, so a first failure is followed by an update.
if ! install && ! { $as_root apt-get update >"$log" 2>&1 && install; }; then
    cat "$log" >&2
    echo "apt-get could not install: $missing" >&2
    exit 1
fi
try_npm
