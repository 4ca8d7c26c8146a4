package drift

import (
	"context"
	"fmt"
	"os"

	"demarc.dev/demarc/internal/cli/exit"
	"demarc.dev/demarc/internal/cli/plain"
	"demarc.dev/demarc/internal/cli/render"
	"demarc.dev/demarc/internal/drift"
	"demarc.dev/demarc/internal/dump"
	"demarc.dev/demarc/internal/snapshot"
	"demarc.dev/demarc/internal/survey"
)

// read gathers what is compared, from a cluster or from files.
func (o *Options) read(ctx context.Context) (*snapshot.Set, drift.Question, error) {
	var q drift.Question
	set, err := o.objects(ctx, &q)
	if err != nil {
		return nil, q, err
	}
	if err := o.rendered(set, &q); err != nil {
		return nil, q, err
	}
	return set, q, o.audit(&q)
}

func (o *Options) objects(ctx context.Context, q *drift.Question) (set *snapshot.Set, err error) {
	if len(o.Files) > 0 {
		return o.fromFiles(q)
	}
	c, err := o.Client()
	if err != nil {
		return nil, err
	}
	d, err := o.Discovery()
	if err != nil {
		return nil, err
	}
	asked, err := o.Scope.Of(ctx, c)
	if err != nil {
		return nil, err
	}
	set, q.Namespaces, err = survey.Cluster{Client: c, Discovery: d}.Drift(ctx, o.Clock.Now(), asked)
	if err != nil {
		return nil, exit.Unreadable(err, "compare the cluster with what is declared")
	}
	return set, o.Scope.There(set, false)
}

func (o *Options) fromFiles(q *drift.Question) (*snapshot.Set, error) {
	read, err := dump.Load{Stdin: o.IO.In, Now: o.Clock.Now()}.Do(o.Files)
	if err != nil {
		return nil, exit.Failed(err.Error(), "give files or folders as kubectl get -o yaml --show-managed-fields writes them")
	}
	for _, f := range read.Faults {
		o.faults = append(o.faults, f.String())
	}
	if read.More > 0 {
		o.faults = append(o.faults, fmt.Sprintf("and %d more", read.More))
	}
	q.Files = true
	var given bool
	if q.Namespaces, given = o.Scope.Given(); !given || o.Scope.All {
		q.Namespaces = drift.Namespaces(read.Set)
	}
	if len(q.Namespaces) == 0 {
		return nil, exit.Failed("no namespace of a team is in the files", "give what kubectl get tenants,namespaces -o yaml prints with -f too, or name one with -n")
	}
	return read.Set, o.Scope.There(read.Set, true)
}

// rendered is what the claims declare. A claim that cannot be rendered declares nothing that
// could be compared; its conditions say so.
func (o *Options) rendered(set *snapshot.Set, q *drift.Question) error {
	settings := drift.Settings(set)
	claims := drift.Claims(set, q.Namespaces)
	q.Rendered = drift.Applications(claims, settings)
	for _, c := range claims {
		if c.Spec.Source != nil {
			continue
		}
		made, err := render.Delivered(c, settings, o.Chart)
		if err != nil && o.Chart != "" {
			return exit.Failed("claim "+c.Name+": "+err.Error(), "see whether --chart is the platform's chart")
		}
		for _, object := range made {
			q.Rendered = append(q.Rendered, drift.Rendered{Claim: c.Name, Object: object})
		}
	}
	return nil
}

func (o *Options) audit(q *drift.Question) error {
	if o.AuditLog == "" {
		return nil
	}
	from := o.IO.In
	if o.AuditLog != "-" {
		f, err := os.Open(o.AuditLog)
		if err != nil {
			return exit.Failed("cannot read the audit log: "+err.Error(), "")
		}
		defer f.Close()
		from = f
	}
	var err error
	if q.Writes, err = drift.ReadAudit(from, q.Namespaces); err != nil {
		return exit.Failed("cannot read the audit log "+plain.Line(o.AuditLog)+": "+err.Error(), "--audit-log takes what the API server writes to --audit-log-path, as JSON")
	}
	return nil
}
