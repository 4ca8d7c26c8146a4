package contract

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"golang.org/x/sync/errgroup"
	"k8s.io/client-go/discovery"

	"demarc.dev/demarc/api/v1alpha1"
	"demarc.dev/demarc/internal/who"
)

// duties are the six answers.
var duties = []string{"creates", "modifies", "approves", "monitors", "paged", "deletes"}

// asked: demarc who answers for every kind that is served here.
func asked(t *testing.T) {
	client, err := discovery.NewDiscoveryClientForConfig(on.Config)
	if err != nil {
		t.Fatal(err)
	}
	lists, err := client.ServerPreferredResources()
	if err != nil {
		t.Fatal(err)
	}
	var group errgroup.Group
	group.SetLimit(4)
	kinds := 0
	for _, list := range lists {
		api, _, named := strings.Cut(list.GroupVersion, "/")
		for _, r := range list.APIResources {
			if strings.Contains(r.Name, "/") {
				continue
			}
			kinds++
			kind := r.Name
			if named {
				kind += "." + api
			}
			group.Go(func() error {
				answers(t, kind)
				return nil
			})
		}
	}
	_ = group.Wait()
	if kinds < 70 {
		t.Errorf("only %d kinds are served", kinds)
	}
	t.Logf("%d kinds", kinds)
}

func answers(t *testing.T, kind string) {
	out, code := demarc(t, "who", kind, "-o", "json")
	var a who.Answer
	if err := json.Unmarshal([]byte(out), &a); err != nil || code != 0 {
		t.Errorf("who %s ends with %d: %v: %s", kind, code, err, out)
		return
	}
	var told []string
	for _, d := range a.Answers {
		told = append(told, d.Duty)
		if !slices.Contains([]v1alpha1.Party{v1alpha1.PartyPlatform, v1alpha1.PartyTeam, v1alpha1.PartyShared, v1alpha1.PartyNobody}, d.Answer) {
			t.Errorf("who %s: %s is answered with %q", kind, d.Duty, d.Answer)
		}
	}
	if !slices.Equal(told, duties) || a.Domain.Name == "" || a.Domain.Unlisted {
		t.Errorf("who %s answers %q, in domain %q (unlisted: %v)", kind, told, a.Domain.Name, a.Domain.Unlisted)
	}
}
