package factory

import (
	"fmt"

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

func (f *Factory) config() (*rest.Config, error) {
	config, err := f.flags.loader().ClientConfig()
	switch {
	case clientcmd.IsEmptyConfig(err):
		return nil, exit.Failed("no cluster is named", "set KUBECONFIG, or give --kubeconfig FILE")
	case err != nil:
		return nil, exit.Failed("the kubeconfig cannot be used: "+err.Error(), "mend it, or name another with --kubeconfig or --context")
	case config.Timeout < 0:
		return nil, exit.Failed("--request-timeout is below 0", "give a duration such as 10s; 0 is for ever")
	}
	config.UserAgent = "demarc"
	config.QPS, config.Burst = -1, 0 // the API server's own fairness limits us
	config.WarningHandler = warnings{f.IO}
	return config, nil
}

// warnings prints what the API server warns of.
type warnings struct{ io IO }

func (w warnings) HandleWarningHeader(code int, _ string, text string) {
	if code == 299 && text != "" {
		fmt.Fprintln(w.io.ErrOut, "Warning: "+plain.Line(text))
	}
}
