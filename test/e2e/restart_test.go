package e2e

import (
	"context"
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"demarc.dev/demarc/internal/argocd"
	"demarc.dev/demarc/internal/kube"
)

const (
	restartedAt = "kubectl.kubernetes.io/restartedAt"
	restart     = `{"spec":{"template":{"metadata":{"annotations":{"` + restartedAt + `":"now"}}}}}`
)

// asUser are kubectl's flags of somebody whom a Tenant names as a user.
func asUser(user string) string { return "--as=" + user + " --as-group=system:authenticated" }

// onCall gives a user of the team's name with "-oncall" the role operate, and "-reader" view.
func onCall(team string) string {
	return tenant(team, roomy+", access: [{group: team-"+team+", role: edit}, {user: "+team+"-oncall, role: operate}, {user: "+team+"-reader, role: view}]")
}

// Operate restarts without changing what Git says, and Argo CD lets the restart be.
func TestRestart(t *testing.T) {
	t.Parallel()
	apply(t, onCall("again"), claim("again", "again", "image: nginx:1.27-alpine, replicas: 2"))
	claimSays(t, "again", "Ready", "Running")
	oncall := asUser("again-oncall")
	must(t, "rollout restart deployment/again -n team-again "+oncall)
	mark := deployment(t, "again", "again").Spec.Template.Annotations[restartedAt]
	if mark == "" {
		t.Fatal("there is no mark of the restart")
	}
	must(t, "rollout status deployment/again -n team-again --timeout=180s "+oncall)

	refresh(t, "again.again")
	eventually(t, soon, func(ctx context.Context) error {
		app := kube.Named(argocd.ApplicationKind, "argocd", "again.again")
		if err := admin.Get(ctx, client.ObjectKeyFromObject(app), app); err != nil {
			return err
		}
		if _, asked := app.GetAnnotations()["argocd.argoproj.io/refresh"]; asked {
			return fmt.Errorf("Argo CD has not compared it yet")
		}
		return nil
	})
	claimSays(t, "again", "Ready", "Running")
	if got := deployment(t, "again", "again").Spec.Template.Annotations[restartedAt]; got != mark {
		t.Errorf("Argo CD made %q of the mark %q", got, mark)
	}
	try(t, []attack{
		{"by who may look", asUser("again-reader"), "patch deployment again -n team-again --type=merge -p " + restart, "", `cannot patch resource "deployments"`},
		{"of another team", asUser("stranger"), "rollout restart deployment/again -n team-again", "", "cannot get resource"},
		{"another image", oncall, "set image deployment/again again=nginx:1.26-alpine -n team-again", "", "restarts them, and changes nothing of them"},
		{"a variable", oncall, "set env deployment/again A=b -n team-again", "", "restarts them, and changes nothing of them"},
		{"a step back over the restart", oncall, "rollout undo deployment/again -n team-again", "", ""},
		{"a pause", oncall, "rollout pause deployment/again -n team-again", "", "restarts them, and changes nothing of them"},
		{"a number of replicas", oncall, "scale deployment/again --replicas=5 -n team-again", "", `cannot patch resource "deployments/scale"`},
		{"whose its fields are", oncall, `patch deployment again -n team-again --type=merge -p {"metadata":{"managedFields":[{}]}}`, "", "restarts them, and changes nothing of them"},
		{"all of it", oncall, "replace -f -", inTeam("again", "again"), `cannot update resource "deployments"`},
		{"one that is not there", oncall, "apply --server-side -f -", inTeam("fresh", "again"), `cannot create resource "deployments"`},
		{"its pods' labels", oncall, "label pods -l demarc.dev/claim=again -n team-again a=b", "", `cannot patch resource "pods"`},
		{"deletion", oncall, "delete deployment again -n team-again", "", `cannot delete resource "deployments"`},
		{"deletion of its pods", oncall, "delete pods -l demarc.dev/claim=again -n team-again --wait=false", "", ""},
	})
}

func inTeam(name, team string) string {
	return strings.Replace(fmt.Sprintf(deploymentManifest, name), "{name: "+name+"}", "{name: "+name+", namespace: team-"+team+"}", 1)
}

const daily = `
spec: {selector: {matchLabels: {app: x}}, template: {metadata: {labels: {app: x}}, spec: {nodeSelector: {none: here}, containers: [{name: web, image: nginx}]}}}
`

