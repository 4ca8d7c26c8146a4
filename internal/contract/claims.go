package contract

import (
	"slices"

	"demarc.dev/demarc/internal/ownership"
)

// Writing a ServiceClaim takes two rights, as it has no namespace: a verb of the API on
// it, and the verb deploy in the namespace of its team, which the chart's policy
// demarc-claims asks for. What the answers give is both of them:
//
//	by hand, the team        create … of demarc:claims    deploy of demarc:edit
//	by Git, the team         create … of demarc:claims    deploy of demarc:deliver
//	by hand, the platform    create … of demarc:platform  deploy of demarc:platform
//	scaleClaim               patch of demarc:scale        scale of the team's roles

var deployVerb = []string{ownership.VerbDeploy}

// claimRow is that of ServiceClaims, which are there whatever the contract says of them.
func claimRow(rows []Row) Row {
	return rows[slices.IndexFunc(rows, func(r Row) bool { return standsOn(deploys, r.GroupKind()) })]
}

// claimVerbs are for those who deploy, by hand or as the team's account, and who of them
// does is the verb's to say; and for those of the role edit who scale.
func claimVerbs(rows []Row) []string {
	r := claimRow(rows)
	w := Writes{r.Hand.Create || r.Git.Create, r.Hand.Modify || r.Git.Modify, r.Hand.Delete || r.Git.Delete}
	verbs := readAnd(w)
	if Edit.reaches(r.Operations[scales]) && !w.Modify {
		verbs = append(verbs, "patch")
	}
	slices.Sort(verbs)
	return verbs
}

func scaleVerbs(rows []Row) []string {
	if !Operate.reaches(claimRow(rows).Operations[scales]) {
		return []string{"get"}
	}
	return []string{"get", "patch"}
}

// platformDeploys is what the platform's people have beside, where they write claims.
func (r Row) platformDeploys() []string {
	if standsOn(deploys, r.GroupKind()) && r.Platform.Any() {
		return deployVerb
	}
	return nil
}
