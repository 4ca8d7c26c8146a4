package cases

import (
	"slices"
	"time"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"demarc.dev/demarc/internal/guardrail/offline"
)

// Result is what came of a case.
type Result struct {
	Name string `json:"name"`
	File string `json:"file"`
	Line int    `json:"line"`
	// Wrong is what was not as expected; none is that all was.
	Wrong []string `json:"wrong,omitempty"`
}

// Report is what came of all.
type Report struct {
	Results []Result `json:"results"`
	// Unproven are policies of which no case sees that they refuse something, or that they
	// let something pass.
	Unproven []string `json:"unproven,omitempty"`
}

// Failed are how many cases were not as expected.
func (r Report) Failed() (n int) {
	for _, one := range r.Results {
		if len(one.Wrong) > 0 {
			n++
		}
	}
	return n
}

// Run puts every case to the policies. A policy without a binding is bound to everything,
// to refuse; now is the time of cases that say none.
func Run(source offline.Source, list []Case, now time.Time) (Report, error) {
	source.Bindings = append(slices.Clone(source.Bindings), bindings(source)...)
	policies, err := source.Compile()
	if err != nil {
		return Report{}, err
	}
	report := Report{Results: []Result{}}
	no, yes := map[string]bool{}, map[string]bool{}
	for _, c := range list {
		result := Result{Name: c.Name, File: c.File, Line: c.Line}
		said, err := c.ask(policies, source.Others, now)
		if err != nil {
			result.Wrong = []string{err.Error()}
		} else {
			result.Wrong = c.compare(policies, said)
		}
		for name, s := range said {
			no[name] = no[name] || s.word != Allowed
			yes[name] = yes[name] || s.word == Allowed
		}
		report.Results = append(report.Results, result)
	}
	for _, p := range policies.All() {
		if !no[p.Name] {
			report.Unproven = append(report.Unproven, p.Name+": no case sees it refuse something")
		}
		if !yes[p.Name] {
			report.Unproven = append(report.Unproven, p.Name+": no case sees it let something pass")
		}
	}
	return report, nil
}

// bindings of the policies that have none.
func bindings(s offline.Source) (list []*admissionregistrationv1.ValidatingAdmissionPolicyBinding) {
	for _, p := range s.Policies {
		if slices.ContainsFunc(s.Bindings, func(b *admissionregistrationv1.ValidatingAdmissionPolicyBinding) bool {
			return b.Spec.PolicyName == p.Name
		}) {
			continue
		}
		b := &admissionregistrationv1.ValidatingAdmissionPolicyBinding{}
		b.Name, b.Spec.PolicyName = p.Name, p.Name
		b.Spec.ValidationActions = []admissionregistrationv1.ValidationAction{admissionregistrationv1.Deny}
		if p.Spec.ParamKind != nil {
			b.Spec.ParamRef = &admissionregistrationv1.ParamRef{Selector: &metav1.LabelSelector{}}
		}
		list = append(list, b)
	}
	return list
}
