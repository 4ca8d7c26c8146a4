// Package cli is the command line demarc: a package for each verb beside it, all
// of them in one list here.
package cli

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/go-logr/logr"
	"github.com/spf13/cobra"
	"k8s.io/klog/v2"
	"sigs.k8s.io/controller-runtime/pkg/log"

	"demarc.dev/demarc/internal/cli/access"
	"demarc.dev/demarc/internal/cli/adopt"
	"demarc.dev/demarc/internal/cli/check"
	"demarc.dev/demarc/internal/cli/contract"
	deleteverb "demarc.dev/demarc/internal/cli/delete"
	"demarc.dev/demarc/internal/cli/drift"
	"demarc.dev/demarc/internal/cli/dump"
	"demarc.dev/demarc/internal/cli/exception"
	"demarc.dev/demarc/internal/cli/exit"
	"demarc.dev/demarc/internal/cli/explain"
	"demarc.dev/demarc/internal/cli/factory"
	"demarc.dev/demarc/internal/cli/fix"
	"demarc.dev/demarc/internal/cli/get"
	"demarc.dev/demarc/internal/cli/history"
	"demarc.dev/demarc/internal/cli/initclaim"
	"demarc.dev/demarc/internal/cli/plain"
	"demarc.dev/demarc/internal/cli/release"
	"demarc.dev/demarc/internal/cli/render"
	"demarc.dev/demarc/internal/cli/rollback"
	"demarc.dev/demarc/internal/cli/status"
	testverb "demarc.dev/demarc/internal/cli/test"
	"demarc.dev/demarc/internal/cli/triage"
	"demarc.dev/demarc/internal/cli/version"
	"demarc.dev/demarc/internal/cli/who"
)

// verbs is the list of all verbs.
func verbs(f *factory.Factory) []*cobra.Command {
	return []*cobra.Command{
		get.NewCmdGet(f, nil),
		status.NewCmdStatus(f, nil),
		history.NewCmdHistory(f, nil),
		rollback.NewCmdRollback(f, nil),
		initclaim.NewCmdInit(f, nil),
		render.NewCmdRender(f, nil),
		release.NewCmdRelease(f, nil),
		deleteverb.NewCmdDelete(f, nil),
		explain.NewCmdExplain(f, nil),
		adopt.NewCmdAdopt(f, nil),
		contract.NewCmdContract(f),
		check.NewCmdCheck(f, nil),
		fix.NewCmdFix(f, nil),
		testverb.NewCmdTest(f, nil),
		access.NewCmdAccess(f),
		access.NewCmdBudget(f),
		exception.NewCmdException(f),
		who.NewCmdWho(f, nil),
		drift.NewCmdDrift(f, nil),
		triage.NewCmdTriage(f, nil),
		dump.NewCmdDump(f, nil),
		version.NewCmdVersion(f, nil),
	}
}

// Quiet keeps libraries from logging what they return as an error too: it is told
// once, in our words. It is for a whole process.
func Quiet() {
	klog.SetLogger(logr.Discard())
	log.SetLogger(logr.Discard())
}

// Run runs one command line and returns the exit code.
func Run(ctx context.Context, f *factory.Factory, args []string) int {
	root := New(f)
	root.SetArgs(factory.CompletionArgs(f.Invoked, args))
	err := root.ExecuteContext(ctx)
	if text := exit.Text(err); text != "" {
		fmt.Fprintln(f.IO.ErrOut, f.Program+": "+plain.Text(text))
	}
	return exit.Code(err)
}

// New wires the root command.
func New(f *factory.Factory) *cobra.Command {
	root := &cobra.Command{
		Use:   "demarc",
		Short: "Teams, their services, and who owns what on a cluster",
		Long: `Demarc gives a team a space, access, a budget and a proven delivery for its
services. This is its command line.

Exit codes: 0 done, or nothing was found; 1 the answer is no: something was
found, does not exist or was refused; 2 it could not tell: wrong usage, no
cluster, no right to look.`,
		Args:          knownVerb,
		Annotations:   map[string]string{cobra.CommandDisplayNameAnnotation: f.Program},
		SilenceUsage:  true,
		SilenceErrors: true,
		RunE:          func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	root.SetIn(f.IO.In)
	root.SetOut(f.IO.Out)
	root.SetErr(f.IO.ErrOut)
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		return exit.Usage(cmd.CommandPath(), err)
	})
	root.SuggestionsMinimumDistance = 2
	f.AddFlags(root.PersistentFlags())
	root.AddCommand(verbs(f)...)
	wrapArgs(root)
	return root
}

// knownVerb refuses a word that is no verb, and says which may have been meant.
func knownVerb(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	text := fmt.Sprintf("there is no verb %q", args[0])
	if like := cmd.SuggestionsFor(args[0]); len(like) > 0 {
		text += "; did you mean " + strings.Join(like, " or ") + "?"
	}
	return errors.New(text)
}

// wrapArgs lets wrong arguments, and flags that are given and empty, end as wrong usage,
// for every verb alike.
func wrapArgs(cmd *cobra.Command) {
	check := cmd.Args
	cmd.Args = func(c *cobra.Command, args []string) error {
		err := factory.NoneEmpty(c.LocalNonPersistentFlags())
		if err == nil && check != nil {
			err = check(c, args)
		}
		if err != nil {
			return exit.Usage(c.CommandPath(), err)
		}
		return nil
	}
	for _, sub := range cmd.Commands() {
		wrapArgs(sub)
	}
}
