package main

import (
	"fmt"
	"os"
	"path/filepath"
	"time"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/yaml"

	"demarc.dev/demarc/api/v1alpha1"
	"demarc.dev/demarc/internal/guardrail"
	"demarc.dev/demarc/internal/guardrail/admitted"
	"demarc.dev/demarc/internal/render"
)

// team whose manifests they are.
const team = "shop"

// manifests are the good and the bad example of each rule as the API server would store it,
// so many times, each time under names of its own. A folder with twice the copies holds the
// same work twice.
//
// Stored they are, since demarc check fills in what the API server does and kyverno apply
// does not: of what a file leaves out the two would judge different objects.
func manifests(copies int) (files map[string]string, err error) {
	files = map[string]string{}
	for _, r := range guardrail.Catalogue() {
		for what, text := range map[string]string{"good": r.Good, "bad": r.Bad} {
			for i := range copies {
				name := fmt.Sprintf("%s-%s-%03d", r.ID, what, i+1)
				if files[name+".yaml"], err = stored(text, name); err != nil {
					return nil, fmt.Errorf("%s example of %s: %w", what, r.ID, err)
				}
			}
		}
	}
	return files, nil
}

// stored is an example as it would be stored under another name. When it was is kept, since
// the rules ask for it; by whom, and as what, is not.
func stored(text, name string) (string, error) {
	u, err := guardrail.Example(text)
	if err != nil {
		return "", err
	}
	u.SetName(name)
	u.SetNamespace(v1alpha1.NamespaceOf(team))
	o, err := admitted.Typed(u)
	if err != nil {
		return "", err
	}
	o = admitted.Create(o, time.Now(), admitted.Surroundings{Pods: filled})
	m := admitted.Meta(o)
	m.SetManagedFields(nil)
	m.SetUID("")
	m.SetGeneration(0)
	out, err := yaml.Marshal(o)
	return string(out), err
}

// filled is what Demarc's own policies fill into a team's pod.
func filled(pod *corev1.Pod) {
	s := render.SettingsOf(nil)
	guardrail.Fill(pod, team, corev1.ResourceList{corev1.ResourceCPU: s.CPURequest, corev1.ResourceMemory: s.MemoryRequest})
}

// write writes files into a new folder.
func write(dir string, files map[string]string) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			return err
		}
	}
	return nil
}
