package adoption

import (
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/pod-security-admission/api"
	"k8s.io/pod-security-admission/policy"

	"demarc.dev/demarc/internal/render"
	"demarc.dev/demarc/internal/snapshot"
)

// refusals asks of each workload, and of each pod that nothing makes, whether its pods
// would be made again. The Pod Security level is asked by the library that the API
// server itself uses: a dry run of the label would warn of pods that run, and say
// nothing of a workload that has none just now.
func (p *preview) refusals(all []*made) []Refusal {
	evaluator, err := p.evaluator()
	if err != nil {
		p.report.Unread = append(p.report.Unread, snapshot.Unread{Verb: "evaluate", Resource: "Pod Security", Why: err.Error()})
	}
	var out []Refusal
	for _, m := range all {
		spec := m.template.Spec.DeepCopy()
		p.defaults(spec)
		if evaluator != nil {
			if why := evaluator(m); why != "" {
				out = append(out, Refusal{m.name, len(m.pods), "PodSecurity", why})
			}
		}
		for _, why := range aboveLimit(spec, &m.template.Spec) {
			out = append(out, Refusal{m.name, len(m.pods), "LimitRange", why})
		}
		if why := p.tooLarge(spec); why != "" {
			out = append(out, Refusal{m.name, len(m.pods), "ResourceQuota", why})
		}
	}
	p.otherLimits()
	return out
}

// evaluator asks Pod Security at the level of the Platform and the version of the
// API server.
func (p *preview) evaluator() (func(*made) string, error) {
	level, err := api.ParseLevel(p.settings.PodSecurity)
	if err != nil {
		return nil, err
	}
	version := api.LatestVersion()
	if p.question.Server != "" {
		if version, err = api.ParseVersion(p.question.Server); err != nil {
			return nil, err
		}
	}
	checks, err := policy.NewEvaluator(policy.DefaultChecks(), nil)
	if err != nil {
		return nil, err
	}
	return func(m *made) string {
		result := policy.AggregateCheckResults(checks.EvaluatePod(api.LevelVersion{Level: level, Version: version}, &m.template.ObjectMeta, &m.template.Spec))
		if result.Allowed {
			return ""
		}
		return "violates " + string(level) + ": " + result.ForbiddenDetail()
	}, nil
}

// aboveLimit finds containers whose own request is above the limit that they would be
// given: the API server takes no such pod.
func aboveLimit(filled, said *corev1.PodSpec) (why []string) {
	own := slices.Concat(said.InitContainers, said.Containers)
	for i, c := range slices.Concat(filled.InitContainers, filled.Containers) {
		for key, limit := range c.Resources.Limits {
			request, asks := c.Resources.Requests[key]
			if _, saidLimit := own[i].Resources.Limits[key]; saidLimit || !asks || request.Cmp(limit) <= 0 {
				continue
			}
			why = append(why, fmt.Sprintf("container %s requests %s of %s and sets no limit: the default limit of %s would be below it", c.Name, request.String(), key, limit.String()))
		}
	}
	return why
}

// tooLarge says by which key one pod alone is above the whole budget.
func (p *preview) tooLarge(spec *corev1.PodSpec) string {
	if p.space.Quota == nil {
		return ""
	}
	quota, err := snapshot.Into[corev1.ResourceQuota](p.space.Quota)
	if err != nil {
		return ""
	}
	var why []string
	for key, asks := range Usage(&corev1.Pod{Spec: *spec}) {
		if hard, limited := quota.Spec.Hard[key]; limited && asks.Cmp(hard) > 0 {
			why = append(why, fmt.Sprintf("one pod asks for %s of %s, and the whole budget is %s", asks.String(), key, hard.String()))
		}
	}
	slices.Sort(why)
	return strings.Join(why, "; ")
}

// otherLimits notes LimitRanges that stay: which default wins is nowhere said.
func (p *preview) otherLimits() {
	for _, l := range in[corev1.LimitRange](p, kindLimits) {
		if l.Name != render.LimitsName {
			p.note("LimitRange %s stays and holds beside Demarc's; where both have a default for a container, either may win", l.Name)
		}
	}
}
