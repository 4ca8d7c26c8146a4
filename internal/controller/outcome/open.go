package outcome

import (
	"context"

	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"demarc.dev/demarc/api/v1alpha1"
)

// OpenOfTeam is an index of what a team asked for and that has not ended. What has ended
// stays until somebody deletes it, and is not to be gone through each time.
const OpenOfTeam = "open-of-team"

// IndexOpen makes that index for AccessGrants or BudgetRequests.
func IndexOpen(mgr ctrl.Manager, of client.Object) error {
	return mgr.GetFieldIndexer().IndexField(context.Background(), of, OpenOfTeam, func(o client.Object) []string {
		switch asked := o.(type) {
		case *v1alpha1.AccessGrant:
			return open(asked.Status.Life, asked.Spec.Team)
		case *v1alpha1.BudgetRequest:
			return open(asked.Status.Life, asked.Spec.Team)
		}
		return nil
	})
}

func open(life v1alpha1.Life, team string) []string {
	if life.EndedAt != nil {
		return nil
	}
	return []string{team}
}
