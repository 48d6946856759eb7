"""This package holds what several suites share.

`harness` has the binary, ports and waiting, `names` what the test project is called, `leaks` the secrets that were seen. The folders: `servers`
run the binary and PostgreSQL, `clients` call them, `issuers` are providers, `mail` receives mails, `browser` drives Chromium and Firefox,
`configuration` reads the page on configuration.
"""
