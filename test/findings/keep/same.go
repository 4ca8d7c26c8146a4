package keep

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"sigs.k8s.io/yaml"

	"demarc.dev/demarc/internal/snapshot"
)

// At is the moment at which every recorded case is read.
var At = time.Date(2026, 3, 2, 12, 0, 0, 0, time.UTC)

// Text is the objects of a case as YAML, with what is random or of the moment put in the
// same words each time: names and uids that a server makes up, addresses, versions of
// objects, commits, counts of events. Times are moved so that the case is read at At; of
// what happened in one minute all is at its beginning.
func Text(objects []snapshot.Object, s Scene) (string, error) {
	var list []snapshot.Object
	for _, o := range objects {
		list = append(list, o.DeepCopy())
	}
	names := namesOf(list)
	for _, o := range list {
		clean(o, s)
		base := o.GetCreationTimestamp().Time.Before(s.Begin)
		o.Object = walk(o.Object, func(text string) string {
			if t, ok := s.moved(text, base); ok {
				return t
			}
			for _, from := range sortedKeys(s.Places) {
				text = strings.ReplaceAll(text, from, s.Places[from])
			}
			return names.replace(text)
		}).(map[string]any)
	}
	list = events(list)
	slices.SortStableFunc(list, func(a, b snapshot.Object) int {
		return cmp.Or(cmp.Compare(rank(a), rank(b)), cmp.Compare(a.GetKind(), b.GetKind()), cmp.Compare(a.GetNamespace(), b.GetNamespace()), cmp.Compare(a.GetName(), b.GetName()))
	})
	var parts []string
	for i, o := range list {
		o.SetResourceVersion(fmt.Sprint(1001 + i))
		text, err := yaml.Marshal(o.Object)
		if err != nil {
			return "", err
		}
		parts = append(parts, string(text))
	}
	return made(strings.Join(parts, "---\n")), nil
}

// rank is where in a case a kind stands.
func rank(o snapshot.Object) int {
	for i, kind := range []string{"Node", "Tenant", "Namespace", "ServiceClaim", "Application", "LimitRange", "ResourceQuota"} {
		if o.GetKind() == kind {
			return i - 10
		}
	}
	return map[string]int{"Pod": 1, "Event": 2}[o.GetKind()]
}

func walk(v any, text func(string) string) any {
	switch v := v.(type) {
	case map[string]any:
		for k, one := range v {
			v[k] = walk(one, text)
		}
	case []any:
		for i, one := range v {
			v[i] = walk(one, text)
		}
	case string:
		return text(v)
	}
	return v
}

// moved is a time as it is in the case; ok is whether the text is one. Of what was there
// before the case (base) nobody knows how old it was.
func (s Scene) moved(text string, base bool) (string, bool) {
	t, err := time.Parse(time.RFC3339, text)
	if err != nil {
		return "", false
	}
	begin := At.Add(-s.Read.Sub(s.Begin))
	switch {
	case base && t.Before(s.Begin):
		t = At.Add(-24 * time.Hour)
	default:
		t = begin.Add(t.Sub(s.Begin).Truncate(time.Minute))
	}
	if strings.Contains(text, ".") {
		return t.Format("2006-01-02T15:04:05.000000Z"), true
	}
	return t.Format(time.RFC3339), true
}
