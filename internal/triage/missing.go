package triage

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"demarc.dev/demarc/internal/finding"
	"demarc.dev/demarc/internal/snapshot"
)

var (
	missingObject = regexp.MustCompile(`(?i)(configmap|secret)s? "([^"]+)" not found`)
	missingKey    = regexp.MustCompile(`(?:couldn't find key|references non-existent (?:config|secret) key:?) ?(\S*)(?: in (ConfigMap|Secret) \S+?/(\S+))?`)
)

// DM114 to DM118: the container cannot be made of what it refers to.
func unmade(w *world, c container) *found {
	reason, message := c.waits()
	switch reason {
	case "CreateContainerConfigError", "CreateContainerError", "PreCreateHookError", "PreStartHookError":
	default:
		return nil
	}
	if f, told := missing(w, c.pod, message, c.waiting()); told {
		return f
	}
	if has(message, "runAsNonRoot", "non-numeric user") {
		return c.of("DM117", fmt.Sprintf("%s must not run as root, and its image would: %s", c.words(), said(message)), c.waiting())
	}
	return c.of("DM118", fmt.Sprintf("%s cannot be made: %s", c.words(), said(message)), c.waiting())
}

// missing is a ConfigMap or Secret, or a key of one, that a pod needs and that is not there.
// It is one finding for all that need it, and none while it is being made.
func missing(w *world, p *pod, message string, seen finding.Evidence) (f *found, told bool) {
	if m := missingObject.FindStringSubmatch(message); m != nil {
		kind, id := configMapKind, "DM114"
		if strings.EqualFold(m[1], "secret") {
			kind, id = secretKind, "DM115"
		}
		if w.making(finding.Object{Kind: kind.Kind, Namespace: p.Namespace, Name: m[2]}) {
			return nil, true
		}
		one := p.of(id, fmt.Sprintf("%s %s is not there, and pods of %s cannot start without it", kind.Kind, m[2], words(p.top)), seen)
		one.object = finding.Object{Kind: kind.Kind, Namespace: p.Namespace, Name: m[2]}
		one.hits, one.after = []finding.Object{p.top}, w.makersOf(one.object)
		return &one, true
	}
	m := missingKey.FindStringSubmatch(message)
	if m == nil {
		return nil, false
	}
	one := p.of("DM116", fmt.Sprintf("pods of %s cannot start: %s", words(p.top), said(message)), seen)
	one.part, one.args["key"] = m[1], m[1]
	if m[3] != "" {
		one.object = finding.Object{Kind: m[2], Namespace: p.Namespace, Name: m[3]}
		one.hits, one.after = []finding.Object{p.top}, w.makersOf(one.object)
	}
	if m[2] == "Secret" {
		one.domains = []string{"secrets"}
	}
	return &one, true
}

// maker is what would make a Secret, the finding that says that it cannot, and how long that
// is waited for.
type maker struct {
	snapshot.Object
	id   string
	long time.Duration
}

// makers of a Secret: an ExternalSecret, or a Certificate.
func (w *world) makers(o finding.Object) []maker {
	if o.Kind != secretKind.Kind {
		return nil
	}
	if w.makes == nil {
		w.makes = map[finding.Object][]maker{}
		add := func(of snapshot.Object, name, id string, long time.Duration) {
			secret := finding.Object{Kind: secretKind.Kind, Namespace: of.GetNamespace(), Name: name}
			w.makes[secret] = append(w.makes[secret], maker{of, id, long})
		}
		for _, e := range w.objects[externalKind] {
			add(e, cmp.Or(text(child(child(e.Object, "spec"), "target"), "name"), e.GetName()), "DM141", settle)
		}
		for _, c := range w.objects[certificateKind] {
			add(c, text(child(c.Object, "spec"), "secretName"), "DM220", slow)
		}
	}
	return w.makes[o]
}

// makersOf are what would make an object, as causes.
func (w *world) makersOf(o finding.Object) (list []cause) {
	for _, m := range w.makers(o) {
		list = append(list, cause{refOf(m.GroupVersionKind().GroupKind(), m), []string{m.id}})
	}
	return list
}

// making says that an object is under way: whatever makes it has not had the time that it takes
// (an authority asks back over the network before it issues).
func (w *world) making(o finding.Object) bool {
	return slices.ContainsFunc(w.makers(o), func(m maker) bool {
		v, told := verdictOf(m.Object, "Ready")
		if !told {
			return w.since(m.GetCreationTimestamp().Time) < m.long
		}
		return v.status != "True" && w.since(v.at) < m.long
	})
}
