// Package access is the verbs access and budget: ask for access to a team's namespace or
// for a larger budget.
package access

import (
	"context"
	"time"

	"github.com/spf13/cobra"

	"demarc.dev/demarc/internal/cli/asked"
	"demarc.dev/demarc/internal/cli/factory"
)

// Options of both requests; each uses some.
type Options struct {
	*asked.Options
	Role, User, Group string
	ServiceAccount    string
	For               time.Duration
	CPU, Memory       string
	Pods              int64
}

// runFunc is what a request does.
type runFunc = func(context.Context, *Options) error

// NewCmdAccess wires the verb access and those below it.
func NewCmdAccess(f *factory.Factory) *cobra.Command {
	return asked.NewCmd(f, asked.Grants, "Ask for access to a team's namespace for some hours, and approve, list or end it", newCmdRequestAccess(f, requestAccess))
}

// NewCmdBudget wires the verb budget and those below it.
func NewCmdBudget(f *factory.Factory) *cobra.Command {
	return asked.NewCmd(f, asked.Budgets, "Ask for a larger budget for a team, and approve, list or end it", newCmdRequestBudget(f, requestBudget))
}
