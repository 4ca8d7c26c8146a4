package component

import "fmt"

// redis is an in-memory stand-in that keeps Argo CD's cache.
func redis(c Config) Component {
	return Component{
		Name:   "redis",
		Binary: c.Self,
		Args:   []string{"redis", "--listen", c.addr("redis")},
		Env:    map[string]string{"REDIS_PASSWORD": c.RedisPassword},
		Ports:  []Port{c.port("redis")},
		Ready:  Probe{TCP: c.addr("redis")},
	}
}

func repoServer(c Config) Component {
	return Component{
		Name:   "argocd-repo-server",
		Binary: c.bin("argocd-repo-server"),
		Args: []string{
			"--address=127.0.0.1",
			fmt.Sprintf("--port=%d", c.Ports["repo-server"]),
			"--metrics-address=127.0.0.1",
			fmt.Sprintf("--metrics-port=%d", c.Ports["repo-server-metrics"]),
			"--redis=" + c.addr("redis"),
			"--disable-tls",
			"--client-ca-path=",
			// Repositories are local folders: asking one what a branch points at costs nothing.
			"--revision-cache-expiration=5s",
			"--loglevel=warn",
		},
		Env:   argocdEnv(c),
		Ports: []Port{c.port("repo-server"), c.port("repo-server-metrics")},
		After: []string{"redis"},
		Ready: Probe{HTTP: "http://" + c.addr("repo-server-metrics") + "/healthz"},
	}
}

// The application controller acts as the ServiceAccount that Argo CD's own manifests give it, never as an admin.
func applicationController(c Config) Component {
	env := argocdEnv(c)
	// With ARGOCD_FAKE_IN_CLUSTER, "the cluster that Argo CD runs in" is the one of this variable, not that of --kubeconfig.
	env["KUBECONFIG"] = c.kubeconfig("argocd-application-controller")
	return Component{
		Name:   "argocd-application-controller",
		Binary: c.bin("argocd-application-controller"),
		Args: []string{
			"--kubeconfig=" + c.kubeconfig("argocd-application-controller"),
			"--namespace=argocd",
			"--redis=" + c.addr("redis"),
			"--repo-server=" + c.addr("repo-server"),
			"--repo-server-plaintext",
			"--metrics-port=" + fmt.Sprint(c.Ports["application-controller-metrics"]),
			"--app-resync=30",
			"--app-resync-jitter=0",
			"--kubectl-parallelism-limit=20",
			"--loglevel=warn",
		},
		Env:   env,
		Ports: []Port{c.port("application-controller-metrics")},
		Files: []string{c.kubeconfig("argocd-application-controller")},
		After: []string{"kube-apiserver", "redis", "argocd-repo-server"},
		Ready: Probe{HTTP: "http://" + c.addr("application-controller-metrics") + "/healthz"},
	}
}

// argocdEnv keeps Argo CD inside the sandbox's folder: the user's git and helm settings do not reach it.
func argocdEnv(c Config) map[string]string {
	home := c.file("argocd")
	return map[string]string{
		"HOME":                    home,
		"TMPDIR":                  c.file("argocd", "tmp"),
		"HELM_CACHE_HOME":         c.file("argocd", "helm", "cache"),
		"HELM_CONFIG_HOME":        c.file("argocd", "helm", "config"),
		"HELM_DATA_HOME":          c.file("argocd", "helm", "data"),
		"ARGOCD_FAKE_IN_CLUSTER":  "true",
		"ARGOCD_GPG_ENABLED":      "false",
		"ARGOCD_TLS_DATA_PATH":    c.file("argocd", "tls"),
		"ARGOCD_SSH_DATA_PATH":    c.file("argocd", "ssh"),
		"ARGOCD_K8S_CLIENT_QPS":   "500",
		"ARGOCD_K8S_CLIENT_BURST": "1000",
		"GIT_CONFIG_NOSYSTEM":     "1",
		"REDIS_PASSWORD":          c.RedisPassword,
	}
}
