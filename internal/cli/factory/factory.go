// Package factory gives the verbs what they work with: streams, flags and clients.
// Nothing is read and no cluster is asked before a verb asks for it, so that --help
// works anywhere.
package factory

import (
	"path/filepath"
	"strings"
	"sync"

	"github.com/spf13/pflag"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/discovery"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
	"k8s.io/utils/clock"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"demarc.dev/demarc/api/v1alpha1"
	"demarc.dev/demarc/internal/cli/exit"
)

// Factory is handed to every verb.
type Factory struct {
	// Invoked is the name that the program was started by.
	Invoked string
	// Program is how the user calls it: demarc, or kubectl demarc.
	Program string
	IO      IO
	Clock   clock.PassiveClock

	// Config, Client and Discovery do their work at the first call and then remember it.
	// Their errors are ready to be returned.
	Config func() (*rest.Config, error)
	// Client reads and writes Demarc's kinds and those of client-go as types, all
	// others as unstructured objects.
	Client    func() (client.WithWatch, error)
	Discovery func() (discovery.DiscoveryInterface, error)

	flags flags
}

// New makes the factory of one run.
func New(argv0 string, io IO) *Factory {
	f := &Factory{
		Invoked: strings.TrimSuffix(filepath.Base(argv0), ".exe"),
		Program: "demarc",
		IO:      io,
		Clock:   clock.RealClock{},
	}
	if strings.HasPrefix(f.Invoked, "kubectl") {
		f.Program = "kubectl demarc"
	}
	f.Config = sync.OnceValues(f.config)
	f.Client = sync.OnceValues(f.client)
	f.Discovery = sync.OnceValues(f.discovery)
	return f
}

// CompletionArgs is how kubectl asks a plugin to complete a command line: by a
// program of another name.
func CompletionArgs(invoked string, args []string) []string {
	if strings.HasPrefix(invoked, "kubectl_complete") {
		return append([]string{"__complete"}, args...)
	}
	return args
}

// AddFlags adds the flags that say which cluster, and as whom.
func (f *Factory) AddFlags(to *pflag.FlagSet) { f.flags.add(to) }

func (f *Factory) client() (client.WithWatch, error) {
	config, err := f.Config()
	if err != nil {
		return nil, err
	}
	scheme, err := Scheme()
	if err != nil {
		return nil, err
	}
	c, err := client.NewWithWatch(config, client.Options{Scheme: scheme, FieldOwner: "demarc-cli"})
	if err != nil {
		return nil, exit.Unreadable(err, "make a client for "+config.Host)
	}
	return c, nil
}

func (f *Factory) discovery() (discovery.DiscoveryInterface, error) {
	config, err := f.Config()
	if err != nil {
		return nil, err
	}
	d, err := discovery.NewDiscoveryClientForConfig(config)
	if err != nil {
		return nil, exit.Unreadable(err, "make a client for "+config.Host)
	}
	return d, nil
}

// Scheme knows the kinds that the verbs read as types.
func Scheme() (*runtime.Scheme, error) {
	s := runtime.NewScheme()
	if err := clientgoscheme.AddToScheme(s); err != nil {
		return nil, err
	}
	return s, v1alpha1.AddToScheme(s)
}
