package isolation

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/types"

	"demarc.dev/demarc/api/v1alpha1"
	"demarc.dev/demarc/test/cluster"
)

// operation is a task of everyday work: one command, as docs/isolation.md has it, by
// somebody with one of the three roles.
type operation struct {
	task, role, command string
	// says is what the answer holds.
	says string
	// unseen marks what a kubelet would answer: there is none here, so what counts is that
	// nothing refuses it.
	unseen bool
	// then waits for what the command is for.
	then func(t *testing.T)
}

// files are those that the commands name.
var files = map[string]string{
	"web.yaml": cluster.Claim("shop-web", "shop", "image: 'nginx:1.27-alpine', replicas: 2, port: 80"),
	"job.yaml": "apiVersion: batch/v1\nkind: CronJob\nmetadata: {name: tidy}\n" +
		"spec: {schedule: '0 3 * * *', jobTemplate: {spec: {template: {spec: {restartPolicy: Never, " +
		"containers: [{name: tidy, image: 'busybox:1.37'}]}}}}}\n",
	"pdb.yaml": "apiVersion: policy/v1\nkind: PodDisruptionBudget\nmetadata: {name: web}\n" +
		"spec: {minAvailable: 1, selector: {matchLabels: {demarc.dev/claim: shop-web}}}\n",
	"ingress.yaml": "apiVersion: networking.k8s.io/v1\nkind: Ingress\nmetadata: {name: web}\n" +
		"spec: {rules: [{host: shop.example, http: {paths: [{path: /, pathType: Prefix, backend: {service: {name: shop-web, port: {number: 80}}}}]}}]}\n",
}

var routine = []operation{
	{task: "make a service", role: "edit", command: "kubectl apply -f web.yaml", then: runs("nginx:1.27-alpine", 2)},
	{task: "change its image", role: "edit",
		command: `kubectl patch claim shop-web --type=merge -p '{"spec":{"image":"nginx:1.28-alpine"}}'`,
		then:    runs("nginx:1.28-alpine", 2)},
	{task: "roll back: apply what was in Git before", role: "edit", command: "kubectl apply -f web.yaml",
		then: runs("nginx:1.27-alpine", 2)},
	{task: "scale it", role: "operate", command: `kubectl patch claim shop-web --type=merge -p '{"spec":{"replicas":3}}'`,
		then: runs("nginx:1.27-alpine", 3)},
	{task: "set a variable", role: "edit",
		command: `kubectl patch claim shop-web --type=merge -p '{"spec":{"env":[{"name":"LOG_LEVEL","value":"debug"}]}}'`,
		then:    runs("nginx:1.27-alpine", 3)},
	{task: "put a secret into the cluster", role: "edit",
		command: "kubectl create secret generic database -n team-shop --from-literal=password=hunter2"},
	{task: "have the service read it", role: "edit",
		command: `kubectl patch claim shop-web --type=merge -p '{"spec":{"env":[{"name":"DB_PASSWORD","valueFrom":{"secretKeyRef":{"name":"database","key":"password"}}}]}}'`,
		then:    runs("nginx:1.27-alpine", 3)},
	{task: "put settings into a ConfigMap", role: "edit",
		command: "kubectl create configmap settings -n team-shop --from-literal=colour=blue"},
	{task: "restart it", role: "operate", command: "kubectl rollout restart deployment/shop-web -n team-shop",
		says: "restarted", then: runs("nginx:1.27-alpine", 3)},
	{task: "read logs", role: "view", command: "kubectl logs deployment/shop-web -n team-shop", unseen: true},
	{task: "open a shell", role: "operate", command: "kubectl exec deployment/shop-web -n team-shop -- env", unseen: true},
	{task: "forward a port", role: "operate", command: "kubectl port-forward deployment/shop-web :80 -n team-shop",
		unseen: true},
	{task: "delete a pod", role: "operate",
		command: "kubectl delete pod -n team-shop $(kubectl get pods -n team-shop -l demarc.dev/claim=shop-web -o name | head -1 | cut -d/ -f2)",
		says:    "deleted", then: runs("nginx:1.27-alpine", 3)},
	{task: "see what happened", role: "view", command: "kubectl get events -n team-shop", says: "shop-web"},
	{task: "see how much of the budget is used", role: "view", command: "kubectl describe resourcequota -n team-shop",
		says: "requests.cpu"},
	{task: "see whose claims one may change", role: "edit",
		command: "kubectl auth can-i deploy serviceclaims.demarc.dev -n team-shop", says: "yes"},
	{task: "see one's own services", role: "view", command: "demarc get", says: "shop-web"},
	{task: "see the team's claims with kubectl", role: "view",
		command: "kubectl get claims --field-selector spec.team=shop", says: "shop-web"},
	{task: "read what the team was given", role: "view", command: "kubectl get tenant shop -o yaml", says: "cpu:"},
	{task: "say who is on call", role: "edit",
		command: `kubectl patch tenant shop --type=merge -p '{"spec":{"contacts":{"onCall":"shop-primary"}}}'`},
	{task: "ask whose a thing is", role: "view", command: "demarc who deployment/shop-web -n team-shop", says: "shop-primary"},
	{task: "ask for more access for an hour", role: "view",
		command: `demarc access request shop --role=operate --for=1h --reason "night shift"`, says: "shop"},
	{task: "ask for a larger budget", role: "edit",
		command: `demarc budget request shop --cpu=9 --for=72h --reason "the sale"`, says: "shop"},
	{task: "break it", role: "edit",
		command: `kubectl patch claim shop-web --type=merge -p '{"spec":{"image":"unpullable.invalid/shop/web:2"}}'`,
		then:    isDown},
	{task: "ask why it is down", role: "view", command: "kubectl describe claim shop-web", says: "Next, team:"},
	{task: "mend it", role: "edit", command: "kubectl apply -f web.yaml", then: runs("nginx:1.27-alpine", 2)},
	{task: "run something every night", role: "edit", command: "kubectl apply -n team-shop -f job.yaml"},
	{task: "run it now", role: "edit", command: "kubectl create job tidy-now -n team-shop --from=cronjob/tidy"},
	{task: "run something beside the claims", role: "edit",
		command: "kubectl create deployment worker -n team-shop --image=busybox:1.37"},
	{task: "scale that by load", role: "edit",
		command: "kubectl autoscale deployment/worker -n team-shop --min=1 --max=3 --cpu=80%"},
	{task: "keep one pod while nodes are drained", role: "edit", command: "kubectl apply -n team-shop -f pdb.yaml"},
	{task: "be reached from outside", role: "edit", command: "kubectl apply -n team-shop -f ingress.yaml"},
	{task: "make an account for a service", role: "edit", command: "kubectl create serviceaccount reader -n team-shop"},
	{task: "say what it may", role: "edit",
		command: "kubectl create role reader -n team-shop --verb=get,list --resource=configmaps"},
	{task: "give it that", role: "edit",
		command: "kubectl create rolebinding reader -n team-shop --role=reader --serviceaccount=team-shop:reader"},
	{task: "take a service down", role: "edit", command: "kubectl delete claim shop-web", says: "deleted"},
}

