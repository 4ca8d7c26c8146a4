package triage

import (
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"demarc.dev/demarc/api/v1alpha1"
	"demarc.dev/demarc/internal/contract"
	"demarc.dev/demarc/internal/finding"
	"demarc.dev/demarc/internal/snapshot"
)

// next is the step of each side that acts.
func (o owners) next(f found, s Signature, domains []string, who v1alpha1.Party) []finding.Step {
	says, does := s.Next, s.Command
	switch {
	case f.next != "":
		says = f.next
	case f.part == shared && s.Promoted != "":
		says, does = s.Promoted, ""
	case !slices.Contains(domains, s.Domain) && s.AndNext != "":
		says = s.AndNext
	}
	steps := []finding.Step{o.step(f, who, says, does)}
	switch {
	case who != v1alpha1.PartyShared || f.party != "":
	case len(domains) == 1: // the contract pages both for it
		steps[0].Party = v1alpha1.PartyTeam
		steps = append(steps, o.step(f, v1alpha1.PartyPlatform, says, ""))
	default:
		first, _ := o.pagedFor(domains[0], f.home())
		second, _ := o.pagedFor(domains[1], f.home())
		steps[0].Party = first
		steps = append(steps, o.step(f, second, s.AndNext, ""))
	}
	return steps
}

func (o owners) step(f found, who v1alpha1.Party, says, does string) finding.Step {
	step := finding.Step{Party: who}
	claim := o.claimOf(f.object)
	if claim != "" && who == v1alpha1.PartyTeam {
		if strings.Contains(says, "{image}") {
			says += " (spec.image of claim " + claim + "; demarc rollback " + claim + " goes back)"
		}
		if strings.HasPrefix(does, "kubectl rollout undo ") { // Argo CD would put it back
			does = "demarc rollback " + claim
		}
	}
	step.Says, _ = f.fill(says)
	if f.args["ended"] != "" { // there is no run before this one
		does = strings.TrimSuffix(does, " --previous")
	}
	if command, ok := f.fill(does); ok {
		step.Command = command
	}
	return step
}

// claimOf is the claim that a workload is of, by its label in the namespace of the claim's team;
// empty where it is of none, or where its name is not plain.
func (o owners) claimOf(object finding.Object) string {
	live := o.set.Get(schema.GroupKind{Group: object.Group, Kind: object.Kind}, object.Namespace, object.Name)
	if live == nil {
		return ""
	}
	name := live.GetLabels()[v1alpha1.LabelClaim]
	if claim := o.set.Get(claimKind, "", name); claim == nil || !isPlain(name) || v1alpha1.NamespaceOf(text(child(claim.Object, "spec"), "team")) != object.Namespace {
		return ""
	}
	return name
}

func says(steps []finding.Step) string {
	if len(steps) == 1 {
		return steps[0].Says
	}
	var out []string
	for _, s := range steps {
		out = append(out, string(s.Party)+": "+s.Says)
	}
	return strings.Join(out, "; ")
}

// paged is who of a party is on call and where, as everybody may read it.
func (o owners) paged(who v1alpha1.Party, team string) string {
	key := string(who) + "/" + team
	reached, known := o.reached[key]
	if !known {
		reached = o.contacts(who, team)
		o.reached[key] = reached
	}
	return reached
}

func (o owners) contacts(who v1alpha1.Party, team string) string {
	var contacts v1alpha1.Contacts
	switch {
	case who == v1alpha1.PartyPlatform:
		if p := o.set.Get(platformKind, "", v1alpha1.PlatformName); p != nil {
			if read, err := snapshot.Into[v1alpha1.Platform](p); err == nil {
				contacts = read.Spec.Team.Contacts
			}
		}
	case team != "":
		if t := o.set.Get(tenantKind, "", team); t != nil {
			if read, err := snapshot.Into[v1alpha1.Tenant](t); err == nil {
				contacts = read.Spec.Contacts
			}
		}
	}
	shown, _ := contract.Shown(contacts)
	return strings.Join(slices.DeleteFunc([]string{shown.OnCall, shown.Channel}, func(s string) bool { return s == "" }), ", ")
}
