// Package scope is which namespaces a verb looks at: one team's, one, one's own, or all.
package scope

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"demarc.dev/demarc/api/v1alpha1"
	"demarc.dev/demarc/internal/cli/complete"
	"demarc.dev/demarc/internal/cli/exit"
	"demarc.dev/demarc/internal/cli/factory"
	"demarc.dev/demarc/internal/cli/target"
	"demarc.dev/demarc/internal/snapshot"
)

// Flags say what is asked about; none of them is one's own.
type Flags struct {
	Team, Namespace string
	All             bool
}

// Add adds the flags to a verb.
func (f *Flags) Add(cmd *cobra.Command, from *factory.Factory) {
	flags := cmd.Flags()
	flags.StringVar(&f.Team, "team", "", "look at the namespace of one team")
	flags.StringVarP(&f.Namespace, "namespace", "n", "", "look at one namespace")
	flags.BoolVar(&f.All, "all", false, "look at the whole cluster")
	if err := cmd.RegisterFlagCompletionFunc("team", complete.Names(from, target.Tenant)); err != nil {
		panic(err) // only a flag that is not there gets here
	}
}

// Check refuses flags that say different things, and names that cannot be.
func (f Flags) Check() error {
	given := 0
	for _, is := range []bool{f.Team != "", f.Namespace != "", f.All} {
		if is {
			given++
		}
	}
	switch {
	case given > 1:
		return errors.New("give one of --team, --namespace and --all")
	case f.Team != "":
		return target.Space(v1alpha1.NamespaceOf(f.Team))
	case f.Namespace != "":
		return target.Space(f.Namespace)
	}
	return nil
}

// Given are the namespaces that the flags name; ok is whether they say anything.
func (f Flags) Given() (namespaces []string, ok bool) {
	switch {
	case f.Team != "":
		return []string{v1alpha1.NamespaceOf(f.Team)}, true
	case f.Namespace != "":
		return []string{f.Namespace}, true
	}
	return nil, f.All
}

// Of a cluster: what the flags name; without any all where who asks may list all pods, and
// else the namespaces of those teams whose pods may be read. No namespaces are all.
func (f Flags) Of(ctx context.Context, c client.Client) ([]string, error) {
	if namespaces, given := f.Given(); given {
		return namespaces, nil
	}
	if all, err := target.Everywhere(ctx, c); all || err != nil {
		return nil, err
	}
	tenants := &v1alpha1.TenantList{}
	if err := c.List(ctx, tenants); err != nil {
		return nil, exit.Add(exit.Unreadable(err, "read which teams there are"), "Without them: -n NAMESPACE looks at one namespace, --all at what you may read of the cluster.")
	}
	var teams, namespaces []string
	for _, t := range tenants.Items {
		teams = append(teams, t.Name)
	}
	mine, err := target.Own(ctx, c, teams)
	if err != nil {
		return nil, err
	}
	if len(mine) == 0 {
		return nil, exit.Failed(fmt.Sprintf("you may read pods in the namespace of none of the %d teams", len(teams)), "name a namespace with -n, or give --all")
	}
	for _, team := range mine {
		namespaces = append(namespaces, v1alpha1.NamespaceOf(team))
	}
	return namespaces, nil
}

var (
	tenantKind    = schema.GroupKind{Group: v1alpha1.GroupName, Kind: "Tenant"}
	namespaceKind = schema.GroupKind{Kind: "Namespace"}
)

// There says, of what was read, whether what the flags name is there; files is that it was
// read of files, which may hold less.
func (f Flags) There(set *snapshot.Set, files bool) error {
	kind, name, next := tenantKind, f.Team, "kubectl get tenants lists them"
	space := v1alpha1.NamespaceOf(f.Team)
	switch {
	case f.Namespace != "":
		kind, name, next, space = namespaceKind, f.Namespace, "kubectl get namespaces lists them", f.Namespace
	case f.Team == "":
		return nil
	}
	_, missed := set.Missed(kind, "", name)
	if set.Get(kind, "", name) != nil || len(set.In(space)) > 0 || missed || !set.Serves(kind) && f.Namespace != "" {
		return nil
	}
	if files {
		return exit.Failed("nothing of "+strings.ToLower(kind.Kind)+" "+strconv.Quote(name)+" is in the files", "give what was dumped of it")
	}
	return exit.Failed("there is no "+strings.ToLower(kind.Kind)+" "+strconv.Quote(name), next)
}

// Words name what is looked at.
func Words(namespaces []string) string {
	switch {
	case len(namespaces) == 0:
		return "the whole cluster"
	case len(namespaces) > 4:
		return fmt.Sprintf("%d namespaces", len(namespaces))
	}
	return strings.Join(namespaces, ", ")
}
