package triage

import (
	"demarc.dev/demarc/internal/finding"
	"demarc.dev/demarc/internal/secretshape"
)

// shown is a finding as it may be told to anybody: every text of it without what looks like a
// secret. All findings go through here, and nothing that tells one cleans it again.
func shown(f finding.Finding) finding.Finding {
	for _, text := range []*string{&f.Message, &f.Because, &f.Paged, &f.Mend.Says} {
		*text = secretshape.Sentence(*text)
	}
	f.Mend.Command = whole(f.Mend.Command)
	for i := range f.Evidence {
		e := &f.Evidence[i]
		e.Field, e.Value = secretshape.Lines(e.Field), secretshape.Sentence(e.Value)
	}
	for i := range f.Next {
		s := &f.Next[i]
		s.Says, s.Command = secretshape.Sentence(s.Says), whole(s.Command)
	}
	for i := range f.Folded {
		f.Folded[i] = shown(f.Folded[i])
	}
	return f
}

// whole is a command, and none where it could not be told whole: a part of one does something else.
func whole(command string) string {
	if secretshape.Lines(command) != command {
		return ""
	}
	return command
}
