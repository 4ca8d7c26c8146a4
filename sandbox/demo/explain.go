package demo

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"demarc.dev/demarc/sandbox/install"
)

// How much of the operator's log is shown.
const (
	logLines = 15
	logWidth = 400
)

// explain says what is not Ready and why, and what the operator said last.
func (d *demo) explain(t *tracker) {
	d.screen.step(fmt.Sprintf("Not Ready after %s", d.Timeout))
	for _, o := range t.pending() {
		d.screen.text(fmt.Sprintf("%-*s  %s", d.screen.width, o, because(t.last[o])))
	}
	d.screen.text("\nthe operator's last words:")
	d.screen.text(d.operatorSays())
}

func because(s state) string {
	if s == (state{}) {
		return "the operator has not looked at it, or not at its newest spec"
	}
	return strings.TrimPrefix(s.reason+": "+s.message, ": ")
}

// operatorSays is how the operator's process fares, and the end of its log.
func (d *demo) operatorSays() string {
	var lines []string
	list, err := d.sandbox.Components()
	if err != nil {
		lines = append(lines, err.Error())
	}
	for _, c := range list {
		if c.Name != install.Operator {
			continue
		}
		if c.Problem != "" {
			lines = append(lines, c.Problem)
		}
		if e := c.LastExit; e != nil {
			lines = append(lines, fmt.Sprintf("it ended %d times, the last time: %s", c.Restarts, e.Reason))
		}
	}
	text, err := os.ReadFile(filepath.Join(d.sandbox.Dir(), "logs", install.Operator+".log"))
	if err != nil {
		return strings.Join(append(lines, err.Error()), "\n")
	}
	log := strings.Split(strings.TrimSpace(string(text)), "\n")
	for _, line := range log[max(0, len(log)-logLines):] {
		if len(line) > logWidth {
			line = line[:logWidth] + "…"
		}
		lines = append(lines, line)
	}
	return strings.Join(lines, "\n")
}
