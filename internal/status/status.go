// Package status answers the seven questions about one service: is it running, is it ready,
// why did it restart, what does its log say, which image is it, is its rollout progressing,
// is it throttled. Beside these stand the claim's conditions, what the team's budget has
// left, who changed what lately, and what triage finds. What could not be read is not known,
// and why.
package status

import (
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"demarc.dev/demarc/internal/finding"
	"demarc.dev/demarc/internal/readiness"
	"demarc.dev/demarc/internal/snapshot"
)

// Question is which service is asked about.
type Question struct {
	// Claim by its name; empty where a workload is asked about.
	Claim string
	// Namespace and Workload name an object that makes pods; Kind is empty where any may be
	// meant that has the name.
	Namespace, Kind, Workload string
	// Now is the time to compare with.
	Now time.Time
	// Log is what was read of the log that LogOf asks for, nil where none was asked for.
	Log *Log
	// Throttle is what Prometheus said, nil where it was not asked.
	Throttle *Throttle
}

// Level says how an answer is to be taken.
type Level string

// The levels. Unknown is what could not be read; the words say why.
const (
	OK      Level = "ok"
	Wait    Level = "wait"
	Bad     Level = "bad"
	Unknown Level = "unknown"
)

// Said is the answer to one question.
type Said struct {
	Level Level  `json:"level"`
	Says  string `json:"says"`
}

// Answer is how a service is. Its field names in JSON stay.
type Answer struct {
	// Service in words, such as claim/web or deployment/api in team-shop.
	Service   string    `json:"service"`
	Claim     string    `json:"claim,omitempty"`
	Team      string    `json:"team,omitempty"`
	Namespace string    `json:"namespace"`
	Workloads []string  `json:"workloads,omitempty"`
	At        time.Time `json:"at"`
	// Overall is how it is in a word, and since when.
	Overall Said       `json:"overall"`
	Since   *time.Time `json:"since,omitempty"`

	Running   Said `json:"running"`
	Ready     Said `json:"ready"`
	Restarted Said `json:"restarted"`
	Log       Tail `json:"log"`
	Image     Said `json:"image"`
	Rollout   Said `json:"rollout"`
	Throttled Said `json:"throttled"`

	Conditions []Condition       `json:"conditions,omitempty"`
	Findings   []finding.Finding `json:"findings,omitempty"`
	Budget     []Budget          `json:"budget,omitempty"`
	// BudgetSays is why there is none.
	BudgetSays string   `json:"budgetSays,omitempty"`
	Changes    []Change `json:"changes,omitempty"`
	// Notes say what of the changes is not known.
	Notes []string `json:"notes,omitempty"`
	// Progress is how far the rollout is.
	Progress Progress          `json:"progress"`
	Unread   []snapshot.Unread `json:"unread,omitempty"`
}

// Condition of the claim.
type Condition struct {
	Type    string     `json:"type"`
	Status  string     `json:"status"`
	Reason  string     `json:"reason,omitempty"`
	Message string     `json:"message,omitempty"`
	Since   *time.Time `json:"since,omitempty"`
	// Stale is that it speaks of the claim before its last change.
	Stale bool `json:"stale,omitempty"`
}

// Of answers from what was read; ok is whether there is such a service in the set.
func Of(set *snapshot.Set, q Question) (a Answer, ok bool) {
	s, ok := read(set, q)
	if !ok {
		return Answer{}, false
	}
	a = Answer{Service: s.words(), Team: s.team, Namespace: s.namespace, At: s.now}
	if s.claim != nil {
		a.Claim = s.claim.Name
	}
	for _, w := range s.workloads {
		a.Workloads = append(a.Workloads, words(w.ref))
	}
	a.Running, a.Ready, a.Restarted = s.running(), s.ready(), s.restarted()
	a.Log, a.Image, a.Rollout = s.log(q.Log), s.image(), s.rollout()
	a.Throttled = s.throttled(q.Throttle)
	a.Findings = s.findings()
	a.Conditions = s.conditions(a.Findings)
	a.Budget, a.BudgetSays = s.budget()
	a.Changes, a.Notes = s.changes()
	a.Progress = s.progress()
	a.Overall, a.Since = s.overall(a)
	for _, u := range set.Unread() {
		if !u.NotAsked() {
			a.Unread = append(a.Unread, u)
		}
	}
	a.clean()
	return a, true
}

// overall sums the answers up.
func (s *service) overall(a Answer) (Said, *time.Time) {
	bad := a.Progress.Failed || a.Running.Level == Bad || a.Ready.Level == Bad
	if s.claim != nil {
		return s.claimed(a, bad || len(a.Findings) > 0)
	}
	switch {
	case bad:
		return Said{Bad, "in trouble"}, nil
	case a.Running.Level == Unknown, a.Rollout.Level == Unknown:
		return Said{Unknown, "not known"}, nil
	case a.Progress.Done:
		return Said{OK, "ready"}, nil
	}
	return Said{Wait, "on its way"}, nil
}

// claimed goes by the claim's own word, where it is of the claim as it is now.
func (s *service) claimed(a Answer, bad bool) (Said, *time.Time) {
	c := meta.FindStatusCondition(s.claim.Status.Conditions, readiness.Ready)
	if c == nil {
		return Said{Unknown, "not known: the operator has not said anything of it yet"}, nil
	}
	since := c.LastTransitionTime.UTC()
	switch {
	case c.ObservedGeneration < s.claim.Generation:
		return Said{Wait, "on its way: the operator has not taken up its last change yet"}, nil
	case c.Status == metav1.ConditionTrue && a.Running.Level != Bad:
		return Said{OK, "ready"}, &since
	case bad:
		return Said{Bad, "in trouble"}, &since
	}
	return Said{Wait, "on its way"}, &since
}

// conditions of the claim; kstatus's own two say again what Ready says, and Diagnosed what is
// found here too, unless who asks may not read what it is about.
func (s *service) conditions(found []finding.Finding) (out []Condition) {
	if s.claim == nil {
		return nil
	}
	for _, c := range s.claim.Status.Conditions {
		again := c.Type == readiness.Diagnosed && slices.ContainsFunc(found, func(f finding.Finding) bool { return f.ID == c.Reason })
		if c.Type == readiness.Reconciling || c.Type == readiness.Stalled || again {
			continue
		}
		one := Condition{Type: c.Type, Status: string(c.Status), Reason: c.Reason, Message: c.Message, Stale: c.ObservedGeneration < s.claim.Generation}
		if !c.LastTransitionTime.IsZero() {
			at := c.LastTransitionTime.UTC()
			one.Since = &at
		}
		out = append(out, one)
	}
	return out
}
