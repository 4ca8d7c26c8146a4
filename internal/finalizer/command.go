package finalizer

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Known reports whether a finalizer is one of Kubernetes', Argo CD's or Demarc's own,
// or common beside them.
func Known(name string) bool {
	_, ok := known[name]
	return ok
}

// Names lists the finalizers that are known.
func Names() []string { return slices.Sorted(maps.Keys(known)) }

// Command is what to run for the next step where a finalizer stays. object is what it
// is on, as kubectl takes it, and all its finalizers.
func Command(name, object string, all []string) string {
	switch Of(name).Controller {
	case Operator:
		return "kubectl -n demarc-system get pods"
	case ArgoCD:
		return "kubectl get pods -A -l app.kubernetes.io/name=argocd-application-controller"
	}
	if Known(name) {
		return "kubectl describe " + object
	}
	return Remove(name, object, all)
}

// Remove is how a finalizer is taken off by hand, that one alone and only where it
// still stands in its place.
func Remove(name, object string, all []string) string {
	at := slices.Index(all, name)
	if at < 0 {
		return ""
	}
	path := fmt.Sprintf("/metadata/finalizers/%d", at)
	patch, err := json.Marshal([]map[string]string{
		{"op": "test", "path": path, "value": name},
		{"op": "remove", "path": path},
	})
	if err != nil {
		return ""
	}
	return "kubectl patch " + object + " --type=json -p " + Quoted(string(patch))
}

// Quoted is a word of a shell's command line, whatever is in it.
func Quoted(word string) string { return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'" }
