package who_test

import (
	"testing"

	"demarc.dev/demarc/api/v1alpha1"
	"demarc.dev/demarc/internal/contract"
	"demarc.dev/demarc/internal/snapshot"
	"demarc.dev/demarc/internal/who"
)

// article is the operational matrix: each row's domain, an object of it where it is about
// objects, and who has it: the platform, the application team, or both.
var article = []struct {
	row, domain, kind, field string
	owner                    v1alpha1.Party
}{
	{"Control plane", "control-plane", "apiservice", "", "platform"},
	{"Node pools", "node-pools", "node", "", "platform"},
	{"Kubernetes upgrades", "kubernetes-upgrades", "", "", "platform"},
	{"Namespace creation", "namespace-creation", "namespace", "", "platform"},
	{"RBAC platform roles", "rbac-platform-roles", "clusterrole", "", "platform"},
	{"Application RBAC", "application-rbac", "role", "", "team"},
	{"Application deployment", "application-deployment", "deployment", "", "team"},
	{"ConfigMaps", "configmaps", "configmap", "", "team"},
	{"Secrets", "secrets", "secret", "", "team"},
	{"Resource quotas", "resource-quotas", "resourcequota", "", "platform"},
	{"CPU/memory requests", "cpu-memory-requests", "deployment", "spec.template.spec.containers[0].resources.requests.cpu", "team"},
	{"Application health", "application-health", "deployment", "spec.template.spec.containers[name=web].readinessProbe", "team"},
	{"Configuration drift", "configuration-drift", "application", "", "platform"},
	{"Cluster incidents", "cluster-incidents", "", "", "platform"},
	{"Application incidents", "application-incidents", "", "", "team"},
	{"Security policies", "security-policies", "networkpolicy", "", "platform"},
	{"Cost optimization", "cost-optimization", "", "", "shared"},
}

// The rows of the article give the article's owners, asked by the domain that an alert
// carries and by the kind and field.
func TestArticle(t *testing.T) {
	if len(article) != 17 {
		t.Fatalf("the article has 17 rows, not %d", len(article))
	}
	for _, c := range article {
		t.Run(c.row, func(t *testing.T) {
			questions := []who.Question{{From: who.FromNothing, Alert: map[string]string{"demarc_domain": c.domain, "demarc_team": "payments"}}}
			if c.kind != "" {
				questions = append(questions, about(t, c.kind, c.field))
			}
			for _, q := range questions {
				a := who.Decide(&snapshot.Set{}, q).Answer
				if a.Domain.Name != c.domain || a.Answers[1].Duty != "modifies" || a.Answers[1].Answer != c.owner {
					t.Errorf("%s is in domain %s and %+v, want %s and %s", a.About, a.Domain.Name, a.Answers[1], c.domain, c.owner)
				}
				if c.owner == v1alpha1.PartyShared && a.Domain.DecisionHow == "" {
					t.Errorf("%s is shared, and it is not said how that is decided", a.About)
				}
			}
		})
	}
}

func about(t *testing.T, kind, field string) who.Question {
	t.Helper()
	o, ok := who.ParseKind(kind, &snapshot.Set{})
	if !ok {
		t.Fatalf("no kind %s", kind)
	}
	q := who.Question{From: who.FromNothing, Object: &o}
	if field != "" {
		f, err := who.ParseField(field)
		if err != nil {
			t.Fatal(err)
		}
		q.Field = f
	}
	return q
}

// Every kind that a cluster serves has an answer: six duties of known parties, a domain
// of the contract, and a way to change it.
func TestEveryKind(t *testing.T) {
	for _, k := range contract.Known() {
		for _, name := range []string{"", "one"} {
			o := who.Object{Group: k.Group, Kind: k.Kind, Resource: k.Resource, Cluster: k.Cluster, Name: name}
			if !k.Cluster {
				o.Namespace = "team-payments"
			}
			d := who.Decide(&snapshot.Set{}, who.Question{From: who.FromCluster, Object: &o})
			if len(d.Answers) != 6 || d.Domain.Unlisted || d.Change.Path == "" || len(d.Asks) < 7 {
				t.Errorf("%s has no whole answer: %+v", o, d.Answer)
			}
			for _, answer := range d.Answers {
				if answer.Who == "" || answer.Answer == v1alpha1.PartyNobody && answer.Means == "" {
					t.Errorf("%s: %+v says nothing", o, answer)
				}
			}
		}
		for _, word := range []string{k.Kind, k.Resource + "." + k.Group} {
			found, ok := who.ParseKind(word, &snapshot.Set{})
			if !ok || found.Kind != k.Kind {
				t.Errorf("the word %s gives %v", word, found)
			}
		}
	}
}
