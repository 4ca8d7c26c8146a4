package factory_test

import (
	"testing"
	"time"

	"github.com/spf13/pflag"

	"demarc.dev/demarc/internal/cli/factory"
)

func TestTimeout(t *testing.T) {
	for text, want := range map[string]time.Duration{"": time.Minute, "0": 0, "90s": 90 * time.Second, "-1s": -1, "soon": -1, "5": -1} {
		var got time.Duration
		flags := pflag.NewFlagSet("x", pflag.ContinueOnError)
		factory.Timeout(flags, &got, time.Minute, "how long")
		var args []string
		if text != "" {
			args = []string{"--timeout=" + text}
		}
		err := flags.Parse(args)
		if want < 0 && err == nil || want >= 0 && (err != nil || got != want) {
			t.Errorf("%q: %v, %v, want %v", text, got, err, want)
		}
	}
	if usage := flagUsage(); usage != "how long; 0 is for ever (default 1m0s)" {
		t.Errorf("the help says %q", usage)
	}
}

// flagUsage is the flag's line in the help.
func flagUsage() string {
	var into time.Duration
	flags := pflag.NewFlagSet("x", pflag.ContinueOnError)
	factory.Timeout(flags, &into, time.Minute, "how long")
	return flags.Lookup("timeout").Usage + " (default " + flags.Lookup("timeout").DefValue + ")"
}
