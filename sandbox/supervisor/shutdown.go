package supervisor

import (
	"fmt"
	"syscall"
	"time"

	"demarc.dev/demarc/sandbox/process"
)

// Shutdown ends the supervisor and everything that it, or one before it, started, whether or not it still lives.
func Shutdown(dir string) error {
	s, err := ReadState(dir)
	if err != nil {
		// A damaged file must not keep anybody from cleaning up: the mark still finds what runs.
		s = State{}
	}
	if s.Supervisor.Signal(syscall.SIGTERM) == nil {
		// Every component has its grace, in as many waves as there are steps from etcd to Argo CD.
		if len(process.WaitGone([]process.ID{s.Supervisor}, 6*grace)) > 0 {
			_ = s.Supervisor.Signal(syscall.SIGKILL)
		}
	}
	var left []process.ID
	for _, c := range s.Components {
		left = append(left, c.Process)
	}
	process.End(left, 2*time.Second)
	return endMarked(dir)
}

// endMarked ends what the state does not name: processes started just before a supervisor was killed, and what components
// started themselves.
func endMarked(dir string) error {
	for range 5 {
		left := process.Marked(Mark, dir)
		if len(left) == 0 {
			return nil
		}
		process.EndEach(left, time.Second)
	}
	return fmt.Errorf("processes of %s remain: %v", dir, process.Marked(Mark, dir))
}
