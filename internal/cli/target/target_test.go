package target_test

import (
	"strings"
	"testing"

	"demarc.dev/demarc/internal/cli/exit"
	"demarc.dev/demarc/internal/cli/target"
)

// Names go into the path of a request, so what would lead elsewhere is none.
func TestNames(t *testing.T) {
	for name, fine := range map[string]bool{
		"api": true, "system:node": true, "Upper.case-1": true, strings.Repeat("a", 253): true, "a..b": true,
		"": false, ".": false, "..": false, "a/b": false, "a b": false, "a%2fb": false, "a\nb": false, "a\x1bb": false, "a\u202eb": false, "a\u2028b": false, strings.Repeat("a", 254): false,
	} {
		err := target.Named(name)
		if (err == nil) != fine || err != nil && (exit.Code(err) != exit.Unknown || strings.ContainsAny(err.Error(), "\n\x1b\u202e\u2028")) {
			t.Errorf("%q: %v", name, err)
		}
	}
	for name, fine := range map[string]bool{
		"team-a": true, "1": true, strings.Repeat("a", 63): true,
		"": false, "..": false, "a.b": false, "Team": false, "a\nb": false, "-a": false, strings.Repeat("a", 64): false,
	} {
		if err := target.Space(name); (err == nil) != fine || err != nil && exit.Code(err) != exit.Unknown {
			t.Errorf("%q: %v", name, err)
		}
	}
}
