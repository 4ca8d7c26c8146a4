package install

import (
	"encoding/base64"
	"fmt"
	"testing"
	"time"
)

func TestFresh(t *testing.T) {
	now := time.Unix(1_000_000, 0)
	for name, test := range map[string]struct {
		token string
		want  bool
	}{
		"just issued":         {token(0, 3600), true},
		"half of it left":     {token(-1800, 1800), true},
		"less than half left": {token(-1801, 1799), false},
		"expired":             {token(-3600, 0), false},
		"without an end":      {"x." + base64.RawURLEncoding.EncodeToString([]byte("{}")) + ".x", false},
		"no JSON":             {"x." + base64.RawURLEncoding.EncodeToString([]byte("exp")) + ".x", false},
		"no base64":           {"x.?.x", false},
		"no such token":       {"opaque", false},
		"none":                {"", false},
	} {
		if got := fresh(test.token, now); got != test.want {
			t.Errorf("%s: %t, want %t", name, got, test.want)
		}
	}
}

// token is one whose times are seconds from a million on.
func token(issued, expires int) string {
	claims := fmt.Sprintf(`{"iat":%d,"exp":%d}`, 1_000_000+issued, 1_000_000+expires)
	return "x." + base64.RawURLEncoding.EncodeToString([]byte(claims)) + ".x"
}
