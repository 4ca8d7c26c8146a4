package routes

import (
	"bytes"
	"fmt"
	"net/url"
	"strings"

	"go.yaml.in/yaml/v3"

	"demarc.dev/demarc/api/v1alpha1"
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
	kind, to, why := channel(c.Channel)
	if why != "" {
		return named(name, object+" "+why)
	}
	key := map[string]string{"slack_configs": "channel", "email_configs": "to", "webhook_configs": "url"}[kind]
	value := text(to)
	value.Style = yaml.SingleQuotedStyle
	config := mapping(pair(key, value), pair("send_resolved", yes()))
	return mapping(pair("name", text(name)), pair(kind, list([]*yaml.Node{config})))
}

func named(name, why string) *yaml.Node {
	node := mapping(pair("name", text(name)))
	node.HeadComment = comment(why)
	return node
}

// channel says how Alertmanager sends to a channel, or why it does not.
func channel(c string) (kind, to, why string) {
	switch {
	case c == "":
		return "", "", "names no channel: set contacts.channel"
	case strings.Contains(c, "{{"):
		return "", "", "has a channel with {{ in it, which Alertmanager would take for a template: name another"
	case strings.HasPrefix(c, "#") && len(c) > 1:
		return "slack_configs", c, ""
	case strings.HasPrefix(c, "https://"):
		u, err := url.Parse(c)
		switch {
		case err != nil || u.Host == "":
			return "", "", "has a channel that is no URL: correct it"
		case u.User != nil || u.Hostname() == "hooks.slack.com" || u.RawQuery != "":
			return "", "", "has a channel whose URL holds a secret: give Alertmanager that in a file (url_file), and name a #CHANNEL or an e-mail address here"
		}
		return "webhook_configs", c, ""
	case strings.Count(c, "@") == 1 && !strings.ContainsAny(c, " ,;<>\t\r\n"):
		return "email_configs", c, ""
	default:
		return "", "", "has a channel that is no #CHANNEL, e-mail address or https URL: correct it"
	}
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
