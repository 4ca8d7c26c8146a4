// Package stage brings incidents about on a sandbox: it does their steps, through the real API
// server, and reads what came of them.
package stage

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/discovery"

	"demarc.dev/demarc/internal/survey"
	"demarc.dev/demarc/test/cluster"
	"demarc.dev/demarc/test/findings/incident"
)

// Stage is a sandbox on which incidents happen, one after another.
type Stage struct {
	on     *cluster.Cluster
	survey survey.Cluster
	// Versions of what runs, for the head of a case.
	Kubernetes string
}

// New makes a stage of a sandbox.
func New(on *cluster.Cluster) (*Stage, error) {
	d, err := discovery.NewDiscoveryClientForConfig(on.Config)
	if err != nil {
		return nil, err
	}
	version, err := d.ServerVersion()
	if err != nil {
		return nil, fmt.Errorf("ask the API server for its version: %w", err)
	}
	return &Stage{on: on, survey: survey.Cluster{Client: on.Client, Discovery: d}, Kubernetes: version.GitVersion}, nil
}

// Scene is one side of an incident while it happens.
type Scene struct {
	*Stage
	Team string
	Side incident.Side
	// Begin is when it began, and Read when it is read: Side.Read later.
	Begin, Read time.Time
	repo        string
	applied     []object
	events      []*corev1.Event
	stopped     []string
}

// Namespace is the team's.
func (s *Scene) Namespace() string { return "team-" + s.Team }

var mark = regexp.MustCompile(`\$\((\w+)(?: ([^)]*))?\)`)

// fill puts in what is known of the scene, and of more where that is given.
func (s *Scene) fill(text string, more map[string]string) string {
	return mark.ReplaceAllStringFunc(text, func(m string) string {
		parts := mark.FindStringSubmatch(m)
		switch parts[1] {
		case "ns":
			return s.Namespace()
		case "team":
			return s.Team
		case "repo":
			return s.repo
		case "begun":
			return stamp(s.Begin)
		case "hoursago": // on the hour
			if d, err := time.ParseDuration(parts[2] + "h"); err == nil {
				return stamp(s.Begin.Truncate(time.Hour).Add(-d))
			}
		case "ago":
			if d, err := time.ParseDuration(parts[2]); err == nil {
				return stamp(s.Read.Add(-d))
			}
		}
		if value, ok := more[parts[1]]; ok && parts[2] == "" {
			return value
		}
		return m
	})
}

var uidMark = regexp.MustCompile(`\$\(uid ([^)]*)\)`)

// uids puts in those of objects that are named.
func (s *Scene) uids(ctx context.Context, text string) (string, error) {
	for _, m := range uidMark.FindAllStringSubmatch(text, -1) {
		list, err := s.found(ctx, m[1])
		if err != nil {
			return "", err
		}
		text = strings.ReplaceAll(text, m[0], string(list[0].GetUID()))
	}
	return text, nil
}

func stamp(t time.Time) string { return t.UTC().Format(time.RFC3339) }

// Play opens a scene and does its steps. The caller closes it, also after an error.
func (st *Stage) Play(ctx context.Context, team string, given []incident.Step, side incident.Side) (*Scene, error) {
	begin := time.Now().Truncate(time.Second)
	s := &Scene{Stage: st, Team: team, Side: side, Begin: begin, Read: begin.Add(side.Read.Duration)}
	repo, err := st.on.Box.Repository(ctx, team)
	if err != nil {
		return s, err
	}
	s.repo = repo.URL()
	if err := s.open(ctx); err != nil {
		return s, fmt.Errorf("make Tenant %s: %w", team, err)
	}
	return s, s.all(ctx, append(append([]incident.Step{}, given...), side.Steps...))
}

func (s *Scene) open(ctx context.Context) error {
	spec := s.Side.Tenant
	if spec == "" {
		spec = cluster.Roomy
	}
	// One of the same name may be on its way out, from a recording before.
	if err := s.until(ctx, incident.Until{Of: "namespaces/" + s.Namespace(), Gone: true, Within: metav1.Duration{Duration: 3 * time.Minute}}); err != nil {
		return err
	}
	if err := s.until(ctx, incident.Until{Of: "tenants/" + s.Team, Gone: true}); err != nil {
		return err
	}
	if err := s.apply(ctx, cluster.Tenant(s.Team, s.fill(spec, nil))); err != nil {
		return err
	}
	return s.until(ctx, incident.Until{Of: "tenants/" + s.Team, Says: `"type":"Ready"`, Count: 1})
}

func (s *Scene) all(ctx context.Context, steps []incident.Step) error {
	for i, step := range steps {
		if err := s.do(ctx, step); err != nil {
			return fmt.Errorf("step %d: %w", i+1, err)
		}
	}
	return nil
}

func (s *Scene) do(ctx context.Context, step incident.Step) error {
	switch {
	case step.Apply != "":
		text, err := s.uids(ctx, s.fill(step.Apply, nil))
		if err != nil {
			return err
		}
		return s.apply(ctx, text)
	case step.Patch != nil:
		return s.patch(ctx, *step.Patch)
	case step.Delete != "":
		return s.remove(ctx, step.Delete)
	case step.Kubelet != nil:
		return s.kubelet(ctx, *step.Kubelet)
	case step.Event != nil:
		return s.event(ctx, *step.Event)
	case step.Until != nil:
		return s.until(ctx, *step.Until)
	case step.Refused != nil:
		return s.refused(ctx, *step.Refused)
	case step.Commit != nil:
		return s.commit(ctx, step.Commit)
	case step.Stop != "":
		return s.stop(ctx, step.Stop)
	case step.Start != "":
		return s.start(ctx, step.Start)
	}
	return errors.New("no verb")
}

func (s *Scene) commit(ctx context.Context, files map[string]string) error {
	repo, err := s.on.Box.Repository(ctx, s.Team)
	if err != nil {
		return err
	}
	content := map[string][]byte{}
	for name, text := range files {
		content[name] = []byte(strings.TrimLeft(s.fill(text, nil), "\n"))
	}
	_, err = repo.Commit(ctx, "what is to be", content)
	return err
}

// Close takes away what the scene brought, without waiting for the team's space to go.
func (s *Scene) Close(ctx context.Context) error {
	errs := []error{s.all(ctx, s.Side.After)}
	for _, name := range s.stopped {
		errs = append(errs, s.start(ctx, name))
	}
	return errors.Join(append(errs, s.clear(ctx))...)
}
