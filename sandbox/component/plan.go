package component

import (
	"fmt"
	"path/filepath"
)

// Config is everything that the plan of a sandbox follows from.
type Config struct {
	// Dir is the folder of the sandbox.
	Dir string
	// BinDir holds the programs, Self the sandbox's own one.
	BinDir, Self string
	// Ports maps the names of PortNames to loopback ports.
	Ports map[string]int
	// RedisPassword guards Argo CD's cache.
	RedisPassword string
	// WithoutArgoCD leaves Argo CD and its Redis out.
	WithoutArgoCD bool
}

// Cluster-wide address ranges.
const (
	ServiceRange = "10.96.0.0/16"
	PodRange     = "10.244.0.0/16"
	NodeRange    = "10.10.0.0/16"
)

// PortNames lists the ports that a plan needs, in the order in which they are picked.
func PortNames() []string {
	return []string{
		"etcd", "etcd-peer", "etcd-metrics", "kube-apiserver", "kube-controller-manager", "kube-scheduler", "kwok",
		"redis", "repo-server", "repo-server-metrics", "application-controller-metrics",
	}
}

// Plan is the list of processes of a sandbox, each after those that it needs.
func Plan(c Config) []Component {
	plan := []Component{etcd(c), apiserver(c), controllerManager(c), scheduler(c), kwok(c)}
	if c.WithoutArgoCD {
		return plan
	}
	return append(plan, redis(c), repoServer(c), applicationController(c))
}

func (c Config) port(name string) Port { return Port{Name: name, Number: c.Ports[name]} }

func (c Config) addr(port string) string { return fmt.Sprintf("127.0.0.1:%d", c.Ports[port]) }

func (c Config) bin(name string) string { return filepath.Join(c.BinDir, name) }

func (c Config) file(parts ...string) string {
	return filepath.Join(append([]string{c.Dir}, parts...)...)
}

func (c Config) pki(name string) string { return c.file("pki", name) }

func (c Config) kubeconfig(name string) string { return c.file("kubeconfigs", name+".kubeconfig") }
