package factory

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/pflag"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"

	"demarc.dev/demarc/internal/cli/exit"
	"demarc.dev/demarc/internal/cli/plain"
)

// flags say which cluster, and as whom; they are kubectl's, by the same names.
type flags struct {
	kubeconfig string
	overrides  clientcmd.ConfigOverrides
}

// shown are the flags that the help lists, in our words; the others are left out of it.
var shown = map[string]string{
	"kubeconfig":      "file that names the cluster and who you are",
	"context":         "context of the kubeconfig file",
	"as":              "user to act as, where you may impersonate",
	"as-group":        "group to act as; may be given several times",
	"request-timeout": "how long one request may take, such as 10s; 0 is for ever",
}

func (f *flags) add(to *pflag.FlagSet) {
	to.StringVar(&f.kubeconfig, clientcmd.RecommendedConfigPathFlag, "", "")
	names := clientcmd.RecommendedConfigOverrideFlags("")
	names.ContextOverrideFlags.Namespace.LongName = "" // Demarc's kinds have none
	clientcmd.BindOverrideFlags(&f.overrides, to, names)
	to.VisitAll(func(flag *pflag.Flag) {
		usage, ok := shown[flag.Name]
		flag.Hidden = !ok
		if ok {
			flag.Usage = usage
		}
	})
}

func (f *flags) loader() clientcmd.ClientConfig {
	rules := clientcmd.NewDefaultClientConfigLoadingRules()
	rules.ExplicitPath = f.kubeconfig
	return clientcmd.NewNonInteractiveDeferredLoadingClientConfig(rules, &f.overrides)
}

// ErrFlag is the cause where one of the flags that say which cluster, and as whom, is wrong.
var ErrFlag = errors.New("a flag is wrong")

func (f *Factory) config() (*rest.Config, error) {
	config, err := f.flags.loader().ClientConfig()
	if wrong := f.flags.wrong(err); wrong != nil {
		return nil, wrong
	}
	switch {
	case clientcmd.IsEmptyConfig(err):
		return nil, exit.Failed("no cluster is named", "set KUBECONFIG, or give --kubeconfig FILE")
	case err != nil:
		return nil, exit.Failed("the kubeconfig cannot be used: "+err.Error(), "mend it, or name another with --kubeconfig or --context")
	case config.Timeout < 0:
		return nil, flagError("--request-timeout is below 0", "give a duration such as 10s; 0 is for ever")
	}
	config.UserAgent = "demarc"
	config.QPS, config.Burst = -1, 0 // the API server's own fairness limits us
	config.WarningHandler = warnings{f.IO}
	return config, nil
}

func flagError(what, next string) error {
	return &exit.Error{Code: exit.Unknown, What: what, Next: next, Err: ErrFlag}
}

// wrong says which flag is at fault, where it is one and not the kubeconfig.
func (f *flags) wrong(err error) error {
	if text := f.overrides.Timeout; text != "" {
		if _, err := clientcmd.ParseTimeout(text); err != nil {
			return flagError(fmt.Sprintf("--request-timeout %q is no duration", text), "give one such as 10s; 0 is for ever")
		}
	}
	as := f.overrides.AuthInfo
	if err == nil || as.Impersonate != "" {
		return nil
	}
	for _, given := range []struct {
		flag string
		is   bool
	}{{"--as-group", len(as.ImpersonateGroups) > 0}, {"--as-uid", as.ImpersonateUID != ""}, {"--as-user-extra", len(as.ImpersonateUserExtra) > 0}} {
		if given.is && strings.Contains(err.Error(), "without impersonating a user") {
			return flagError(given.flag+" is given without --as: it says of whom you act as what else they are", "give --as USER too")
		}
	}
	return nil
}

// warnings prints what the API server warns of.
type warnings struct{ io IO }

func (w warnings) HandleWarningHeader(code int, _ string, text string) {
	if code == 299 && text != "" {
		fmt.Fprintln(w.io.ErrOut, "Warning: "+plain.Line(text))
	}
}
