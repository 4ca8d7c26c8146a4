package model

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/sync/errgroup"
	"k8s.io/client-go/rest"
	"pgregory.net/rapid"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"demarc.dev/demarc/internal/testenv"
	"demarc.dev/demarc/sandbox"
	"demarc.dev/demarc/sandbox/install"
)

// plan is what one team goes through.
type plan struct {
	team   string
	adopts bool
	// first are claims that are made at once; calm is that they are waited for.
	first []string
	calm  bool
	then  []timed
}

type timed struct {
	after time.Duration
	deed  deed
}

// plans draws the plan of a team.
func plans(team string) *rapid.Generator[plan] {
	return rapid.Custom(func(t *rapid.T) plan {
		c := newCast([]string{team}, "-a", "-b")
		p := plan{team: team, adopts: rapid.IntRange(0, 3).Draw(t, "adopts") == 0, calm: rapid.IntRange(0, 3).Draw(t, "calm") > 0}
		for _, name := range sorted(c.claims) {
			if rapid.IntRange(0, 3).Draw(t, name) > 0 {
				p.first = append(p.first, name)
			}
		}
		violent := rapid.IntRange(0, 2).Draw(t, "violent") == 0
		for range rapid.IntRange(3, 9).Draw(t, "deeds") {
			d := timed{after: time.Duration(rapid.IntRange(0, 2500).Draw(t, "after")) * time.Millisecond}
			switch kind := rapid.IntRange(0, 9).Draw(t, "kind"); {
			case kind > 8 && violent:
				d.deed = c.forces(t)
			case kind > 5:
				d.deed = c.meddles(t)
			default:
				d.deed = c.asks(t)
			}
			p.then = append(p.then, d)
		}
		return p
	})
}

// stage is a real control plane with a real Argo CD and Demarc, on which plans are played.
type stage struct {
	box    *sandbox.Sandbox
	config *rest.Config
	client client.Client
}

func newStage(t *testing.T) *stage {
	t.Helper()
	t.Setenv("DEMARC_STATE", t.TempDir())
	box, err := sandbox.Up(t.Context(), sandbox.Options{Name: "model", Nodes: 5, AuditPolicy: auditWrites})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := box.Down(context.Background()); err != nil {
			t.Error(err)
		}
	})
	if _, err := install.Run(t.Context(), box, install.Options{Root: testenv.Root()}); err != nil {
		t.Fatal(err)
	}
	config, err := box.RESTConfig()
	if err != nil {
		t.Fatal(err)
	}
	config.QPS = -1
	c, err := client.New(config, client.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return &stage{box, config, c}
}

// number of the plans that are played, and of the first of them.
func number(name string, otherwise int) int {
	if n, err := strconv.Atoi(os.Getenv(name)); err == nil {
		return n
	}
	return otherwise
}

// The same invariants hold on a real control plane, with what people do drawn as in the
// model, several teams at once, and the operator and Argo CD ended in the middle of it.
// They are asked of the record of all that was written, in its order.
func TestReplay(t *testing.T) {
	s := newStage(t)
	began := time.Now()
	t.Log("the stage is set")
	watching, stop := context.WithCancel(t.Context())
	defer stop()
	recorded := record(watching, t, s.config)

	first := number("DEMARC_MODEL_SEED", 1)
	var group errgroup.Group
	group.SetLimit(30)
	playing, played := context.WithCancel(t.Context())
	struck := make(chan error, 1)
	go func() { struck <- s.strike(playing) }()
	for seed := first; seed < first+number("DEMARC_MODEL_PLANS", 16); seed++ {
		p := plans(fmt.Sprintf("m%d", seed)).Example(seed)
		group.Go(func() error {
			story, err := s.play(t.Context(), p)
			if err != nil {
				t.Errorf("plan %d: %v\n  %s", seed, err, strings.Join(story, "\n  "))
			}
			t.Logf("plan %d ended: %s", seed, story[len(story)-1])
			return nil
		})
	}
	_ = group.Wait()
	played()
	if err := <-struck; err != nil {
		t.Error(err)
	}
	s.judge(t, recorded.all(t), began)
}

