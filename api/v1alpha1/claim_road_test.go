package v1alpha1_test

import (
	"context"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// TestCreateRoad tries every rule of the paved road with one claim that passes and one
// that does not.
func TestCreateRoad(t *testing.T) {
	long := func(n int) string { return strings.Repeat("a", n) }
	for _, c := range []struct {
		name, spec string
		refused    string // part of the message; empty where it passes
	}{
		{"kind worker", "kind: worker", ""},
		{"kind of none", "kind: daemon", `Unsupported value: "daemon"`},
		{"a worker with a port", "kind: worker, port: 80", "only the kinds service and stateful have ports"},
		{"a job with ports", "kind: job, ports: [{name: http, port: 80}]", "only the kinds service and stateful have ports"},
		{"a cronjob that is exposed", "kind: cronjob, job: {schedule: '@daily'}, expose: {host: a.shop.example}", "only the kinds service and stateful have ports"},
		{"a job with replicas", "kind: job, replicas: 2", "a job ends, so it has no replicas"},
		{"a job with probes", "kind: job, probes: {readiness: {exec: {command: [a]}}}", "a job ends, so it has no replicas"},
		{"source with a kind", "-", "what the paved road carries belongs in the team's own manifests"},

		{"ports", "ports: [{name: http, port: 8080, servicePort: 80}, {name: dns, port: 53, protocol: UDP}, {name: dns-tcp, port: 53}]", ""},
		{"port and ports", "port: 80, ports: [{name: http, port: 80}]", "set port (one port, reached on port 80) or ports, not both"},
		{"no ports", "ports: []", "should have at least 1 items"},
		{"two ports of one name", "ports: [{name: a, port: 1}, {name: a, port: 2}]", "Duplicate value"},
		{"two ports of one number", "ports: [{name: a, port: 1}, {name: b, port: 1, servicePort: 2}]", "have the same number and protocol"},
		{"two ports on one servicePort", "ports: [{name: a, port: 1}, {name: b, port: 2, servicePort: 1}]", "reached on the same servicePort"},
		{"a port without a letter", "ports: [{name: '80', port: 80}]", "with a letter among them"},
		{"a port with two dashes", "ports: [{name: a--b, port: 80}]", "with a letter among them"},
		{"a port of 16 letters", "ports: [{name: " + long(16) + ", port: 80}]", "may not be more than 15"},
		{"a port 0", "ports: [{name: a, port: 0}]", "the one that the container listens on"},
		{"a servicePort 0", "ports: [{name: a, port: 1, servicePort: 0}]", "the one that others reach it on"},
		{"a protocol of none", "ports: [{name: a, port: 1, protocol: http}]", `Unsupported value: "http"`},

		{"envFrom", "envFrom: [{secretRef: {name: db}}, {prefix: APP_, configMapRef: {name: settings}}]", ""},
		{"envFrom of both", "envFrom: [{secretRef: {name: a}, configMapRef: {name: b}}]", "exactly one of secretRef and configMapRef"},
		{"envFrom of neither", "envFrom: [{prefix: A}]", "exactly one of secretRef and configMapRef"},
		{"envFrom with a prefix of none", "envFrom: [{prefix: 2A, secretRef: {name: a}}]", "must begin a name of an environment variable"},
		{"command", "command: [/app, serve], args: ['--port=80', '']", ""},
		{"command of 17", "command: [" + strings.Repeat("a,", 17) + "]", "must have at most 16 items"},
		{"args of 65", "args: [" + strings.Repeat("a,", 65) + "]", "must have at most 64 items"},

		{"resources", "resources: {requests: {cpu: 500m, memory: 512Mi}, limits: {cpu: 1, memory: 1Gi}}", ""},
		{"a budget beside them", "resources: {cpu: 1, requests: {cpu: 500m}}", "the budget belongs to the team"},
		{"requests above limits", "resources: {requests: {cpu: 2}, limits: {cpu: 1500m}}", "requests.cpu must not be above limits.cpu"},
		{"requests of memory above limits", "resources: {requests: {memory: 1Gi}, limits: {memory: 512Mi}}", "requests.memory must not be above limits.memory"},
		{"memory of half a byte", "resources: {requests: {memory: 512m}}", "512m is half a byte"},
		{"no cpu", "resources: {requests: {cpu: 0}}", "cpu must be a quantity above 0"},

		{"probes", "port: 80, probes: {readiness: {http: {path: /ready}}, liveness: {tcp: {}, periodSeconds: 20}, startup: {grpc: {port: http, service: a}, failureThreshold: 9}}", ""},
		{"a probe of two kinds", "port: 80, probes: {readiness: {http: {}, tcp: {}}}", "exactly one of http, tcp, grpc and exec"},
		{"a probe of none", "port: 80, probes: {readiness: {periodSeconds: 3}}", "exactly one of http, tcp, grpc and exec"},
		{"a probe without a port", "probes: {liveness: {http: {}}}", "without a port of protocol TCP a probe can only run a command"},
		{"a startup probe without a port", "kind: worker, probes: {startup: {tcp: {}}}", "without a port of protocol TCP a probe can only run a command"},
		{"a probe of a port of UDP alone", "ports: [{name: dns, port: 53, protocol: UDP}], probes: {liveness: {tcp: {}}}", "without a port of protocol TCP a probe can only run a command"},
		{"a probe that runs a command", "kind: worker, probes: {liveness: {exec: {command: [test, -f, /alive]}}}", ""},
		{"a probe that runs nothing", "probes: {liveness: {exec: {command: []}}}", "should have at least 1 items"},
		{"a probe of no path", "port: 80, probes: {readiness: {http: {path: ready}}}", "path must begin with '/'"},

		{"autoscaling", "autoscaling: {min: 2, max: 5, cpu: 70, memory: 90}", ""},
		{"autoscaling of one", "autoscaling: {max: 1}", ""},
		{"autoscaling upside down", "autoscaling: {min: 3, max: 2}", "max must not be below autoscaling.min"},
		{"autoscaling to nothing", "autoscaling: {min: 0, max: 2}", "should be greater than or equal to 1"},
		{"autoscaling and replicas", "replicas: 2, autoscaling: {max: 3}", "remove replicas"},

		{"expose", "port: 80, expose: {host: web.shop.example, aliases: [shop.example, www.shop.example], path: /a/b.c, tls: {}}", ""},
		{"expose as Platform says", "port: 80, expose: {}", ""},
		{"expose of a class", "port: 80, expose: {class: nginx, tls: {secretName: shop}}", ""},
		{"expose without a port", "expose: {host: web.shop.example}", "expose and metrics need a port of protocol TCP"},
		{"expose of a port of UDP alone", "ports: [{name: dns, port: 53, protocol: UDP}], expose: {host: a.shop.example}", "expose and metrics need a port of protocol TCP"},
		{"ports by their names", "ports: [{name: web, port: 80}, {name: admin, port: 81}], expose: {port: web}, metrics: {port: admin}, probes: {readiness: {http: {port: admin}}, startup: {tcp: {port: web}}}", ""},
		{"the port by its name", "port: 80, expose: {port: http}, probes: {liveness: {grpc: {port: http}}}", ""},
		{"expose of a port that is not there", "port: 80, expose: {port: web}", "name a port of protocol TCP among ports by its name"},
		{"metrics of a port of UDP", "ports: [{name: web, port: 80}, {name: dns, port: 53, protocol: UDP}], metrics: {port: dns}", "name a port of protocol TCP among ports by its name"},
		{"a probe of a port that is not there", "ports: [{name: web, port: 80}], probes: {liveness: {grpc: {port: http}}}", "name a port of protocol TCP among ports by its name"},
		{"a host with a wildcard", "port: 80, expose: {host: '*.shop.example'}", "must be the whole name of a host"},
		{"a host in capitals", "port: 80, expose: {host: Shop.example}", "must be the whole name of a host"},
		{"a host of one word", "port: 80, expose: {host: localhost}", "must be the whole name of a host"},
		{"a host with a port", "port: 80, expose: {host: 'shop.example:80'}", "must be the whole name of a host"},
		{"an alias with a path", "port: 80, expose: {aliases: [shop.example/a]}", "must be the whole name of a host"},
		{"a path that climbs", "port: 80, expose: {path: /a/../b}", "path must begin with '/'"},
		{"a path with a pattern", "port: 80, expose: {path: '/a(.*)'}", "path must begin with '/'"},

		{"disruption", "replicas: 3, disruption: {minAvailable: 2}", ""},
		{"disruption as it comes", "disruption: {}", ""},
		{"disruption of parts", "replicas: 4, disruption: {minAvailable: 75%}", ""},
		{"disruption of all but what is down", "disruption: {maxUnavailable: 1}", ""},
		{"disruption of everything down", "replicas: 3, disruption: {maxUnavailable: 100%}", ""},
		{"disruption of a service that does not run", "replicas: 0, disruption: {minAvailable: 1}", ""},
		{"disruption of both", "replicas: 3, disruption: {minAvailable: 1, maxUnavailable: 1}", "set minAvailable or maxUnavailable, not both"},
		{"the last replica stays up", "disruption: {minAvailable: 1}", "no pod could ever be moved"},
		{"all replicas stay up", "replicas: 2, disruption: {minAvailable: 2}", "no pod could ever be moved"},
		{"more replicas stay up than run", "replicas: 2, disruption: {minAvailable: 9}", "no pod could ever be moved"},
		{"a part that comes to all", "replicas: 3, disruption: {minAvailable: 67%}", "no pod could ever be moved"},
		{"all that autoscaling runs at least", "autoscaling: {min: 2, max: 9}, disruption: {minAvailable: 2}", "no pod could ever be moved"},
		{"less than autoscaling runs at least", "autoscaling: {min: 3, max: 9}, disruption: {minAvailable: 50%}", ""},
		{"all of them in percent", "replicas: 3, disruption: {minAvailable: 100%}", "from 0% to 99%"},
		{"none may be down", "replicas: 3, disruption: {maxUnavailable: 0}", "with none no node could be drained"},
		{"no part may be down", "replicas: 3, disruption: {maxUnavailable: 0%}", "with none no node could be drained"},
		{"a part of a part", "replicas: 3, disruption: {minAvailable: 33.3%}", "from 0% to 99%"},

		{"spread", "spread: {over: [node, zone], required: true}", ""},
		{"spread as it comes", "spread: {}", ""},
		{"spread over racks", "spread: {over: [rack]}", `Unsupported value: "rack"`},

		{"files", "files: [{path: /etc/shop/a.yaml, content: 'a: 1'}, {path: /b, content: ''}]", ""},
		{"a file that climbs", "files: [{path: /etc/../b, content: a}]", "must be an absolute path"},
		{"a file of no place", "files: [{path: b, content: a}]", "must be an absolute path"},
		{"two files of one place", "files: [{path: /b, content: a}, {path: /b, content: b}]", "Duplicate value"},
		{"a file that is too long", "files: [{path: /b, content: " + long(16385) + "}]", "may not be more than 16384"},

		{"secrets", "secrets: [{name: db, path: /run/secrets/db}, {name: api, from: shop/api}, {name: both, from: a, path: /b}]", ""},
		{"a secret for nothing", "secrets: [{name: db}]", "say what for"},
		{"a secret of another's", "secrets: [{name: db, from: ../other/db}]", "a path below the team's own entries"},
		{"a secret from the top", "secrets: [{name: db, from: /db}]", "a path below the team's own entries"},
		{"a secret of a wrong name", "secrets: [{name: Db, path: /db}]", "at most 56 lower-case letters"},

		{"an account", "serviceAccount: {}", ""},
		{"an account with a token and an identity", "serviceAccount: {token: true, annotations: {eks.amazonaws.com/role-arn: 'arn:aws:iam::1:role/shop'}}", ""},
		{"an account that is marked", "serviceAccount: {annotations: {demarc.dev/owner: a}}", "none of demarc.dev"},

		{"labels", "labels: {cost-center: '42', shop.example/tier: front}, annotations: {shop.example/why: 'so that'}", ""},
		{"a label of Demarc's", "labels: {demarc.dev/team: other}", "set by the road itself"},
		{"a label of the road's", "labels: {app.kubernetes.io/name: other}", "set by the road itself"},
		{"a label that is none", "labels: {'a b': c}", "each key must be one that Kubernetes takes"},
		{"a label of no value", "labels: {a: 'b c'}", "must be a value that Kubernetes takes for a label"},
		{"an annotation of Argo CD's", "annotations: {argocd.argoproj.io/sync-options: Delete=false}", "not a claim's to set"},
		{"an annotation that is none", "annotations: {'a b': c}", "each key must be one that Kubernetes takes"},

		{"metrics", "port: 80, metrics: {path: /m, intervalSeconds: 15, alerts: false}", ""},
		{"metrics as they come", "port: 80, metrics: {}", ""},
		{"metrics without a port", "metrics: {}", "expose and metrics need a port of protocol TCP"},

		{"a job", "kind: job, job: {retries: 0, timeoutSeconds: 60}", ""},
		{"a job that says nothing", "kind: job", ""},
		{"a job of a service", "job: {retries: 0}", "job is for the kinds job and cronjob"},
		{"a job with a schedule", "kind: job, job: {schedule: '@daily'}", "with kind job there is no schedule"},
		{"a job that is suspended", "kind: job, job: {suspend: true}", "with kind job there is no schedule"},
		{"a cronjob", "kind: cronjob, job: {schedule: '30 2 * * 1-5', timeZone: Europe/Berlin, concurrency: Allow, suspend: true, startWithinSeconds: 60}", ""},
		{"a cronjob every hour", "kind: cronjob, job: {schedule: '@hourly'}", ""},
		{"a cronjob without a job", "kind: cronjob", "kind cronjob needs job.schedule"},
		{"a cronjob without a schedule", "kind: cronjob, job: {retries: 1}", "kind cronjob needs job.schedule"},
		{"a schedule of four fields", "kind: cronjob, job: {schedule: '30 2 * *'}", "must be five fields of cron"},
		{"a schedule with a zone", "kind: cronjob, job: {schedule: 'TZ=UTC 30 2 * * *'}", "must be five fields of cron"},
		{"a zone of none", "kind: cronjob, job: {schedule: '@daily', timeZone: Local}", "a name of the time zone database"},

		{"stateful", "kind: stateful, volumes: [{name: data, path: /var/lib/data, size: 10Gi, class: fast}]", ""},
		{"stateful without volumes", "kind: stateful", "volumes are what kind stateful is for"},
		{"volumes of a service", "volumes: [{name: data, path: /data, size: 1Gi}]", "volumes are what kind stateful is for"},
		{"a volume without a size", "kind: stateful, volumes: [{name: data, path: /data}]", "size: Required value"},
		{"a volume of nothing", "kind: stateful, volumes: [{name: data, path: /data, size: 0}]", "size must be a quantity above 0"},
		{"a volume of the road's name", "kind: stateful, volumes: [{name: files, path: /data, size: 1Gi}]", "files and secret-… are taken"},
		{"a volume that climbs", "kind: stateful, volumes: [{name: data, path: /a/../b, size: 1Gi}]", "must be an absolute path"},
	} {
		t.Run(c.name, func(t *testing.T) {
			text := "kind: ServiceClaim\nmetadata: {name: road}\nspec: {team: t, image: nginx, " + c.spec + "}"
			if c.spec == "-" {
				text = "kind: ServiceClaim\nmetadata: {name: road}\nspec: {team: t, source: {repoURL: 'https://git.example/a'}, kind: worker}"
			}
			u := object(t, text)
			offline(t, u, c.refused)
			err := api.Create(context.Background(), u)
			if err == nil {
				defer func() {
					if err := api.Delete(context.Background(), u); err != nil {
						t.Fatal(err)
					}
				}()
			}
			check(t, err, c.refused)
		})
	}
}

// Names from which Kubernetes makes longer ones have at most 52 characters.
func TestNamesOfLongNames(t *testing.T) {
	for kind, spec := range map[string]string{"cronjob": "job: {schedule: '@daily'}", "stateful": "volumes: [{name: data, path: /data, size: 1Gi}]", "worker": ""} {
		for _, n := range []int{52, 53} {
			want := ""
			if n == 53 && kind != "worker" {
				want = "has at most 52 characters"
			}
			u := object(t, "kind: ServiceClaim\nmetadata: {name: "+strings.Repeat("a", n)+"}\nspec: {team: t, image: nginx, kind: "+kind+", "+spec+"}")
			err := api.Create(context.Background(), u)
			check(t, err, want)
			if err == nil {
				if err := api.Delete(context.Background(), u); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
}

// What a StatefulSet cannot change is refused in the claim.
func TestVolumesStay(t *testing.T) {
	ctx := context.Background()
	u := object(t, "kind: ServiceClaim\nmetadata: {name: kept}\nspec: {team: t, image: nginx, kind: stateful, volumes: [{name: data, path: /data, size: 1Gi}]}")
	if err := api.Create(ctx, u); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = api.Delete(ctx, u) })
	for size, want := range map[string]string{"2Gi": "volumes cannot be changed", "1Gi": ""} {
		volumes := []any{map[string]any{"name": "data", "path": "/data", "size": size}}
		if err := unstructured.SetNestedSlice(u.Object, volumes, "spec", "volumes"); err != nil {
			t.Fatal(err)
		}
		check(t, api.Update(ctx, u.DeepCopy()), want)
	}
}

// TestPlatformRoad tries what the platform says for the road.
func TestPlatformRoad(t *testing.T) {
	for _, c := range []struct{ name, spec, refused string }{
		{"by Ingress", "expose: {className: nginx, issuer: letsencrypt, domain: apps.example}", ""},
		{"by HTTPRoute", "expose: {kind: HTTPRoute, gateway: {namespace: gateways, name: public, sectionName: https}, domain: apps.example}", ""},
		{"by HTTPRoute and no gateway", "expose: {kind: HTTPRoute}", "kind HTTPRoute needs gateway"},
		{"by Ingress and a gateway", "expose: {gateway: {namespace: a, name: b}}", "kind Ingress has none"},
		{"a gateway and a class", "expose: {kind: HTTPRoute, className: nginx, gateway: {namespace: a, name: b}}", "className and issuer are for kind Ingress"},
		{"a domain with a wildcard", "expose: {domain: '*.apps.example'}", "must be a domain in lower case"},
		{"a class of none", "expose: {className: Nginx}", "must be the name of an IngressClass"},
		{"a store", "secretStore: {name: vault, prefix: teams/}", ""},
		{"a store without a name", "secretStore: {prefix: teams/}", "name: Required value"},
		{"a prefix without an end", "secretStore: {name: vault, prefix: teams}", "must end with '/'"},
		{"labels for Prometheus", "metrics: {labels: {release: prometheus}}", ""},
		{"a label for Prometheus that is none", "metrics: {labels: {release: 'a b'}}", "must be a value that Kubernetes takes for a label"},
	} {
		t.Run(c.name, func(t *testing.T) {
			u := object(t, "kind: Platform\nmetadata: {name: default}\nspec: {"+c.spec+"}")
			offline(t, u, c.refused)
			err := api.Create(context.Background(), u)
			if err == nil {
				defer func() { _ = api.Delete(context.Background(), u) }()
			}
			check(t, err, c.refused)
		})
	}
}
