package who

// Lies is lies, for the table of patterns.
func Lies(file, pattern string) (team string, ok bool) {
	team, _, ok = lies(file, pattern)
	return team, ok
}
