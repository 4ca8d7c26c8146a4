package access

import (
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"demarc.dev/demarc/api/v1alpha1"
)

// grant for zed that came so far.
func grant(name, reason string, ready metav1.ConditionStatus, ended time.Duration, edits ...func(*v1alpha1.AccessGrant)) *v1alpha1.AccessGrant {
	g := &v1alpha1.AccessGrant{ObjectMeta: metav1.ObjectMeta{Name: name},
		Spec: v1alpha1.AccessGrantSpec{Team: "payments", User: "zed", Role: "view", Reason: "r", Duration: "2h", RequestedBy: "bo"}}
	if reason != "" {
		g.Status.Conditions = []metav1.Condition{{Type: "Ready", Status: ready, Reason: reason, Message: "because of " + reason}}
	}
	if ended > 0 {
		g.Status.EndedAt = &metav1.Time{Time: noon.Add(-ended)}
	}
	for _, edit := range edits {
		edit(g)
	}
	return g
}

func begun(g *v1alpha1.AccessGrant) { g.Status.ApprovedAt = &metav1.Time{Time: noon.Add(-time.Hour)} }

// What was refused a short while ago is listed beside what waits; what ended is counted.
func TestList(t *testing.T) {
	all := []client.Object{
		grant("awaits", "AwaitingApproval", metav1.ConditionFalse, 0),
		grant("holds", "Active", metav1.ConditionTrue, 0, begun),
		grant("refused", "DurationAboveLimit", metav1.ConditionFalse, time.Hour),
		grant("refused-long-ago", "TeamNotFound", metav1.ConditionFalse, 25*time.Hour),
		grant("ended", "Expired", metav1.ConditionFalse, time.Minute, begun),
		grant("taken-back", "Revoked", metav1.ConditionFalse, time.Minute, func(g *v1alpha1.AccessGrant) { g.Spec.Revocation = &v1alpha1.Revocation{By: "bo"} }),
	}
	cl := cluster(t, nil, all...)
	names := func(out string) (list []string) {
		for _, line := range strings.Split(strings.TrimSpace(out), "\n")[1:] {
			list = append(list, strings.Fields(line)[0])
		}
		return list
	}
	code, out, says := demarc(t, cl, "access", "list")
	if got := strings.Join(names(out), " "); code != 0 || got != "awaits holds refused" || says != "Next: demarc access list --all shows 3 more that ended, and why\n" {
		t.Errorf("it ends with %d, lists %s and says %q", code, got, says)
	}
	if !strings.Contains(out, "DurationAboveLimit") {
		t.Errorf("it does not say why one was refused:\n%s", out)
	}
	if _, out, says := demarc(t, cl, "access", "list", "--all"); len(names(out)) != 6 || says != "" {
		t.Errorf("of all it lists %v and says %q", names(out), says)
	}
	if _, out, says := demarc(t, cl, "access", "list", "-o", "json"); strings.Count(out, `"name"`) != 3 || says != "" {
		t.Errorf("as JSON it prints %s and says %q", out, says)
	}
	cl = cluster(t, nil, all[3])
	if _, out, says := demarc(t, cl, "access", "list"); out != "" || says != "Nothing waits and nothing is in force; 1 ended.\nNext: demarc access list --all shows them\n" {
		t.Errorf("of what was refused long ago it prints %q and says %q", out, says)
	}
}

// Where the operator does nothing within the time, that is said, and what it said before
// the approval is not told for an answer.
func TestNothingComes(t *testing.T) {
	for name, c := range map[string]struct {
		grant *v1alpha1.AccessGrant
		args  []string
		says  string
	}{
		"never looked at": {grant("a", "", "", 0), []string{"approve"}, "access grant a is approved; the operator has not acted on it yet\nNext: see whether the operator runs"},
		"looked at before": {grant("a", "AwaitingApproval", metav1.ConditionFalse, 0), []string{"approve"},
			"access grant a is approved; the operator has not acted on it yet\n"},
		"under way": {grant("a", "ObjectTaken", metav1.ConditionFalse, 0, begun), []string{"approve"},
			"access grant a is approved; the operator is not done with it yet (ObjectTaken): because of ObjectTaken\n"},
		"revoked, and still there": {grant("a", "Active", metav1.ConditionTrue, 0, begun), []string{"revoke", "--reason", "r"},
			"access grant a is revoked; the operator has not acted on it yet\n"},
	} {
		args := append([]string{"access", c.args[0], "accessgrant.demarc.dev/a", "--timeout", "1ns"}, c.args[1:]...)
		if c.args[0] == "approve" {
			args = append(args, "--yes")
		}
		code, _, says := demarc(t, cluster(t, nil, c.grant), args...)
		if code != 1 || !strings.Contains(says, c.says) {
			t.Errorf("%s: it ends with %d and says %q, want %q", name, code, says, c.says)
		}
	}
}

// A script gets the name and nothing else.
func TestNameOfWhatWasApproved(t *testing.T) {
	cl := cluster(t, nil, grant("a", "AwaitingApproval", metav1.ConditionFalse, 0))
	code, out, says := demarc(t, cl, "access", "approve", "a", "--yes", "--wait=false", "-o", "name")
	if code != 0 || out != "accessgrant.demarc.dev/a\n" || !strings.Contains(says, "bo asks for view for user zed in team payments, for 2h: r\n") {
		t.Errorf("it ends with %d, prints %q and says %q", code, out, says)
	}
}

// Whom it is for may have no right to write it: who can end it is named.
func TestWhoEndsIt(t *testing.T) {
	for mayNot, c := range map[string]struct {
		asker string
		code  int
	}{"get AccessGrant": {"who asked for it", 2}, "patch AccessGrant": {"bo", 1}} {
		cl := cluster(t, []string{mayNot}, grant("a", "Active", metav1.ConditionTrue, 0, begun))
		code, _, says := demarc(t, cl, "access", "revoke", "a", "--reason", "r")
		if want := "Next: have " + c.asker + ", or who holds the verb approve, run: demarc access revoke a --reason TEXT"; code != c.code || !strings.Contains(says, want) {
			t.Errorf("who may not %s: it ends with %d and says %q, want %d, %q", mayNot, code, says, c.code, want)
		}
	}
	cl := cluster(t, []string{"patch AccessGrant"}, grant("a", "AwaitingApproval", metav1.ConditionFalse, 0))
	if _, _, says := demarc(t, cl, "access", "approve", "a", "--yes"); !strings.Contains(says, "Next: ask who may give you that right") {
		t.Errorf("who may not approve is told %q", says)
	}
}
