package secretshape

import (
	"fmt"
	"strings"
)

// Page is docs/secrets-in-claims.md.
func Page() string {
	var out strings.Builder
	out.WriteString(pageHead)
	for _, r := range Rules {
		fmt.Fprintf(&out, "| `%s` | %s | %s | %s | %s |\n", r.ID, r.Catches, r.Why, examples(r, r.Bad), examples(r, r.Good))
	}
	out.WriteString(pageFoot)
	fmt.Fprintf(&out, "    %s\n", strings.Join(Rules[0].names(), "\n    "))
	for _, r := range Rules {
		if r.Names == nil {
			fmt.Fprintf(&out, "    %-20s %s\n", r.ID, r.Pattern)
		}
	}
	return out.String()
}

// names are the patterns of a rule about names.
func (r Rule) names() []string {
	return []string{
		fmt.Sprintf("%-20s name      %s", r.ID, r.Names.Secret),
		fmt.Sprintf("%-20s but name  %s", "", r.Names.Harmless),
		fmt.Sprintf("%-20s but value %s", "", r.Names.Reference),
	}
}

// examples names the variables of a rule about names, and begins the values of others.
func examples(r Rule, all []Example) string {
	var list []string
	for _, e := range all {
		word := shortened(e.Value)
		if r.Names != nil {
			word = e.Name
			if r.Names.match(e.Name, "x") != r.Names.match(e.Name, e.Value) { // the value is the point
				word += "=" + e.Value
			}
		}
		list = append(list, "`"+strings.ReplaceAll(word, "|", `\|`)+"`")
	}
	return strings.Join(list, " ")
}

// shortened cuts what filled has lengthened: the beginning tells, and no scanner of
// somebody's takes the page for a leak.
func shortened(value string) string {
	value = strings.TrimSpace(strings.ReplaceAll(value, "\n", " "))
	if i := strings.Index(value, filler); i >= 0 {
		return value[:i] + "…"
	}
	return value
}

const pageHead = `# Secrets in claims

Claims can be read by every team's people, and a claim delivered by Git lies in a repository. So what looks like a secret is
refused in one, by kubectl and by Git alike, and the secret comes by reference:

` + "```" + `yaml
env:
  - name: DB_PASSWORD
    valueFrom:
      secretKeyRef: {name: db, key: password}   # a Secret in the team's namespace
` + "```" + `

    kubectl create secret generic db -n team-payments --from-env-file=db.env

A value may also stand in another: ` + "`postgres://app:$(DB_PASSWORD)@db/app`" + ` passes, where ` + "`DB_PASSWORD`" + ` is a variable
above it. What opens a repository is given to Argo CD and not written into ` + "`spec.source.repoURL`" + `.

The message names the field and the rule, never the value:

    spec.env[DB_PASSWORD] (env-name): this looks like a secret, and every team's people can read claims. …

Judged are the values of ` + "`spec.env`" + `, ` + "`spec.image`" + `, ` + "`spec.source`" + `, ` + "`spec.command`" + `, ` + "`spec.args`" + `, the contents of
` + "`spec.files`" + `, labels and annotations. A change is refused for what it brings
and not for what was there before; a claim that is being deleted is not judged. If a real secret was refused, replace it where
it came from: what was sent may stand in a log.

No list finds every secret, and this one looks for no random-looking text: a commit or a digest would be taken for one.

| rule | catches | why | for instance | what passes |
|---|---|---|---|---|
`

const pageFoot = `
## The patterns

As they stand in the policy ` + "`demarc-secrets`" + `, in RE2. A text is matched anywhere in it. This page and the policy are made from
[the list](../internal/secretshape/rules.go) by ` + "`make generate`" + `; each example above is tried on a real API server.

`
