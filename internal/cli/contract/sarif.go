package contract

import (
	"strings"

	"demarc.dev/demarc/api/v1alpha1"
	"demarc.dev/demarc/internal/cli/version"
	"demarc.dev/demarc/internal/contract"
	"demarc.dev/demarc/internal/finding"
	"demarc.dev/demarc/internal/report"
)

// The rules of lint, as SARIF names them. They are API: none is ever given another meaning.
const (
	refusedRule = "CL001"
	partyRule   = "CL002"
	warningRule = "CL003"
	noteRule    = "CL004"
)

var lintRules = []report.Rule{
	{ID: refusedRule, Title: "The contract is refused", Means: "The document contradicts itself or cannot be read. The operator does not take such a contract."},
	{ID: partyRule, Title: "Nobody is behind an answer", Means: "The contract names a party of which nobody is known, or that nobody can reach. The operator takes it all the same."},
	{ID: warningRule, Title: "It is likely not what was meant", Means: "The contract can be taken, and something in it, or in a party, comes to nothing."},
	{ID: noteRule, Title: "Worth knowing", Means: "Nothing is wrong."},
}

// sarif is what lint found, as a run.
func sarif(found []contract.Problem) report.Run {
	run := report.Run{Tool: "demarc", Version: version.Number}
	for _, r := range lintRules {
		r.Docs = "docs/spec/ownershipcontract.md"
		run.Rules = append(run.Rules, r)
	}
	for _, p := range found {
		run.Findings = append(run.Findings, asFinding(p))
	}
	return run
}

func asFinding(p contract.Problem) finding.Finding {
	f := finding.Finding{ID: noteRule, Severity: finding.Note, Message: p.Message}
	switch p.Severity {
	case contract.Refused:
		if f.ID, f.Severity = refusedRule, finding.Error; p.Party {
			f.ID = partyRule
		}
	case contract.Warning:
		f.ID, f.Severity = warningRule, finding.Warning
	}
	if p.Path != "" {
		f.Message = p.Path + ": " + p.Message
	}
	if kind, name, ok := strings.Cut(p.Object, " "); ok {
		f.Object = finding.Object{Group: v1alpha1.GroupName, Kind: kind, Name: name}
	}
	if p.File != "" {
		f.Places = []finding.Place{{File: p.File, Line: max(p.Line, 1)}}
	}
	return f
}
