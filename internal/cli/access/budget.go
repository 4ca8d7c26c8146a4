package access

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/util/intstr"

	"demarc.dev/demarc/api/v1alpha1"
	"demarc.dev/demarc/internal/cli/asked"
	"demarc.dev/demarc/internal/cli/complete"
	"demarc.dev/demarc/internal/cli/exit"
	"demarc.dev/demarc/internal/cli/factory"
	"demarc.dev/demarc/internal/cli/target"
	"demarc.dev/demarc/internal/readiness"
)

func newCmdRequestBudget(f *factory.Factory, run runFunc) *cobra.Command {
	o := &Options{Options: asked.NewOptions(f, asked.Budgets)}
	cmd := &cobra.Command{
		Use:   "request TEAM [--cpu N] [--memory N] [--pods N] --reason TEXT",
		Short: "Ask for a larger budget for a team, for a time or for good",
		Long: `Ask for a larger budget for a team. What is named is the whole budget that the team is
to have, not what is added; what is not named stays. Whom the ownership contract names
approves it. The Tenant itself stays as it is written: the larger of the two holds.

It needs the verb request, which the role edit has: kubectl auth can-i request
budgetrequests.demarc.dev -n team-TEAM. What the operator would refuse at once is not
asked for: more than spec.ceiling of the Platform, no more than the Tenant has, or a
team that is not there.`,
		Example: fmt.Sprintf(`  %[1]s budget request payments --cpu 8 --memory 16Gi --for 72h --reason "the sale"
  %[1]s budget request payments --cpu 4 --for 30d --reason "the campaign"
  %[1]s budget request payments --pods 40 --reason "one more service"`, f.Program),
		Args:              cobra.ExactArgs(1),
		ValidArgsFunction: complete.Names(f, target.Tenant),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := o.Complete(cmd, args[0]); err != nil {
				return err
			}
			if err := o.amounts(cmd); err != nil {
				return exit.Usage(cmd.CommandPath(), err)
			}
			return run(cmd.Context(), o)
		},
	}
	o.Flags(cmd)
	cmd.Flags().StringVar(&o.CPU, "cpu", "", "the whole of cpu, such as 8 or 500m")
	cmd.Flags().StringVar(&o.Memory, "memory", "", "the whole of memory, such as 16Gi")
	cmd.Flags().Int64Var(&o.Pods, "pods", 0, "the whole number of pods")
	o.lasts(cmd, "how long, from the approval on; for good where neither this nor --until is given")
	cmd.Flags().StringVar(&o.Until, "until", "", "when it ends, such as 2026-12-31T18:00:00Z")
	cmd.MarkFlagsMutuallyExclusive("for", "until")
	return cmd
}

// amounts refuses what the cluster would refuse too, in words that name the flag.
func (o *Options) amounts(cmd *cobra.Command) error {
	for flag, text := range map[string]string{"cpu": o.CPU, "memory": o.Memory} {
		if text == "" {
			continue
		}
		if q, err := resource.ParseQuantity(text); err != nil || q.Sign() <= 0 {
			return fmt.Errorf("--%s %q is no quantity such as 2, 500m or 4Gi", flag, text)
		}
	}
	switch changed := cmd.Flags().Changed; {
	case !changed("cpu") && !changed("memory") && !changed("pods"):
		return errors.New("say what is to be larger: --cpu, --memory or --pods")
	case changed("pods") && o.Pods <= 0:
		return errors.New("--pods is a whole number above 0")
	case changed("for") && o.For < time.Minute:
		return errors.New("--for is a minute at least; leave it out for good")
	}
	if _, err := o.Ends(); err != nil {
		return err
	}
	return nil
}

func requestBudget(ctx context.Context, o *Options) error {
	c, err := o.Client()
	if err != nil {
		return err
	}
	me, err := asked.Whoami(ctx, c)
	if err != nil {
		return err
	}
	b := &v1alpha1.BudgetRequest{ObjectMeta: o.Metadata(), Spec: v1alpha1.BudgetRequestSpec{
		Team: o.Team, Reason: o.Reason, RequestedBy: me, Resources: v1alpha1.Budget{CPU: quantity(o.CPU), Memory: quantity(o.Memory)}}}
	if o.Pods > 0 {
		b.Spec.Resources.Pods = &o.Pods
	}
	if o.For > 0 {
		b.Spec.Duration = readiness.Hours(o.For)
	}
	if b.Spec.Until, err = o.Ends(); err != nil {
		return exit.Failed(err.Error(), "")
	}
	return o.Make(ctx, c, b)
}

func quantity(text string) *v1alpha1.Quantity {
	if text == "" {
		return nil
	}
	q := intstr.Parse(text)
	return &q
}
