# Every target installs what it needs (Debian packages through apt-get, PyPI packages into .local/venv) and is quick the second time.
SHELL := /bin/bash
.DEFAULT_GOAL := help
.PHONY: help run unit test restore-drill check lint build deb image dockerfile sbom bench clean

help:  ## list these targets
	@sed -nE 's/^([a-z-]+):.*## (.*)/  make \1\t\2/p' $(MAKEFILE_LIST) | expand -t 16

run:  ## start everything for a first sign-in: database, server, sample page (PORT=8080, PROJECT=demo)
	@exec scripts/run

unit:  ## Swift tests alone, without those that need a database; TARGET=Accounts for those of one target
	@exec scripts/unit $(TARGET)

test:  ## unit tests, tests on a real PostgreSQL, end-to-end tests with the real binary
	@exec scripts/test

restore-drill:  ## a database is lost, and restored on a second cluster from a base backup and the write-ahead log
	@exec scripts/restore-drill

check: lint  ## lint, floors, build and test: all that must hold before a change lands
	@scripts/build floors
	@scripts/build release
	@exec scripts/test

lint:  ## style of Swift and Python, syntax of scripts
	@exec scripts/lint

build:  ## the release binary: .build/release/gatehouse
	@exec scripts/build release

deb:  ## the Debian package: .build/gatehouse_….deb
	@exec scripts/deb

image:  ## the container image, made without a container engine: .build/gatehouse-image.tar
	@exec scripts/image

dockerfile:  ## the Dockerfile, built and tried by buildah where that works
	@exec scripts/dockerfile

sbom:  ## the bill of materials of the release binary (SPDX): .build/gatehouse.spdx.json
	@scripts/build release
	@scripts/sbom >.build/gatehouse.spdx.json

bench:  ## our server beside nginx, pgbench, openssl and Glewlwyd, in one run
	@exec bench/run

clean:  ## delete what was built; .local (database and keys of `make run`) stays
	rm -rf .build .build-*
	find Tests bench -name __pycache__ -type d -prune -exec rm -rf {} +
