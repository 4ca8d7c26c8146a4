package runner

import (
	"context"
	"errors"
	"fmt"
	"math"
	"runtime/debug"
	"runtime/metrics"

	"demarc.dev/demarc/internal/snapshot"
	"demarc.dev/demarc/internal/triage"
)

// errNoRoom ends a look that would take more memory than there is: the operator keeps teams'
// spaces before it says what else is wrong.
var errNoRoom = errors.New("the cluster is too large to be looked at in the memory that the operator has")

const (
	// checked is after how many objects the memory is looked at.
	checked = 200
	// tenths of the limit that may be in use while a cluster is read; triage itself takes some.
	tenths = 7
)

// room trims what is read, and ends the look where memory runs out.
type room struct {
	end  context.CancelCauseFunc
	used func() (live, limit uint64)
	seen int
}

// trim is called with each object, by one at a time.
func (r *room) trim(o snapshot.Object) {
	triage.Trim(o)
	if r.seen++; r.seen%checked != 0 {
		return
	}
	if live, limit := r.used(); live/tenths > limit/10 {
		r.end(fmt.Errorf("%w: %d MiB of %d are in use after %d objects; raise operator.resources.limits.memory (about 350 MiB more for each 10,000 pods)",
			errNoRoom, live>>20, limit>>20, r.seen))
	}
}

// memory is what was in use when it was last cleaned up, and the limit that the process has;
// there is none where it was started without.
func memory() (live, limit uint64) {
	limit = uint64(max(0, debug.SetMemoryLimit(-1)))
	if limit == math.MaxInt64 {
		return 0, limit
	}
	sample := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	metrics.Read(sample)
	return sample[0].Value.Uint64(), limit
}
