package guardrail

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"demarc.dev/demarc/api/v1alpha1"
	"demarc.dev/demarc/internal/guardrail"
	"demarc.dev/demarc/internal/testenv"
)

// excepted is the team of a rule that is given exceptions; no operator runs here.
func excepted(rule string) string { return rule + "-excepted" }

// exceptions are those that were given, by team.
var exceptions = struct {
	sync.Mutex
	all map[string][]guardrail.Allowed
}{all: map[string][]guardrail.Allowed{}}

// except gives a rule's team these exceptions. Time does not pass here, ends are moved.
func except(t *testing.T, rule string, allowed ...guardrail.Allowed) {
	t.Helper()
	exceptions.Lock()
	defer exceptions.Unlock()
	exceptions.all[excepted(rule)] = allowed
	patch, err := json.Marshal(fields{"spec": fields{"exceptions": guardrail.Holds{Exceptions: exceptions.all}.Spec().Exceptions}})
	must(t, err)
	name := ruleNamed(t, rule).Set(v1alpha1.GuardrailDeny)
	must(t, env.Client.Patch(t.Context(), &v1alpha1.GuardrailSet{ObjectMeta: metav1.ObjectMeta{Name: name}}, client.RawPatch(types.MergePatchType, patch)))
}

func until(name string, expires time.Duration, labels map[string]string, rules ...string) guardrail.Allowed {
	return guardrail.Allowed{Name: name, Rules: rules, MatchLabels: labels, Expires: metav1.NewTime(time.Now().Add(expires).Truncate(time.Second))}
}

// passes waits until something is not refused; refuses until it is, with these words.
func passes(t *testing.T, what string, try func() error) {
	t.Helper()
	testenv.Eventually(t, func() error {
		if err := try(); err != nil {
			return fmt.Errorf("%s: %w", what, err)
		}
		return nil
	})
}

func refuses(t *testing.T, rule, what, words string, try func() error) {
	t.Helper()
	testenv.Eventually(t, func() error {
		if err := try(); !refusedBy(rule, err) || !strings.Contains(err.Error(), words) {
			return fmt.Errorf("%s: want a refusal with %q: %v", what, words, err)
		}
		return nil
	})
}

// An exception lets a team do what a rule refuses until its end; after that the refusal says
// when that was. Each use is in the audit log.
func TestExceptionOnCreate(t *testing.T) {
	t.Parallel()
	const rule = "image-registry"
	try := func() error { return create(t, excepted(rule), example(t, ruleNamed(t, rule).Bad)) }
	refuses(t, rule, "without one", "", try)
	except(t, rule, until("another", time.Hour, nil, "image-tag", "seccomp"))
	refuses(t, rule, "from other rules", "", try)
	except(t, rule, until("holds", time.Hour, nil, "image-tag", rule), until("lapsed", -48*time.Hour, nil, rule))
	passes(t, "while it holds", try)
	over := until("over", -time.Hour, nil, rule)
	except(t, rule, over, until("longer", -48*time.Hour, nil, rule))
	refuses(t, rule, "after its end", ". The exception over ended at "+over.Expires.UTC().Format(time.RFC3339)+". To ask for an exception: demarc exception request "+excepted(rule)+" --rule "+rule, try)
	testenv.Eventually(t, func() error {
		log, err := os.ReadFile(auditLog)
		if err == nil && !noted(string(log), v1alpha1.NamespaceOf(excepted(rule)), `"demarc-rule-image-registry/exception":"holds until `, "spec.template.spec.containers[web].image") {
			err = fmt.Errorf("its use is not in the audit log")
		}
		return err
	})
}

// What an exception let in stays after its end and can be changed, and gets no worse.
func TestExceptionOnUpdate(t *testing.T) {
	t.Parallel()
	const rule = "image-tag"
	o := example(t, ruleNamed(t, rule).Good)
	o.SetNamespace(v1alpha1.NamespaceOf(excepted(rule)))
	o.SetGenerateName("e-")
	o.SetName("")
	must(t, env.Client.Create(t.Context(), o))
	image := func(name string) func() error {
		return func() error {
			return env.Client.Patch(t.Context(), o.DeepCopy(), client.RawPatch(types.StrategicMergePatchType,
				fmt.Appendf(nil, `{"spec":{"template":{"spec":{"containers":[{"name":"web","image":%q}]}}}}`, name)))
		}
	}
	refuses(t, rule, "without one", "", image("x:latest"))
	except(t, rule, until("holds", time.Hour, nil, rule))
	passes(t, "while it holds", image("x:latest"))
	except(t, rule, until("holds", -time.Hour, nil, rule))
	refuses(t, rule, "another one after its end", "The exception holds ended at", image("y:latest"))
	passes(t, "the same after its end", image("x:latest"))
	must(t, env.Client.Patch(t.Context(), o.DeepCopy(), client.RawPatch(types.MergePatchType, []byte(`{"metadata":{"labels":{"a":"b"}},"spec":{"replicas":3}}`))))
}

// An exception with labels is for objects that have all of them.
func TestExceptionWithLabels(t *testing.T) {
	t.Parallel()
	const rule = "privileged"
	except(t, rule, until("narrow", time.Hour, map[string]string{"app": "web", "tier": ""}, rule))
	with := func(labels map[string]string) func() error {
		o := example(t, ruleNamed(t, rule).Bad)
		o.SetLabels(labels)
		return func() error { return create(t, excepted(rule), o) }
	}
	passes(t, "with both labels and more", with(map[string]string{"app": "web", "tier": "", "x": "y"}))
	for _, labels := range []map[string]string{nil, {"app": "web"}, {"app": "web", "tier": "x"}, {"app": "api", "tier": ""}, {"tier": ""}} {
		refuses(t, rule, fmt.Sprint(labels), "", with(labels))
	}
}

// An exception of one team is none of another's.
func TestExceptionOfAnotherTeam(t *testing.T) {
	t.Parallel()
	const rule = "host-path"
	except(t, rule, until("theirs", time.Hour, nil, rule))
	bad := example(t, ruleNamed(t, rule).Bad)
	passes(t, "the team itself", func() error { return create(t, excepted(rule), bad) })
	if err := create(t, rule, bad); !refusedBy(rule, err) {
		t.Errorf("another team: %v", err)
	}
}
