package status

import (
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"demarc.dev/demarc/internal/history"
)

// main is the container that the service is: the one that is named after it, or the first.
func (s *service) main(p corev1.PodSpec) string {
	name := ""
	switch {
	case s.claim != nil:
		name = s.claim.Name
	case len(s.workloads) > 0:
		name = s.workloads[0].ref.Name
	}
	return history.Main(p, name).Name
}

// image answers: which image is it?
func (s *service) image() Said {
	asked := ""
	if s.claim != nil {
		asked = s.claim.Spec.Image
	}
	if words, ok := s.missed(podKind); ok {
		if asked != "" {
			return Said{Unknown, "the claim asks for " + asked + "; what runs is " + words}
		}
		return Said{Unknown, words}
	}
	images, count := s.images()
	switch {
	case len(images) == 0 && asked != "":
		return Said{Wait, "the claim asks for " + asked + "; no pod has it"}
	case len(images) == 0:
		return Said{Wait, "no pod is there: the template asks for " + strings.Join(s.templates(), ", ")}
	}
	var out []string
	level, there := OK, false
	for _, image := range images {
		says := fmt.Sprintf("%s on %s", image, pods(count[image]))
		switch name, _, _ := strings.Cut(image, " ("); {
		case asked == "":
		case name == asked:
			says, there = says+", as the claim asks", true
		default:
			level = Wait
		}
		out = append(out, says)
	}
	if asked != "" && !there {
		out = append(out, "the claim asks for "+asked)
	}
	return Said{level, strings.Join(out, "; ")}
}

// images of the pods that are there, each with how many have it. A tag says which image is
// asked for, the digest which one it is.
func (s *service) images() (order []string, count map[string]int32) {
	count = map[string]int32{}
	list := s.living()
	if len(list) == 0 && s.ends() {
		list = s.pods
	}
	for _, p := range list {
		name := s.main(p.Spec)
		image := ""
		for _, c := range p.Spec.Containers {
			if c.Name == name {
				image = c.Image
			}
		}
		for _, c := range p.Status.ContainerStatuses {
			if c.Name == name && !strings.Contains(image, "@") {
				image += digest(c.ImageID)
			}
		}
		if image == "" {
			continue
		}
		if count[image] == 0 {
			order = append(order, image)
		}
		count[image]++
	}
	return order, count
}

// digest is the short form of the digest in an image's id.
func digest(id string) string {
	_, hex, ok := strings.Cut(id, "sha256:")
	if !ok || len(hex) < 12 {
		return ""
	}
	return " (sha256:" + hex[:12] + ")"
}

func (s *service) templates() (out []string) {
	for _, w := range s.workloads {
		if image := history.Main(w.pods.Spec, w.ref.Name).Image; image != "" && !slices.Contains(out, image) {
			out = append(out, image)
		}
	}
	return out
}
