package initclaim

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"demarc.dev/demarc/api/v1alpha1"
	"demarc.dev/demarc/internal/cli/exit"
)

// question asks for one answer, where it is to be asked.
type question struct {
	flag, text string
	// usual is taken for an empty answer; a question without one is asked again.
	usual string
	take  func(string) error
	// when is nil where it is always asked.
	when func() bool
}

func into(s *string) func(string) error {
	return func(answer string) error { *s = answer; return nil }
}

func number(n *int32) func(string) error {
	return func(answer string) error {
		read, err := strconv.ParseInt(answer, 10, 32)
		if err != nil || read < 0 {
			return fmt.Errorf("%q is no whole number of 0 or more", answer)
		}
		*n = int32(read)
		return nil
	}
}

// questions in their order; what was answered by a flag is left out.
func (o *Options) questions() []question {
	const none = "none"
	optional := func(s *string) func(string) error {
		return func(answer string) error {
			if answer != none {
				*s = answer
			}
			return nil
		}
	}
	of := func(kinds ...v1alpha1.ClaimKind) func() bool {
		return func() bool {
			for _, k := range kinds {
				if o.Kind == string(k) {
					return true
				}
			}
			return false
		}
	}
	return []question{
		{"name", "Name of the service", "", into(&o.Name), nil},
		{"team", "Team that it belongs to", "", into(&o.Team), nil},
		{"image", "Image that runs", "", into(&o.Image), nil},
		{"kind", "Kind of workload (" + strings.Join(kinds, ", ") + ")", kinds[0], o.takeKind, nil},
		{"schedule", "When it runs: minute hour day month weekday", "@daily", into(&o.Schedule), of(v1alpha1.KindCronJob)},
		{"port", "Port that it listens on, 0 for none", "8080", number(&o.Port), of(v1alpha1.KindService, v1alpha1.KindStateful)},
		{"host", "Host under which it is reached from outside, '" + platformHost + "' for the one that the platform gives", none, optional(&o.Host), func() bool { return o.Port != 0 }},
		{"replicas", "Replicas", "1", number(&o.Replicas), func() bool { return o.runsOn() && o.Autoscale == "" }},
		{"volume", "Volume of each replica, as PATH=SIZE", "/data=1Gi", func(v string) error { o.Volumes = []string{v}; return nil }, of(v1alpha1.KindStateful)},
	}
}

func (o *Options) takeKind(answer string) error {
	for _, k := range kinds {
		if answer == k {
			o.Kind = k
			return nil
		}
	}
	return fmt.Errorf("%q is none of %s", answer, strings.Join(kinds, ", "))
}

// ask asks what was not given; the end of the input ends it.
func (o *Options) ask(in *bufio.Reader) error {
	for _, q := range o.questions() {
		if o.given[q.flag] || q.when != nil && !q.when() {
			continue
		}
		for {
			usual := ""
			if q.usual != "" {
				usual = " [" + q.usual + "]"
			}
			fmt.Fprintf(o.IO.ErrOut, "%s%s: ", q.text, usual)
			line, err := in.ReadString('\n')
			if err != nil && (!errors.Is(err, io.EOF) || line == "") {
				return exit.Refused("nobody answered, so nothing was written", "give the answers as flags: "+o.Program+" init --help")
			}
			answer := strings.TrimSpace(line)
			if answer == "" {
				answer = q.usual
			}
			if answer == "" {
				continue
			}
			if err := q.take(answer); err != nil {
				fmt.Fprintln(o.IO.ErrOut, err)
				continue
			}
			break
		}
	}
	return nil
}
