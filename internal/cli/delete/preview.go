package delete

import (
	"context"
	"fmt"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"demarc.dev/demarc/api/v1alpha1"
	"demarc.dev/demarc/internal/cli/plain"
	"demarc.dev/demarc/internal/cli/takedown"
)

// preview says what goes, or what is left behind, before anything is asked or done.
func preview(ctx context.Context, o *Options, c client.Client, object client.Object) error {
	if at := object.GetDeletionTimestamp(); at != nil {
		say(o, "%s %s is being deleted already, since %s", o.Kind.Word, o.Name, at.UTC().Format("15:04:05 MST on 2006-01-02"))
	}
	switch object := object.(type) {
	case *v1alpha1.ServiceClaim:
		return previewClaim(ctx, o, c, object)
	case *v1alpha1.Tenant:
		return previewTenant(ctx, o, c, object)
	default:
		return fmt.Errorf("cannot delete a %T", object)
	}
}

func say(o *Options, format string, args ...any) {
	fmt.Fprintln(o.IO.Out, plain.Line(fmt.Sprintf(format, args...)))
}

func previewClaim(ctx context.Context, o *Options, c client.Client, claim *v1alpha1.ServiceClaim) error {
	live, err := takedown.Live(ctx, c, claim)
	if err != nil {
		return err
	}
	app := takedown.Application(ctx, c, claim)
	if o.Force {
		say(o, "By force claim %s of team %s goes with its %s, and leaves behind what that delivered:", o.Name, claim.Spec.Team, app)
		list(o, live, "nothing that is known of")
		return nil
	}
	say(o, "With claim %s of team %s go:", o.Name, claim.Spec.Team)
	if claim.Status.Application == "" && len(live) == 0 {
		say(o, "- nothing: it has delivered nothing yet")
		return nil
	}
	list(o, append([]string{app}, live...), "")
	return nil
}

func previewTenant(ctx context.Context, o *Options, c client.Client, tenant *v1alpha1.Tenant) error {
	claims, err := claimsOf(ctx, c, tenant.Name)
	if err != nil {
		return err
	}
	if o.Force {
		left, err := orphans(ctx, c, tenant.Name)
		if err != nil {
			return err
		}
		say(o, "By force tenant %s goes, and leaves behind:", o.Name)
		for i := range claims {
			claims[i] = "claim/" + claims[i]
		}
		list(o, append(claims, left...), "nothing that is known of")
		return nil
	}
	if n := len(claims); n > 0 {
		say(o, "Tenant %s waits for its claims, and does not delete them (%s delete claim/NAME): %s", o.Name, o.Program, takedown.Names(claims))
	}
	if err := previewStrangers(ctx, o, c, tenant.Name); err != nil {
		return err
	}
	return previewSpace(ctx, o, c, tenant)
}

// previewStrangers names Applications of the team's project that are no claim's, such
// as released ones: they hold the Tenant, and nobody deletes them but by hand.
func previewStrangers(ctx context.Context, o *Options, c client.Reader, team string) error {
	argo, err := takedown.ArgoCDNamespace(ctx, c)
	if err != nil {
		return err
	}
	strangers, err := applicationsOf(ctx, c, argo, team, func(labels map[string]string) bool { return labels[v1alpha1.LabelOwner] == "" })
	if err == nil && len(strangers) > 0 {
		say(o, "Tenant %s waits for what is in its project and no claim's; whoever made it deletes it: %s", o.Name, takedown.Names(strangers))
	}
	return err
}

// previewSpace says what goes of a team's namespace and around it.
func previewSpace(ctx context.Context, o *Options, c client.Reader, tenant *v1alpha1.Tenant) error {
	ns := v1alpha1.NamespaceOf(tenant.Name)
	say(o, "With tenant %s go:", o.Name)
	space, err := look(ctx, c, namespaceKind, "", ns)
	if err != nil {
		return err
	}
	going := []string{"AppProject " + ns}
	switch {
	case !space.there:
	case space.adopted:
		going = append(going, "what Demarc put into namespace "+ns+", which was adopted and stays with all else")
	default:
		volumes, err := volumesOf(ctx, c, ns)
		if err != nil {
			return err
		}
		going = append(going, "namespace "+ns+" with everything in it"+volumes)
	}
	list(o, append(going, "the team's cluster-wide bindings"), "")
	return nil
}

func list(o *Options, lines []string, none string) {
	if len(lines) == 0 {
		say(o, "- %s", none)
	}
	for _, line := range lines {
		say(o, "- %s", line)
	}
}
