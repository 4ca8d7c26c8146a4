// Package get is the verb get: one's own claims and tenants.
package get

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/clock"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"demarc.dev/demarc/internal/cli/complete"
	"demarc.dev/demarc/internal/cli/exit"
	"demarc.dev/demarc/internal/cli/factory"
	"demarc.dev/demarc/internal/cli/plain"
	"demarc.dev/demarc/internal/cli/target"
)

// Options of the verb.
type Options struct {
	IO      factory.IO
	Program string
	Clock   clock.PassiveClock
	Client  func() (client.WithWatch, error)

	Kind target.Kind
	// Name of the one object that is asked for; empty for all.
	Name   string
	Team   string
	All    bool
	Output string
}

// NewCmdGet wires the verb; runF replaces what it does, in tests.
func NewCmdGet(f *factory.Factory, runF func(context.Context, *Options) error) *cobra.Command {
	o := &Options{IO: f.IO, Program: f.Program, Clock: f.Clock, Client: f.Client, Kind: target.Claim}
	cmd := &cobra.Command{
		Use:   "get [claims|tenants] [NAME]",
		Short: "Show your own claims and tenants",
		Long: `Show claims, or tenants, and how they are.

Claims and tenants can be read by every team's people. Yours are those of the
teams in whose namespace you may read pods; without a name, and without --team or
--all, only these are shown.`,
		Example: fmt.Sprintf(`  %[1]s get
  %[1]s get claims --team payments -o wide
  %[1]s get claim catalog -o yaml
  %[1]s get tenants --all`, f.Program),
		Args:              cobra.MaximumNArgs(2),
		ValidArgsFunction: completeArgs(f),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := o.take(args); err != nil {
				return err
			}
			if runF != nil {
				return runF(cmd.Context(), o)
			}
			return run(cmd.Context(), o)
		},
	}
	cmd.Flags().StringVar(&o.Team, "team", "", "only what belongs to this team")
	cmd.Flags().BoolVarP(&o.All, "all", "A", false, "all that can be read, other teams' too")
	cmd.Flags().StringVarP(&o.Output, "output", "o", "table", strings.Join(outputs, ", "))
	for flag, fn := range map[string]complete.Func{"team": complete.Names(f, target.Tenant), "output": complete.Words(outputs...)} {
		if err := cmd.RegisterFlagCompletionFunc(flag, fn); err != nil {
			panic(err) // only a flag that is not there gets here
		}
	}
	return cmd
}

var outputs = []string{"table", "wide", "json", "yaml", "name"}

func completeArgs(f *factory.Factory) complete.Func {
	return func(cmd *cobra.Command, args []string, word string) ([]string, cobra.ShellCompDirective) {
		if len(args) == 0 {
			return []string{target.Claim.Plural, target.Tenant.Plural}, cobra.ShellCompDirectiveNoFileComp
		}
		kind, err := target.ParseKind(args[0])
		if err != nil || len(args) > 1 {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		return complete.Names(f, kind)(cmd, args[1:], word)
	}
}

// take reads the arguments and refuses what does not go together.
func (o *Options) take(args []string) error {
	var err error
	switch {
	case len(args) == 2 || len(args) == 1 && strings.Contains(args[0], "/"):
		o.Kind, o.Name, err = target.Parse(args)
	case len(args) == 1:
		o.Kind, err = target.ParseKind(args[0])
	}
	switch {
	case err != nil:
		return err
	case !slices.Contains(outputs, o.Output):
		return exit.Failed(fmt.Sprintf("there is no output %q", o.Output), "take one of "+strings.Join(outputs, ", "))
	case o.All && o.Team != "":
		return exit.Failed("--all and --team do not go together", "leave one of them out")
	}
	return nil
}

func run(ctx context.Context, o *Options) error {
	c, err := o.Client()
	if err != nil {
		return err
	}
	if o.Name != "" {
		return one(ctx, o, c)
	}
	items, err := list(ctx, o, c)
	if err != nil {
		return err
	}
	all := items
	if !o.All && o.Team == "" {
		if items, err = own(ctx, c, o.Kind, items); err != nil {
			return err
		}
	}
	if len(items) == 0 {
		why, err := empty(ctx, o, c, len(all))
		if err != nil {
			return err
		}
		fmt.Fprintln(o.IO.ErrOut, plain.Text(why))
		if o.Output == "table" || o.Output == "wide" {
			return nil
		}
	}
	return show(o, items, false)
}

func one(ctx context.Context, o *Options, c client.Reader) error {
	u := &unstructured.Unstructured{}
	u.SetGroupVersionKind(o.Kind.GVK())
	err := c.Get(ctx, types.NamespacedName{Name: o.Name}, u)
	if err == nil && o.Team != "" && team(o.Kind, u) != o.Team {
		return exit.Refused(fmt.Sprintf("%s %s is team %s's, not %s's", o.Kind.Word, o.Name, team(o.Kind, u), o.Team), "")
	}
	if apierrors.IsNotFound(err) {
		return exit.Refused(fmt.Sprintf("there is no %s %s", o.Kind.Word, o.Name),
			fmt.Sprintf("%s get %s --all lists what there is", o.Program, o.Kind.Plural))
	}
	if err != nil {
		return exit.Unreadable(err, "read "+o.Kind.Word+" "+o.Name)
	}
	return show(o, []unstructured.Unstructured{*u}, true)
}

// list reads all, or those of one team, sorted by team and name.
func list(ctx context.Context, o *Options, c client.Reader) ([]unstructured.Unstructured, error) {
	found := &unstructured.UnstructuredList{}
	found.SetGroupVersionKind(o.Kind.GVK())
	var options []client.ListOption
	if o.Team != "" {
		field := "spec.team"
		if o.Kind.Name == target.Tenant.Name {
			field = "metadata.name"
		}
		options = append(options, client.MatchingFields{field: o.Team})
	}
	if err := c.List(ctx, found, options...); err != nil {
		return nil, exit.Unreadable(err, "list the "+o.Kind.Plural)
	}
	slices.SortFunc(found.Items, func(a, b unstructured.Unstructured) int {
		return strings.Compare(team(o.Kind, &a)+" "+a.GetName(), team(o.Kind, &b)+" "+b.GetName())
	})
	return found.Items, nil
}

// team that an object belongs to.
func team(kind target.Kind, u *unstructured.Unstructured) string {
	if kind.Name == target.Tenant.Name {
		return u.GetName()
	}
	name, _, _ := unstructured.NestedString(u.Object, "spec", "team")
	return name
}
