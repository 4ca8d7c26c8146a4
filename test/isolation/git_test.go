package isolation

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/types"

	"demarc.dev/demarc/internal/argocd"
	"demarc.dev/demarc/internal/kube"
	"demarc.dev/demarc/test/cluster"
)

// smuggled is one object in a team's Git, and what its refusal says. Nothing refuses
// it where refused is empty.
type smuggled struct {
	// what it is, as docs/isolation.md says it.
	what string
	// object is Kind/name, as Argo CD reports it.
	object   string
	manifest string
	refused  string
}

// commit puts files into a folder of the attacker's repository and has them delivered
// by a claim of the folder's name.
func commit(t *testing.T, folder string, files map[string]string) {
	t.Helper()
	repo, err := on.Box.Repository(t.Context(), "rogue")
	if err != nil {
		t.Fatal(err)
	}
	content := map[string][]byte{}
	for name, text := range files {
		content[folder+"/"+name] = []byte(text)
	}
	if _, err := repo.Commit(t.Context(), "deliver "+folder, content); err != nil {
		t.Fatal(err)
	}
	on.Apply(t, cluster.Claim(folder, "rogue", "source: {repoURL: '"+repo.URL()+"', path: "+folder+", targetRevision: main}"))
}

// smuggle delivers all of these in one commit and waits until Argo CD has said of each
// what it must say.
func smuggle(t *testing.T, folder string, all []smuggled) {
	t.Helper()
	files := map[string]string{}
	for i, s := range all {
		files[fmt.Sprintf("%02d.yaml", i)] = s.manifest
	}
	commit(t, folder, files)
	cluster.Eventually(t, patience, func(ctx context.Context) error {
		said, err := results(ctx, folder)
		if err != nil {
			return err
		}
		var missing []string
		for _, s := range all {
			got, want := said[s.object], "SyncFailed: "
			if s.refused == "" {
				want = "Synced: "
			}
			if !strings.HasPrefix(got, want) || !says(got, s.refused) {
				missing = append(missing, fmt.Sprintf("%s (%s): %q, want it %s%q", s.what, s.object, got, want, s.refused))
			}
		}
		if len(missing) > 0 {
			return fmt.Errorf("%d of %d:\n%s", len(missing), len(all), strings.Join(missing, "\n"))
		}
		return nil
	})
}

// results is what the last sync of a claim's Application said of each object.
func results(ctx context.Context, name string) (map[string]string, error) {
	u := kube.Named(argocd.ApplicationKind, "argocd", "rogue."+name)
	if err := on.Client.Get(ctx, types.NamespacedName{Namespace: u.GetNamespace(), Name: u.GetName()}, u); err != nil {
		return nil, err
	}
	app, err := argocd.Decode(u)
	if err != nil {
		return nil, err
	}
	if app.Status.OperationState == nil {
		return nil, fmt.Errorf("no sync yet: %+v", app.Status.Conditions)
	}
	said := map[string]string{}
	for _, r := range app.Status.OperationState.SyncResult.Resources {
		said[r.Kind+"/"+r.Name] = r.Status + ": " + r.Message
	}
	return said, nil
}
