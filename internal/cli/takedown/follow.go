package takedown

import (
	"context"
	"errors"
	"fmt"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/utils/clock"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"demarc.dev/demarc/internal/cli/exit"
	"demarc.dev/demarc/internal/cli/factory"
	"demarc.dev/demarc/internal/cli/plain"
	"demarc.dev/demarc/internal/cli/target"
)

// Follower prints what a deletion waits for, as that changes.
type Follower struct {
	IO      factory.IO
	Clock   clock.PassiveClock
	Client  client.WithWatch
	Program string
	Kind    target.Kind
	// Timeout of the waiting; 0 waits for ever.
	Timeout time.Duration

	start time.Time
	said  string
	// last is the object as it was seen last.
	last client.Object
	// quiet ends when nothing was said for a while; nil where that is told already.
	quiet <-chan time.Time
}

// pause between two looks where no watch can be had.
const pause = 2 * time.Second

// patience is how long the operator may take until it says the first word.
const patience = 10 * time.Second

// errGone ends the following.
var errGone = errors.New("gone")

// Gone waits until the object is gone, or its name is another's.
func (f *Follower) Gone(ctx context.Context, name string, uid types.UID) error {
	f.start = f.Clock.Now()
	waiting, cancel := ctx, context.CancelFunc(func() {})
	if f.Timeout > 0 {
		waiting, cancel = context.WithTimeout(ctx, f.Timeout)
	}
	defer cancel()
	quiet := time.NewTimer(patience)
	defer quiet.Stop()
	f.quiet = quiet.C
	err := f.follow(waiting, name, uid)
	explain := fmt.Sprintf("%s explain delete %s/%s says what holds it", f.Program, f.Kind.Word, name)
	switch {
	case errors.Is(err, errGone):
		f.line("gone")
		return nil
	case ctx.Err() != nil:
		return exit.Failed("interrupted; the deletion goes on without this command", explain)
	case waiting.Err() != nil:
		return f.still(name, explain)
	default:
		return exit.Unreadable(err, "follow "+f.Kind.Word+" "+name)
	}
}

// follow looks and then watches, again and again: a watch ends at any time.
func (f *Follower) follow(ctx context.Context, name string, uid types.UID) error {
	tick := time.NewTicker(pause)
	defer tick.Stop()
	for {
		o := f.Kind.New()
		err := f.Client.Get(ctx, types.NamespacedName{Name: name}, o)
		switch {
		case apierrors.IsNotFound(err), err == nil && o.GetUID() != uid:
			return errGone
		case apierrors.IsForbidden(err), apierrors.IsUnauthorized(err):
			return err
		case err == nil:
			f.see(o)
			if err := f.watch(ctx, o, uid); err != nil {
				return err
			}
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-f.quiet:
			f.unsaid()
		case <-tick.C:
		}
	}
}

// watch says each change until the watch ends.
func (f *Follower) watch(ctx context.Context, from client.Object, uid types.UID) error {
	w, err := f.Client.Watch(ctx, f.Kind.NewList(), &client.ListOptions{
		FieldSelector: fields.OneTermEqualSelector("metadata.name", from.GetName()),
		Raw:           &metav1.ListOptions{ResourceVersion: from.GetResourceVersion()},
	})
	if err != nil {
		return nil // it is looked at again
	}
	defer w.Stop()
	for {
		select {
		case <-f.quiet:
			f.unsaid()
		case event, open := <-w.ResultChan():
			o, ok := event.Object.(client.Object)
			switch {
			case !open || !ok || event.Type == watch.Error:
				return nil
			case event.Type == watch.Deleted || o.GetUID() != uid:
				return errGone
			case event.Type == watch.Modified:
				f.see(o)
			}
		}
	}
}

// see keeps the object and says what is new.
func (f *Follower) see(o client.Object) {
	f.last = o
	f.say(o)
}

// say prints the condition's words where they are others than before.
func (f *Follower) say(o client.Object) {
	c := meta.FindStatusCondition(target.Conditions(o), f.Kind.Draining)
	if c == nil {
		return
	}
	text := c.Reason + ": " + plain.Line(c.Message)
	if text != f.said {
		f.said = text
		f.line(text)
	}
}

func (f *Follower) line(text string) {
	after := f.Clock.Since(f.start).Round(100 * time.Millisecond)
	fmt.Fprintf(f.IO.Out, "%8s  %s\n", fmt.Sprintf("+%.1fs", after.Seconds()), text)
}
