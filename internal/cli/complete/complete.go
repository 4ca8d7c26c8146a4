// Package complete completes names on the command line from the cluster, where one
// answers at once.
package complete

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"k8s.io/apimachinery/pkg/api/meta"

	"demarc.dev/demarc/internal/cli/factory"
	"demarc.dev/demarc/internal/cli/target"
)

// patience with a cluster while a person waits for the tab key.
const patience = 3 * time.Second

// Func completes what comes next on a command line.
type Func = func(cmd *cobra.Command, args []string, word string) ([]string, cobra.ShellCompDirective)

// Names completes the one argument of a verb with names of a kind.
func Names(f *factory.Factory, kind target.Kind) Func {
	return func(cmd *cobra.Command, args []string, word string) ([]string, cobra.ShellCompDirective) {
		if len(args) > 0 {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		return names(cmd, f, kind, "", word), cobra.ShellCompDirectiveNoFileComp
	}
}

// Targets completes KIND/NAME.
func Targets(f *factory.Factory) Func {
	return func(cmd *cobra.Command, args []string, word string) ([]string, cobra.ShellCompDirective) {
		if len(args) > 0 {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		before, name, slash := strings.Cut(word, "/")
		if !slash {
			return []string{"claim/", "tenant/"}, cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveNoSpace
		}
		kind, err := target.ParseKind(before)
		if err != nil {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		return names(cmd, f, kind, before+"/", name), cobra.ShellCompDirectiveNoFileComp
	}
}

// Words completes with words that are known.
func Words(words ...string) Func {
	return cobra.FixedCompletions(words, cobra.ShellCompDirectiveNoFileComp)
}

func names(cmd *cobra.Command, f *factory.Factory, kind target.Kind, prefix, begin string) []string {
	c, err := f.Client()
	if err != nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(cmd.Context(), patience)
	defer cancel()
	list := kind.NewList()
	if err := c.List(ctx, list); err != nil {
		return nil
	}
	items, err := meta.ExtractList(list)
	if err != nil {
		return nil
	}
	var found []string
	for _, item := range items {
		o, err := meta.Accessor(item)
		if err == nil && strings.HasPrefix(o.GetName(), begin) {
			found = append(found, prefix+o.GetName())
		}
	}
	slices.Sort(found)
	return found
}
