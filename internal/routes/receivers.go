package routes

import (
	"bytes"
	"fmt"

	"go.yaml.in/yaml/v3"

	"demarc.dev/demarc/api/v1alpha1"
	"demarc.dev/demarc/internal/contract"
)

// Settings are what a site's Alertmanager needs beside the contract. None is a secret:
// those stay in files that Alertmanager reads by itself.
type Settings struct {
	// SlackURLFile is where Alertmanager finds the URL of the chat's API.
	SlackURLFile string
	// SMTPHost and SMTPFrom are for e-mail.
	SMTPHost, SMTPFrom string
}

// Defaults are placeholders that Alertmanager takes.
var Defaults = Settings{
	SlackURLFile: "/etc/alertmanager/secrets/slack-api-url",
	SMTPHost:     "localhost:25", SMTPFrom: "alertmanager@localhost",
}

// YAML is the configuration: route tree and receivers.
func (t Table) YAML(s Settings) ([]byte, error) {
	receivers := []*yaml.Node{t.platform()}
	for _, team := range t.teams() {
		receivers = append(receivers, receiver(ReceiverOf(team), "Tenant "+team, t.parties.Team(team).Spec.Contacts))
	}
	receivers = append(receivers, named(ReceiverNobody, "Alerts that nobody is paged for, as the contract says; they show in Alertmanager alone."))
	fields := []field{pair("route", t.tree()), pair("receivers", list(receivers))}
	if g := global(receivers, s); len(g.Content) > 0 {
		fields = append([]field{pair("global", g)}, fields...)
	}
	var out bytes.Buffer
	encoder := yaml.NewEncoder(&out)
	encoder.SetIndent(2)
	if err := encoder.Encode(mapping(fields...)); err != nil {
		return nil, fmt.Errorf("write Alertmanager's configuration as YAML: %w", err)
	}
	return out.Bytes(), nil
}

func (t Table) platform() *yaml.Node {
	if t.parties.Platform == nil {
		return named(ReceiverPlatform, "No Platform was given, which says where the platform's people are reached: give it with -f.")
	}
	return receiver(ReceiverPlatform, "Platform "+t.parties.Platform.Name, t.parties.Platform.Spec.Team.Contacts)
}

// receiver sends to a party's channel; one that cannot be sent to has its name alone.
func receiver(name, object string, c v1alpha1.Contacts) *yaml.Node {
	channel := contract.ReadChannel(c.Channel)
	if channel.By == "" {
		return named(name, object+": its channel "+channel.Why+": "+channel.Do)
	}
	by := ways[channel.By]
	value := text(c.Channel)
	value.Style = yaml.SingleQuotedStyle
	config := mapping(pair(by.to, value), pair("send_resolved", yes()))
	return mapping(pair("name", text(name)), pair(by.configs, list([]*yaml.Node{config})))
}

// ways are what Alertmanager calls the ways to a channel.
var ways = map[contract.By]struct{ configs, to string }{
	contract.ByChat: {"slack_configs", "channel"}, contract.ByMail: {"email_configs", "to"}, contract.ByWebhook: {"webhook_configs", "url"},
}

func named(name, why string) *yaml.Node {
	node := mapping(pair("name", text(name)))
	node.HeadComment = comment(why)
	return node
}

// global names what the receivers need, and nothing that they do not.
func global(receivers []*yaml.Node, s Settings) *yaml.Node {
	needs := map[string]bool{}
	for _, r := range receivers {
		for i := 2; i < len(r.Content); i += 2 {
			needs[r.Content[i].Value] = true
		}
	}
	var fields []field
	if needs["slack_configs"] {
		fields = append(fields, pair("slack_api_url_file", text(s.SlackURLFile)))
	}
	if needs["email_configs"] {
		fields = append(fields, pair("smtp_smarthost", text(s.SMTPHost)), pair("smtp_from", text(s.SMTPFrom)))
	}
	return mapping(fields...)
}
