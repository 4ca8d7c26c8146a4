package component

import (
	"fmt"
	"time"
)

// All listeners bind to loopback, and etcd asks for a client certificate: whoever reaches etcd owns the cluster, and other
// users of the machine reach loopback too.
func etcd(c Config) Component {
	client, peer := "https://"+c.addr("etcd"), "https://"+c.addr("etcd-peer")
	return Component{
		Name:   "etcd",
		Binary: c.bin("etcd"),
		Args: []string{
			"--name=sandbox",
			"--data-dir=" + c.file("etcd"),
			"--listen-client-urls=" + client,
			"--advertise-client-urls=" + client,
			"--listen-peer-urls=" + peer,
			"--initial-advertise-peer-urls=" + peer,
			"--initial-cluster=sandbox=" + peer,
			"--listen-metrics-urls=http://" + c.addr("etcd-metrics"),
			"--client-cert-auth",
			"--trusted-ca-file=" + c.pki("etcd-ca.crt"),
			"--cert-file=" + c.pki("etcd.crt"),
			"--key-file=" + c.pki("etcd.key"),
			"--peer-client-cert-auth",
			"--peer-trusted-ca-file=" + c.pki("etcd-ca.crt"),
			"--peer-cert-file=" + c.pki("etcd.crt"),
			"--peer-key-file=" + c.pki("etcd.key"),
			"--auto-compaction-retention=1",
			"--quota-backend-bytes=8589934592",
			"--log-level=warn",
		},
		Ports: []Port{c.port("etcd"), c.port("etcd-peer"), c.port("etcd-metrics")},
		Files: []string{c.pki("etcd-ca.crt"), c.pki("etcd.crt"), c.pki("etcd.key")},
		Ready: Probe{HTTP: "http://" + c.addr("etcd-metrics") + "/readyz"},
	}
}

// The API server keeps every default: admission plugins, API priority and fairness, anonymous access to health alone.
// The endpoint reconciler is off because it refuses a loopback address.
func apiserver(c Config) Component {
	return Component{
		Name:   "kube-apiserver",
		Binary: c.bin("kube-apiserver"),
		Args: []string{
			"--bind-address=127.0.0.1",
			fmt.Sprintf("--secure-port=%d", c.Ports["kube-apiserver"]),
			"--advertise-address=127.0.0.1",
			"--endpoint-reconciler-type=none",
			"--etcd-servers=https://" + c.addr("etcd"),
			"--etcd-cafile=" + c.pki("etcd-ca.crt"),
			"--etcd-certfile=" + c.pki("etcd-client.crt"),
			"--etcd-keyfile=" + c.pki("etcd-client.key"),
			"--tls-cert-file=" + c.pki("serving.crt"),
			"--tls-private-key-file=" + c.pki("serving.key"),
			"--client-ca-file=" + c.pki("ca.crt"),
			"--authorization-mode=Node,RBAC",
			"--enable-admission-plugins=NodeRestriction",
			"--allow-privileged=true",
			"--service-account-issuer=https://kubernetes.default.svc.cluster.local",
			"--service-account-key-file=" + c.pki("sa.pub"),
			"--service-account-signing-key-file=" + c.pki("sa.key"),
			"--service-cluster-ip-range=" + ServiceRange,
			"--audit-policy-file=" + c.file("audit-policy.yaml"),
			"--audit-log-path=" + c.file("audit", "audit.log"),
			"--audit-log-maxsize=100",
			"--audit-log-maxbackup=1",
		},
		Ports: []Port{c.port("kube-apiserver")},
		Files: []string{c.pki("serving.crt"), c.pki("sa.key"), c.file("audit-policy.yaml")},
		After: []string{"etcd"},
		Ready: Probe{HTTP: "https://" + c.addr("kube-apiserver") + "/readyz", CAFile: c.pki("ca.crt"), Timeout: 2 * time.Minute},
	}
}

// Each controller acts as its own ServiceAccount, so that the garbage collector meets the rules that a real one meets.
func controllerManager(c Config) Component {
	return Component{
		Name:   "kube-controller-manager",
		Binary: c.bin("kube-controller-manager"),
		Args: append(kubeClient(c, "kube-controller-manager"),
			"--use-service-account-credentials=true",
			"--root-ca-file="+c.pki("ca.crt"),
			"--service-account-private-key-file="+c.pki("sa.key"),
			"--cluster-signing-cert-file="+c.pki("ca.crt"),
			"--cluster-signing-key-file="+c.pki("ca.key"),
			"--cluster-cidr="+PodRange,
		),
		Ports: []Port{c.port("kube-controller-manager")},
		Files: []string{c.kubeconfig("kube-controller-manager"), c.pki("ca.key")},
		After: []string{"kube-apiserver"},
		Ready: c.healthz("kube-controller-manager"),
	}
}

func scheduler(c Config) Component {
	return Component{
		Name:   "kube-scheduler",
		Binary: c.bin("kube-scheduler"),
		Args:   kubeClient(c, "kube-scheduler"),
		Ports:  []Port{c.port("kube-scheduler")},
		Files:  []string{c.kubeconfig("kube-scheduler")},
		After:  []string{"kube-apiserver"},
		Ready:  c.healthz("kube-scheduler"),
	}
}

// kubeClient holds the flags that the controller manager and the scheduler share.
func kubeClient(c Config, name string) []string {
	kubeconfig := c.kubeconfig(name)
	return []string{
		"--bind-address=127.0.0.1",
		fmt.Sprintf("--secure-port=%d", c.Ports[name]),
		"--tls-cert-file=" + c.pki("serving.crt"),
		"--tls-private-key-file=" + c.pki("serving.key"),
		"--kubeconfig=" + kubeconfig,
		"--authentication-kubeconfig=" + kubeconfig,
		"--authorization-kubeconfig=" + kubeconfig,
		"--leader-elect=false",
		"--kube-api-qps=500",
		"--kube-api-burst=1000",
	}
}

func (c Config) healthz(port string) Probe {
	return Probe{HTTP: "https://" + c.addr(port) + "/healthz", CAFile: c.pki("ca.crt")}
}

// kwok plays every node's kubelet, by the stages in its configuration files.
func kwok(c Config) Component {
	return Component{
		Name:   "kwok",
		Binary: c.bin("kwok"),
		Args: []string{
			"--kubeconfig=" + c.kubeconfig("kwok"),
			"--config=" + c.file("kwok.yaml"),
			"--manage-all-nodes=true",
			"--cidr=" + PodRange,
			"--node-ip=127.0.0.1",
			"--node-lease-duration-seconds=40",
			"--server-address=" + c.addr("kwok"),
			"--v=WARN",
		},
		Ports: []Port{c.port("kwok")},
		Files: []string{c.kubeconfig("kwok"), c.file("kwok.yaml")},
		After: []string{"kube-apiserver"},
		Ready: Probe{HTTP: "http://" + c.addr("kwok") + "/healthz"},
	}
}
