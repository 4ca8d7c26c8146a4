package verify

import (
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

// target is an object as kubectl takes it: the resource, the name, the namespace.
func target(o finding.Object) string {
	kind := strings.ToLower(o.Kind)
	if !strings.HasSuffix(o.Group, ".k8s.io") && o.Group != "" {
		kind = resourceOf(kindOf(o)) + "." + o.Group
	}
	s := kind + " " + word(o.Name)
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

func creation(o *unstructured.Unstructured, says string) finding.Mend {
	return command(says, "kubectl create -f - <<'EOF'\n"+text(o.Object)+"\nEOF")
}

// unbind takes one subject out of a binding, and the binding away where it is the only one.
func unbind(b *rbac.Binding, subject int) finding.Mend {
	o := ofBinding(b)
	if len(b.Subjects) == 1 {
		return deletion(o, "takes the binding away: it binds nobody else")
	}
	at := "/subjects/" + itoa(subject)
	return patching(o, []op{{"test", at + "/name", b.Subjects[subject].Name}, {"remove", at, nil}}, "",
		"takes "+describe(b.Subjects[subject])+" out of the binding; the others stay")
}

// withoutRule takes one rule out of a role.
func withoutRule(r rbac.Rule) finding.Mend {
	at := "/rules/" + itoa(r.Index)
	return patching(ofRole(r.Role), []op{{"test", at + "/verbs", r.Verbs}, {"remove", at, nil}}, "", "takes this rule out of "+r.Role.String())
}
