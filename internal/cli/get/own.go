package get

import (
	"context"
	"fmt"
	"slices"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"demarc.dev/demarc/api/v1alpha1"
	"demarc.dev/demarc/internal/cli/exit"
	"demarc.dev/demarc/internal/cli/target"
)

// own keeps the objects of teams in whose namespace the caller may read pods.
func own(ctx context.Context, c client.Client, kind target.Kind, items []unstructured.Unstructured) ([]unstructured.Unstructured, error) {
	var teams []string
	for _, item := range items {
		teams = append(teams, team(kind, &item))
	}
	own, err := target.Own(ctx, c, teams)
	if err != nil {
		return nil, err
	}
	var mine []unstructured.Unstructured
	for _, item := range items {
		if slices.Contains(own, team(kind, &item)) {
			mine = append(mine, item)
		}
	}
	return mine, nil
}

// empty says why nothing is shown, and what to do; all is how many were looked at.
func empty(ctx context.Context, o *Options, c client.Client, all int) (string, error) {
	what := o.Kind.Plural
	switch {
	case o.Team != "":
		err := c.Get(ctx, types.NamespacedName{Name: o.Team}, &v1alpha1.Tenant{})
		if apierrors.IsNotFound(err) {
			return fmt.Sprintf("There is no team %s: no Tenant has that name.\nNext: %s get tenants --all lists the teams.", o.Team, o.Program), nil
		}
		return fmt.Sprintf("Team %s has no %s.", o.Team, what), exit.Unreadable(err, "read tenant "+o.Team)
	case all > 0 && o.Kind.Name == target.Claim.Name:
		return noneOfMine(ctx, o, c, all)
	case all > 0:
		return strangers(o, all), nil
	case o.Kind.Name == target.Tenant.Name:
		return "There are no tenants on this cluster.\nNext: the platform team makes one for each team; " + o.Program + " render -f FILE shows what it becomes.", nil
	default:
		return "There are no claims on this cluster.\nNext: kubectl apply a ServiceClaim; " + o.Program + " render -f FILE shows what it becomes.", nil
	}
}

// noneOfMine tells a team without claims from no team at all.
func noneOfMine(ctx context.Context, o *Options, c client.Client, all int) (string, error) {
	teams := &Options{Kind: target.Tenant}
	tenants, err := list(ctx, teams, c)
	if err != nil {
		return "", err
	}
	mine, err := own(ctx, c, target.Tenant, tenants)
	if err != nil || len(mine) == 0 {
		return strangers(o, all), err
	}
	var names []string
	for _, tenant := range mine {
		names = append(names, tenant.GetName())
	}
	return fmt.Sprintf("Your team has no claims yet (%s); other teams have %d.\nNext: kubectl apply a ServiceClaim; %s get --all shows all.",
		strings.Join(names, ", "), all, o.Program), nil
}

func strangers(o *Options, all int) string {
	return fmt.Sprintf("None of the %[1]d %[2]s here is yours: you may read pods in none of their teams' namespaces.\n"+
		"Next: have yourself or your group added to spec.access of your team's Tenant; %[3]s get %[2]s --all shows all.", all, o.Kind.Plural, o.Program)
}
