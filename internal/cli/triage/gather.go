package triage

import (
	"context"
	"fmt"

	"demarc.dev/demarc/internal/cli/exit"
	"demarc.dev/demarc/internal/cli/plain"
	"demarc.dev/demarc/internal/dump"
	"demarc.dev/demarc/internal/snapshot"
	"demarc.dev/demarc/internal/survey"
	"demarc.dev/demarc/internal/triage"
)

// gathered is what is judged.
type gathered struct {
	set *snapshot.Set
	// namespaces that are asked about; none are all.
	namespaces []string
	// files is that it was read of a dump, whole that the dump says what is not in it.
	files, whole bool
	// faults are what of the dump could not be read.
	faults []string
}

func (o *Options) gather(ctx context.Context) (g gathered, err error) {
	if len(o.Files) > 0 {
		return o.fromDump()
	}
	c, err := o.Client()
	if err != nil {
		return g, err
	}
	d, err := o.Discovery()
	if err != nil {
		return g, err
	}
	if g.namespaces, err = o.Scope.Of(ctx, c); err != nil {
		return g, err
	}
	g.set, err = survey.Cluster{Client: c, Discovery: d}.Triage(ctx, o.Clock.Now(), survey.Triaged{Namespaces: g.namespaces, Trim: triage.Trim})
	return g, exit.Unreadable(err, "read what there is")
}

func (o *Options) fromDump() (g gathered, err error) {
	read, err := dump.Load{Stdin: o.IO.In, Now: o.Clock.Now(), Trim: triage.Trim}.Do(o.Files)
	if err != nil {
		return g, exit.Failed(err.Error(), "give files or folders as kubectl get -o yaml, kubectl cluster-info dump, a must-gather or "+o.Program+" dump write them")
	}
	g = gathered{set: read.Set, files: true, whole: read.Head != nil}
	for _, f := range read.Faults {
		g.faults = append(g.faults, f.String())
	}
	if read.More > 0 {
		g.faults = append(g.faults, fmt.Sprintf("and %d more", read.More))
	}
	if len(read.Set.All()) == 0 && len(g.faults) == 0 {
		return g, exit.Failed("no object of Kubernetes is in the files", "give files as kubectl get -o yaml writes them")
	}
	if read.Foreign > 0 {
		o.note(fmt.Sprintf("%d of the documents are no objects of Kubernetes, and were passed over", read.Foreign))
	}
	if !o.at.IsZero() {
		read.Set.At, read.Dated = o.at, false
	}
	if read.Dated {
		o.note("the dump does not say when it was made: the newest time in it counts, " + read.Set.At.UTC().Format("2006-01-02 15:04:05 MST") + "; --at sets another")
	}
	var given bool
	if g.namespaces, given = o.Scope.Given(); !given && read.Head != nil {
		g.namespaces = read.Head.Namespaces
	}
	return g, nil
}

func (o *Options) note(text string) { fmt.Fprintln(o.IO.ErrOut, "note: "+plain.Line(text)) }
