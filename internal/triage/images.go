package triage

import (
	"fmt"
	"strings"
	"time"

	"demarc.dev/demarc/internal/finding"
)

// DM108 to DM113: the image cannot be had. Its own words are in the message of the pull,
// which the back-off keeps behind its colon.
func image(w *world, c container) *found {
	reason, message := c.waits()
	switch reason {
	case "InvalidImageName":
		return c.pull("DM108", "is no name of an image")
	case "ErrImageNeverPull":
		return c.pull("DM112", "is not on the node, and its pull policy is Never")
	case "SignatureValidationFailed":
		return c.pull("DM113", "has no signature that is accepted")
	case "ErrImagePull", "ImagePullBackOff", "RegistryUnavailable":
	default:
		return nil
	}
	if !strings.Contains(message, ": ") { // the back-off of older kubelets says nothing more
		if e, ok := w.lately(c.ref, string(c.UID), because("Failed", "Failed to pull image")); ok {
			message = e.message
		}
	}
	if _, why, ok := strings.Cut(message, "ErrImagePull: "); ok {
		message = why
	}
	return c.pulled(w, reason, message)
}

// pull is a finding about the image of a container.
func (c container) pull(id, what string) *found {
	f := c.of(id, fmt.Sprintf("image %s of %s %s", c.spec.Image, c.words(), what), c.waiting())
	f.args["image"] = c.spec.Image
	return f
}

// What registries and runtimes say, and what it comes to. Denied is asked before not found:
// of what one may not see some registries say both.
var (
	sayUnreachable = []string{"toomanyrequests", "429 Too Many Requests", "no such host", "i/o timeout", "connection refused", "connection reset", "network is unreachable",
		"TLS handshake", "x509:", "502 Bad Gateway", "503 Service Unavailable", "500 Internal Server Error", "Client.Timeout", "context deadline exceeded", "server misbehaving"}
	sayDenied   = []string{"pull access denied", "401 Unauthorized", "403 Forbidden", "insufficient_scope", "authorization failed", "no basic auth credentials", "unauthorized:", "denied:"}
	sayNotFound = []string{"manifest unknown", "not found", "no match for platform", "name unknown", "no matching manifest"}
)

func (c container) pulled(w *world, reason, message string) *found {
	switch {
	case has(message, "no space left on device"):
		f := c.pull("DM148", "cannot be pulled, since the disk of its node is full: "+said(message))
		f.domains, f.next = []string{"node-pools"}, "make room on the disk of node "+c.Spec.NodeName+": it may hold images that nothing runs"
		return f
	case reason == "RegistryUnavailable", has(message, sayUnreachable...):
		f := c.pull("DM111", "cannot be pulled, since its registry does not answer as it should: "+said(message))
		f.shares = []finding.Object{registryOf(c.spec.Image)}
		return f
	case has(message, sayDenied...):
		// No registry tells a wrong name from one that may not be seen, so that two teams who are
		// refused may each be wrong for itself: it is never promoted.
		f := c.pull("DM110", "may not be pulled: "+said(message))
		c.credentials(w, f)
		return f
	case has(message, sayNotFound...):
		return c.pull("DM109", "is not in its registry: "+said(message))
	default:
		return c.pull("DM148", "cannot be pulled: "+said(message))
	}
}

// credentials says which pull secret there is, and whether it is there at all.
func (c container) credentials(w *world, f *found) {
	if len(c.Spec.ImagePullSecrets) == 0 {
		f.evidence = append(f.evidence, c.seen("spec.imagePullSecrets", "none", time.Time{}))
	}
	for _, s := range c.Spec.ImagePullSecrets {
		state := s.Name
		if w.absent(secretKind, c.Namespace, s.Name) {
			state += ", which is not there"
		}
		f.evidence = append(f.evidence, c.seen("spec.imagePullSecrets", state, time.Time{}))
	}
}

// registryOf names where an image comes from, as container runtimes read it: what stands
// before the first slash is a host where it has a dot or a port.
func registryOf(image string) finding.Object {
	host, _, slashed := strings.Cut(image, "/")
	if !slashed || !strings.ContainsAny(host, ".:") && host != "localhost" {
		host = "docker.io"
	}
	return finding.Object{Kind: "Registry", Name: host}
}
