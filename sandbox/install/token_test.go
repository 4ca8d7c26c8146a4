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
		"another account's":   {"x." + encoded("another", 0, 3600) + ".x", false},
		"without an end":      {"x." + base64.RawURLEncoding.EncodeToString([]byte("{}")) + ".x", false},
		"no JSON":             {"x." + base64.RawURLEncoding.EncodeToString([]byte("exp")) + ".x", false},
		"no base64":           {"x.?.x", false},
		"no such token":       {"opaque", false},
		"none":                {"", false},
	} {
		if got := fresh(test.token, "the-account", now); got != test.want {
			t.Errorf("%s: %t, want %t", name, got, test.want)
		}
	}
}

// token is one of the account whose times are seconds from a million on.
func token(issued, expires int) string { return "x." + encoded("the-account", issued, expires) + ".x" }

func encoded(account string, issued, expires int) string {
	return base64.RawURLEncoding.EncodeToString(fmt.Appendf(nil, `{"iat":%d,"exp":%d,"kubernetes.io":{"serviceaccount":{"uid":%q}}}`,
		1_000_000+issued, 1_000_000+expires, account))
}
