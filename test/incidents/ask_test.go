package incidents

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"testing"

	eventsv1 "k8s.io/api/events/v1"

	"demarc.dev/demarc/api/v1alpha1"
	"demarc.dev/demarc/internal/finding"
	"demarc.dev/demarc/internal/status"
	"demarc.dev/demarc/test/cluster"
)

// report is what demarc triage says to programs.
type report struct {
	Findings []struct {
		ID       string            `json:"id"`
		Severity finding.Severity  `json:"severity"`
		Owner    v1alpha1.Party    `json:"owner"`
		Domain   string            `json:"domain"`
		Subject  finding.Object    `json:"subject"`
		Message  string            `json:"message"`
		Next     []finding.Step    `json:"next"`
		Folded   []json.RawMessage `json:"folded"`
	} `json:"findings"`
}

// engineer is one of the platform, and developer one of the incident's team; each has no more
// than the rights that Demarc gives them.
func engineer() []string { return as("ada@platform.example", engineers) }

func (i incident) developer() []string { return as("kim@"+i.name+".example", "team-"+i.name) }

func as(user, group string) []string {
	return []string{"--as=" + user, "--as-group=" + group, "--as-group=system:authenticated"}
}

// quiet asks that nothing is an error about the service.
func (i incident) quiet(t *testing.T) {
	t.Helper()
	for _, who := range [][]string{engineer(), i.developer()} {
		for _, f := range i.triage(t, who).Findings {
			if f.Severity == finding.Error {
				t.Errorf("to %s it names %s of %s, though nothing is wrong: %s", who[0], f.ID, f.Subject, f.Message)
			}
		}
	}
}

// named asks both verbs, as both people.
func (i incident) named(t *testing.T) {
	t.Helper()
	i.names(t, engineer(), i.severity, i.says)
	i.status(t, engineer())
	i.names(t, i.developer(), cmp.Or(i.milder, i.severity), cmp.Or(i.outside, i.says))
	i.status(t, i.developer())
}

// names asks that the finding is the one root that triage has for the team.
func (i incident) names(t *testing.T, who []string, severity finding.Severity, says string) {
	t.Helper()
	r := i.triage(t, who)
	if len(r.Findings) != 1 {
		t.Errorf("to %s it names %d findings, want the one: %+v", who[0], len(r.Findings), r.Findings)
	}
	for _, f := range r.Findings {
		if f.ID != i.id || f.Subject != i.about || f.Owner != i.owner || f.Domain != i.domain || f.Severity != severity || !strings.Contains(f.Message, says) {
			t.Errorf("to %s it names %+v, want %s of %s, %s, for the %s by %s, with %q", who[0], f, i.id, i.about, severity, i.owner, i.domain, says)
		}
		if len(f.Next) != 1 || f.Next[0].Party != i.owner || f.Next[0].Says == "" {
			t.Errorf("the next step is %+v, want one of the %s", f.Next, i.owner)
		}
	}
}

func (i incident) triage(t *testing.T, who []string) (r report) {
	t.Helper()
	code, out, complaints := demarc(t, append([]string{"triage", "--team", i.name, "-o", "json"}, who...)...)
	if err := json.Unmarshal(out, &r); err != nil || code > 1 {
		t.Fatalf("demarc triage as %s ends with %d: %v: %s%s", who[0], code, err, out, complaints)
	}
	return r
}

// status asks that the finding is told.
func (i incident) status(t *testing.T, who []string) {
	t.Helper()
	code, out, complaints := demarc(t, append([]string{"status", i.name, "-o", "json"}, who...)...)
	var a status.Answer
	if err := json.Unmarshal(out, &a); err != nil || code > 1 {
		t.Fatalf("demarc status as %s ends with %d: %v: %s%s", who[0], code, err, out, complaints)
	}
	named := false
	for _, f := range a.Findings {
		named = named || f.ID == i.id && f.Object == i.about && f.Owner == i.owner
	}
	if !named {
		t.Errorf("demarc status as %s does not name %s: %s", who[0], i.id, out)
	}
}

// turn keeps the command line from being run ten times at once.
var turn = make(chan struct{}, 1)

func demarc(t *testing.T, args ...string) (code int, out, complaints []byte) {
	t.Helper()
	turn <- struct{}{}
	defer func() { <-turn }()
	cmd := exec.CommandContext(t.Context(), program, args...)
	cmd.Env = append(os.Environ(), "KUBECONFIG="+on.Box.Kubeconfig())
	var printed, said bytes.Buffer
	cmd.Stdout, cmd.Stderr = &printed, &said
	err := cmd.Run()
	var ended *exec.ExitError
	if err != nil && !errors.As(err, &ended) {
		t.Fatal(err)
	}
	return cmd.ProcessState.ExitCode(), printed.Bytes(), said.Bytes()
}

// measured waits until the operator's figures hold so many findings of the team: none, or the
// one.
func (i incident) measured(t *testing.T, want int) {
	t.Helper()
	cluster.Eventually(t, patience, func(ctx context.Context) error {
		r, err := http.NewRequestWithContext(ctx, http.MethodGet, on.Demarc.MetricsURL, nil)
		if err != nil {
			return err
		}
		answer, err := http.DefaultClient.Do(r)
		if err != nil {
			return err
		}
		defer answer.Body.Close()
		text, err := io.ReadAll(answer.Body)
		if err != nil {
			return err
		}
		var have []string
		for line := range strings.Lines(string(text)) {
			if strings.HasPrefix(line, "demarc_findings{") && strings.Contains(line, fmt.Sprintf("id=%q", i.id)) && i.mine(line) {
				have = append(have, strings.TrimSpace(line))
			}
		}
		line := fmt.Sprintf("demarc_findings{domain=%q,id=%q,owner=%q,severity=%q,team=%q} 1", i.domain, i.id, i.owner, i.severity, i.team())
		if len(have) != want || want == 1 && have[0] != line {
			return fmt.Errorf("the figures are %q, want %d of %s", have, want, line)
		}
		return nil
	})
}

// team is that of the figure: none where it is about nothing of one team's.
func (i incident) team() string {
	if i.about.Kind == "Node" {
		return ""
	}
	return i.name
}

func (i incident) mine(line string) bool {
	return strings.Contains(line, fmt.Sprintf("team=%q", i.team()))
}

// event waits for one about the claim.
func (i incident) event(t *testing.T, reason, note string) {
	t.Helper()
	cluster.Eventually(t, patience, func(ctx context.Context) error {
		var list eventsv1.EventList
		if err := on.Client.List(ctx, &list); err != nil {
			return err
		}
		for _, e := range list.Items {
			if e.Regarding.Kind == "ServiceClaim" && e.Regarding.Name == i.name && e.Reason == reason && e.Action == i.id && strings.HasPrefix(e.Note, note) {
				return nil
			}
		}
		return fmt.Errorf("no Event %s of claim %s begins with %q", reason, i.name, note)
	})
}
