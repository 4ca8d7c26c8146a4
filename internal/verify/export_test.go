package verify

// For tests outside: those that tamper as internal/testenv does cannot be inside, since the
// operator that it runs asks this package.
var (
	Patch   = patch
	Same    = same
	Word    = word
	Command = command
)
