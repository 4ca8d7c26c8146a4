package parity

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	"golang.org/x/sync/errgroup"
	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"

	"demarc.dev/demarc/internal/guardrail/offline"
)

// asked is a question with the cluster's answer.
type asked struct {
	question
	answer
}

// score is what came of comparing.
type score struct {
	// equal verdicts, and how many of these are not that all is well.
	equal, broken int
	// unknown is what a policy asked the authorizer.
	unknown int
	// invalid is what the API server does not take as an object, before any policy.
	invalid int
	// policies that were broken at least once, and those that judged and were not.
	no, yes map[string]bool
}

// compare puts questions to both, and holds the answers against each other.
func compare(t *testing.T, policies *offline.Policies, questions []question) score {
	t.Helper()
	must(t, prepare())
	s := score{no: map[string]bool{}, yes: map[string]bool{}}
	list := put(t, questions, &s)
	if len(list) == 0 {
		t.Fatal("nothing was answered")
	}
	events := readAudit(t, list)
	for _, a := range list {
		for i, request := range a.requests {
			got, err := policies.Review(request, world(t, a.At))
			must(t, err)
			s.count(got)
			if diff := differ(t, a.answer, events[a.ID], got); diff != "" {
				t.Errorf("%s, request %d (-API server +offline)\n%s", a, i, diff)
				continue
			}
			s.equal++
			if len(got.Verdicts) > 0 {
				s.broken++
			}
		}
	}
	return s
}

// atOnce is how many questions are put to the API server at the same time.
const atOnce = 4

// put puts questions to the API server. What it does not take as an object is left out.
func put(t *testing.T, questions []question, s *score) (list []asked) {
	t.Helper()
	answers := make([]answer, len(questions))
	var group errgroup.Group
	group.SetLimit(atOnce)
	for i, q := range questions {
		group.Go(func() (err error) {
			answers[i], err = send(t.Context(), q, true)
			return err
		})
	}
	must(t, group.Wait())
	for i, a := range answers {
		if text := a.refusal(); text != "" && !strings.Contains(text, "ValidatingAdmissionPolicy") {
			s.invalid++
			t.Logf("left out: %s: %.160s", questions[i], text)
			continue
		}
		list = append(list, asked{questions[i], a})
	}
	return list
}

func (s *score) count(r offline.Review) {
	no := map[string]bool{}
	for _, v := range r.Verdicts {
		if v.Outcome == offline.Unknown {
			s.unknown++
			continue
		}
		no[v.Policy], s.no[v.Policy] = true, true
	}
	for _, p := range r.Judged {
		if !no[p] {
			s.yes[p] = true
		}
	}
}

// differ says in what two answers to a question differ; empty where they do not. Of a
// refusal the API server names one policy, whichever it came to first.
func differ(t *testing.T, a answer, e event, r offline.Review) string {
	t.Helper()
	failures, annotations := e.failures(t)
	unknown := map[string]bool{}
	for _, v := range r.Verdicts {
		unknown[v.Policy] = unknown[v.Policy] || v.Outcome == offline.Unknown
	}
	failures = slices.DeleteFunc(failures, func(f failure) bool { return unknown[f.Policy] })
	diff := gocmp.Diff(failures, told(r, admissionregistrationv1.Audit))
	diff += gocmp.Diff(inOrder(annotations), inOrder(r.Annotations))
	diff += gocmp.Diff(announced(a), warnings(r))
	text, refusals := a.refusal(), told(r, admissionregistrationv1.Deny)
	named := slices.ContainsFunc(refusals, func(f failure) bool { return strings.HasSuffix(text, f.refusal()) })
	if (text != "") != r.Refused() || text != "" && !named {
		diff += fmt.Sprintf("the API server says %q, and offline %v", text, refusals)
	}
	return diff
}

// inOrder are annotations with the values of several parameters in one order: the API
// server takes parameters as they come.
func inOrder(annotations map[string]string) map[string]string {
	out := map[string]string{}
	for key, value := range annotations {
		parts := strings.Split(value, ", ")
		slices.Sort(parts)
		out[key] = strings.Join(parts, ", ")
	}
	return out
}

// told are the verdicts of an action, as the audit log has them.
func told(r offline.Review, action admissionregistrationv1.ValidationAction) (list []failure) {
	for _, v := range r.Verdicts {
		if v.Does(action) && v.Outcome != offline.Unknown {
			list = append(list, failure{v.Policy, v.Binding, v.Message})
		}
	}
	return sorted(list)
}

func sorted(list []failure) []failure {
	slices.SortStableFunc(list, func(a, b failure) int {
		return cmp.Or(cmp.Compare(a.Policy, b.Policy), cmp.Compare(a.Binding, b.Binding))
	})
	return list
}

// refusal is how the API server words one.
func (f failure) refusal() string {
	return "ValidatingAdmissionPolicy '" + f.Policy + "' with binding '" + f.Binding + "' denied request: " + f.Message
}

// announced are the policies of which an answer warns. Its texts are cut short.
func announced(a answer) (list []string) {
	for _, w := range a.Warnings {
		if _, rest, ok := strings.Cut(w, "Validation failed for ValidatingAdmissionPolicy '"); ok {
			name, _, _ := strings.Cut(rest, "'")
			list = append(list, name)
		}
	}
	slices.Sort(list)
	return slices.Compact(list)
}

func warnings(r offline.Review) (list []string) {
	for _, f := range told(r, admissionregistrationv1.Warn) {
		list = append(list, f.Policy)
	}
	return slices.Compact(list)
}
