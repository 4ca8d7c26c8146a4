package who

import (
	"context"
	"fmt"
	"strings"

	"demarc.dev/demarc/internal/cli/document"
	"demarc.dev/demarc/internal/cli/exit"
	"demarc.dev/demarc/internal/who"
)

func run(ctx context.Context, o *Options) error {
	answer, err := o.answer(ctx)
	if err != nil {
		return err
	}
	if answer.Contract.Unread {
		fmt.Fprintln(o.IO.ErrOut, "note: you may not read OwnershipContract default: the contract that comes with Demarc answers, and the cluster's may differ")
	}
	if o.Output == "text" {
		text{IO: o.IO, now: o.Clock.Now()}.answer(answer)
	} else if err := document.Write(o.IO.Out, o.Output, answer); err != nil {
		return err
	}
	return o.end(answer)
}

// end says how an answer ends that is one for less than what was asked.
func (o *Options) end(a who.Answer) error {
	object := a.Object != nil && a.Labels == nil // what an alert is about may be gone
	switch {
	case len(a.Contract.Faults) > 0:
		return exit.Failed("the contract that answers is not in force: the operator does not take it, and what holds was made of one before", "demarc contract lint says what is to be mended")
	case object && a.Exists != nil && !*a.Exists:
		return exit.Refused("there is no "+a.Object.String()+"; the answer is that for its kind", "")
	case object && a.Exists == nil && a.Object.Name != "" && len(o.Files) > 0:
		return exit.Failed("whether there is "+a.Object.String()+" cannot be told from the files; the answer is that for its kind",
			"give what kubectl get "+strings.ToLower(a.Object.Kind)+" -A -o yaml prints with -f too")
	case a.File != nil && a.Domain.Unlisted:
		return exit.Refused("no path of the contract covers "+a.File.Path, "give its domain a path in the contract; "+o.Program+" who KIND tells by kind")
	case a.File != nil && a.NoTenant:
		return exit.Refused("there is no Tenant "+a.Team+", whose "+a.File.Path+" would be", "kubectl get tenants lists them")
	default:
		return nil
	}
}