// Every field of the three kinds is either the mark of a restart or refused: one that a
// later Kubernetes brings, and that is not listed here, fails this test.
func TestRestartChangesNothingElse(t *testing.T) {
	t.Parallel()
	apply(t, onCall("still"))
	tenantSays(t, "still", "Ready", "TenantReady")
	const container = `{"spec":{"containers":[{"name":"web","image":"nginx","env":[{"name":"A","value":"b"}]}]}}`
	both := map[string]string{
		"minReadySeconds": "7", "revisionHistoryLimit": "3", "template.spec": container, "template.metadata": `{"metadata":{"labels":{"a":"b"}}}`,
	}
	for _, kind := range []struct {
		object  client.Object
		spec    any
		changes map[string]string
		// fixed fields are refused by the API server itself.
		fixed string
	}{
		{&appsv1.Deployment{}, appsv1.DeploymentSpec{}, map[string]string{"replicas": "2", "paused": "true", "progressDeadlineSeconds": "60", "strategy": `{"type":"Recreate","rollingUpdate":null}`}, "selector"},
		{&appsv1.DaemonSet{}, appsv1.DaemonSetSpec{}, map[string]string{"updateStrategy": `{"type":"OnDelete","rollingUpdate":null}`}, "selector"},
		{&appsv1.StatefulSet{}, appsv1.StatefulSetSpec{}, map[string]string{"replicas": "2", "ordinals": `{"start":3}`, "updateStrategy": `{"type":"OnDelete","rollingUpdate":null}`,
			"persistentVolumeClaimRetentionPolicy": `{"whenDeleted":"Delete"}`}, "selector serviceName volumeClaimTemplates podManagementPolicy"},
	} {
		name := reflect.TypeOf(kind.object).Elem().Name()
		apply(t, "apiVersion: apps/v1\nkind: "+name+"\nmetadata: {name: still, namespace: team-still}"+daily)
		var fields []string
		for _, f := range append(fieldsOf(kind.spec), "template.spec", "template.metadata") {
			if f != "template" && !strings.Contains(" "+kind.fixed+" ", " "+f+" ") {
				fields = append(fields, f)
			}
		}
		if got := fieldsOf(corev1.PodTemplateSpec{}); strings.Join(got, " ") != "metadata spec" {
			t.Fatalf("a pod template has new fields: %v", got)
		}
		t.Run(name, func(t *testing.T) {
			for _, f := range fields {
				change := both[f]
				if own, ok := kind.changes[f]; ok {
					change = own
				}
				if change == "" {
					t.Errorf("%s.spec.%s is new: say here how it would be changed", name, f)
				}
				field, _, _ := strings.Cut(f, ".")
				refused(t, kind.object, f, `{"spec":{"`+field+`":`+change+`}}`)
			}
			for what, patch := range map[string]string{
				"a label": `{"metadata":{"labels":{"a":"b"}}}`, "an annotation": `{"metadata":{"annotations":{"a":"b"}}}`, "a finalizer": `{"metadata":{"finalizers":["a.example/b"]}}`,
				"an owner":                    `{"metadata":{"ownerReferences":[{"apiVersion":"v1","kind":"Node","name":"x","uid":"x"}]}}`,
				"another annotation of pods":  `{"spec":{"template":{"metadata":{"annotations":{"a":"b"}}}}}`,
				"a restart and something yet": `{"spec":{"template":{"metadata":{"annotations":{"` + restartedAt + `":"now","a":"b"}}}}}`,
			} {
				refused(t, kind.object, what, patch)
			}
		})
		must(t, "rollout restart "+strings.ToLower(name)+"/still -n team-still "+asUser("still-oncall"))
		held := "apiVersion: apps/v1\nkind: " + name + "\nmetadata: {name: still, namespace: team-still}" + daily
		try(t, []attack{{"a second hold on the fields of a " + name, asUser("still-oncall"), "apply --server-side --field-manager=mine -f -", held, "restarts them, and changes nothing of them"}})
	}
}

// fieldsOf lists a struct's fields by their names in JSON.
func fieldsOf(spec any) []string {
	var names []string
	for f := range reflect.TypeOf(spec).NumField() {
		name, _, _ := strings.Cut(reflect.TypeOf(spec).Field(f).Tag.Get("json"), ",")
		names = append(names, name)
	}
	return names
}

// refused tries a patch as who may restart.
func refused(t *testing.T, kind client.Object, what, patch string) {
	t.Helper()
	if !json.Valid([]byte(patch)) {
		t.Fatalf("%s: %s", what, patch)
	}
	o := kind.DeepCopyObject().(client.Object)
	o.SetNamespace("team-still")
	o.SetName("still")
	err := impersonated(t, "still-oncall").Patch(t.Context(), o, client.RawPatch(types.MergePatchType, []byte(patch)), client.DryRunAll)
	if err == nil || !strings.Contains(err.Error(), "restarts them, and changes nothing of them") {
		t.Errorf("%s: %v", what, err)
	}
}

// impersonated is a client of somebody whom a Tenant names as a user.
func impersonated(t *testing.T, user string) client.Client {
	t.Helper()
	config, err := box.RESTConfig()
	if err != nil {
		t.Fatal(err)
	}
	config.Impersonate.UserName, config.Impersonate.Groups = user, []string{"system:authenticated"}
	c, err := client.New(config, client.Options{Scheme: admin.Scheme(), Mapper: admin.RESTMapper()})
	if err != nil {
		t.Fatal(err)
	}
	return c
}
