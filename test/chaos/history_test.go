package main

import (
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"demarc.dev/demarc/api/v1alpha1"
	"demarc.dev/demarc/test/auditlog"
)

// diary makes events of a log, one each second, each write with the next version.
type diary struct {
	t      *testing.T
	events []auditlog.Request
}

func (d *diary) write(user, verb, resource, name string, change func(*auditlog.Object)) {
	n := len(d.events)
	at := time.Unix(int64(n), 0)
	r := auditlog.Request{Stage: "ResponseComplete", Verb: verb, RequestReceivedTimestamp: at.Add(-100 * time.Millisecond), StageTimestamp: at}
	r.User.Username = user
	r.ObjectRef.Resource, r.ObjectRef.Name = resource, name
	r.ResponseStatus.Code = 200
	r.ResponseObject = &auditlog.Object{Kind: "some", Metadata: metav1.ObjectMeta{
		Name: name, UID: types.UID("uid-" + name), ResourceVersion: string(rune('1'+n)) + "0",
		Labels: map[string]string{v1alpha1.LabelOwner: "x", v1alpha1.LabelTenant: "x"},
	}}
	change(r.ResponseObject)
	d.events = append(d.events, r)
}

func (d *diary) verdict(outages ...time.Time) ([]string, int) {
	h := newHistory(outages)
	for _, e := range d.events {
		h.add(e)
	}
	return h.verdict()
}

func now() *metav1.Time { return &metav1.Time{Time: time.Unix(1, 0)} }

// Steps of a team's life, each one write.
func (d *diary) claimHeld(going bool) {
	d.write(auditlog.OperatorUser, "patch", "serviceclaims", "c", func(o *auditlog.Object) {
		o.Spec.Team, o.Metadata.Finalizers = "a", []string{v1alpha1.FinalizerClaim}
		if going {
			o.Metadata.DeletionTimestamp = now()
		}
	})
}

func (d *diary) claimGone() {
	d.write(auditlog.OperatorUser, "patch", "serviceclaims", "c", func(o *auditlog.Object) {
		o.Spec.Team, o.Metadata.DeletionTimestamp = "a", now()
	})
}

func (d *diary) application(drained, going, gone bool) {
	d.write(auditlog.OperatorUser, "patch", "applications", "a.c", func(o *auditlog.Object) {
		o.Spec.Project = "team-a"
		o.Metadata.Annotations = map[string]string{v1alpha1.AnnotationOwnerUID: "uid-c"}
		if drained {
			o.Metadata.Annotations[v1alpha1.AnnotationDrained] = "why"
		}
		if going || gone {
			o.Metadata.DeletionTimestamp = now()
		}
		if !gone {
			o.Metadata.Finalizers = []string{"argocd"}
		}
	})
}

func (d *diary) drained(resource string) {
	d.write(auditlog.OperatorUser, "patch", resource, "team-a", func(o *auditlog.Object) {
		o.Metadata.Annotations = map[string]string{v1alpha1.AnnotationDrained: "why"}
	})
}

func TestHistoryKnowsTheOrderOfDeletion(t *testing.T) {
	for name, test := range map[string]struct {
		tell  func(*diary)
		wrong int
	}{
		"in order": {func(d *diary) {
			d.claimHeld(false)
			d.application(false, false, false)
			d.claimHeld(true)
			d.application(true, false, false)
			d.application(true, true, false)
			d.application(true, true, true)
			d.claimGone()
			d.drained("appprojects")
			d.drained("namespaces")
		}, 0},
		"the namespace before the claim": {func(d *diary) {
			d.claimHeld(true)
			d.drained("namespaces")
			d.claimGone()
		}, 1},
		"the project before the Application": {func(d *diary) {
			d.application(true, true, false)
			d.drained("appprojects")
			d.application(true, true, true)
		}, 1},
		"the Application of a claim that lives": {func(d *diary) {
			d.claimHeld(false)
			d.application(true, false, false)
		}, 1},
		"somebody else's namespace": {func(d *diary) {
			d.write("ann", "create", "namespaces", "team-b", func(*auditlog.Object) {})
			d.write(auditlog.OperatorUser, "patch", "namespaces", "team-b", func(*auditlog.Object) {})
		}, 1},
		"what is nobody's": {func(d *diary) {
			d.write(auditlog.OperatorUser, "patch", "rolebindings", "r", func(o *auditlog.Object) { o.Metadata.Labels = nil })
		}, 1},
		"deleting what was never seen": {func(d *diary) {
			d.write(auditlog.OperatorUser, "delete", "rolebindings", "r", func(o *auditlog.Object) { *o = auditlog.Object{Kind: "Status"} })
		}, 1},
	} {
		t.Run(name, func(t *testing.T) {
			d := &diary{t: t}
			test.tell(d)
			if wrong, untold := d.verdict(); len(wrong) != test.wrong || untold != 0 {
				t.Errorf("wrong: %v, untold: %d; want %d and none", wrong, untold, test.wrong)
			}
		})
	}
}

// Where the API server was ended between the last that is known of a claim and the end of its namespace, the write that
// let the claim go may not be in the log.
func TestHistoryCannotTellWhatAnOutageHid(t *testing.T) {
	d := &diary{t: t}
	d.claimHeld(true)
	d.drained("namespaces")
	if wrong, untold := d.verdict(time.Unix(0, 5e8)); len(wrong) != 0 || untold != 1 {
		t.Errorf("wrong: %v, untold: %d", wrong, untold)
	}
	d.claimHeld(true) // seen alive later: it was there all the time
	if wrong, _ := d.verdict(time.Unix(0, 5e8)); len(wrong) != 1 {
		t.Errorf("wrong: %v", wrong)
	}
}

// A write whose answer nobody waited for any more, since the operator was killed, may have been done.
func TestHistoryCannotTellWhatBecameOfAWriteThatFailed(t *testing.T) {
	d := &diary{t: t}
	failed := func(verb, resource, name string) {
		d.write(auditlog.OperatorUser, verb, resource, name, func(o *auditlog.Object) { *o = auditlog.Object{Kind: "Status"} })
		d.events[len(d.events)-1].ResponseStatus.Code = 504
	}
	d.claimHeld(true)
	failed("patch", "serviceclaims", "c")
	d.drained("namespaces")
	failed("create", "clusterrolebindings", "r")
	d.write(auditlog.OperatorUser, "delete", "clusterrolebindings", "r", func(o *auditlog.Object) { *o = auditlog.Object{Kind: "Status"} })
	if wrong, untold := d.verdict(); len(wrong) != 0 || untold != 1 {
		t.Errorf("wrong: %v, untold: %d", wrong, untold)
	}
}
