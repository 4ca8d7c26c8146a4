package demo

import (
	"context"
	"fmt"
	"strings"

	"demarc.dev/demarc/sandbox"
	"demarc.dev/demarc/sandbox/install"
)

// show prints what kubectl says of it all.
func (d *demo) show(ctx context.Context) error {
	for _, args := range [][]string{
		{"get", "demarc"},
		{"get", "pods", "-A", "-l", "demarc.dev/claim"},
	} {
		d.screen.text("\n$ kubectl " + strings.Join(args, " "))
		if err := d.kubectl(ctx, args...); err != nil {
			return err
		}
	}
	return nil
}

// trial is something to try, in lines to paste.
type trial struct{ about, command string }

// trials change what examples/ holds; applying that again brings it back.
var trials = []trial{
	{"A team asks for more of a service:",
		`kubectl patch serviceclaim refunds --type merge -p '{"spec":{"replicas":3}}' &&
kubectl wait serviceclaim refunds --for=condition=Ready`},
	{"An image that cannot be pulled: the claim says so, and who can act:",
		`kubectl patch serviceclaim catalog --type merge -p '{"spec":{"image":"unpullable.invalid/catalog:2"}}' &&
kubectl wait serviceclaim catalog --timeout 60s --for=jsonpath='{.status.conditions[?(@.type=="Ready")].reason}'=ImagePullFailed &&
kubectl get serviceclaim catalog -o wide`},
	{"A claim is deleted: kubectl returns when nothing of it is left:",
		`kubectl delete serviceclaim refunds &&
kubectl get pods -n team-payments`},
}

// next prints commands to paste. They are ours, so that their line ends stay.
func (d *demo) next(context.Context) error {
	fmt.Fprintf(d.Out, "  %s\n", d.environment())
	for _, t := range trials {
		fmt.Fprintf(d.Out, "\n  # %s\n  %s\n", t.about, strings.ReplaceAll(t.command, "\n", "\n  "))
	}
	fmt.Fprintf(d.Out, "\n  # Back to how it was: the demo once more, or\n  kubectl apply -f %s/\n", examples)
	fmt.Fprintf(d.Out, "\n  # To end it:\n  %s\n", strings.ReplaceAll(d.end(), "\n", "\n  "))
	return nil
}

// end is how the demo is undone. In a cluster of the user's the operator must run until it has removed what it keeps.
func (d *demo) end() string {
	if d.Kubeconfig == "" {
		return d.down()
	}
	return strings.Join([]string{
		"kubectl delete -f " + examples + "/",
		"kubectl annotate platform " + platform.name + " demarc.dev/allow-deletion=uninstall",
		"kubectl delete platform " + platform.name,
		d.down(),
		"helm uninstall demarc -n " + install.Namespace,
	}, "\n")
}

func (d *demo) down() string {
	if d.Name == sandbox.DefaultName {
		return "make sandbox-down"
	}
	return "go run ./cmd/demarc-sandbox down --name " + d.Name
}
