package keep

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"demarc.dev/demarc/internal/snapshot"
)

// names are what a server made up, and what stands for it.
type names struct {
	known *strings.Replacer
	// never are names of pods that were refused: nobody knows them but the message.
	never []*regexp.Regexp
}

const alphabet = "bcdfghjklmnpqrstvwxz2456789"

func namesOf(list []snapshot.Object) names {
	known, count := map[string]string{}, map[string]int{}
	runs := runsOf(list)
	for _, o := range list {
		from := o.GetGenerateName()
		random, ok := strings.CutPrefix(o.GetName(), from)
		if from == "" || !ok || len(random) != 5 || o.GetKind() == "Event" {
			continue
		}
		of := o.GetKind() + "/" + o.GetNamespace() + "/" + runs.Replace(from)
		known[o.GetName()] = runs.Replace(from) + suffix(of, string(rune('a'+count[of])))
		count[of]++
	}
	var n names
	for _, o := range list {
		if slices.Contains([]string{"ReplicaSet", "DaemonSet", "Job"}, o.GetKind()) {
			n.never = append(n.never, regexp.MustCompile(`(\b`+regexp.QuoteMeta(o.GetName())+`-)[`+alphabet+`]{5}\b`))
		}
	}
	for _, o := range list {
		of := o.DeepCopy()
		if name, ok := known[o.GetName()]; ok {
			of.SetName(name)
		}
		known[string(o.GetUID())] = string(uidOf(of))
	}
	for _, o := range list {
		if name := runs.Replace(o.GetName()); o.GetKind() == "Job" && name != o.GetName() {
			known[o.GetName()] = name
		}
	}
	var pairs []string
	for _, from := range sortedKeys(known) {
		pairs = append(pairs, from, known[from])
	}
	n.known = strings.NewReplacer(pairs...)
	return n
}

// runsOf CronJobs are named by the minute.
func runsOf(list []snapshot.Object) *strings.Replacer {
	var pairs []string
	for _, o := range list {
		if c := metav1.GetControllerOf(o); o.GetKind() == "Job" && c != nil && c.Kind == "CronJob" && len(o.GetName()) > len(c.Name)+8 {
			pairs = append(pairs, o.GetName(), fmt.Sprintf("%s-%d", c.Name, 29540800+len(pairs)/2))
		}
	}
	return strings.NewReplacer(pairs...)
}

func (n names) replace(text string) string {
	replaced := n.known.Replace(text)
	if replaced != text {
		return replaced
	}
	for _, name := range n.never {
		text = name.ReplaceAllString(text, "${1}"+suffix("never", name.String()))
	}
	return text
}

// suffix looks like what a server puts behind a generateName.
func suffix(of ...any) string {
	digest, out := sum(of...), make([]byte, 5)
	for i := range out {
		out[i] = alphabet[(int(digest[2*i])*31+int(digest[2*i+1]))%len(alphabet)]
	}
	return string(out)
}

// uidOf follows from what an object is.
func uidOf(o snapshot.Object) types.UID {
	d := sum(o.GroupVersionKind().GroupKind(), o.GetNamespace(), o.GetName())
	return types.UID(d[:8] + "-" + d[8:12] + "-4" + d[13:16] + "-8" + d[17:20] + "-" + d[20:32])
}
