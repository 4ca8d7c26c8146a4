package report

import (
	"fmt"
	"net/url"
	"path"
	"path/filepath"
	"strings"

	"demarc.dev/demarc/internal/finding"
)

// Rule is one kind of finding, as SARIF lists them. Docs is the page of the repository that
// tells more; it is told in words, since nobody can know where the repository is served.
type Rule struct{ ID, Title, Means, Docs string }

// help is what a person is shown who asks what a finding is.
func (r Rule) help() string {
	text := r.Means + " What mends a finding is in its message."
	if r.Docs != "" {
		text += " More is in " + r.Docs + " in Demarc's repository."
	}
	return text
}

// Run is what one run of a tool found.
type Run struct {
	// Tool and Version that ran.
	Tool, Version string
	Rules         []Rule
	Findings      []finding.Finding
	// Unread is what the tool could not look at: then it was no success.
	Unread []string
}

// The parts of SARIF 2.1.0 that are written; the names are the format's.
type (
	sarif struct {
		Schema  string     `json:"$schema"`
		Version string     `json:"version"`
		Runs    []sarifRun `json:"runs"`
	}
	sarifRun struct {
		Tool        sarifTool         `json:"tool"`
		Invocations []sarifInvocation `json:"invocations"`
		Results     []sarifResult     `json:"results"`
	}
	sarifTool struct {
		Driver sarifDriver `json:"driver"`
	}
	sarifDriver struct {
		Name    string      `json:"name"`
		Version string      `json:"version,omitempty"`
		Rules   []sarifRule `json:"rules"`
	}
	sarifRule struct {
		ID    string    `json:"id"`
		Short sarifText `json:"shortDescription"`
		Full  sarifText `json:"fullDescription"`
		Help  sarifText `json:"help"`
	}
	sarifText struct {
		Text string `json:"text"`
	}
	sarifInvocation struct {
		Successful    bool                `json:"executionSuccessful"`
		Notifications []sarifNotification `json:"toolExecutionNotifications,omitempty"`
	}
	sarifNotification struct {
		Level   string    `json:"level"`
		Message sarifText `json:"message"`
	}
	sarifResult struct {
		RuleID       string            `json:"ruleId"`
		RuleIndex    int               `json:"ruleIndex"`
		Level        string            `json:"level"`
		Message      sarifText         `json:"message"`
		Locations    []sarifLocation   `json:"locations"`
		Fingerprints map[string]string `json:"partialFingerprints"`
		Properties   map[string]any    `json:"properties"`
	}
	sarifLocation struct {
		Physical sarifPhysical  `json:"physicalLocation"`
		Logical  []sarifLogical `json:"logicalLocations,omitempty"`
	}
	sarifPhysical struct {
		Artifact sarifArtifact `json:"artifactLocation"`
		Region   sarifRegion   `json:"region"`
	}
	sarifArtifact struct {
		URI string `json:"uri"`
	}
	sarifRegion struct {
		StartLine int `json:"startLine"`
	}
	sarifLogical struct {
		Name string `json:"name"`
		Full string `json:"fullyQualifiedName"`
		Kind string `json:"kind"`
	}
)

// fingerprints is the name of how results are told apart from one run to the next.
const fingerprints = "demarc/v1"

const sarifSchema = "https://json.schemastore.org/sarif-2.1.0.json"

// SARIF is a run as SARIF 2.1.0, to be written as JSON.
func SARIF(r Run) any {
	run := sarifRun{Results: []sarifResult{}, Invocations: []sarifInvocation{{Successful: len(r.Unread) == 0}}}
	run.Tool.Driver = sarifDriver{Name: r.Tool, Version: r.Version, Rules: []sarifRule{}}
	index := map[string]int{}
	for i, rule := range r.Rules {
		index[rule.ID] = i
		run.Tool.Driver.Rules = append(run.Tool.Driver.Rules, sarifRule{rule.ID, sarifText{rule.Title}, sarifText{rule.Means}, sarifText{rule.help()}})
	}
	for _, what := range r.Unread {
		run.Invocations[0].Notifications = append(run.Invocations[0].Notifications, sarifNotification{"error", sarifText{"it could not be read: " + what}})
	}
	same := map[string]int{}
	for _, f := range r.Findings {
		one := result(f, index[f.ID])
		is := one.Fingerprints[fingerprints]
		if same[is]++; same[is] > 1 { // what reads SARIF takes two with one fingerprint for one
			one.Fingerprints[fingerprints] = fmt.Sprintf("%s #%d", is, same[is])
		}
		run.Results = append(run.Results, one)
	}
	return sarif{sarifSchema, "2.1.0", []sarifRun{run}}
}

func result(f finding.Finding, index int) sarifResult {
	message := f.Message
	if f.Object.Kind != "" {
		message = f.Object.String() + ": " + message
	}
	if f.Cause != nil {
		message += "\nCause: " + f.Cause.String()
	}
	if mend := strings.TrimSpace(f.Mend.Says + "\n" + f.Mend.Command); f.Counts() && mend != "" {
		message += "\nMend: " + mend
	}
	fingerprint := f.ID + " " + f.Object.String()
	if f.Part != "" {
		fingerprint += " " + f.Part
	}
	if len(f.Places) > 0 {
		fingerprint += " " + f.Message // of one object there may be many, and the line moves
	}
	properties := map[string]any{"domain": f.Domain, "owner": f.Owner, "evidence": f.Evidence, "mend": f.Mend}
	if len(f.Next) > 0 {
		properties["next"] = f.Next
	}
	for _, g := range f.Folded {
		message += "\nFollows from it: " + g.ID + " " + g.Object.String() + ": " + g.Message
	}
	return sarifResult{
		RuleID: f.ID, RuleIndex: index, Level: string(f.Severity), Message: sarifText{message},
		Locations:    locations(f),
		Fingerprints: map[string]string{fingerprints: fingerprint},
		Properties:   properties,
	}
}

// locations are the places of a finding in files. What is in a cluster has none; a name that
// is the same at each run stands for one.
func locations(f finding.Finding) (list []sarifLocation) {
	var logical []sarifLogical
	if f.Object.Kind != "" {
		logical = []sarifLogical{{f.Object.Name, f.Object.String(), "resource"}}
	}
	for _, p := range f.Places {
		list = append(list, sarifLocation{sarifPhysical{sarifArtifact{fileURI(p.File)}, sarifRegion{max(p.Line, 1)}}, logical})
	}
	if len(list) == 0 {
		list = []sarifLocation{{sarifPhysical{sarifArtifact{uri(f.Object)}, sarifRegion{1}}, logical}}
	}
	return list
}

// fileURI is a file's name as SARIF has it, from where the tool was run.
func fileURI(file string) string { return (&url.URL{Path: filepath.ToSlash(file)}).String() }

func uri(o finding.Object) string {
	kind := o.Kind
	if o.Group != "" {
		kind += "." + o.Group
	}
	return path.Join("cluster", url.PathEscape(o.Namespace), url.PathEscape(kind), url.PathEscape(o.Name))
}
