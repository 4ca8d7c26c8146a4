package initclaim

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"demarc.dev/demarc/internal/cli/exit"
	"demarc.dev/demarc/internal/cli/factory"
)

// demarcInit runs the verb as its command line would; answers are given on a terminal, nil
// is that there is none.
func demarcInit(answers []string, args ...string) (stdout, stderr string, err error) {
	var out, errOut bytes.Buffer
	io := factory.IO{In: strings.NewReader(strings.Join(append(answers, ""), "\n")), Out: &out, ErrOut: &errOut, InTerminal: answers != nil}
	cmd := NewCmdInit(factory.New("demarc", io), nil)
	cmd.SetArgs(args)
	cmd.SilenceUsage, cmd.SilenceErrors = true, true
	err = cmd.Execute()
	return out.String(), errOut.String(), err
}

const head = "apiVersion: demarc.dev/v1alpha1\nkind: ServiceClaim\nmetadata:\n  name: web\nspec:\n  team: shop\n"

func TestFlags(t *testing.T) {
	for name, c := range map[string]struct {
		args []string
		want string
	}{
		"a service": {nil, "  image: nginx:1\n  replicas: 1\n"},
		"much": {[]string{"--port", "8080", "--host", "www.shop.example", "--tls", "--autoscale", "2-6", "--env", "LEVEL=a=b", "--env", "EMPTY=", "--secret-env", "DB_PASSWORD=db/password"},
			"  image: nginx:1\n  port: 8080\n  expose:\n    host: www.shop.example\n    tls: {}\n  autoscaling:\n    max: 6\n    min: 2\n" +
				"  env:\n  - name: LEVEL\n    value: a=b\n  - name: EMPTY\n  - name: DB_PASSWORD\n    valueFrom:\n      secretKeyRef:\n        key: password\n        name: db\n"},
		"the platform's host": {[]string{"--port", "80", "--host", "platform", "--replicas", "0"}, "  image: nginx:1\n  port: 80\n  expose: {}\n  replicas: 0\n"},
		"a worker":            {[]string{"--kind", "worker", "--replicas", "3"}, "  kind: worker\n  image: nginx:1\n  replicas: 3\n"},
		"a job":               {[]string{"--kind", "job"}, "  kind: job\n  image: nginx:1\n"},
		"a cronjob":           {[]string{"--kind", "cronjob", "--schedule", "30 2 * * *"}, "  kind: cronjob\n  image: nginx:1\n  job:\n    schedule: 30 2 * * *\n"},
		"a database": {[]string{"--kind", "stateful", "--port", "5432", "--volume", "/var/lib/Data.d=10Gi", "--volume", "/scratch=1073741824"},
			"  kind: stateful\n  image: nginx:1\n  port: 5432\n  replicas: 1\n  volumes:\n  - name: data-d\n    path: /var/lib/Data.d\n    size: 10Gi\n  - name: scratch\n    path: /scratch\n    size: 1073741824\n"},
	} {
		t.Run(name, func(t *testing.T) {
			got, said, err := demarcInit(nil, append([]string{"web", "--team", "shop", "--image", "nginx:1"}, c.args...)...)
			if err != nil || said != "" {
				t.Fatalf("%v, and it says %q", err, said)
			}
			if diff := cmp.Diff(head+c.want, got); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
}

// On a terminal what no flag says is asked for, until it is answered.
func TestQuestions(t *testing.T) {
	for name, c := range map[string]struct {
		answers, args []string
		want, asks    string
	}{
		"all of them": {[]string{"", "web", "shop", "nginx:1", "", "", "", "2"}, nil, "  image: nginx:1\n  port: 8080\n  replicas: 2\n",
			"Name of the service: Name of the service: Team that it belongs to: Image that runs: Kind of workload (service, worker, job, cronjob, stateful) [service]: " +
				"Port that it listens on, 0 for none [8080]: Host under which it is reached from outside, 'platform' for the one that the platform gives [none]: Replicas [1]: "},
		"what is wrong is asked again": {[]string{"pod", "worker", "many", "4"}, []string{"web", "--team", "shop", "--image", "nginx:1"}, "  kind: worker\n  image: nginx:1\n  replicas: 4\n",
			"Kind of workload (service, worker, job, cronjob, stateful) [service]: \"pod\" is none of service, worker, job, cronjob, stateful\n" +
				"Kind of workload (service, worker, job, cronjob, stateful) [service]: Replicas [1]: \"many\" is no whole number of 0 or more\nReplicas [1]: "},
		"a cronjob": {[]string{"cronjob", ""}, []string{"web", "--team", "shop", "--image", "nginx:1"}, "  kind: cronjob\n  image: nginx:1\n  job:\n    schedule: '@daily'\n",
			"Kind of workload (service, worker, job, cronjob, stateful) [service]: When it runs: minute hour day month weekday [@daily]: "},
		"a database": {[]string{"0", "", ""}, []string{"web", "--team", "shop", "--image", "nginx:1", "--kind", "stateful"},
			"  kind: stateful\n  image: nginx:1\n  replicas: 1\n  volumes:\n  - name: data\n    path: /data\n    size: 1Gi\n",
			"Port that it listens on, 0 for none [8080]: Replicas [1]: Volume of each replica, as PATH=SIZE [/data=1Gi]: "},
	} {
		t.Run(name, func(t *testing.T) {
			got, asked, err := demarcInit(c.answers, c.args...)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(head+c.want, got); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
			if diff := cmp.Diff(c.asks, asked); diff != "" {
				t.Errorf("it asks (-want +got)\n%s", diff)
			}
		})
	}
}

// What is no claim is not written, and why is said in the words of the kind's own rules.
func TestRefused(t *testing.T) {
	whole := []string{"web", "--team", "shop", "--image", "nginx:1"}
	for name, c := range map[string]struct {
		answers, args []string
		code          int
		want          string
	}{
		"nothing":                     {nil, nil, exit.Unknown, "name the claim, give --team, give --image: there is no terminal to ask on"},
		"no image":                    {nil, []string{"web", "--team", "shop"}, exit.Unknown, "give --image: there is no terminal"},
		"nobody answers":              {[]string{}, whole[:3], exit.No, "nobody answered, so nothing was written"},
		"a worker with a port":        {nil, append(whole, "--kind", "worker", "--port", "80"), exit.No, "this would be no valid claim:\n  spec: only the kinds service and stateful have ports"},
		"a wrong name":                {nil, []string{"Web", "--team", "shop", "--image", "nginx:1"}, exit.No, "a claim's name is the service's name"},
		"a kind of none":              {nil, append(whole, "--kind", "pod"), exit.No, `Unsupported value: "pod"`},
		"a range of none":             {nil, append(whole, "--autoscale", "2"), exit.Unknown, `--autoscale "2" is no pair of numbers such as 2-6`},
		"a range that is upside down": {nil, append(whole, "--autoscale", "6-2"), exit.No, "max must not be below autoscaling.min"},
		"a volume of no size":         {nil, append(whole, "--kind", "stateful", "--volume", "/data"), exit.Unknown, `--volume "/data" is not PATH=SIZE`},
		"a variable of no value":      {nil, append(whole, "--env", "A"), exit.Unknown, `--env "A" is not NAME=VALUE`},
		"a secret of no key":          {nil, append(whole, "--secret-env", "A=db"), exit.Unknown, `--secret-env "A=db" is not NAME=SECRET/KEY`},
	} {
		t.Run(name, func(t *testing.T) {
			out, _, err := demarcInit(c.answers, c.args...)
			if err == nil || !strings.Contains(err.Error(), c.want) || exit.Code(err) != c.code {
				t.Errorf("it ends with %d and says %v\nwant %d: %s", exit.Code(err), err, c.code, c.want)
			}
			if out != "" {
				t.Errorf("it prints %q all the same", out)
			}
		})
	}
}

// A file that is there is left alone, unless that is asked for.
func TestFile(t *testing.T) {
	file := filepath.Join(t.TempDir(), "web.yaml")
	args := []string{"web", "--team", "shop", "--image", "nginx:1", "-o", file}
	out, said, err := demarcInit(nil, args...)
	if err != nil || out != "" || !strings.Contains(said, "Next: demarc render --delivered -f "+file) {
		t.Fatalf("%v, %q, %q", err, out, said)
	}
	if _, _, err := demarcInit(nil, append(args, "--replicas", "2")...); exit.Code(err) != exit.No || !strings.Contains(err.Error(), "is there already and was left as it is") {
		t.Errorf("again: %v", err)
	}
	if text, err := os.ReadFile(file); err != nil || string(text) != head+"  image: nginx:1\n  replicas: 1\n" {
		t.Errorf("%v, %q", err, text)
	}
	if _, _, err := demarcInit(nil, append(args, "--replicas", "2", "--overwrite")...); err != nil {
		t.Fatal(err)
	}
	if text, err := os.ReadFile(file); err != nil || !strings.HasSuffix(string(text), "  replicas: 2\n") {
		t.Errorf("%v, %q", err, text)
	}
	if _, _, err := demarcInit(nil, append(args[:5:5], "-o", filepath.Join(file, "below"))...); exit.Code(err) != exit.Unknown {
		t.Errorf("a file in a file: %v", err)
	}
}

// What looks like a secret is told of, and its value is not.
func TestSecret(t *testing.T) {
	out, said, err := demarcInit(nil, "web", "--team", "shop", "--image", "nginx:1", "--env", "DB_PASSWORD=open-sesame")
	if exit.Code(err) != exit.No || exit.Text(err) != "" || out == "" {
		t.Errorf("%v, %q", err, out)
	}
	if !strings.Contains(said, "spec.env[DB_PASSWORD] looks like a secret (env-name)") || !strings.Contains(said, "--secret-env NAME=SECRET/KEY") || strings.Contains(said, "sesame") {
		t.Errorf("it says %q", said)
	}
}

// A name that YAML takes for something else is written so that it stays a name.
func TestNameStaysAName(t *testing.T) {
	out, _, err := demarcInit(nil, "true", "--team", "shop", "--image", "nginx:1")
	if err != nil || !strings.Contains(out, "\n  name: \"true\"\n") {
		t.Errorf("%v, %q", err, out)
	}
}
