package check

import (
	"cmp"
	"fmt"
	"slices"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"demarc.dev/demarc/api/v1alpha1"
	"demarc.dev/demarc/internal/finding"
	"demarc.dev/demarc/internal/guardrail"
	"demarc.dev/demarc/internal/guardrail/admitted"
	"demarc.dev/demarc/internal/guardrail/offline"
	"demarc.dev/demarc/internal/snapshot"
)

// LiveQuestion asks what a cluster would refuse if it were made today.
type LiveQuestion struct {
	Set   *snapshot.Set
	Rules *Rules
	// Team alone; empty is all of them. Only are the rules that are looked at, off or not;
	// none is all that hold for anybody.
	Team string
	Only []string
}

// LiveAnswer is what is to be said of a cluster.
type LiveAnswer struct {
	Findings []finding.Finding `json:"findings"`
	// Rows count the objects of a team that break a rule.
	Rows []Row `json:"rows"`
	// Frozen are controllers that could no longer do their work if the rule were deny.
	Frozen []Frozen `json:"frozen"`
	// Judged are how many objects were looked at.
	Judged int               `json:"judged"`
	Unread []snapshot.Unread `json:"unread,omitempty"`
}

// Row of the table.
type Row struct {
	Team string `json:"team"`
	Rule string `json:"rule"`
	// Mode that the rule has for the team now; empty for a policy of somebody's own.
	Mode    v1alpha1.GuardrailMode `json:"mode,omitempty"`
	Objects int                    `json:"objects"`
}

// Frozen is one controller.
type Frozen struct {
	Team string `json:"team"`
	Rule string `json:"rule"`
	// Object whose controller it is, what that could not do any more, and what the rule
	// says to it.
	Object  finding.Object `json:"object"`
	Cannot  string         `json:"cannot"`
	Message string         `json:"message"`
}

// Found reports whether anything is to be said.
func (a LiveAnswer) Found() bool { return len(a.Findings)+len(a.Frozen) > 0 }

// Live judges what is in a cluster as if every rule were deny.
func Live(q LiveQuestion) (LiveAnswer, error) {
	l := &live{LiveQuestion: q, rows: map[Row]int{}}
	if err := l.world(); err != nil {
		return LiveAnswer{}, err
	}
	for _, o := range q.Set.All() {
		if !l.judged(o.GroupVersionKind().GroupKind()) || o.GetDeletionTimestamp() != nil {
			continue
		}
		team := l.meets.Team(o.GetNamespace())
		if team == "" || q.Team != "" && team != q.Team {
			continue
		}
		typed, err := admitted.Typed(o)
		if err != nil {
			return LiveAnswer{}, fmt.Errorf("read %s %s in %s: %w", o.GetKind(), o.GetName(), o.GetNamespace(), err)
		}
		l.out.Judged++
		if err := l.today(team, typed); err != nil {
			return LiveAnswer{}, err
		}
		if err := l.work(team, typed); err != nil {
			return LiveAnswer{}, err
		}
	}
	l.count()
	l.out.Unread = q.Set.Unread()
	return l.out, nil
}

type live struct {
	LiveQuestion
	meets *offline.World
	sets  []v1alpha1.GuardrailSet
	kinds []schema.GroupKind
	rows  map[Row]int
	out   LiveAnswer
}

func (l *live) judged(kind schema.GroupKind) bool {
	if l.kinds == nil {
		l.kinds = l.Rules.Kinds()
	}
	return slices.Contains(l.kinds, kind)
}

// today says what would be refused if the object were made now, by whom it was made.
func (l *live) today(team string, o admitted.Object) error {
	review, err := l.Rules.policies.Review(offline.Request{Operation: offline.Create, Object: o, User: maker(o)}, l.meets)
	if err != nil {
		return err
	}
	for _, v := range l.verdicts(review) {
		row := Row{Team: team, Rule: idOf(v.Policy), Mode: l.mode(idOf(v.Policy), team)}
		l.rows[row]++
		f := finding.Finding{ID: row.Rule, Severity: severityOf(row.Mode), Domain: "application-deployment", Owner: "team",
			Object: objectOf(o, ""), Message: v.Message, Mend: finding.Mend{Says: "change it so that the policy " + v.Policy + " allows it"}}
		if rule, ok := guardrail.Find(row.Rule); ok {
			f.Docs, f.Mend.Says = Docs(row.Rule), rule.Fix
		}
		for _, p := range v.Places {
			f.Evidence = append(f.Evidence, finding.Evidence{Object: f.Object, Field: p.At, Value: p.Is})
		}
		l.out.Findings = append(l.out.Findings, f)
	}
	return nil
}

// verdicts are those of rules that are looked at, each policy once.
func (l *live) verdicts(r offline.Review) (list []offline.Verdict) {
	for _, v := range r.Verdicts {
		same := slices.ContainsFunc(list, func(o offline.Verdict) bool { return o.Policy == v.Policy })
		if v.Outcome != offline.Unknown && !same && l.wanted(idOf(v.Policy)) {
			list = append(list, v)
		}
	}
	return list
}

// wanted reports whether a rule is looked at.
func (l *live) wanted(id string) bool {
	if len(l.Only) > 0 {
		return slices.Contains(l.Only, id)
	}
	return !guardrail.Known(id) || slices.ContainsFunc(l.sets, func(s v1alpha1.GuardrailSet) bool {
		_, holds := guardrail.Read(s.Spec).Rules[id]
		return holds
	})
}

// mode that a rule has for a team now.
func (l *live) mode(rule, team string) v1alpha1.GuardrailMode {
	if !guardrail.Known(rule) {
		return ""
	}
	return guardrail.ModeOf(l.sets, rule, team)
}

func severityOf(mode v1alpha1.GuardrailMode) finding.Severity {
	switch mode {
	case v1alpha1.GuardrailDeny:
		return finding.Error
	case v1alpha1.GuardrailWarn, "":
		return finding.Warning
	default:
		return finding.Note
	}
}

// count makes the rows, and puts everything in order.
func (l *live) count() {
	for row, n := range l.rows {
		row.Objects = n
		l.out.Rows = append(l.out.Rows, row)
	}
	slices.SortFunc(l.out.Rows, func(a, b Row) int { return cmp.Or(cmp.Compare(a.Team, b.Team), cmp.Compare(a.Rule, b.Rule)) })
	finding.Sort(l.out.Findings)
}
