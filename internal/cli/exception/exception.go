// Package exception is the verb exception: ask that a team may break rules of the
// guardrails until a given day, approve what others ask for, end it, and list it.
package exception

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"

	"demarc.dev/demarc/api/v1alpha1"
	"demarc.dev/demarc/internal/cli/asked"
	"demarc.dev/demarc/internal/cli/complete"
	"demarc.dev/demarc/internal/cli/exit"
	"demarc.dev/demarc/internal/cli/factory"
	"demarc.dev/demarc/internal/cli/target"
	"demarc.dev/demarc/internal/guardrail"
)

// Options of a request.
type Options struct {
	*asked.Options
	Rules    []string
	For      string
	Selector []string
	expires  metav1.Time
	labels   map[string]string
}

// NewCmdException wires the verb exception and those below it.
func NewCmdException(f *factory.Factory) *cobra.Command {
	return asked.NewCmd(f, asked.Exceptions, "Ask that a team may break guardrails until a given day, and approve, list or end it", newCmdRequest(f, request))
}

func newCmdRequest(f *factory.Factory, run func(context.Context, *Options) error) *cobra.Command {
	o := &Options{Options: asked.NewOptions(f, asked.Exceptions)}
	cmd := &cobra.Command{
		Use:   "request TEAM --rule ID --for DURATION --reason TEXT",
		Short: "Ask that a team may break rules of the guardrails for a time",
		Long: `Ask that a team may break rules of the guardrails until a given time, all its objects or
those with the labels of --selector. Whom the ownership contract names approves it; it
ends by itself, and is not prolonged: what is to go on is asked for anew. How far ahead
it may end is the Platform's to say (spec.guardrails.exceptions.maxDays).

It needs the verb request, which the role edit has: kubectl auth can-i request
guardrailexceptions.demarc.dev -n team-TEAM.`,
		Example: fmt.Sprintf(`  %[1]s exception request payments --rule image-registry --for 30d --reason "the mirror is not there yet"
  %[1]s exception request payments --rule host-path --rule privileged --selector app=agent --until 2026-12-31 --reason "ticket 4711"`, f.Program),
		Args:              cobra.ExactArgs(1),
		ValidArgsFunction: complete.Names(f, target.Tenant),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := o.Complete(cmd, args[0]); err != nil {
				return err
			}
			if err := o.complete(); err != nil {
				return exit.Usage(cmd.CommandPath(), err)
			}
			return run(cmd.Context(), o)
		},
	}
	o.Flags(cmd)
	cmd.Flags().StringSliceVar(&o.Rules, "rule", nil, "the id of a rule that is to be broken, such as image-registry; once for each")
	cmd.Flags().StringVar(&o.For, "for", "", "how long from now on: 30d, 2w or 12h")
	cmd.Flags().StringVar(&o.Until, "until", "", "when it ends, such as 2026-12-31 (the end of that day, UTC) or 2026-12-31T18:00:00Z")
	cmd.Flags().StringSliceVar(&o.Selector, "selector", nil, "objects with this label alone, KEY=VALUE; with several, those with all of them")
	cmd.MarkFlagsMutuallyExclusive("for", "until")
	rules := func(cmd *cobra.Command, args []string, word string) ([]string, cobra.ShellCompDirective) {
		return complete.Words(ids()...)(cmd, args, word)
	}
	if err := cmd.RegisterFlagCompletionFunc("rule", rules); err != nil {
		panic(err) // only a flag that is not there gets here
	}
	return cmd
}

func ids() (out []string) {
	for _, r := range guardrail.Catalogue() {
		out = append(out, r.ID)
	}
	return out
}

// complete refuses what the cluster would refuse too, in words that name the flag.
func (o *Options) complete() (err error) {
	if len(o.Rules) == 0 {
		return fmt.Errorf("say with --rule which rule is to be broken; there are %s", strings.Join(ids(), ", "))
	}
	if unknown := guardrail.UnknownRules(o.Rules); len(unknown) > 0 {
		return fmt.Errorf("--rule: there is no rule %s; there are %s", strings.Join(unknown, ", "), strings.Join(ids(), ", "))
	}
	if len(o.Selector) > 0 {
		if o.labels, err = labels.ConvertSelectorToLabelsMap(strings.Join(o.Selector, ",")); err != nil {
			return fmt.Errorf("--selector %s is no list of KEY=VALUE: %w", strings.Join(o.Selector, ","), err)
		}
	}
	at, err := o.end()
	o.expires = metav1.NewTime(at)
	return err
}

// end is when it is to end.
func (o *Options) end() (time.Time, error) {
	switch {
	case o.For != "":
		d, err := span(o.For)
		return o.Clock.Now().Add(d).Truncate(time.Second), err
	case o.Until == "":
		return time.Time{}, fmt.Errorf("say when it ends: --for 30d, or --until 2026-12-31")
	}
	if day, err := time.Parse(time.DateOnly, o.Until); err == nil {
		o.Until = day.Add(24*time.Hour - time.Second).Format(time.RFC3339)
	}
	at, err := o.Ends()
	if err != nil {
		return time.Time{}, err
	}
	return at.Time, nil
}

func request(ctx context.Context, o *Options) error {
	c, err := o.Client()
	if err != nil {
		return err
	}
	me, err := asked.Whoami(ctx, c)
	if err != nil {
		return err
	}
	e := &v1alpha1.GuardrailException{ObjectMeta: o.Metadata(), Spec: v1alpha1.GuardrailExceptionSpec{
		Team: o.Team, Rules: o.Rules, Reason: o.Reason, RequestedBy: me, Expires: o.expires}}
	if len(o.labels) > 0 {
		e.Spec.Selector = &v1alpha1.GuardrailSelector{MatchLabels: map[string]v1alpha1.ClaimLabelValue{}}
		for k, v := range o.labels {
			e.Spec.Selector.MatchLabels[k] = v1alpha1.ClaimLabelValue(v)
		}
	}
	return o.Make(ctx, c, e)
}
