package programs

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"time"
)

// progress says which program is being built, which of how many, and for how long.
type progress struct {
	out   io.Writer
	total int
	count int
	// live is set on a terminal, where the line of a running build is rewritten.
	live bool
}

func newProgress(out io.Writer, total int) *progress {
	if out == nil {
		out = io.Discard
	}
	return &progress{out: out, total: total, live: isTerminal(out)}
}

func isTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	if !ok {
		return false
	}
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}

func (p *progress) skip(name string) {
	p.count++
	fmt.Fprintf(p.out, "[%d/%d] %s: built before\n", p.count, p.total, name)
}

func (p *progress) skipAll(programs []Program) {
	for _, program := range programs {
		p.skip(program.Name)
	}
}

// start announces a build. The writer takes go's own report; finish ends the announcement.
func (p *progress) start(name string) (io.Writer, func(error)) {
	p.count++
	r := &report{began: time.Now()}
	head := fmt.Sprintf("[%d/%d] %s", p.count, p.total, name)
	if !p.live {
		fmt.Fprintf(p.out, "%s: building\n", head)
	}
	stop := make(chan struct{})
	var ended sync.WaitGroup
	ended.Go(func() { p.follow(head, r, stop) })
	return r, func(err error) {
		close(stop)
		ended.Wait()
		verdict := "built"
		if err != nil {
			verdict = "failed"
		}
		fmt.Fprintf(p.out, "%s%s: %s in %s\n", p.rewind(), head, verdict, time.Since(r.began).Round(100*time.Millisecond))
	}
}

func (p *progress) rewind() string {
	if p.live {
		return "\r\x1b[K"
	}
	return ""
}

// follow rewrites a terminal's line each second, and elsewhere adds a line each half minute.
func (p *progress) follow(head string, r *report, stop <-chan struct{}) {
	every, end := 30*time.Second, "\n"
	if p.live {
		every, end = time.Second, ""
	}
	tick := time.NewTicker(every)
	defer tick.Stop()
	for {
		select {
		case <-stop:
			return
		case <-tick.C:
			fmt.Fprintf(p.out, "%s%s: %s%s", p.rewind(), head, r, end)
		}
	}
}

// report counts the lines that go build -v prints.
type report struct {
	mu                sync.Mutex
	began             time.Time
	compiled, fetched int
}

func (r *report) Write(text []byte) (int, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	fetched := bytes.Count(text, []byte("go: downloading "))
	r.fetched += fetched
	r.compiled += bytes.Count(text, []byte("\n")) - fetched
	return len(text), nil
}

func (r *report) String() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return fmt.Sprintf("%s, %d packages compiled, %d modules fetched", time.Since(r.began).Round(time.Second), r.compiled, r.fetched)
}

// tail keeps the last lines of what was written to it.
type tail struct{ lines []string }

func (t *tail) Write(text []byte) (int, error) {
	const keep = 30
	t.lines = append(t.lines, strings.Split(strings.TrimRight(string(text), "\n"), "\n")...)
	if len(t.lines) > keep {
		t.lines = t.lines[len(t.lines)-keep:]
	}
	return len(text), nil
}

func (t *tail) String() string { return strings.Join(t.lines, "\n") }
