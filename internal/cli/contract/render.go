package contract

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"demarc.dev/demarc/internal/cli/exit"
	"demarc.dev/demarc/internal/cli/factory"
	"demarc.dev/demarc/internal/cli/plain"
	"demarc.dev/demarc/internal/contract"
	"demarc.dev/demarc/internal/routes"
)

// RenderOptions of the verb.
type RenderOptions struct {
	IO            factory.IO
	Program       string
	Files         []string
	Recursive     bool
	Out, Only     string
	Force         bool
	Impersonation bool
	Alertmanager  routes.Settings
}

func newCmdRender(f *factory.Factory, runF func(*RenderOptions) error) *cobra.Command {
	o := &RenderOptions{IO: f.IO, Program: f.Program, Alertmanager: routes.Defaults}
	cmd := &cobra.Command{
		Use:   "render [-f FILE|FOLDER|-]... [--only KIND] [--out FOLDER]",
		Short: "Write what is compiled from the ownership contract, as files for Git",
		Long: `Write what is compiled from the ownership contract, as files for Git. No cluster
is asked. KIND is one of:

  contract      contract.yaml: the contract itself
  roles         clusterroles.yaml: the ClusterRoles of teams and platform
  projects      appproject-kinds.yaml: the kinds that each side's Git may deliver
  codeowners    codeowners/REPOSITORY/CODEOWNERS, for each repository it names
  alertmanager  alertmanager.yaml: routes and receivers
  matrix        matrix.md and matrix.svg: who owns what, for people

With --out all of them are written, or the one that --only names; without it that
one is printed, or else the contract. Of the files the OwnershipContract, the
Platform and the Tenants are read: the last two name people, groups and channels.
Without an OwnershipContract the one that comes with Demarc holds. Files in which
there is none of the three end with 2. What comes to nothing, such as alerts for a
team without a channel, is said on the standard error.

Each file is written as a whole or not at all, and nothing else is touched. A file
of that name that was not made by this command is left alone, and nothing is
written then: --force overwrites it. contract.yaml is yours to change, so it too
is overwritten by --force alone; name it with -f.`,
		Example: fmt.Sprintf(`  %[1]s contract render > contract.yaml
  %[1]s contract render -f contract.yaml -f platform.yaml -f tenants/ --out ownership/
  %[1]s contract render -f contract.yaml -f tenants/ --only alertmanager`, f.Program),
		Args:              cobra.NoArgs,
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if o.Only != "" && !slices.Contains(kinds, o.Only) {
				return exit.Usage(cmd.CommandPath(), fmt.Errorf("--only takes one of %s, not %q", strings.Join(kinds, ", "), o.Only))
			}
			if runF != nil {
				return runF(o)
			}
			return render(o)
		},
	}
	cmd.Flags().StringArrayVarP(&o.Files, "filename", "f", nil, "file, folder, or - for the standard input; may be given several times")
	cmd.Flags().BoolVarP(&o.Recursive, "recursive", "R", false, "read the folders in a folder too")
	cmd.Flags().StringVar(&o.Out, "out", "", "folder to write the files into")
	cmd.Flags().StringVar(&o.Only, "only", "", "one of "+strings.Join(kinds, ", "))
	cmd.Flags().BoolVar(&o.Force, "force", false, "overwrite files that were not made by this command")
	cmd.Flags().BoolVar(&o.Impersonation, "impersonation", true,
		"Argo CD syncs as the team's account (application.sync.impersonation.enabled in argocd-cm)")
	cmd.Flags().StringVar(&o.Alertmanager.SlackURLFile, "slack-url-file", o.Alertmanager.SlackURLFile, "where Alertmanager finds the URL of the chat's API")
	cmd.Flags().StringVar(&o.Alertmanager.SMTPHost, "smtp-host", o.Alertmanager.SMTPHost, "HOST:PORT of the mail server that Alertmanager uses")
	cmd.Flags().StringVar(&o.Alertmanager.SMTPFrom, "smtp-from", o.Alertmanager.SMTPFrom, "sender of Alertmanager's e-mails")
	_ = cmd.RegisterFlagCompletionFunc("only", cobra.FixedCompletions(kinds, cobra.ShellCompDirectiveNoFileComp))
	_ = cmd.MarkFlagDirname("out")
	return cmd
}

func render(o *RenderOptions) error {
	files, found, err := read(o.IO, o.Files, o.Recursive)
	if err != nil {
		return err
	}
	if len(o.Files) > 0 && files.Nothing(found) {
		return nothing(found)
	}
	if !contract.Taken(found) {
		var said []string
		for _, p := range found {
			if p.Severity == contract.Refused && !p.Party {
				said = append(said, plain.Line(p.String()))
			}
		}
		return exit.Refused("the contract cannot be taken, and nothing is made from it:\n"+strings.Join(said, "\n"), "mend that, and ask "+o.Program+" contract lint")
	}
	o.tell(files, found)
	only := o.Only
	if only == "" && o.Out == "" {
		only = kinds[0]
	}
	documents, err := o.documents(files, only)
	if err != nil {
		return err
	}
	if o.Out != "" {
		return write(o, documents)
	}
	for _, d := range documents {
		if d.asked {
			if _, err := fmt.Fprint(o.IO.Out, o.IO.Data(d.text)); err != nil {
				return unwritten(err)
			}
		}
	}
	return nil
}

// tell says on the standard error what is made and is likely not what was meant, and which
// documents were not taken. That nobody is behind a party makes no file impossible.
func (o *RenderOptions) tell(files contract.Files, found []contract.Problem) {
	if files.Contract == nil && len(o.Files) > 0 {
		fmt.Fprintln(o.IO.ErrOut, "note: there is no OwnershipContract among the files: the one that comes with Demarc is rendered")
	}
	for _, p := range found {
		if p.Severity == contract.Refused {
			p.Severity = contract.Warning
		}
		fmt.Fprintln(o.IO.ErrOut, plain.Line(p.String()))
	}
	pages := o.Only == "alertmanager" || o.Only == "" && o.Out != ""
	if pages && files.Platform == nil && len(files.Tenants) == 0 {
		fmt.Fprintln(o.IO.ErrOut, "note: neither Platform nor Tenants are among the files: no receiver of alertmanager.yaml sends anything; give them with -f")
	}
}
