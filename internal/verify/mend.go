package verify

import (
	"slices"
	"strings"
	"unicode"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"demarc.dev/demarc/internal/finding"
	"demarc.dev/demarc/internal/rbac"
)

// word is an argument for a shell; whatever is in it stays text.
func word(s string) string {
	plain := func(r rune) bool {
		return r < unicode.MaxASCII && (unicode.IsLetter(r) || unicode.IsDigit(r) || strings.ContainsRune("-_.:/=,@", r))
	}
	if s != "" && strings.IndexFunc(s, func(r rune) bool { return !plain(r) }) < 0 {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}

// target is an object as kubectl takes it: the resource, the name, the namespace. RBAC
// lets a name begin with a dash; it is not to be taken for a flag.
func target(o finding.Object) string {
	kind := strings.ToLower(o.Kind)
	if !strings.HasSuffix(o.Group, ".k8s.io") && o.Group != "" {
		kind = resourceOf(kindOf(o)) + "." + o.Group
	}
	s := kind + " " + word(o.Name)
	if strings.HasPrefix(o.Name, "-") {
		s = word(kind + "/" + o.Name)
	}
	if o.Namespace != "" {
		s += " -n " + word(o.Namespace)
	}
	return s
}

// command is a mend by kubectl. What cannot be shown as it is cannot be copied either.
func command(says, line string) finding.Mend {
	if strings.ContainsFunc(line, func(r rune) bool {
		return r != '\n' && (unicode.IsControl(r) || unicode.In(r, unicode.Cf, unicode.Zl, unicode.Zp))
	}) {
		return finding.Mend{Says: says + "; its name holds characters that cannot be shown, so see it with kubectl get -o json"}
	}
	return finding.Mend{Says: says, Command: line}
}

func deletion(o finding.Object, says string) finding.Mend {
	return command(says, "kubectl delete "+target(o))
}

func patching(o finding.Object, ops []op, as, says string) finding.Mend {
	line := "kubectl patch " + target(o) + " --type=json -p " + word(text(ops))
	if as != "" {
		line += " --as=" + word(as)
	}
	return command(says, line)
}

// creation makes an object anew, as whoever runs it where as is empty.
func creation(o *unstructured.Unstructured, says, as string) finding.Mend {
	line := "kubectl create -f -"
	if as != "" {
		line += " --as=" + word(as)
	}
	return command(says, line+" <<'EOF'\n"+text(o.Object)+"\nEOF")
}

// unbind takes subjects out of a binding, and the binding away where it binds nobody else.
// From the last to the first, so that each stands where it stood.
func unbind(b *rbac.Binding, subjects []int) finding.Mend {
	o := ofBinding(b)
	if len(b.Subjects) == len(subjects) {
		return deletion(o, "takes the binding away: it binds nobody else")
	}
	slices.Sort(subjects)
	var ops []op
	var who []string
	for _, i := range slices.Backward(subjects) {
		at := "/subjects/" + itoa(i)
		ops = append(ops, op{"test", at, b.Subjects[i]}, op{"remove", at, nil})
		who = append(who, describe(b.Subjects[i]))
	}
	slices.Reverse(who)
	return patching(o, ops, "", "takes "+strings.Join(who, ", ")+" out of the binding; the others stay")
}

// leave is unbind for one subject of a binding. What other findings take out of the same
// binding is taken out together, at the end: after a command of its own the others' places
// would have changed.
func (v *verifier) leave(b *rbac.Binding, subject int) finding.Mend {
	if !slices.Contains(v.leaving[b], subject) {
		v.leaving[b] = append(v.leaving[b], subject)
	}
	alone := unbind(b, []int{subject})
	v.alone[alone.Command] = leaving{b, alone.Says}
	return alone
}

// leaving is the mend for one subject of a binding.
type leaving struct {
	binding *rbac.Binding
	says    string
}

// together makes one mend of those that change the same binding.
func (v *verifier) together() {
	for i := range v.report.Findings {
		mend := &v.report.Findings[i].Mend
		if l := v.alone[mend.Command]; l.binding != nil {
			all := unbind(l.binding, v.leaving[l.binding])
			mend.Command, mend.Says = all.Command, strings.Replace(mend.Says, l.says, all.Says, 1)
		}
	}
}

// withoutRule takes one rule out of a role.
func withoutRule(r rbac.Rule) finding.Mend {
	at := "/rules/" + itoa(r.Index)
	return patching(ofRole(r.Role), []op{{"test", at + "/verbs", r.Verbs}, {"remove", at, nil}}, "", "takes this rule out of "+r.Role.String())
}
