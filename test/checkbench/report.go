package main

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"
	"time"
)

// Report is what one invocation gives.
type Report struct {
	Options Options
	Date    time.Time
	// Kyverno is its version.
	Kyverno    string
	Runs       []Run
	Agreements []Agreement
}

// Print writes it, for people or as Markdown.
func (r Report) Print(out io.Writer, markdown bool) error {
	fmt.Fprintf(out, "%s, kyverno %s. Rounds: %d; medians, and of ratios the least and the largest of a round.\n\n", r.Date.Format(time.DateOnly), r.Kyverno, r.Options.Rounds)
	if err := table(out, markdown, r.rows()); err != nil {
		return err
	}
	for _, a := range r.Agreements {
		fmt.Fprintf(out, "\nOf %d verdicts on %d objects %d are equal; both refuse %d, %d of these in the same words.\n", a.Verdicts, a.Objects, a.Equal, a.Refused, a.Words)
		for _, line := range a.Differ {
			fmt.Fprintln(out, "  "+line)
		}
	}
	return nil
}

// rows of the table: each folder from start to end, then what a larger folder adds to the smallest.
func (r Report) rows() [][]string {
	rows := [][]string{{"", "`" + nameDemarc + "`", "`" + nameKyverno + "`", "ratio", "CPU of the two", "ratio"}}
	sizes := r.sizes()
	for _, n := range sizes {
		rows = append(rows, r.row(fmt.Sprintf("%d objects, with the start", n), n, 0))
	}
	for _, n := range sizes[1:] {
		rows = append(rows, r.row(fmt.Sprintf("what %d more take", n-sizes[0]), n, sizes[0]))
	}
	return rows
}

func (r Report) row(what string, n, less int) []string {
	took := func(of func(Run) time.Duration) (ours, theirs []time.Duration) {
		return r.took(nameDemarc, n, less, of), r.took(nameKyverno, n, less, of)
	}
	ours, theirs := took(func(r Run) time.Duration { return r.Wall })
	ourCPU, theirCPU := took(func(r Run) time.Duration { return r.CPU })
	return []string{what, rate(n-less, median(ours)), rate(n-less, median(theirs)), ratio(ours, theirs),
		seconds(median(ourCPU)) + ", " + seconds(median(theirCPU)), ratio(ourCPU, theirCPU)}
}

// took is how long a program took for n objects in each round, without what it took for fewer.
func (r Report) took(program string, n, less int, of func(Run) time.Duration) (list []time.Duration) {
	var few []time.Duration
	for _, run := range r.Runs {
		switch {
		case run.Program != program:
		case run.Objects == n:
			list = append(list, of(run))
		case run.Objects == less:
			few = append(few, of(run))
		}
	}
	for i := range few {
		list[i] -= few[i]
	}
	return list
}

func (r Report) sizes() (list []int) {
	for _, run := range r.Runs {
		list = append(list, run.Objects)
	}
	slices.Sort(list)
	return slices.Compact(list)
}

func median(list []time.Duration) time.Duration {
	list = slices.Sorted(slices.Values(list))
	n := len(list)
	return (list[(n-1)/2] + list[n/2]) / 2
}

// rate is a time, and how many objects in a second that is.
func rate(n int, d time.Duration) string {
	return fmt.Sprintf("%s, %.3g a second", seconds(d), float64(n)/d.Seconds())
}

func seconds(d time.Duration) string { return fmt.Sprintf("%.3g s", d.Seconds()) }

// ratio of the medians, and where there are several rounds the least and the largest of one.
func ratio(ours, theirs []time.Duration) string {
	of := func(a, b time.Duration) float64 { return b.Seconds() / a.Seconds() }
	text := fmt.Sprintf("%.1f", of(median(ours), median(theirs)))
	if len(ours) == 1 {
		return text
	}
	var each []float64
	for i := range ours {
		each = append(each, of(ours[i], theirs[i]))
	}
	return fmt.Sprintf("%s (%.1f to %.1f)", text, slices.Min(each), slices.Max(each))
}

// table prints rows, the first of which is the header.
func table(out io.Writer, markdown bool, rows [][]string) error {
	if markdown {
		rows = slices.Insert(slices.Clone(rows), 1, strings.Split(strings.Repeat("--- ", len(rows[0])-1)+"---", " "))
		for _, row := range rows {
			fmt.Fprintf(out, "| %s |\n", strings.Join(row, " | "))
		}
		return nil
	}
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	for _, row := range rows {
		fmt.Fprintln(w, strings.Join(row, "\t"))
	}
	return w.Flush()
}
