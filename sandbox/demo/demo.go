// Package demo shows Demarc at work: it brings up a sandbox, or takes a cluster that the user has, installs Demarc from the
// checkout, applies examples/ in one go, and prints each object's way to Ready as it happens.
//
// What it prints of the cluster passes screen.go, which keeps a cluster's text from steering a terminal.
package demo

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"demarc.dev/demarc/api/v1alpha1"
	"demarc.dev/demarc/sandbox"
	"demarc.dev/demarc/sandbox/install"
)

// Attached is the name of the sandbox that runs the operator beside a cluster of the user's.
const Attached = "external"

// readyWithin is how long everything may take to become Ready after it was applied.
const readyWithin = 3 * time.Minute

// ErrNotReady means that something was not Ready in time; what and why has been printed by then.
var ErrNotReady = errors.New("not everything is Ready")

// Options say what the demo runs on.
type Options struct {
	// Name of the sandbox; empty means sandbox.DefaultName, or Attached with a Kubeconfig.
	Name string
	// Root is the checkout.
	Root string
	// Kubeconfig of a cluster of the user's; empty means a sandbox's own.
	Kubeconfig string
	// ChartRepo and ChartRevision say where the cluster's Argo CD finds the service chart. Both are needed with a Kubeconfig.
	ChartRepo, ChartRevision string
	// Out takes what is shown; nil means silence.
	Out io.Writer
	// Colour turns colours on.
	Colour bool
	// Timeout for everything to become Ready; zero means three minutes.
	Timeout time.Duration
}

func (o Options) withDefaults() Options {
	if o.Name == "" {
		o.Name = sandbox.DefaultName
		if o.Kubeconfig != "" {
			o.Name = Attached
		}
	}
	if o.Out == nil {
		o.Out = io.Discard
	}
	if o.Timeout == 0 {
		o.Timeout = readyWithin
	}
	return o
}

// demo is one run.
type demo struct {
	Options
	screen  screen
	sandbox *sandbox.Sandbox
	// tools is a folder for the PATH; empty where the user's own programs are used.
	tools string
	// objects are those of examples/.
	objects []object
	// changes come from before the apply on, so that none is missed.
	changes <-chan change
	applied time.Time
}

// Run shows everything. It returns nil only when all is Ready. A second run changes nothing.
func Run(ctx context.Context, o Options) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	d := &demo{Options: o.withDefaults()}
	d.screen = screen{out: d.Out, colour: d.Colour}
	for _, step := range []struct {
		title string
		do    func(context.Context) error
	}{
		{d.place(), d.start},
		{"Install Demarc", d.install},
		{"Apply " + examples + "/", d.apply},
		{"On the way to Ready", d.follow},
		{"All is Ready", d.show},
		{"Try next", d.next},
	} {
		d.screen.step(step.title)
		if err := step.do(ctx); err != nil {
			return d.ended(ctx, err)
		}
	}
	return nil
}

func (d *demo) place() string {
	if d.Kubeconfig != "" {
		return "Cluster of " + d.Kubeconfig
	}
	return "Sandbox"
}

// start brings a sandbox up, or attaches one to the user's cluster if that has what is needed.
func (d *demo) start(ctx context.Context) (err error) {
	if d.Kubeconfig == "" {
		d.sandbox, err = sandbox.Up(ctx, sandbox.Options{Name: d.Name, Out: d.Out})
	} else if err = d.check(ctx); err == nil {
		d.sandbox, err = sandbox.Attach(ctx, d.Name, d.Kubeconfig)
	}
	if err == nil {
		d.tools, err = d.findTools(ctx)
	}
	return err
}

// people are the platform's in the sandbox, as examples/ names the teams'.
var people = v1alpha1.PlatformTeam{
	Groups: []string{"platform-engineers"},
	Contacts: v1alpha1.Contacts{
		Channel: "#platform", OnCall: "platform-oncall", Escalation: "the head of platform", CodeOwners: []string{"@example/platform"},
	},
}

func (d *demo) install(ctx context.Context) error {
	o := install.Options{Root: d.Root, ChartRepo: d.ChartRepo, ChartRevision: d.ChartRevision, Out: d.Out}
	if d.Kubeconfig == "" { // who the platform's people are on a cluster of the user's is not ours to say
		o.Team = &people
	}
	_, err := install.Run(ctx, d.sandbox, o)
	return err
}

// ended tells an interruption from a failure.
func (d *demo) ended(ctx context.Context, err error) error {
	if !errors.Is(ctx.Err(), context.Canceled) {
		return err
	}
	return fmt.Errorf("interrupted; what runs goes on: the same command continues, %q ends it", d.down())
}
