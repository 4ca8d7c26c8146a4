// Package adoption tells what spec.adopt of a Tenant would change in a namespace that is
// there already, before it does: labels, objects, access, the budget against what is in
// use, pods that would be refused if they were made again, and traffic that would be cut.
// It is pure: what was read goes in, a report comes out. What would be written is what
// internal/render renders for the operator.
package adoption

import (
	"demarc.dev/demarc/internal/snapshot"
)

// Report is the answer.
type Report struct {
	Namespace string `json:"namespace"`
	Team      string `json:"team"`
	// TenantExists says that the Tenant is there; Refused is what the API server says
	// to it with spec.adopt, empty where it takes it.
	TenantExists bool   `json:"tenantExists"`
	Refused      string `json:"refused,omitempty"`
	// Owners are others who lay claim to the namespace.
	Owners []string `json:"owners,omitempty"`
	// Labels and Annotations of the namespace that change.
	Labels      []Mark `json:"labels,omitempty"`
	Annotations []Mark `json:"annotations,omitempty"`
	// Objects that are made; a conflict is one of that name that is not ours.
	Objects []Object `json:"objects"`
	// Access that people get, and the bindings that stay as they are.
	Access []Grant   `json:"access"`
	Stays  []Binding `json:"stays,omitempty"`
	// Budget against what is in use now; empty without a budget.
	Budget []Use `json:"budget,omitempty"`
	// Refusals of pods, if they were made again. What runs goes on running.
	Refusals []Refusal `json:"refusals,omitempty"`
	// Traffic that is cut, or let in, as far as can be said.
	Traffic []string `json:"traffic,omitempty"`
	// Notes are worth knowing and no trouble.
	Notes []string `json:"notes,omitempty"`
	// Unread is what could not be read.
	Unread []snapshot.Unread `json:"unread,omitempty"`
}

// Mark is a label or an annotation that changes.
type Mark struct {
	Key string `json:"key"`
	New string `json:"new"`
	// Old value that is replaced; nil where there is none.
	Old *string `json:"old,omitempty"`
}

// Object is one object that adoption writes.
type Object struct {
	Name string `json:"name"`
	// Conflict names whose the object is that stands in its place.
	Conflict string `json:"conflict,omitempty"`
	// There says that it is ours already, Unread that it could not be looked at.
	There  bool `json:"there,omitempty"`
	Unread bool `json:"unread,omitempty"`
}

// Grant is one subject's role in the namespace.
type Grant struct {
	Subject string `json:"subject"`
	Role    string `json:"role"`
}

// Binding is a RoleBinding that stays.
type Binding struct {
	Name     string   `json:"name"`
	Role     string   `json:"role"`
	Subjects []string `json:"subjects"`
	// Outside says that it gives people, or accounts of other namespaces, access that
	// the Tenant does not speak of.
	Outside bool `json:"outside,omitempty"`
}

// Use is one key of the budget.
type Use struct {
	Key  string `json:"key"`
	Hard string `json:"hard"`
	// Used is what the quota controller will count; empty where pods could not be read.
	Used string `json:"used,omitempty"`
	// Renewed is what the same pods would use if all were made again, with the
	// defaults that containers get which say nothing.
	Renewed string `json:"renewed,omitempty"`
	// Over says by how much the greater of the two is above the budget.
	Over string `json:"over,omitempty"`
}

// Refusal is a pod, or a workload's pods, that would not be made again.
type Refusal struct {
	Object string `json:"object"`
	// Pods of it that run now.
	Pods int `json:"pods"`
	// By is PodSecurity, LimitRange or ResourceQuota.
	By  string `json:"by"`
	Why string `json:"why"`
}

// Verdict is what a report comes to.
type Verdict int

const (
	// Clean: nothing would be refused.
	Clean Verdict = iota
	// Found: something would.
	Found
	// Unknown: nothing was found, and not all could be read.
	Unknown
)

// Verdict of the report. What was found counts for more than what was not read.
func (r Report) Verdict() Verdict {
	found := len(r.Refusals) > 0 || r.Refused != "" || len(r.Conflicts()) > 0
	for _, u := range r.Budget {
		found = found || u.Over != ""
	}
	switch {
	case found:
		return Found
	case len(r.Unread) > 0:
		return Unknown
	default:
		return Clean
	}
}

// Conflicts are the objects that are somebody else's: until they go nothing is written
// to them, and the adoption is incomplete.
func (r Report) Conflicts() (names []string) {
	for _, o := range r.Objects {
		if o.Conflict != "" {
			names = append(names, o.Name)
		}
	}
	return names
}
