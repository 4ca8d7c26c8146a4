// Package fix is the verb fix: what the guardrails ask for is written into a file, where
// that is mechanical.
package fix

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/rogpeppe/go-internal/diff"
	"github.com/spf13/cobra"
	"k8s.io/utils/clock"

	"demarc.dev/demarc/internal/check"
	gathered "demarc.dev/demarc/internal/check/manifests"
	"demarc.dev/demarc/internal/cli/exit"
	"demarc.dev/demarc/internal/cli/factory"
	"demarc.dev/demarc/internal/cli/manifest"
	"demarc.dev/demarc/internal/cli/plain"
	"demarc.dev/demarc/internal/finding"
	"demarc.dev/demarc/internal/fix"
	"demarc.dev/demarc/internal/guardrail"
	"demarc.dev/demarc/internal/guardrail/admitted"
	docs "demarc.dev/demarc/internal/manifest"
)

// Options of the verb.
type Options struct {
	IO       factory.IO
	Clock    clock.PassiveClock
	Files    []string
	Team     string
	Platform []string
	Rule     []string
	DryRun   bool
}

// NewCmdFix wires the verb; runF replaces what it does, in tests.
func NewCmdFix(f *factory.Factory, runF func(*Options) error) *cobra.Command {
	o := &Options{IO: f.IO, Clock: f.Clock}
	cmd := &cobra.Command{
		Use:   "fix FILE|FOLDER...",
		Short: "Write into files what the guardrails ask for, where that is mechanical",
		Long: fmt.Sprintf(`Write into files what the guardrails ask for, where that is mechanical: of the
rules %s. Rules that are only warned of, or noted, count too; those that are off do not.

Nothing else changes: comments, order and the way it is written stay. A file is
written as a whole or not at all, and only if it says afterwards what it said before
but for that. What has to be changed by hand is named. What a chart or a kustomization
makes is not written: change what it is made of.

Exit codes: 0 all that is mechanical is written, 1 something has to be changed by hand,
2 it could not be done.`, strings.Join(fix.Rules(), ", ")),
		Example: fmt.Sprintf(`  %[1]s fix deploy.yaml --dry-run
  %[1]s fix k8s/ --platform platform.yaml --rule seccomp`, f.Program),
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			o.Files = args
			if slices.Contains(args, manifest.Stdin) {
				return exit.Usage(cmd.CommandPath(), errors.New("- is no file that can be written: name a file or a folder"))
			}
			for _, id := range o.Rule {
				switch {
				case !guardrail.Known(id):
					return exit.Usage(cmd.CommandPath(), fmt.Errorf("--rule: there is no rule %q", id))
				case !slices.Contains(fix.Rules(), id):
					return exit.Usage(cmd.CommandPath(), fmt.Errorf("--rule: %s is not mechanical; these are: %s", id, strings.Join(fix.Rules(), ", ")))
				}
			}
			if runF != nil {
				return runF(o)
			}
			return run(o)
		},
	}
	cmd.Flags().StringVar(&o.Team, "team", "", "team whose objects they are that name no namespace")
	cmd.Flags().StringArrayVar(&o.Platform, "platform", nil, "file or folder with the Platform, Tenants, or GuardrailSets of a cluster")
	cmd.Flags().StringSliceVar(&o.Rule, "rule", nil, "these rules alone")
	cmd.Flags().BoolVar(&o.DryRun, "dry-run", false, "print what would change, and write nothing")
	return cmd
}

func run(o *Options) error {
	files, err := manifest.Files(o.Files, nil, false)
	if err != nil {
		return exit.Failed(err.Error(), "")
	}
	judge, err := o.judge()
	if err != nil {
		return exit.Failed(err.Error(), "")
	}
	byHand := false
	for _, f := range files {
		after, done, left, err := fix.Text(f.Name, f.Text, func(text string) ([]finding.Finding, error) { return judge(f.Name, text) })
		if err != nil {
			return exit.Failed(err.Error(), "")
		}
		if err := o.tell(f, after, done, left); err != nil {
			return err
		}
		byHand = byHand || len(left) > 0
	}
	if byHand {
		return exit.ErrFound
	}
	return nil
}

// tell says what is done to a file, and does it.
func (o *Options) tell(f manifest.File, after string, done, left []fix.Done) error {
	if o.DryRun {
		if _, err := fmt.Fprint(o.IO.Out, o.IO.Data(string(diff.Diff(f.Name, []byte(f.Text), f.Name, []byte(after))))); err != nil {
			return exit.Failed("cannot write the output: "+err.Error(), "")
		}
	} else if after != f.Text {
		if err := write(f.Name, after); err != nil {
			return exit.Failed(err.Error(), "")
		}
	}
	for _, d := range done {
		fmt.Fprintf(o.IO.ErrOut, "%s: %s: %s: %s\n", plain.Line(d.Place.String()), d.Rule, plain.Line(d.Object.String()), plain.Line(d.Says))
	}
	for _, d := range left {
		fmt.Fprintf(o.IO.ErrOut, "%s: %s: %s: by hand: %s: %s\n", plain.Line(d.Place.String()), d.Rule, plain.Line(d.Object.String()), plain.Line(d.Place.Field), plain.Line(d.Says))
	}
	return nil
}

// write puts a file in the place of another of its name, with its mode, or leaves that as
// it is.
func write(name, text string) error {
	info, err := os.Stat(name)
	if err != nil {
		return err
	}
	direct, err := filepath.EvalSymlinks(name)
	if err != nil {
		return err
	}
	beside, err := os.CreateTemp(filepath.Dir(direct), ".demarc-fix-*")
	if err != nil {
		return err
	}
	defer os.Remove(beside.Name())
	_, err = beside.WriteString(text)
	if err := errors.Join(err, beside.Chmod(info.Mode().Perm()), beside.Close()); err != nil {
		return fmt.Errorf("write %s: %w", name, err)
	}
	return os.Rename(beside.Name(), direct)
}

// judge says what breaks the rules in a file, those that are wanted alone.
func (o *Options) judge() (func(name, text string) ([]finding.Finding, error), error) {
	rules, err := check.Compile(nil)
	if err != nil {
		return nil, err
	}
	var settings check.Settings
	given, err := manifest.Read(o.Platform, o.IO.In, false)
	if err != nil {
		return nil, err
	}
	for _, d := range given {
		if _, err := settings.Take(d); err != nil {
			return nil, err
		}
		if err := gathered.Setting(d); err != nil {
			return nil, err
		}
	}
	at := o.Clock.Now()
	return func(name, text string) ([]finding.Finding, error) {
		answer, err := check.Check(check.Question{Manifests: manifests(name, text), Team: o.Team, At: at.Truncate(time.Second), Rules: rules, Settings: settings})
		return o.wanted(answer.Findings), err
	}, nil
}

// manifests of a file that can be read; what cannot is somebody else's to mend.
func manifests(name, text string) (list []check.Manifest) {
	read, _ := docs.Parse(name, text)
	for _, d := range read {
		if o, err := admitted.Decode(d.JSON); err == nil {
			list = append(list, check.Manifest{Object: o, Find: func(path string) (string, int) { return d.File, d.LineOf(path) }})
		}
	}
	return list
}

func (o *Options) wanted(all []finding.Finding) (list []finding.Finding) {
	for _, f := range all {
		for _, id := range o.Rule {
			if id == f.ID {
				list = append(list, f)
			}
		}
		if len(o.Rule) == 0 {
			list = append(list, f)
		}
	}
	return list
}
