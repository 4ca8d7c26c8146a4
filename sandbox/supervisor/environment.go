package supervisor

import (
	"maps"
	"os"
	"slices"
	"strings"

	"demarc.dev/demarc/sandbox/component"
)

// kept are the variables that components inherit: enough to find programs, certificates and a proxy, nothing that would make
// one sandbox behave unlike another.
var kept = []string{
	"HOME", "USER", "LOGNAME", "LANG", "TMPDIR", "TZ", "SSL_CERT_FILE", "SSL_CERT_DIR",
	"HTTP_PROXY", "HTTPS_PROXY", "http_proxy", "https_proxy",
}

// local is never asked of a proxy: one that answers for a simulated pod would put its own name into events.
var local = strings.Join([]string{
	"127.0.0.1", "localhost", "::1", component.ServiceRange, component.PodRange, component.NodeRange, ".svc", ".cluster.local",
}, ",")

// environment is what a component gets: what is kept, the sandbox's own variables, and its own over both.
func environment(dir, binDir string, own map[string]string) []string {
	env := map[string]string{
		"PATH":     binDir + string(os.PathListSeparator) + os.Getenv("PATH"),
		"NO_PROXY": join(os.Getenv("NO_PROXY"), local),
		Mark:       dir,
	}
	env["no_proxy"] = env["NO_PROXY"]
	for _, name := range kept {
		if value, ok := os.LookupEnv(name); ok {
			env[name] = value
		}
	}
	maps.Copy(env, own)
	list := make([]string, 0, len(env))
	for _, name := range slices.Sorted(maps.Keys(env)) {
		list = append(list, name+"="+env[name])
	}
	return list
}

func join(a, b string) string {
	if a == "" {
		return b
	}
	return a + "," + b
}
