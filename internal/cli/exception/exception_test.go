package exception

import (
	"context"
	"io"
	"strings"
	"testing"
	"time"

	clocktesting "k8s.io/utils/clock/testing"

	"demarc.dev/demarc/internal/cli/factory"
)

var noon = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

// asks runs a request as far as its flags go.
func asks(args ...string) (*Options, error) {
	var got *Options
	f := &factory.Factory{Program: "demarc", Clock: clocktesting.NewFakePassiveClock(noon)}
	cmd := newCmdRequest(f, func(_ context.Context, o *Options) error { got = o; return nil })
	cmd.SetArgs(append([]string{"payments", "--reason", "why"}, args...))
	cmd.SetOut(io.Discard)
	cmd.SetErr(io.Discard)
	cmd.SilenceUsage, cmd.SilenceErrors = true, true
	return got, cmd.Execute()
}

func TestRequestFlags(t *testing.T) {
	for name, c := range map[string]struct {
		args []string
		// want is the end, and the labels; otherwise a part of the error.
		want, wrong string
	}{
		"days":                   {[]string{"--rule", "privileged", "--for", "30d"}, "2026-03-31T12:00:00Z ", ""},
		"weeks":                  {[]string{"--rule", "privileged", "--for", "2w"}, "2026-03-15T12:00:00Z ", ""},
		"hours":                  {[]string{"--rule", "privileged", "--for", "36h"}, "2026-03-03T00:00:00Z ", ""},
		"until a time":           {[]string{"--rule", "privileged", "--until", "2026-04-01T08:00:00+02:00"}, "2026-04-01T06:00:00Z ", ""},
		"until a day":            {[]string{"--rule", "privileged", "--until", "2026-04-01"}, "2026-04-01T23:59:59Z ", ""},
		"until today":            {[]string{"--rule", "privileged", "--until", "2026-03-01"}, "2026-03-01T23:59:59Z ", ""},
		"labels":                 {[]string{"--rule", "privileged", "--for", "1d", "--selector", "app=agent,tier=node", "--selector", "a=b"}, "2026-03-02T12:00:00Z a=b,app=agent,tier=node", ""},
		"no rule":                {[]string{"--for", "1d"}, "", "say with --rule which rule is to be broken; there are "},
		"a rule that is not":     {[]string{"--rule", "no-such-rule", "--for", "1d"}, "", "there is no rule no-such-rule; there are "},
		"no end":                 {[]string{"--rule", "privileged"}, "", "say when it ends: --for 30d, or --until"},
		"two ends":               {[]string{"--rule", "privileged", "--for", "1d", "--until", "2026-04-01"}, "", "none of the others can be"},
		"an end that is past":    {[]string{"--rule", "privileged", "--until", "2026-02-28"}, "", "is past"},
		"an end that is none":    {[]string{"--rule", "privileged", "--until", "tomorrow"}, "", `--until "tomorrow" is no time such as`},
		"a time that is none":    {[]string{"--rule", "privileged", "--for", "a while"}, "", `--for "a while" is no time such as 30d, 2w or 12h`},
		"less than a minute":     {[]string{"--rule", "privileged", "--for", "10s"}, "", "a minute at least"},
		"no days":                {[]string{"--rule", "privileged", "--for", "0d"}, "", "a minute at least"},
		"days that are negative": {[]string{"--rule", "privileged", "--for", "-3d"}, "", "is no time such as 30d"},
		"a label that is none":   {[]string{"--rule", "privileged", "--for", "1d", "--selector", "app"}, "", "--selector app is no list of KEY=VALUE"},
	} {
		t.Run(name, func(t *testing.T) {
			o, err := asks(c.args...)
			if c.wrong != "" {
				if err == nil || !strings.Contains(err.Error(), c.wrong) {
					t.Errorf("got %v, want it refused with %q", err, c.wrong)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			var labels []string
			for _, key := range []string{"a", "app", "tier"} {
				if value, ok := o.labels[key]; ok {
					labels = append(labels, key+"="+value)
				}
			}
			if got := o.expires.UTC().Format(time.RFC3339) + " " + strings.Join(labels, ","); got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}
