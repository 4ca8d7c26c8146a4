package access

import (
	"errors"
	"fmt"
	"time"

	"github.com/prometheus/common/model"
	"github.com/spf13/cobra"
)

// lasts adds the flag that says how long.
func (o *Options) lasts(cmd *cobra.Command, usage string) {
	cmd.Flags().Var((*span)(&o.For), "for", usage+"; in weeks, days, hours and minutes, such as 90m, 1h30m or 30d")
}

// span is a duration as Prometheus writes it, in whole minutes. A day is 24 hours.
type span time.Duration

// String is part of pflag.Value.
func (s *span) String() string {
	if *s == 0 {
		return ""
	}
	return time.Duration(*s).String()
}

// Type is part of pflag.Value: what the help calls it.
func (s *span) Type() string { return "duration" }

// Set is part of pflag.Value.
func (s *span) Set(text string) error {
	d, err := model.ParseDuration(text)
	switch {
	case err != nil:
		return errors.New("it is no duration such as 90m, 1h30m or 30d: whole numbers, the largest unit first")
	case time.Duration(d)%time.Minute != 0:
		return fmt.Errorf("it is given in whole minutes, and %s is none", text)
	}
	*s = span(d)
	return nil
}
