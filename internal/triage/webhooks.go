package triage

import (
	"fmt"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"demarc.dev/demarc/internal/finding"
)

// webhooks that fail what they cannot judge, and behind which nothing answers: DM509.
func webhooks(w *world) (all []found) {
	for _, kind := range []schema.GroupKind{validatingKind, mutatingKind} {
		for _, o := range w.objects[kind] {
			hooks, _ := o.Object["webhooks"].([]any)
			for _, h := range hooks {
				hook, _ := h.(map[string]any)
				if f := w.webhook(refOf(kind, o), hook); f != nil {
					all = append(all, *f)
				}
			}
		}
	}
	return all
}

func (w *world) webhook(ref finding.Object, hook map[string]any) *found {
	by := child(child(hook, "clientConfig"), "service")
	namespace, name := text(by, "namespace"), text(by, "name")
	if by == nil || text(hook, "failurePolicy") == "Ignore" || !w.knows(serviceKind, namespace) {
		return nil
	}
	f := &found{id: "DM509", object: ref, part: text(hook, "name"), args: map[string]string{"webhook": text(hook, "name")},
		evidence: []finding.Evidence{{Object: ref, Field: "webhooks.clientConfig.service", Value: namespace + "/" + name}}}
	for _, s := range w.servicesIn[namespace] {
		if s.Name != name {
			continue
		}
		behind := w.behind(s)
		if len(s.Spec.Selector) == 0 || !w.knows(podKind, namespace) || w.servedBy(refOf(serviceKind, s), behind) || !w.longWithout(behind) {
			return nil
		}
		f.message = fmt.Sprintf("webhook %s must be asked, and nothing behind its service %s in %s is ready: what it judges is refused", text(hook, "name"), name, namespace)
		f.after = w.servedFrom(namespace, name)
		return f
	}
	f.message = fmt.Sprintf("webhook %s must be asked, and its service %s in %s is not there: what it judges is refused", text(hook, "name"), name, namespace)
	return f
}

// configurationOf is what configures a webhook, as a cause.
func (w *world) configurationOf(webhook string) (causes []cause) {
	for _, kind := range []schema.GroupKind{validatingKind, mutatingKind} {
		for _, o := range w.objects[kind] {
			hooks, _ := o.Object["webhooks"].([]any)
			for _, h := range hooks {
				if hook, _ := h.(map[string]any); text(hook, "name") == webhook {
					causes = append(causes, cause{refOf(kind, o), []string{"DM509"}})
				}
			}
		}
	}
	return causes
}
