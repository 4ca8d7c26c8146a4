package routes

import (
	"strings"

	"go.yaml.in/yaml/v3"

	"demarc.dev/demarc/api/v1alpha1"
	"demarc.dev/demarc/internal/cli/plain"
)

// tree is the whole of Alertmanager's routes:
//
//	root: whose the unlisted kinds are
//	├─ a domain: paged platform        → platform
//	├─ a domain: paged team            → platform, for a team that nobody knows
//	│  └─ each team                    → team-x
//	├─ a domain: paged shared          → platform, for a team that nobody knows
//	│  ├─ any                          → platform, and on to the next
//	│  └─ each team                    → team-x
//	├─ a domain: paged nobody          → nobody
//	└─ each team, where the unlisted is the team's
func (t Table) tree() *yaml.Node {
	unlisted := t.contract.Unlisted().Paged
	var children []*yaml.Node
	for i := range t.contract.Spec.Domains {
		children = append(children, t.domain(&t.contract.Spec.Domains[i]))
	}
	children = append(children, t.below(unlisted)...)
	return mapping(
		pair("receiver", text(first(unlisted))),
		pair("group_by", flow(text("alertname"), text(LabelTeam), text(LabelDomain))),
		pair("routes", list(children)),
	)
}

func (t Table) domain(d *v1alpha1.ContractDomain) *yaml.Node {
	node := mapping(
		pair("matchers", flow(matcher(LabelDomain, d.Name))),
		pair("receiver", text(first(d.Paged))),
		pair("routes", list(t.below(d.Paged))),
	)
	title := d.Title
	if title == "" {
		title = d.Name
	}
	node.HeadComment = comment(title + ": paged " + string(d.Paged))
	return node
}

// first is who gets what no route below takes.
func first(paged v1alpha1.Party) string {
	if paged == v1alpha1.PartyNobody {
		return ReceiverNobody
	}
	return ReceiverPlatform
}

// below are the routes below a domain, by its answer.
func (t Table) below(paged v1alpha1.Party) (routes []*yaml.Node) {
	if paged != v1alpha1.PartyTeam && paged != v1alpha1.PartyShared {
		return nil
	}
	if paged == v1alpha1.PartyShared {
		routes = append(routes, mapping(pair("receiver", text(ReceiverPlatform)), pair("continue", yes())))
	}
	for _, team := range t.teams() {
		routes = append(routes, mapping(pair("matchers", flow(matcher(LabelTeam, team))), pair("receiver", text(ReceiverOf(team)))))
	}
	return routes
}

var escaped = strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`)

// matcher is LABEL="VALUE" as Alertmanager reads it; whatever is in the value stays value.
func matcher(label, value string) *yaml.Node {
	node := text(label + `="` + escaped.Replace(value) + `"`)
	node.Style = yaml.SingleQuotedStyle
	return node
}

type field struct{ key, value *yaml.Node }

func pair(key string, value *yaml.Node) field { return field{text(key), value} }

// mapping leaves out lists that hold nothing.
func mapping(fields ...field) *yaml.Node {
	node := &yaml.Node{Kind: yaml.MappingNode}
	for _, f := range fields {
		if f.value.Kind != yaml.SequenceNode || len(f.value.Content) > 0 {
			node.Content = append(node.Content, f.key, f.value)
		}
	}
	return node
}

func text(value string) *yaml.Node {
	return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: value}
}

func yes() *yaml.Node { return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!bool", Value: "true"} }

func list(nodes []*yaml.Node) *yaml.Node {
	return &yaml.Node{Kind: yaml.SequenceNode, Content: nodes}
}

func flow(nodes ...*yaml.Node) *yaml.Node {
	return &yaml.Node{Kind: yaml.SequenceNode, Content: nodes, Style: yaml.FlowStyle}
}

func comment(words string) string { return "# " + plain.Line(words) }
