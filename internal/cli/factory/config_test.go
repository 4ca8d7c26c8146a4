package factory_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/spf13/pflag"

	"demarc.dev/demarc/internal/cli/exit"
	"demarc.dev/demarc/internal/cli/factory"
)

const kubeconfig = `apiVersion: v1
kind: Config
clusters: [{name: c, cluster: {server: "https://127.0.0.1:1"}}]
users: [{name: u, user: {token: t}}]
contexts: [{name: x, context: {cluster: c, user: u}}]
current-context: x
`

// A flag that is wrong is named; the kubeconfig is not at fault then.
func TestWrongFlags(t *testing.T) {
	file := filepath.Join(t.TempDir(), "config")
	if err := os.WriteFile(file, []byte(kubeconfig), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		args []string
		says string
		flag bool
	}{
		{[]string{"--request-timeout", "5s"}, "", false},
		{[]string{"--request-timeout", "7"}, "", false},
		{[]string{"--as", "kim", "--as-group", "x"}, "", false},
		{[]string{"--request-timeout", "abc"}, `--request-timeout "abc" is no duration`, true},
		{[]string{"--request-timeout", "-1s"}, "--request-timeout is below 0", true},
		{[]string{"--as-group", "x"}, "--as-group is given without --as", true},
		{[]string{"--as-uid", "7"}, "--as-uid is given without --as", true},
		{[]string{"--context", "nope", "--as-group", "x"}, `the kubeconfig cannot be used: context "nope" does not exist`, false},
	} {
		f := factory.New("demarc", factory.IO{})
		flags := pflag.NewFlagSet("demarc", pflag.ContinueOnError)
		f.AddFlags(flags)
		if err := flags.Parse(append([]string{"--kubeconfig", file}, c.args...)); err != nil {
			t.Fatal(err)
		}
		_, err := f.Config()
		if (err == nil) != (c.says == "") || !strings.HasPrefix(exit.Text(err), c.says) || errors.Is(err, factory.ErrFlag) != c.flag {
			t.Errorf("%q: %v, want %q", c.args, err, c.says)
		}
		if c.flag && strings.Contains(exit.Text(err), "kubeconfig") {
			t.Errorf("%q: the kubeconfig is not at fault: %v", c.args, err)
		}
	}
}

func TestNoneEmpty(t *testing.T) {
	for text, want := range map[string]string{"": "", "--name=a": "", "--name=": "--name is given and empty", "--list=": "--list is given and empty",
		"--list=a --list=": "--list is given and empty", "--count=3 --on": "", "--name= --name=b": ""} {
		flags := pflag.NewFlagSet("x", pflag.ContinueOnError)
		flags.String("name", "usual", "")
		flags.StringArray("list", nil, "")
		flags.Int("count", 0, "")
		flags.Bool("on", false, "")
		if err := flags.Parse(strings.Fields(text)); err != nil {
			t.Fatal(err)
		}
		err := factory.NoneEmpty(flags)
		if (err == nil) != (want == "") || err != nil && !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
}
