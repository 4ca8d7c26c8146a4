package who

import (
	"fmt"
	"os"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"demarc.dev/demarc/internal/cli/exit"
	"demarc.dev/demarc/internal/cli/manifest"
	"demarc.dev/demarc/internal/cli/plain"
	"demarc.dev/demarc/internal/snapshot"
	"demarc.dev/demarc/internal/who"
)

// fromFiles answers from what files hold, or from nothing.
func (o *Options) fromFiles(q who.Question) (who.Answer, error) {
	set := &snapshot.Set{At: o.Clock.Now()}
	q.From = who.FromNothing
	if len(o.Files) > 0 {
		q.From = who.FromFiles
		docs, err := manifest.Read(o.Files, o.IO.In, o.Recursive)
		if err != nil {
			return who.Answer{}, exit.Failed(err.Error(), "give files as kubectl get -o yaml writes them")
		}
		for _, d := range docs {
			read := &unstructured.Unstructured{}
			if err := read.UnmarshalJSON(d.JSON); err != nil {
				return who.Answer{}, exit.Failed(d.Errorf("", "it cannot be read: %v", err).Error(), "")
			}
			set.Add(read)
		}
	}
	if o.Word != "" {
		object, err := o.inFiles(set)
		if err != nil {
			return who.Answer{}, err
		}
		q.Object = object
	}
	return who.FromSet(set, q), o.checked(set, q)
}

// inFiles finds which object is meant; a name that is in the files once needs no
// namespace.
func (o *Options) inFiles(set *snapshot.Set) (*who.Object, error) {
	found, ok := who.ParseKind(o.Word, set)
	if !ok {
		what := fmt.Sprintf("no kind %q is known", o.Word)
		if like, near := who.Like(o.Word, set); near {
			what += "; did you mean " + like + "?"
		}
		return nil, exit.Failed(what, "name it as kubectl does, such as deployment or deployments.apps")
	}
	found.Name, found.Namespace = o.Name, o.Namespace
	if found.Name != "" && !found.Cluster && found.Namespace == "" {
		var in []string
		for _, one := range set.Of(found.GroupKind()) {
			if one.GetName() == o.Name {
				in = append(in, one.GetNamespace())
			}
		}
		if len(in) > 1 {
			return nil, exit.Failed(fmt.Sprintf("%s is in several namespaces: %s", found, plain.Line(strings.Join(in, ", "))), "name one with -n NAMESPACE")
		}
		found.Namespace = strings.Join(in, "")
		return &found, nil
	}
	return &found, placed(&found)
}

// holds are the objects of the file that is asked about, where it is here to be read.
func (o *Options) holds() (list []who.Held) {
	info, err := os.Stat(o.Path)
	if err != nil || !info.Mode().IsRegular() {
		return nil
	}
	docs, _ := manifest.Read([]string{o.Path}, nil, false) // what cannot be read decides nothing
	for _, d := range docs {
		read := &unstructured.Unstructured{}
		if read.UnmarshalJSON(d.JSON) != nil {
			continue
		}
		kind := read.GroupVersionKind()
		held := who.Held{Labels: read.GetLabels()}
		held.Object = who.Object{Group: kind.Group, Kind: kind.Kind, Namespace: read.GetNamespace(), Name: read.GetName()}
		if !slices.ContainsFunc(list, func(h who.Held) bool { return h.Object == held.Object }) {
			list = append(list, held)
		}
	}
	return list
}
