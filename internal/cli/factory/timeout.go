package factory

import (
	"errors"
	"time"

	"github.com/spf13/pflag"
)

// Timeout adds the flag --timeout, by the same rules for every verb that waits: 0 waits
// for ever, and less than that is refused.
func Timeout(flags *pflag.FlagSet, into *time.Duration, usual time.Duration, usage string) {
	*into = usual
	flags.Var((*patience)(into), "timeout", usage+"; 0 is for ever")
}

// patience is a duration that is not below 0.
type patience time.Duration

// String is part of pflag.Value.
func (p *patience) String() string { return time.Duration(*p).String() }

// Type is part of pflag.Value: what the help calls it.
func (p *patience) Type() string { return "duration" }

// Set is part of pflag.Value.
func (p *patience) Set(text string) error {
	d, err := time.ParseDuration(text)
	switch {
	case err != nil:
		return errors.New("it is no duration, such as 90s or 5m")
	case d < 0:
		return errors.New("nobody can wait for less than no time; 0 waits for ever")
	}
	*p = patience(d)
	return nil
}
