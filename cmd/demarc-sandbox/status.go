package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"demarc.dev/demarc/sandbox"
)

func newStatus(name *string) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "status",
		Short: "Show every process; exit 0 when all serve, 1 when something is down, 2 when it cannot tell",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			out := cmd.OutOrStdout()
			s, err := sandbox.Open(*name)
			if errors.Is(err, sandbox.ErrNotRunning) {
				fmt.Fprintln(out, err)
				return errDown
			}
			if err != nil {
				return err
			}
			list, err := s.Components()
			if err != nil {
				return err
			}
			if asJSON {
				err = printJSON(out, list)
			} else {
				err = printTable(out, list)
			}
			return errors.Join(err, verdict(list))
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}

func verdict(list []sandbox.Status) error {
	for _, c := range list {
		if c.Problem != "" {
			return errDown
		}
	}
	return nil
}

func printJSON(out io.Writer, list []sandbox.Status) error {
	enc := json.NewEncoder(out)
	enc.SetIndent("", "  ")
	return enc.Encode(list)
}

// printTable prints a line for each component, and below it how it last ended.
func printTable(out io.Writer, list []sandbox.Status) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "COMPONENT\tSTATE\tPID\tSINCE\tRESTARTS\tPORTS")
	for _, c := range list {
		state := string(c.Phase)
		if c.Problem != "" && c.Process.Alive() {
			state = "failing"
		}
		fmt.Fprintf(w, "%s\t%s\t%d\t%s\t%d\t%s\n", c.Name, state, c.Process.PID, c.Since.Format(time.DateTime), c.Restarts, portList(c))
	}
	if err := w.Flush(); err != nil {
		return err
	}
	for _, c := range list {
		if c.Problem != "" {
			fmt.Fprintf(out, "\n%s: %s\n", c.Name, c.Problem)
		}
		if e := c.LastExit; e != nil {
			fmt.Fprintf(out, "\n%s ended %s: %s\n", c.Name, e.Time.Format(time.DateTime), e.Reason)
			for _, line := range e.Log {
				fmt.Fprintf(out, "  | %s\n", line)
			}
		}
	}
	return nil
}

func portList(c sandbox.Status) string {
	var list []string
	for _, p := range c.Ports {
		list = append(list, fmt.Sprintf("%d", p.Number))
	}
	return strings.Join(list, ",")
}