// play does what a plan says, then takes all down, and waits until nothing is left.
func (s *stage) play(ctx context.Context, p plan) (story []string, err error) {
	began := time.Now()
	var mu sync.Mutex
	tell := func(format string, args ...any) {
		mu.Lock()
		defer mu.Unlock()
		story = append(story, fmt.Sprintf("%6.1fs ", time.Since(began).Seconds())+fmt.Sprintf(format, args...))
	}
	h := &hands{store: realStore{ctx, s.client, tell}, mine: of(p.team)}
	if p.adopts {
		h.createNamespace(p.team)
	}
	h.createTenant(p.team, p.adopts)
	for _, name := range p.first {
		h.createClaim(name, p.team)
	}
	if p.calm {
		if err := h.await(ctx, 3*time.Minute, "all is ready", h.ready); err != nil {
			return story, err
		}
	}
	for _, d := range p.then {
		wait(ctx, d.after)
		tell("%s", d.deed)
		d.deed.do(h)
	}
	tell("all is taken down")
	h.takeDown()
	if err := h.await(ctx, 3*time.Minute, "all is gone or says why not", h.goneOrSaid); err != nil {
		return story, err
	}
	tell("the rest by hand")
	return story, h.await(ctx, 5*time.Minute, "all is gone", h.takenDown)
}

func wait(ctx context.Context, d time.Duration) {
	select {
	case <-ctx.Done():
	case <-time.After(d):
	}
}

// strike ends the operator and Argo CD in turn, as long as plans are played.
func (s *stage) strike(ctx context.Context) error {
	const argo = "argocd-application-controller"
	for ctx.Err() == nil {
		for _, blow := range []struct {
			after time.Duration
			do    func() error
		}{
			{10 * time.Second, func() error { return s.box.Kill(install.Operator) }}, // the next waits for the lead
			{25 * time.Second, func() error { return s.box.Stop(ctx, argo) }},
			{4 * time.Second, func() error { return s.box.Start(context.WithoutCancel(ctx), argo) }},
			{12 * time.Second, func() error { return s.box.Stop(ctx, install.Operator) }},
			{time.Second, func() error { return s.box.Start(context.WithoutCancel(ctx), install.Operator) }},
		} {
			wait(ctx, blow.after)
			if err := blow.do(); err != nil && ctx.Err() == nil {
				return err
			}
		}
	}
	return nil
}

// judge asks the invariants of all that was recorded.
func (s *stage) judge(t *testing.T, seen []sighting, began time.Time) {
	t.Helper()
	by, err := readAuthors(s.box.Dir(), began.Add(-time.Minute))
	if err != nil {
		t.Fatal(err)
	}
	operators := 0
	for _, v := range seen {
		if byOperator(by.of(v)) {
			operators++
		}
	}
	t.Logf("%d writes, %d of them the operator's", len(seen), operators)
	if operators == 0 {
		t.Error("none of the writes is known to be the operator's")
	}
	c := replayed(seen, by)
	for _, broken := range c.watch.broken {
		t.Error(broken)
	}
	if t.Failed() {
		path := filepath.Join(os.TempDir(), "demarc-model-record.txt")
		if os.WriteFile(path, []byte(strings.Join(c.story, "\n")), 0o600) == nil {
			t.Logf("the whole record is in %s", path)
		}
	}
}

// longest is how long a reconcile may take to write what it decided on. What was so for
// longer it is taken to have known.
const longest = 15 * time.Second

// replayed is a cluster to which all that was seen of another has happened again.
func replayed(seen []sighting, by authors) *cluster {
	c := emptyCluster()
	var revisions []int64
	for i, v := range seen {
		at := int64(0)
		if before := slices.IndexFunc(seen[:i+1], func(s sighting) bool { return v.at.Sub(s.at) < longest }); before > 0 {
			at = revisions[before-1]
		}
		c.replayed = &task{begun: at, sawTenants: at, early: true}
		c.Record(by.of(v), v.key, v.object)
		revisions = append(revisions, c.Revision())
	}
	return c
}
