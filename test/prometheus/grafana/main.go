// Command grafana says what Grafana's own model of a dashboard refuses of one: fields that it
// does not have, values of the wrong type, options that a panel of that kind does not take. It
// is a module of its own, so that what Grafana needs does not become Demarc's.
//
// It reads a dashboard as JSON from its input and writes each problem as a line; without one
// it writes nothing.
package main

import (
	"fmt"
	"io"
	"os"

	"github.com/grafana/grafana-foundation-sdk/go/cog/plugins"
	"github.com/grafana/grafana-foundation-sdk/go/dashboard"
)

func main() {
	text, err := io.ReadAll(os.Stdin)
	if err != nil {
		fmt.Fprintln(os.Stderr, "read the dashboard:", err)
		os.Exit(1)
	}
	plugins.RegisterDefaultPlugins()
	var d dashboard.Dashboard
	for _, err := range []error{d.UnmarshalJSONStrict(text), d.Validate()} {
		// What reads strictly gives an empty list of errors for none.
		if err != nil && err.Error() != "" {
			fmt.Println(err)
		}
	}
}
