package incidents

import (
	"cmp"
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/types"

	"demarc.dev/demarc/api/v1alpha1"
	"demarc.dev/demarc/internal/finding"
	"demarc.dev/demarc/test/cluster"
)

// incident is one thing that goes wrong and is mended. Its team, its claim and the team's
// repository have its name.
type incident struct {
	name string
	// tenant is what its spec has, cluster.Roomy where it is empty.
	tenant string
	// claim is what its spec has beside the team. Where it is empty the service comes of files
	// in the team's repository.
	claim string
	files map[string]string
	// wrong makes it go wrong, mend mends it, as a person would.
	wrong, mend func(t *testing.T, i incident)

	// id of the finding that names it, about which object, and who must act.
	id     string
	about  finding.Object
	owner  v1alpha1.Party
	domain string
	// says is in its words, and severity is how grave it gets.
	says     string
	severity finding.Severity
	// ready is that the service stays Ready.
	ready bool
	// outside is what the claim says of it, and so a developer hears, where it is about nothing
	// of the team's: claims tell no words on others' objects.
	outside string
	// milder is how grave it is to a developer, where that is for what they may not read.
	milder finding.Severity
}

func (i incident) namespace() string { return v1alpha1.NamespaceOf(i.name) }

func (i incident) happens(t *testing.T) {
	i.runs(t)
	begun := time.Now()
	i.quiet(t)
	i.wrong(t, i)
	i.told(t)
	t.Logf("told after %s", time.Since(begun).Round(time.Second))
	i.named(t)
	if i.ready {
		on.ClaimSays(t, patience, i.name, "Ready", "Running")
	}
	begun = time.Now()
	i.mend(t, i)
	i.forgotten(t)
	t.Logf("forgotten after %s", time.Since(begun).Round(time.Second))
	i.quiet(t)
}

// runs makes the service, and waits until it runs.
func (i incident) runs(t *testing.T) {
	t.Helper()
	tenant, claim := i.tenant, i.claim
	if tenant == "" {
		tenant = cluster.Roomy
	}
	if claim == "" {
		i.commit(t, i.files)
		url := "'" + i.repository(t) + "'"
		tenant, claim = tenant+", sources: [{repoURL: "+url+"}]", "source: {repoURL: "+url+", targetRevision: main}"
	}
	on.Apply(t, cluster.Tenant(i.name, tenant), cluster.Claim(i.name, i.name, claim))
	on.ClaimSays(t, patience, i.name, "Ready", "Running")
}

// told waits until all that the operator writes names it.
func (i incident) told(t *testing.T) {
	t.Helper()
	cluster.Eventually(t, patience, func(ctx context.Context) error {
		claim, team, err := i.read(ctx)
		if err != nil {
			return err
		}
		c := meta.FindStatusCondition(claim.Status.Conditions, "Diagnosed")
		says := cmp.Or(i.outside, i.says)
		if c == nil || c.Status != "True" || c.Reason != i.id || !strings.Contains(c.Message, says) || i.outside == "" && !strings.Contains(c.Message, "Next, "+string(i.owner)+": ") {
			return fmt.Errorf("the claim is diagnosed %+v, want %s with %q", c, i.id, says)
		}
		want := v1alpha1.ClaimFinding{ID: i.id, Severity: string(i.severity), Owner: i.owner, Object: i.about.String()}
		if f := claim.Status.Findings; len(f) != 1 || f[0] != want {
			return fmt.Errorf("the claim lists %+v, want %+v alone", f, want)
		}
		if f := team.Status.Findings; f == nil || f.Open != 1 || f.Errors != errorsOf(i.severity) {
			return fmt.Errorf("the Tenant counts %+v, want this one alone", f)
		}
		return nil
	})
	i.measured(t, 1)
	i.event(t, "FindingOpened", fmt.Sprintf("%s of %s, for the %s: ", i.id, i.about, i.owner))
}

// forgotten waits until nothing of it is left, and the service runs.
func (i incident) forgotten(t *testing.T) {
	t.Helper()
	cluster.Eventually(t, patience, func(ctx context.Context) error {
		claim, team, err := i.read(ctx)
		if err != nil {
			return err
		}
		if c := meta.FindStatusCondition(claim.Status.Conditions, "Diagnosed"); c != nil || len(claim.Status.Findings) > 0 {
			return fmt.Errorf("the claim is still diagnosed %+v, and lists %+v", c, claim.Status.Findings)
		}
		if f := team.Status.Findings; f != nil {
			return fmt.Errorf("the Tenant still counts %+v", f)
		}
		return cluster.Says(claim.Status.Conditions, claim.Generation, "Ready", "Running")
	})
	i.measured(t, 0)
	i.event(t, "FindingClosed", fmt.Sprintf("%s of %s is gone", i.id, i.about))
}

func (i incident) read(ctx context.Context) (*v1alpha1.ServiceClaim, *v1alpha1.Tenant, error) {
	claim, team := &v1alpha1.ServiceClaim{}, &v1alpha1.Tenant{}
	key := types.NamespacedName{Name: i.name}
	if err := on.Client.Get(ctx, key, claim); err != nil {
		return nil, nil, err
	}
	return claim, team, on.Client.Get(ctx, key, team)
}

func errorsOf(s finding.Severity) int32 {
	if s == finding.Error {
		return 1
	}
	return 0
}
