package admitted

import (
	"reflect"
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

const (
	// uid stands for the one that an object would be given.
	uid = "00000000-0000-4000-8000-000000000000"
	// manager stands for who changes a field.
	manager = "demarc-check"
)

// Create is what policies see of an object that is made at a time. The object itself is
// not changed.
func Create(o Object, at time.Time, around Surroundings) Object {
	o = o.DeepCopyObject()
	m := metadata(o)
	m.SetCreationTimestamp(metav1.NewTime(at.Truncate(time.Second)))
	m.SetUID(uid)
	m.SetDeletionTimestamp(nil)
	m.SetDeletionGracePeriodSeconds(nil)
	m.SetResourceVersion("")
	if m.GetName() == "" && m.GetGenerateName() != "" {
		m.SetName(m.GetGenerateName() + "00000")
	}
	m.SetManagedFields(nil)
	Default(o)
	touched(o, m, at)
	around.fill(o)
	if counted(o) {
		m.SetGeneration(1)
	}
	made(o)
	noStatus(o)
	return o
}

// Update is what policies see of an object that takes the place of one that is stored, at
// a time. Neither of the two is changed.
func Update(o, old Object, at time.Time) Object {
	o = o.DeepCopyObject()
	m, was := metadata(o), metadata(old)
	m.SetCreationTimestamp(was.GetCreationTimestamp())
	m.SetUID(was.GetUID())
	m.SetDeletionTimestamp(was.GetDeletionTimestamp())
	m.SetDeletionGracePeriodSeconds(was.GetDeletionGracePeriodSeconds())
	m.SetResourceVersion(was.GetResourceVersion())
	m.SetGeneration(was.GetGeneration())
	m.SetManagedFields(was.GetManagedFields())
	Default(o)
	kept(o, old)
	status(o, old)
	if equality.Semantic.DeepEqual(o, old) {
		return o // nothing changes, and nothing is noted
	}
	if counted(o) && !equality.Semantic.DeepEqual(field(o, "Spec"), field(old, "Spec")) {
		m.SetGeneration(was.GetGeneration() + 1)
	}
	again(o, old)
	touched(o, m, at)
	return o
}

// before is how long before a request what it meets was stored: longer than the second
// to which the API server notes times.
const before = time.Minute

// Stored is an object as it has been stored before a request at a time. What is known of
// a live one is left as it is.
func Stored(o Object, at time.Time, around Surroundings) Object {
	if metadata(o).GetUID() != "" {
		return o
	}
	return Create(o, at.Add(-before), around)
}

// touched notes that fields are being changed at a time, as the API server does in
// managedFields, where policies find the time of the request.
func touched(o Object, m metav1.Object, at time.Time) {
	version, _ := o.GetObjectKind().GroupVersionKind().ToAPIVersionAndKind()
	now := metav1.NewTime(at.Truncate(time.Second))
	fresh := metav1.ManagedFieldsEntry{Manager: manager, Operation: metav1.ManagedFieldsOperationUpdate, APIVersion: version,
		Time: &now, FieldsType: "FieldsV1", FieldsV1: metav1.NewFieldsV1("{}")}
	entries := slices.DeleteFunc(slices.Clone(m.GetManagedFields()), func(e metav1.ManagedFieldsEntry) bool {
		return e.Manager == fresh.Manager && e.Operation == fresh.Operation
	})
	m.SetManagedFields(append(entries, fresh))
}

// metadata of an object that was decoded here, so that there is some.
func metadata(o Object) metav1.Object {
	m, err := meta.Accessor(o)
	if err != nil {
		panic("admitted: " + err.Error()) // only an object without metadata gets here
	}
	return m
}

// field of a typed object; invalid where it has none.
func field(o Object, name string) any {
	if f := structField(o, name); f.IsValid() {
		return f.Interface()
	}
	return nil
}

func structField(o Object, name string) reflect.Value {
	v := reflect.ValueOf(o).Elem()
	if v.Kind() != reflect.Struct {
		return reflect.Value{}
	}
	return v.FieldByName(name)
}
