// Package poll waits for what no watch tells of, with a deadline.
package poll

import (
	"context"
	"fmt"
	"time"
)

// Until asks again and again until check says yes. The error names what was waited for, and what check said last.
func Until(ctx context.Context, every, within time.Duration, what string, check func(context.Context) (bool, error)) error {
	ctx, cancel := context.WithTimeout(ctx, within)
	defer cancel()
	tick := time.NewTicker(every)
	defer tick.Stop()
	var last error
	for {
		done, err := check(ctx)
		if done {
			return nil
		}
		if ctx.Err() == nil || last == nil { // the one that was cut short says nothing
			last = err
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return fmt.Errorf("%s: gave up after %s: %w (last: %v)", what, within, context.Cause(ctx), last)
		}
	}
}
