package verify

import (
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"demarc.dev/demarc/api/v1alpha1"
	"demarc.dev/demarc/internal/contract"
	"demarc.dev/demarc/internal/finding"
	"demarc.dev/demarc/internal/rbac"
	"demarc.dev/demarc/internal/snapshot"
)

// Probe is one request that is made as somebody, and what the contract says of it. None
// of them writes: changes are dry runs, of an object that is not there.
type Probe struct {
	// Who is the persona, As whom it acts.
	Who string
	As  rbac.Identity
	// Verb is get, create, update, patch or delete.
	Verb      string
	Kind      contract.Served
	Namespace string
	// Allowed is what the contract says.
	Allowed bool
}

// Probed is a probe that was answered.
type Probed struct {
	Probe
	// Let is that it was not refused; Said is why it was, or what else was wrong.
	Let  bool
	Said string
}

// ProbeName is the object that is asked for; there is none of it.
const ProbeName = "demarc-verify-probe"

// verbs that are asked at home, and elsewhere.
var atHome, elsewhere = []string{"get", "create", "update", "patch", "delete"}, []string{"get", "create"}

// Probes are the requests to make: for each persona and each kind, in its own namespace,
// in another team's and in one that is no team's. Policies refuse some of what RBAC lets
// through, and none of what is asked here: claims are asked for the team's own.
func Probes(set *snapshot.Set, q Question) (all []Probe) {
	v := newVerifier(read(set, q))
	if len(v.faults) > 0 {
		return nil
	}
	v.compiled()
	for _, p := range v.personas() {
		if p.User == "" {
			p.User = ProbeName // somebody of the group
		}
		for _, k := range contract.Kinds {
			if k.Asked || !v.set.Serves(k.GroupKind()) {
				continue
			}
			for _, place := range v.probePlaces(p, k) {
				grants := v.want.For(p.Identity, place)
				verbs := elsewhere
				if k.Cluster || place == p.home || p.home == "" && place == "default" {
					verbs = atHome
				}
				for _, verb := range verbs {
					allowed := grants.Allow(rbac.Request{Verb: verb, Group: k.Group, Resource: k.Resource}) != nil
					all = append(all, Probe{p.name, p.Identity, verb, k, place, allowed})
				}
			}
		}
	}
	return slices.Clip(all)
}

func (v *verifier) probePlaces(p persona, k contract.Served) []string {
	if k.Cluster {
		return []string{""}
	}
	places := []string{"default"}
	for _, t := range v.tenants {
		if ns := v1alpha1.NamespaceOf(t.Name); ns != p.home && t.DeletionTimestamp == nil {
			places = append(places, ns)
			break
		}
	}
	if p.home != "" {
		places = append(places, p.home)
	}
	return places
}

// Sample is an object of the kind that is asked for, as small as it can be.
func (p Probe) Sample(version string) *unstructured.Unstructured {
	o := &unstructured.Unstructured{Object: map[string]any{}}
	group := p.Kind.Group + "/"
	o.SetAPIVersion(strings.TrimPrefix(group+version, "/"))
	o.SetKind(p.Kind.Kind)
	o.SetName(ProbeName)
	o.SetNamespace(p.Namespace)
	if p.Kind.Group == rbacGroup { // which role it is decides whether one may bind it
		o.Object["roleRef"] = map[string]any{"apiGroup": rbacGroup, "kind": "ClusterRole", "name": ProbeName}
	}
	return o
}

// compareProbes finds where the API server answers otherwise than the contract. A change
// that RBAC lets through may still be refused by a policy: then less is given, and the
// cells have told of what is more.
func (v *verifier) compareProbes() {
	v.report.Probed = len(v.Probed)
	differ := map[string][]Probed{}
	var order []string
	for _, p := range v.Probed {
		if p.Let == p.Allowed {
			continue
		}
		key := fmt.Sprint(p.Who, p.Let)
		if differ[key] == nil {
			order = append(order, key)
		}
		differ[key] = append(differ[key], p)
	}
	for _, key := range order {
		list := differ[key]
		f := finding.Finding{ID: Answered, Severity: finding.Error, Object: object(contracts, "", v1alpha1.ContractName)}
		var what []string
		for _, p := range list {
			s := asked(rbac.Request{Verb: p.Verb, Group: p.Kind.Group, Resource: p.Kind.Resource}) + where(p.Namespace)
			what = append(what, s)
			if len(f.Evidence) < shownCells {
				f.Evidence = append(f.Evidence, finding.Evidence{Object: f.Object, Field: s, Value: p.Said})
			}
		}
		is := "refuses it what the contract gives"
		if list[0].Let {
			is = "lets it do what the contract does not give"
		}
		f.Message = fmt.Sprintf("asked as %s the API server %s: %s", list[0].Who, is, few(what, 3))
		f.Mend = finding.Mend{Says: "where a finding above names a binding, mend that; otherwise another authorizer, or a policy, than those of the cluster's own objects decides: see the API server's --authorization-mode"}
		v.add(f)
	}
}
