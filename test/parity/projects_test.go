package parity

import "testing"

// Manifests of real projects are judged as a real API server judges them.
func TestParityOfProjects(t *testing.T) {
	var questions []question
	for i, f := range fromProjects(t) {
		team := limited
		if i%5 == 0 {
			team = refused
		}
		questions = append(questions, create(f.where, team, nameless(f.object)))
	}
	s := compare(t, compiled(t, shipped()), questions)
	t.Logf("%d verdicts are equal, %d of them break a rule; %d objects are invalid", s.equal, s.broken, s.invalid)
	if s.equal < 150 {
		t.Errorf("only %d verdicts were compared", s.equal)
	}
}
