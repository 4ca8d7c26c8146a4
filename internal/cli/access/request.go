package access

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/validation"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"demarc.dev/demarc/api/v1alpha1"
	"demarc.dev/demarc/internal/cli/complete"
	"demarc.dev/demarc/internal/cli/exit"
	"demarc.dev/demarc/internal/cli/factory"
	"demarc.dev/demarc/internal/cli/takedown"
	"demarc.dev/demarc/internal/cli/target"
	"demarc.dev/demarc/internal/readiness"
)

var roles = []string{"view", "operate", "edit"}

func newCmdRequestAccess(f *factory.Factory, run runFunc) *cobra.Command {
	o := options(f, grants)
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
			if err := o.asks(cmd, args[0]); err != nil {
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
	o.askFlags(cmd)
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

func (o *Options) askFlags(cmd *cobra.Command) {
	cmd.Flags().StringVar(&o.Reason, "reason", "", "why; who approves reads it, and it is written into Events and the audit log")
	cmd.Flags().StringVar(&o.Name, "name", "", "its name; the cluster makes one of the team's otherwise")
	o.named(cmd)
}

func (o *Options) asks(cmd *cobra.Command, team string) error {
	o.Team = strings.TrimPrefix(team, "tenant/")
	reason, err := takedown.Reason(o.Reason)
	if err != nil {
		return exit.Usage(cmd.CommandPath(), err)
	}
	if o.Reason = reason; reason == "" {
		return exit.Usage(cmd.CommandPath(), errors.New("say why with --reason TEXT: who approves reads it"))
	}
	if err := o.output(outputs); err != nil {
		return exit.Usage(cmd.CommandPath(), err)
	}
	if cmd.Flags().Changed("name") {
		if err := target.Named(o.Name); err != nil {
			return err
		}
	}
	return target.Named(o.Team)
}

// metadata lets the cluster make a name where none was given.
func (o *Options) metadata() metav1.ObjectMeta {
	if o.Name != "" {
		return metav1.ObjectMeta{Name: o.Name}
	}
	return metav1.ObjectMeta{GenerateName: o.Team + "-"}
}

func requestAccess(ctx context.Context, o *Options) error {
	c, err := o.Client()
	if err != nil {
		return err
	}
	me, err := whoami(ctx, c)
	if err != nil {
		return err
	}
	g := &v1alpha1.AccessGrant{ObjectMeta: o.metadata(), Spec: v1alpha1.AccessGrantSpec{
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
	return o.make(ctx, c, g)
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

// make makes what is asked for and says who goes on.
func (o *Options) make(ctx context.Context, c client.Client, asked client.Object) error {
	if err := o.foretell(ctx, c, asked); err != nil {
		return err
	}
	err := c.Create(ctx, asked)
	if o.Name != "" && apierrors.IsAlreadyExists(err) {
		return exit.Refused(fmt.Sprintf("%s %s is there already", o.kind.word, o.Name), "take another --name, or leave it out and the cluster makes one")
	}
	if err != nil {
		return exit.Unwritten(err, "ask for "+o.kind.verb)
	}
	e := read(asked)
	o.say("%s asks for %s in team %s, %s: %s %s", e.RequestedBy, e.What, e.Team, e.during(), o.kind.word, e.Name)
	o.result(e.Name)
	o.next("somebody else who may approve it runs: %s %s approve %s", o.Program, o.kind.verb, e.Name)
	return nil
}
