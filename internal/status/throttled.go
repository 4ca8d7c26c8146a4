package status

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"demarc.dev/demarc/internal/snapshot"
)

// Throttle is what Prometheus said.
type Throttle struct {
	// Of is the part of the periods of the last 15 minutes in which a container was held
	// back, from 0 to 1, by <pod>/<container>.
	Of map[string]float64
	// Why it is not known; empty where it is.
	Why string
}

// Query asks a Prometheus about a service.
type Query struct {
	// URL of the Prometheus.
	URL string
	// Text of the query.
	Text string
}

const (
	window = "15m"
	// much is from where on it is trouble, by the usual alert CPUThrottlingHigh; little is
	// what is not worth a word.
	much, little = 0.25, 0.01
	// mostPods bounds how long a query may become.
	mostPods = 100
)

// QueryOf is what to ask; why says why nothing is to be asked.
func QueryOf(set *snapshot.Set, q Question) (query Query, why string) {
	s, ok := read(set, q)
	if !ok {
		return Query{}, "there is no such service"
	}
	return s.query()
}

func (s *service) query() (query Query, why string) {
	if s.platform == nil {
		if u, missed := s.set.Missed(platformKind, "", "default"); missed {
			return Query{}, "you may not " + u.String()
		}
		return Query{}, "no Prometheus is named (spec.prometheus of Platform default)"
	}
	if s.platform.Spec.Prometheus == nil {
		return Query{}, "no Prometheus is named (spec.prometheus of Platform default)"
	}
	var names []string
	for _, p := range s.living() {
		names = append(names, regexp.QuoteMeta(p.Name))
	}
	if len(names) == 0 {
		return Query{}, "no pod runs"
	}
	slices.Sort(names)
	names = names[:min(len(names), mostPods)]
	return Query{URL: s.platform.Spec.Prometheus.URL, Text: throttling(s.namespace, names)}, ""
}

// throttling is the part of the scheduler's periods in which containers had used up their
// limit. Periods are counted only for containers that have one.
func throttling(namespace string, pods []string) string {
	which := fmt.Sprintf(`{namespace=%q,pod=~%q,container!="",container!="POD"}[%s]`, namespace, strings.Join(pods, "|"), window)
	return "sum by (pod, container) (increase(container_cpu_cfs_throttled_periods_total" + which + "))" +
		" / sum by (pod, container) (increase(container_cpu_cfs_periods_total" + which + "))"
}

// throttled answers: is it throttled?
func (s *service) throttled(said *Throttle) Said {
	if words, ok := s.missed(podKind); ok {
		return Said{Unknown, words}
	}
	if !s.limited() && len(s.living()) > 0 {
		return Said{OK, "no: its containers have no CPU limit"}
	}
	if _, why := s.query(); why != "" {
		return Said{Unknown, notKnown(why)}
	}
	switch {
	case said == nil:
		return Said{Unknown, notKnown("Prometheus was not asked")}
	case said.Why != "":
		return Said{Unknown, notKnown(said.Why)}
	case len(said.Of) == 0:
		return Said{Unknown, notKnown("Prometheus has counted no periods of these containers in the last " + window)}
	}
	worst, at := -1.0, ""
	for name, part := range said.Of {
		if part > worst || part == worst && name < at {
			worst, at = part, name
		}
	}
	pod, container, _ := strings.Cut(at, "/")
	where := fmt.Sprintf("container %s of %s was held back in %.0f%% of its CPU periods of the last %s", container, pod, worst*100, window)
	switch {
	case worst >= much:
		return Said{Bad, "yes: " + where + s.limit(container)}
	case worst >= little:
		return Said{OK, "a little: " + where + s.limit(container)}
	}
	return Said{OK, "no, in the last " + window}
}

// limited says that a container has a CPU limit.
func (s *service) limited() bool {
	return slices.ContainsFunc(s.living(), func(p *corev1.Pod) bool {
		return slices.ContainsFunc(slices.Concat(p.Spec.InitContainers, p.Spec.Containers), func(c corev1.Container) bool {
			_, has := c.Resources.Limits[corev1.ResourceCPU]
			return has
		})
	})
}

// limit is a container's limit, in words.
func (s *service) limit(container string) string {
	for _, p := range s.living() {
		for _, c := range p.Spec.Containers {
			if limit, ok := c.Resources.Limits[corev1.ResourceCPU]; ok && c.Name == container {
				return "; its CPU limit is " + limit.String()
			}
		}
	}
	return ""
}
