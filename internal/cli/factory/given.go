package factory

import (
	"fmt"
	"slices"

	"github.com/spf13/pflag"
)

// NoneEmpty refuses flags that are given and empty: mostly a variable of a script that is
// not set, and to go on as if the flag were not there would do something else than was
// meant.
func NoneEmpty(flags *pflag.FlagSet) (err error) {
	flags.VisitAll(func(f *pflag.Flag) {
		if !f.Changed {
			return
		}
		values := []string{f.Value.String()}
		if list, ok := f.Value.(pflag.SliceValue); ok {
			values = list.GetSlice()
		} else if f.Value.Type() != "string" {
			return
		}
		if err == nil && slices.Contains(values, "") {
			err = fmt.Errorf("--%s is given and empty: name something, or leave it out", f.Name)
		}
	})
	return err
}
