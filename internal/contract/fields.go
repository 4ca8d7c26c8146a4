package contract

import (
	"encoding/json"
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"sync"

	admissionv1 "k8s.io/api/admissionregistration/v1"
	appsv1 "k8s.io/api/apps/v1"
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	discoveryv1 "k8s.io/api/discovery/v1"
	eventsv1 "k8s.io/api/events/v1"
	networkingv1 "k8s.io/api/networking/v1"
	policyv1 "k8s.io/api/policy/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	schedulingv1 "k8s.io/api/scheduling/v1"
	storagev1 "k8s.io/api/storage/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"demarc.dev/demarc/api/v1alpha1"
)

// knownTypes are the kinds whose fields can be looked up.
var knownTypes = sync.OnceValue(func() *runtime.Scheme {
	s := runtime.NewScheme()
	add := runtime.NewSchemeBuilder(admissionv1.AddToScheme, appsv1.AddToScheme, autoscalingv2.AddToScheme, batchv1.AddToScheme,
		corev1.AddToScheme, discoveryv1.AddToScheme, eventsv1.AddToScheme, networkingv1.AddToScheme, policyv1.AddToScheme,
		rbacv1.AddToScheme, schedulingv1.AddToScheme, storagev1.AddToScheme, v1alpha1.AddToScheme)
	if err := add.AddToScheme(s); err != nil {
		panic(err) // only a mistake in this list gets here
	}
	return s
})

// lists are fields of kinds that cannot be looked up of which it is known all the same.
var lists = []string{"containers", "initContainers", "ephemeralContainers", "volumes", "env", "ports", "rules", "sources", "generators", "destinations"}

var (
	step = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)
	// notSteps are words of CEL, in which the admission policy is written.
	notSteps = []string{"in", "true", "false", "null"}
)

func (l *lint) field(path, field string, d *v1alpha1.ContractDomain, r *v1alpha1.ContractResource) {
	steps := strings.Split(field, ".")
	for _, s := range steps {
		if !step.MatchString(s) || slices.Contains(notSteps, s) {
			l.refuse(path, "%q is no path of a field: name its steps with dots between them, without brackets, as in spec.externalIPs", field)
			return
		}
	}
	for _, kind := range r.Kinds {
		through, unknown, like := walk(schema.GroupKind{Group: r.Group, Kind: kind}, steps)
		switch {
		case unknown != "":
			l.refuse(path, "%s has no field %s: %s", kind, unknown, choose(unknown[strings.LastIndex(unknown, ".")+1:], like, "take it out"))
		case through != "" && writes(d, onlyPlatform, "").Any():
			l.refuse(path, "%s of %s is a list, and admission cannot keep one field in each of its entries the platform's: "+
				"name a field above it (%s as a whole), or answer team and set limits by quota or policy", through, kind, through)
		}
	}
}

// NoField says of a field that its kind has none of that name, and what may have been
// meant; unknown is empty where it has, or where the kind's fields are not known. Elements
// of lists are not steps.
func NoField(gk schema.GroupKind, steps []string) (unknown, instead string) {
	if len(steps) == 0 {
		return "", ""
	}
	_, unknown, like := walk(gk, steps)
	if unknown == "" {
		return "", ""
	}
	at, last := "", unknown
	if i := strings.LastIndex(unknown, "."); i >= 0 {
		at, last = unknown[:i+1], unknown[i+1:]
	}
	const most = 12
	switch near, ok := Nearest(last, like); {
	case ok:
		return unknown, "did you mean " + at + near + "?"
	case len(like) == 0:
		return unknown, "nothing is below " + strings.TrimSuffix(at, ".")
	case len(like) > most:
		return unknown, fmt.Sprintf("there are %s and %d more", strings.Join(like[:most], ", "), len(like)-most)
	default:
		return unknown, "there are " + strings.Join(like, ", ")
	}
}

// walk follows a path through a kind. through is the first list before its end, unknown
// the first step that is not there, and like are those that are there instead.
func walk(gk schema.GroupKind, steps []string) (through, unknown string, like []string) {
	versions := knownTypes().VersionsForGroupKind(gk)
	if len(versions) == 0 {
		for i, s := range steps[:len(steps)-1] {
			if slices.Contains(lists, s) {
				return strings.Join(steps[:i+1], "."), "", nil
			}
		}
		return "", "", nil
	}
	object, err := knownTypes().New(gk.WithVersion(versions[0].Version))
	if err != nil {
		return "", "", nil
	}
	at := reflect.TypeOf(object)
	for i, s := range steps {
		at = behind(at)
		if at.Kind() == reflect.Slice {
			if through == "" {
				through = strings.Join(steps[:i], ".")
			}
			at = behind(at.Elem())
		}
		switch {
		case at == reflect.TypeFor[runtime.RawExtension](), at == reflect.TypeFor[metav1.FieldsV1]():
			return through, "", nil // whatever somebody else puts there
		case at.Kind() == reflect.Map:
			at = at.Elem()
			continue
		}
		fields := fieldsOf(at)
		next, ok := fields[s]
		if !ok {
			for name := range fields {
				like = append(like, name)
			}
			slices.Sort(like)
			return through, strings.Join(steps[:i+1], "."), like
		}
		at = next
	}
	return through, "", nil
}

func behind(t reflect.Type) reflect.Type {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	return t
}

// fieldsOf a type by their names in JSON; one that writes itself has none.
func fieldsOf(t reflect.Type) map[string]reflect.Type {
	fields := map[string]reflect.Type{}
	if t.Kind() != reflect.Struct || reflect.PointerTo(t).Implements(reflect.TypeFor[json.Marshaler]()) {
		return fields
	}
	for i := range t.NumField() {
		f := t.Field(i)
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		switch {
		case f.Anonymous && name == "":
			for name, inner := range fieldsOf(behind(f.Type)) {
				fields[name] = inner
			}
		case name != "" && name != "-" && f.IsExported():
			fields[name] = f.Type
		}
	}
	return fields
}