// TestRoutine does the everyday work of a team, as the documents have it, without the
// platform team. Making the Tenant is all that the platform did.
func TestRoutine(t *testing.T) {
	t.Parallel()
	on.Apply(t, team("shop"))
	on.TenantSays(t, patience, "shop", "Ready", "TenantReady")
	shell := newShell(t)
	for _, o := range routine {
		out, err := shell.run(o.command, as("shop", o.role))
		refused := strings.Contains(out, "orbidden") || strings.Contains(out, "denied")
		if refused || err != nil && !o.unseen || !strings.Contains(out, o.says) {
			t.Fatalf("%s, as %s: %s: %v: %s\nwant it let through, saying %q", o.task, o.role, o.command, err, out, o.says)
		}
		if o.then != nil {
			o.then(t)
		}
	}
	section(t, "isolation.md", "routine", routineTable())
}

// runs waits until the claim has proven that this image runs in that number.
func runs(image string, replicas int32) func(*testing.T) {
	return func(t *testing.T) {
		t.Helper()
		cluster.Eventually(t, patience, func(ctx context.Context) error {
			c := &v1alpha1.ServiceClaim{}
			if err := on.Client.Get(ctx, types.NamespacedName{Name: "shop-web"}, c); err != nil {
				return err
			}
			if err := cluster.Says(c.Status.Conditions, c.Generation, "Ready", "Running"); err != nil {
				return err
			}
			if got := c.Status.Running; got == nil || got.Image != image || got.Replicas != replicas {
				return fmt.Errorf("it is proven that %+v runs, want %d of %s", got, replicas, image)
			}
			return nil
		})
	}
}

func isDown(t *testing.T) {
	t.Helper()
	on.ClaimSays(t, patience, "shop-web", "Ready", "ImagePullFailed")
}

func routineTable() string {
	var b strings.Builder
	fmt.Fprint(&b, "| task | role | command |\n|---|---|---|\n")
	for _, o := range routine {
		note := ""
		if o.unseen {
			note = " ¹"
		}
		fmt.Fprintf(&b, "| %s | %s | `%s`%s |\n", o.task, o.role, replaced(o.command, "|", `\|`), note)
	}
	return b.String()
}

// shell runs commands as they stand in the documents, with kubectl and demarc acting as
// somebody.
type shell struct{ dir, path string }

func newShell(t *testing.T) shell {
	t.Helper()
	dir := t.TempDir()
	build := exec.Command("go", "build", "-o", filepath.Join(dir, "demarc"), "./cmd/demarc")
	build.Dir = cluster.Root()
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("build demarc: %v: %s", err, out)
	}
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return shell{dir: dir, path: on.Box.BinDir() + string(os.PathListSeparator) + dir + string(os.PathListSeparator) + os.Getenv("PATH")}
}

func (s shell) run(command string, who persona) (string, error) {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	var acting string
	for _, flag := range who.flags() {
		acting += " '" + flag + "'"
	}
	// The flags stand first: what comes after -- is not kubectl's.
	script := "kubectl() { command kubectl" + acting + ` "$@"; }; demarc() { command demarc` + acting + ` "$@"; }; ` + command
	cmd := exec.CommandContext(ctx, "sh", "-c", script)
	cmd.Dir = s.dir
	cmd.Env = append(os.Environ(), "KUBECONFIG="+on.Box.Kubeconfig(), "PATH="+s.path)
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	err := cmd.Run()
	return out.String(), err
}
