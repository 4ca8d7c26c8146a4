package status

import (
	"bytes"
	"cmp"
	"slices"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"

	"demarc.dev/demarc/internal/history"
	"demarc.dev/demarc/internal/render"
	"demarc.dev/demarc/internal/snapshot"
)

// Change is one thing that was done lately.
type Change struct {
	// At is absent where the cluster keeps no time of it.
	At     *time.Time `json:"at,omitempty"`
	Object string     `json:"object"`
	By     string     `json:"by"`
	What   string     `json:"what"`
}

// mostChanges is how many are kept.
const mostChanges = 20

// changes are who wrote the claim and its workloads, and what Argo CD delivered, newest
// first; notes say what is not known.
func (s *service) changes() (out []Change, notes []string) {
	if s.claim != nil {
		out = append(out, written(s.set.Get(ClaimKind, "", s.claim.Name), "claim/"+s.claim.Name)...)
		app := "Application " + render.ApplicationName(s.claim)
		h, _ := history.Of(s.set, s.claim.Name)
		for _, d := range h.Deliveries {
			what := "delivered revision " + short(d.Git)
			if d.Image != "" {
				what = "delivered " + d.Image
			}
			out = append(out, Change{At: d.At, Object: app, By: cmp.Or(d.By, "Argo CD"), What: what})
		}
		if u, missed := s.set.Missed(applicationKind, render.SettingsOf(s.platform).ArgoCDNamespace, render.ApplicationName(s.claim)); missed {
			notes = append(notes, "what Argo CD delivered is "+notKnown(history.Because(u)))
		}
	}
	for _, w := range s.workloads {
		for _, c := range written(w.object, words(w.ref)) {
			if s.claim == nil || !strings.Contains(c.By, "Argo CD") { // its deliveries are told of above
				out = append(out, c)
			}
		}
	}
	slices.SortStableFunc(out, func(a, b Change) int {
		if a.At == nil || b.At == nil {
			return cmp.Compare(b2i(a.At == nil), b2i(b.At == nil))
		}
		return b.At.Compare(*a.At)
	})
	return out[:min(len(out), mostChanges)], notes
}

func b2i(b bool) int {
	if b {
		return 1
	}
	return 0
}

// machines write all the time, as their work.
var machines = []string{"kube-controller-manager", "kubelet", "kube-scheduler"}

// written lists who holds fields of an object's spec, by its managed fields. What a manager
// held before it wrote last is not told apart from what it changed then.
func written(o snapshot.Object, name string) (out []Change) {
	if o == nil {
		return nil
	}
	for _, e := range o.GetManagedFields() {
		fields := specFields(e)
		if e.Subresource == "status" || slices.Contains(machines, e.Manager) || len(fields) == 0 {
			continue
		}
		c := Change{Object: name, By: history.Manager(e.Manager), What: "holds " + some(fields, 2)}
		if e.Subresource != "" {
			c.What += ", by its " + e.Subresource
		}
		if e.Time != nil {
			at := e.Time.UTC()
			c.At = &at
		}
		out = append(out, c)
	}
	return out
}

// specFields are the fields of the spec that an entry holds, down to those that a person
// would name.
func specFields(e metav1.ManagedFieldsEntry) (out []string) {
	set := &fieldpath.Set{}
	if e.FieldsV1 == nil || set.FromJSON(bytes.NewReader(e.FieldsV1.GetRawBytes())) != nil {
		return nil
	}
	for path := range set.Leaves().All() {
		text := strings.TrimPrefix(path.String(), ".")
		if strings.HasPrefix(text, "spec.") && !slices.Contains(out, text) {
			out = append(out, text)
		}
	}
	slices.SortFunc(out, func(a, b string) int {
		return cmp.Or(cmp.Compare(b2i(!telling(a)), b2i(!telling(b))), cmp.Compare(a, b))
	})
	return out
}

// telling fields come first: they are what mostly is changed.
func telling(field string) bool {
	return strings.HasSuffix(field, "image") || strings.HasSuffix(field, "replicas") || strings.Contains(field, ".resources.")
}

// short is a commit as people write it.
func short(revision string) string {
	if len(revision) == 40 && strings.Trim(revision, "0123456789abcdef") == "" {
		return revision[:8]
	}
	return revision
}
