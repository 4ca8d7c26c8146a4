package access

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"k8s.io/apimachinery/pkg/util/validation"

	"demarc.dev/demarc/api/v1alpha1"
	"demarc.dev/demarc/internal/cli/asked"
	"demarc.dev/demarc/internal/cli/complete"
	"demarc.dev/demarc/internal/cli/exit"
	"demarc.dev/demarc/internal/cli/factory"
	"demarc.dev/demarc/internal/cli/target"
	"demarc.dev/demarc/internal/readiness"
)

var roles = []string{"view", "operate", "edit"}

func newCmdRequestAccess(f *factory.Factory, run runFunc) *cobra.Command {
	o := &Options{Options: asked.NewOptions(f, asked.Grants)}
	cmd := &cobra.Command{
		Use:   "request TEAM --role ROLE --for DURATION --reason TEXT",
		Short: "Ask for a role in a team's namespace for some hours",
		Long: `Ask for a role in a team's namespace, for yourself or for somebody else. Somebody else
approves it, from then on its time runs, and then it ends by itself. It is not
prolonged: what is to go on is asked for anew.

It needs the verb request: kubectl auth can-i request accessgrants.demarc.dev -n
team-TEAM. What the operator would refuse at once is not asked for: more time than
spec.access.maxHours of the Platform, or a team that is not there.`,
		Example: fmt.Sprintf(`  %[1]s access request payments --role operate --for 2h --reason "incident 4711"
  %[1]s access request payments --role edit --for 1h --group on-call --reason "incident 4711"
  name=$(%[1]s access request payments --role view --for 30m --reason "a look" -o name)`, f.Program),
		Args:              cobra.ExactArgs(1),
		ValidArgsFunction: complete.Names(f, target.Tenant),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := o.Complete(cmd, args[0]); err != nil {
				return err
			}
			switch {
			case !slices.Contains(roles, o.Role):
				return exit.Usage(cmd.CommandPath(), fmt.Errorf("--role is one of %s", strings.Join(roles, ", ")))
			case o.For < time.Minute:
				return exit.Usage(cmd.CommandPath(), errors.New("say with --for how long it is needed, such as 2h; a minute at least"))
			}
			if _, err := o.account(); err != nil {
				return exit.Usage(cmd.CommandPath(), err)
			}
			return run(cmd.Context(), o)
		},
	}
	o.Flags(cmd)
	cmd.Flags().StringVar(&o.Role, "role", "", strings.Join(roles, ", "))
	o.lasts(cmd, "how long, from the approval on")
	cmd.Flags().StringVar(&o.User, "user", "", "for this user instead of yourself")
	cmd.Flags().StringVar(&o.Group, "group", "", "for this group instead of yourself")
	cmd.Flags().StringVar(&o.ServiceAccount, "service-account", "", "for this account instead of yourself, as NAMESPACE/NAME")
	cmd.MarkFlagsMutuallyExclusive("user", "group", "service-account")
	if err := cmd.RegisterFlagCompletionFunc("role", complete.Words(roles...)); err != nil {
		panic(err) // only a flag that is not there gets here
	}
	return cmd
}

func requestAccess(ctx context.Context, o *Options) error {
	c, err := o.Client()
	if err != nil {
		return err
	}
	me, err := asked.Whoami(ctx, c)
	if err != nil {
		return err
	}
	g := &v1alpha1.AccessGrant{ObjectMeta: o.Metadata(), Spec: v1alpha1.AccessGrantSpec{
		Team: o.Team, User: o.User, Group: o.Group, Role: o.Role, Reason: o.Reason, Duration: readiness.Hours(o.For), RequestedBy: me}}
	if g.Spec.ServiceAccount, err = o.account(); err != nil {
		return exit.Failed(err.Error(), "")
	}
	if o.User == "" && o.Group == "" && g.Spec.ServiceAccount == nil {
		if own, ok := strings.CutPrefix(me, "system:serviceaccount:"); ok {
			namespace, name, _ := strings.Cut(own, ":")
			g.Spec.ServiceAccount = &v1alpha1.TenantServiceAccount{Namespace: namespace, Name: name}
		} else {
			g.Spec.User = me
		}
	}
	return o.Make(ctx, c, g)
}

// account that it is for; nil where none is named.
func (o *Options) account() (*v1alpha1.TenantServiceAccount, error) {
	if o.ServiceAccount == "" {
		return nil, nil
	}
	namespace, name, _ := strings.Cut(o.ServiceAccount, "/")
	if len(validation.IsDNS1123Label(namespace)) > 0 || len(validation.IsDNS1123Subdomain(name)) > 0 {
		return nil, fmt.Errorf("--service-account %q names no account: write NAMESPACE/NAME", o.ServiceAccount)
	}
	return &v1alpha1.TenantServiceAccount{Namespace: namespace, Name: name}, nil
}
