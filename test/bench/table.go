package main

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
)

// table is a title, a header and rows.
type table struct {
	title  string
	header []string
	rows   [][]string
}

func (t table) print(out io.Writer, markdown bool) error {
	if markdown {
		return t.markdown(out)
	}
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	if t.title != "" {
		fmt.Fprintln(w, t.title)
	}
	for _, row := range append([][]string{t.header}, t.rows...) {
		fmt.Fprintln(w, strings.Join(row, "\t"))
	}
	fmt.Fprintln(w)
	return w.Flush()
}

func (t table) markdown(out io.Writer) error {
	var b strings.Builder
	if t.title != "" {
		fmt.Fprintf(&b, "%s:\n\n", t.title)
	}
	rule := make([]string, len(t.header))
	for i := range rule {
		rule[i] = "---"
	}
	for _, row := range append([][]string{t.header, rule}, t.rows...) {
		fmt.Fprintf(&b, "| %s |\n", strings.Join(row, " | "))
	}
	_, err := fmt.Fprintln(out, b.String())
	return err
}
