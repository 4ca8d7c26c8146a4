package main

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"time"
)

// Report is what a whole benchmark gave.
type Report struct {
	Options Options
	Date    time.Time
	Runs    []Run
}

// Print writes the report as plain tables or as Markdown.
func (r Report) Print(out io.Writer, markdown bool) error {
	for _, t := range r.tables() {
		if len(t.rows) == 0 {
			continue
		}
		if err := t.print(out, markdown); err != nil {
			return err
		}
	}
	return nil
}

func (r Report) tables() []table {
	out := []table{r.times()}
	var last *Figures
	for _, run := range r.Runs {
		if run.Operator != nil {
			last = run.Operator
		}
	}
	if last == nil {
		return out
	}
	return append(out, r.aims(last), strays(last), writesTable(last))
}

// times lists the runs in the order in which they ran.
func (r Report) times() table {
	t := table{
		title:  fmt.Sprintf("%d Tenants of %d claims, %d writers, %s", r.Options.Tenants, r.Options.Claims, r.Options.Writers, r.Date.Format(time.DateOnly)),
		header: []string{"run", "all Ready after", "API server's CPU", "writes taken"},
	}
	for _, run := range r.Runs {
		t.rows = append(t.rows, []string{run.Kind, seconds(run.Wall), seconds(run.ServerCPU), fmt.Sprint(run.Writes)})
	}
	return t
}

// Ratio of the operator's time to the plain client's, of the medians.
func (r Report) Ratio() float64 {
	return float64(r.median(Operator, wall)) / float64(r.median(Plain, wall))
}

func wall(run Run) time.Duration      { return run.Wall }
func serverCPU(run Run) time.Duration { return run.ServerCPU }

// median of a figure over the runs of a kind; of an even number, the mean of the middle two.
func (r Report) median(kind string, of func(Run) time.Duration) time.Duration {
	var all []time.Duration
	for _, run := range r.Runs {
		if run.Kind == kind {
			all = append(all, of(run))
		}
	}
	if len(all) == 0 {
		return 0
	}
	slices.Sort(all)
	return (all[(len(all)-1)/2] + all[len(all)/2]) / 2
}

// aims puts what was aimed at beside what was seen; writes and memory are those of the last operator run.
func (r Report) aims(f *Figures) table {
	claims := float64(r.Options.Tenants * r.Options.Claims)
	mb := func(bytes float64) string { return fmt.Sprintf("%.0f MiB", bytes/(1<<20)) }
	return table{
		header: []string{"figure", "seen", "aim"},
		rows: [][]string{
			{"time, operator to plain client", fmt.Sprintf("%.2f", r.Ratio()), "under 1.3"},
			{"API server's CPU, operator to plain client", fmt.Sprintf("%.2f", float64(r.median(Operator, serverCPU))/float64(r.median(Plain, serverCPU))), ""},
			{"operator's writes per claim, created to Ready: mean", fmt.Sprintf("%.2f", f.PerClaim()), "at most 4"},
			{"operator's writes per claim, created to Ready: most", fmt.Sprint(f.MostPerClaim()), ""},
			{"operator's writes per Tenant: mean", fmt.Sprintf("%.2f", f.perTenant(r.Options)), ""},
			{"operator's reads past its cache, per claim", fmt.Sprintf("%.2f", float64(sum(f.Delivery.reads))/claims), ""},
			{"operator's writes in " + r.Options.Quiet.String() + " with nothing changing", fmt.Sprint(f.Quiet.total(operatorActor)), "0"},
			{"operator's writes over a kill and restart", fmt.Sprint(f.Restart.total(operatorActor)), "0"},
			{"from the kill until everything was looked at again", seconds(f.RestartTook), ""},
			{"operator's memory, resident", fmt.Sprintf("%s (most: %s)", mb(f.Resident), mb(f.Peak)), ""},
			{"operator's memory, Go heap in use", mb(f.Heap), ""},
			{"operator's CPU per claim", (f.CPU / time.Duration(claims)).Round(10 * time.Microsecond).String(), ""},
		},
	}
}

// strays names the first writes that should not have been; it has no rows where there was none.
func strays(f *Figures) table {
	t := table{header: []string{"written", "though nothing changed"}}
	for _, text := range f.Quiet.first {
		t.rows = append(t.rows, []string{text, "in the quiet time"})
	}
	for _, text := range f.Restart.first {
		t.rows = append(t.rows, []string{text, "over the restart"})
	}
	return t
}

// writesTable sets the API server's own count beside who wrote it.
func writesTable(f *Figures) table {
	t := table{header: []string{"resource", "verb", "API server's count", "operator", "clients", "stand-in", "others"}}
	audited := f.Delivery.all()
	var kinds []write
	for w := range f.Metrics {
		kinds = append(kinds, w)
	}
	for w := range audited {
		if _, ok := f.Metrics[w]; !ok {
			kinds = append(kinds, w)
		}
	}
	slices.SortFunc(kinds, func(a, b write) int { return cmp.Or(cmp.Compare(a.String(), b.String()), cmp.Compare(a.verb, b.verb)) })
	for _, w := range kinds {
		row := []string{w.String(), w.verb, fmt.Sprint(f.Metrics[w])}
		for _, who := range []actor{operatorActor, clientActor, standInActor} {
			row = append(row, fmt.Sprint(f.Delivery.by[who][w]))
			audited[w] -= f.Delivery.by[who][w]
		}
		t.rows = append(t.rows, append(row, fmt.Sprint(audited[w])))
	}
	return t
}

func seconds(d time.Duration) string { return fmt.Sprintf("%.1f s", d.Seconds()) }
