package parity

import (
	"context"
	"fmt"
	"os"
	"sync"
	"testing"
	"time"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"demarc.dev/demarc/internal/guardrail/offline"
	"demarc.dev/demarc/internal/manifest"
)

const (
	own     = "own"
	ownFile = "testdata/own.yaml"
)

// ownWorld is what is in the namespace of users' own policies.
func ownWorld() []runtime.Object {
	parameter := func(name, least string) *corev1.ConfigMap {
		return &corev1.ConfigMap{TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "ConfigMap"},
			ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: own, Labels: map[string]string{"parameter": "yes"}}, Data: map[string]string{"least": least}}
	}
	space := &corev1.Namespace{TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Namespace"},
		ObjectMeta: metav1.ObjectMeta{Name: own, Annotations: map[string]string{"note": "a note"}}}
	return []runtime.Object{space, parameter("few", "0"), parameter("many", "2")}
}

// ownBindings bind each policy to the namespace, to note what it finds; two have more.
func ownBindings(policies []*admissionregistrationv1.ValidatingAdmissionPolicy) (list []*admissionregistrationv1.ValidatingAdmissionPolicyBinding) {
	add := func(name, policy string, edit func(*admissionregistrationv1.ValidatingAdmissionPolicyBindingSpec)) {
		b := &admissionregistrationv1.ValidatingAdmissionPolicyBinding{TypeMeta: metav1.TypeMeta{APIVersion: "admissionregistration.k8s.io/v1", Kind: "ValidatingAdmissionPolicyBinding"}}
		b.Name, b.Spec.PolicyName = name, policy
		b.Spec.ValidationActions = []admissionregistrationv1.ValidationAction{admissionregistrationv1.Audit}
		b.Spec.MatchResources = &admissionregistrationv1.MatchResources{NamespaceSelector: &metav1.LabelSelector{MatchLabels: map[string]string{corev1.LabelMetadataName: own}}}
		edit(&b.Spec)
		list = append(list, b)
	}
	type spec = admissionregistrationv1.ValidatingAdmissionPolicyBindingSpec
	allow, deny := ptr.To(admissionregistrationv1.AllowAction), ptr.To(admissionregistrationv1.DenyAction)
	for _, p := range policies {
		switch p.Name {
		case "own-each-parameter":
			add(p.Name, p.Name, func(s *spec) {
				s.ParamRef = &admissionregistrationv1.ParamRef{Selector: &metav1.LabelSelector{MatchLabels: map[string]string{"parameter": "yes"}}, ParameterNotFoundAction: deny}
			})
		case "own-no-parameter":
			add(p.Name+"-allow", p.Name, func(s *spec) {
				s.ParamRef = &admissionregistrationv1.ParamRef{Name: "nowhere", ParameterNotFoundAction: allow}
			})
			add(p.Name+"-deny", p.Name, func(s *spec) {
				s.ParamRef = &admissionregistrationv1.ParamRef{Name: "nowhere", ParameterNotFoundAction: deny}
				s.MatchResources.ObjectSelector = &metav1.LabelSelector{MatchLabels: map[string]string{"chosen": "yes"}}
			})
			add(p.Name+"-some", p.Name, func(s *spec) {
				s.ParamRef = &admissionregistrationv1.ParamRef{Name: "few", ParameterNotFoundAction: deny}
			})
		default:
			add(p.Name, p.Name, func(*spec) {})
		}
	}
	return list
}

func ownSource(t testing.TB) offline.Source {
	t.Helper()
	text, err := os.ReadFile(ownFile)
	must(t, err)
	docs, err := manifest.Parse(ownFile, string(text))
	must(t, err)
	source, err := offline.Read(docs)
	must(t, err)
	source.Bindings = ownBindings(source.Policies)
	return source
}

// prepareOwn makes users' own policies in the cluster, once, and waits until the last speaks.
var prepareOwn = sync.OnceValue(func() error {
	ctx := context.Background()
	for _, o := range ownWorld() {
		if err := store(ctx, "", o); err != nil {
			return err
		}
	}
	account := parsed(`{"apiVersion":"v1","kind":"ServiceAccount","metadata":{"name":"default","namespace":"own"}}`)
	for _, o := range append([]runtime.Object{account}, ownStored()...) {
		if err := store(ctx, "", o); err != nil {
			return err
		}
	}
	return nil
})

// ownStored are objects that are there before.
func ownStored() []runtime.Object {
	return []runtime.Object{
		parsed(`{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"named","namespace":"own"},"data":{"a":"b"}}`),
		parsed(`{"apiVersion":"v1","kind":"Secret","metadata":{"name":"named","namespace":"own"},"data":{"a":"Yg=="}}`),
		parsed(`{"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"named","namespace":"own"},"spec":{"selector":{"matchLabels":{"a":"b"}},"template":{"metadata":{"labels":{"a":"b"}},"spec":{"containers":[{"name":"a","image":"a"}]}}}}`),
	}
}

// Users' own policies are evaluated as the API server does, whatever they use; what asks the
// authorizer is not known, and counted apart.
func TestParityOfOwn(t *testing.T) {
	must(t, prepare())
	must(t, prepareOwn())
	source := ownSource(t)
	for _, p := range source.Policies {
		must(t, client.IgnoreAlreadyExists(env.Client.Create(t.Context(), p.DeepCopy())))
	}
	for _, b := range source.Bindings {
		must(t, client.IgnoreAlreadyExists(env.Client.Create(t.Context(), b.DeepCopy())))
	}
	policies, err := source.Compile()
	must(t, err)
	awaitOwn(t)
	s := compare(t, policies, ownQuestions(t))
	t.Logf("%d verdicts are equal, %d of them say no, %d are unknown", s.equal, s.broken, s.unknown)
	if s.unknown != 3 || s.invalid > 0 {
		t.Errorf("%d are unknown, %d requests are invalid", s.unknown, s.invalid)
	}
	for _, p := range source.Policies {
		if p.Name != "own-asks" && p.Name != "own-annotation-fails" && !s.no[p.Name] {
			t.Errorf("%s never said no", p.Name)
		}
	}
}

// awaitOwn waits until a policy that was made last speaks.
func awaitOwn(t *testing.T) {
	t.Helper()
	deadline := time.Now().Add(3 * time.Minute)
	tick := time.NewTicker(100 * time.Millisecond)
	defer tick.Stop()
	for {
		a := ask(t, in("", `{"apiVersion":"v1","kind":"ServiceAccount","metadata":{"name":"probe","labels":{"chosen":"yes"}}}`), true)
		b := ask(t, in("", `{"apiVersion":"v1","kind":"Endpoints","metadata":{"name":"probe"}}`), true)
		if a.Code == 422 && b.Code == 422 {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("the policies do not hold: %d %s, %d %s", a.Code, a.refusal(), b.Code, b.refusal())
		}
		<-tick.C
	}
}

// in is the question whether an object may be made in the namespace own.
func in(what, text string) question {
	o := parsed(text)
	q := create(what, own, o)
	q.requests[0].Object = placedIn(o, own)
	q.body, q.where = q.requests[0].Object, address(o, own)
	q.what = fmt.Sprintf("create %T %s", o, what)
	return q
}
