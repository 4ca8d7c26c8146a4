package readiness

import (
	"regexp"
	"strings"

	"demarc.dev/demarc/internal/secretshape"
)

// Words of the cluster are taken over, but the same trouble must be the same
// text (invariant O7): what is new at each attempt is taken out.
var normalisers = []struct {
	pattern *regexp.Regexp
	with    string
}{
	// Argo CD's repo-server renders in a new temporary folder each time.
	{regexp.MustCompile(`/(tmp|dev/shm)/[^\s'":]+`), "<folder>"},
	{regexp.MustCompile(`[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}`), "<uid>"},
	// Pods of a ReplicaSet: name-<template hash>-<five>.
	{regexp.MustCompile(`("?[a-z0-9][-a-z0-9.]*-[a-z0-9]{6,10})-[bcdfghjklmnpqrstvwxz2456789]{5}([^-a-z0-9]|$)`), "$1-*$2"},
	{regexp.MustCompile(`\b\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:?\d\d)?`), "<time>"},
	{regexp.MustCompile(`\.? ?Retrying attempt #\d+ at [0-9:]+[AP]M`), ""},
	{regexp.MustCompile(`(?i)\battempt #\d+`), "attempt"},
	{regexp.MustCompile(` \(retried \d+ times\)`), ""},
	{regexp.MustCompile(`(?i)\bback-off [0-9hms]+ `), "back-off "},
	{regexp.MustCompile(`, retrying in [0-9hms.]+`), ""},
}

// maxWords keeps a condition readable; the API allows 32768.
const maxWords = 1024

// Normalise makes a message the same for the same trouble, one line, and short, and leaves out
// of it what looks like a secret: all teams may read a claim.
func Normalise(message string) string {
	out := secretshape.Sentence(strings.Join(strings.Fields(message), " "))
	for _, n := range normalisers {
		out = n.pattern.ReplaceAllString(out, n.with)
	}
	if len(out) > maxWords {
		out = strings.ToValidUTF8(out[:maxWords], "") + " …"
	}
	return out
}
