package contract

import (
	"net/url"
	"strings"
	"unicode"

	"demarc.dev/demarc/api/v1alpha1"
	"demarc.dev/demarc/internal/secretshape"
)

// By is the way on which alerts are sent to a channel.
type By string

// The ways.
const (
	ByChat    By = "chat"
	ByMail    By = "mail"
	ByWebhook By = "webhook"
)

// Channel is what can be made of the channel of contacts. It is the one decision on that:
// the routes send by it, lint warns by it, and the operator's PartiesNamed follows it.
type Channel struct {
	// By is empty where nothing can be sent.
	By By
	// Why nothing can be sent, as in "the channel …", and what to do.
	Why, Do string
}

const forms = "set #CHANNEL, an e-mail address or an https URL"

// ReadChannel says how alerts are sent to a channel, or why they cannot be.
func ReadChannel(text string) Channel {
	switch {
	case strings.TrimSpace(text) == "":
		return Channel{Why: "is not named", Do: forms}
	case strings.Contains(text, "{{"):
		return Channel{Why: "holds {{, which Alertmanager would take for a template", Do: "name another"}
	case SecretChannel(text):
		return Channel{Why: "holds a secret, and what is made of it can be read by many",
			Do: "give Alertmanager that in a file (url_file), and name a #CHANNEL or an e-mail address here"}
	case strings.ContainsFunc(text, func(r rune) bool { return unicode.IsSpace(r) || !unicode.IsPrint(r) }):
		return Channel{Why: "holds a blank or a character that cannot be printed", Do: forms}
	case strings.HasPrefix(text, "#") && len(text) > 1:
		return Channel{By: ByChat}
	case strings.HasPrefix(text, "https://"):
		if u, err := url.Parse(text); err != nil || u.Hostname() == "" {
			return Channel{Why: "is no URL", Do: forms}
		}
		return Channel{By: ByWebhook}
	case address(text):
		return Channel{By: ByMail}
	default:
		return Channel{Why: "is no #CHANNEL, no e-mail address and no https URL", Do: forms}
	}
}

// address is that a text is one e-mail address, bare.
func address(text string) bool {
	name, host, ok := strings.Cut(text, "@")
	return ok && name != "" && host != "" && !strings.ContainsAny(text, ",;<>") && !strings.Contains(host, "@")
}

// Reached says whether a party can be reached: alerts can be sent to its channel, or
// somebody is on call.
func Reached(c v1alpha1.Contacts) bool {
	return ReadChannel(c.Channel).By != "" || strings.TrimSpace(c.OnCall) != ""
}

// SecretChannel says whether a channel lets in whoever reads it: a webhook holds what it
// lets in by, in its path or in its query.
func SecretChannel(text string) bool {
	if secret(text) {
		return true
	}
	u, err := url.Parse(text)
	return err == nil && u.Scheme != "" && u.RawQuery != ""
}

// secret says whether a text looks like a secret, or is a URL that holds one.
func secret(text string) bool {
	if len(secretshape.Broken(text)) > 0 {
		return true
	}
	u, err := url.Parse(strings.TrimSpace(text))
	return err == nil && u.Host != "" && (u.User != nil || strings.EqualFold(u.Hostname(), "hooks.slack.com"))
}

// Shown are contacts as everybody may read them: without what lets in whoever has it.
// hidden names the fields that were left out.
func Shown(c v1alpha1.Contacts) (shown v1alpha1.Contacts, hidden []string) {
	shown = *c.DeepCopy()
	for _, f := range []struct {
		name   string
		value  *string
		secret func(string) bool
	}{{"channel", &shown.Channel, SecretChannel}, {"onCall", &shown.OnCall, secret}, {"escalation", &shown.Escalation, secret}} {
		if f.secret(*f.value) {
			*f.value, hidden = "", append(hidden, f.name)
		}
	}
	return shown, hidden
}
