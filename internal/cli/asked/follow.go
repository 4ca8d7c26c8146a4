package asked

import (
	"context"
	"fmt"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"demarc.dev/demarc/internal/cli/exit"
)

// follow waits until the operator has done what was said of last.
func (o *Options) follow(ctx context.Context, c client.Reader, last entry, approves bool) error {
	if !o.Wait {
		o.say("%s %s is %s; the operator does the rest", o.Kind.word, o.Name, said(approves))
		o.result(o.Name)
		return nil
	}
	if o.Timeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, o.Timeout)
		defer cancel()
	}
	tick := time.NewTicker(200 * time.Millisecond)
	defer tick.Stop()
	for {
		found, err := o.find(ctx, c)
		if err != nil && ctx.Err() == nil {
			return err
		}
		if err == nil {
			last = read(found)
		}
		if came, err := o.came(last, approves); came || err != nil {
			return err
		}
		select {
		case <-ctx.Done():
			return exit.Refused(fmt.Sprintf("%s %s is %s; %s", o.Kind.word, o.Name, said(approves), last.waits()),
				fmt.Sprintf("see whether the operator runs; %s %s list shows how it stands", o.Program, o.Kind.verb))
		case <-tick.C:
		}
	}
}

// came says whether it has come to what was said, or to something else that is its end.
func (o *Options) came(e entry, approves bool) (bool, error) {
	switch {
	case !approves && e.EndedAt != nil:
		o.say("%s %s is revoked", o.Kind.word, o.Name)
	case e.EndedAt != nil:
		return false, exit.Refused(fmt.Sprintf("%s %s is approved and not in force: %s", o.Kind.word, o.Name, e.Message), "")
	case approves && e.ready == metav1.ConditionTrue:
		o.say("%s %s is in force%s", o.Kind.word, o.Name, e.end())
	default:
		return false, nil
	}
	o.result(o.Name)
	return true, nil
}

func said(approves bool) string {
	return map[bool]string{true: "approved", false: "revoked"}[approves]
}

// waits says what the operator made of it so far. What it said before the approval is no
// answer to that.
func (e entry) waits() string {
	if e.Message == "" || e.State == "AwaitingApproval" || e.ready == metav1.ConditionTrue {
		return "the operator has not acted on it yet"
	}
	return "the operator is not done with it yet (" + e.State + "): " + e.Message
}

func (e entry) end() string {
	if e.Expires == nil {
		return ", without an end"
	}
	return " until " + moment(e.Expires)
}
