package sandbox

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"demarc.dev/demarc/sandbox/argocd"
	"demarc.dev/demarc/sandbox/kwok"
	"demarc.dev/demarc/sandbox/pki"
)

const auditPolicy = `apiVersion: audit.k8s.io/v1
kind: Policy
omitStages: [RequestReceived]
rules:
  - level: Metadata
`

// writeFiles makes everything that components read.
func (s *Sandbox) writeFiles(o Options) error {
	for _, dir := range []string{"etcd", "logs", "audit", "kubeconfigs", "argocd/tmp", "argocd/tls", "argocd/ssh"} {
		if err := os.MkdirAll(filepath.Join(s.dir, dir), 0o700); err != nil {
			return err
		}
	}
	if err := pki.Ensure(s.pkiDir()); err != nil {
		return err
	}
	for _, user := range pki.Users() {
		path := s.kubeconfigOf(user)
		if user == "admin" {
			path = s.Kubeconfig()
		}
		if err := pki.CertKubeconfig(s.pkiDir(), user, s.context(), s.server(), path); err != nil {
			return err
		}
	}
	// One for a port that has changed would send Argo CD astray: it waits for a new one.
	if token := s.kubeconfigOf(argocd.Account); !pki.Serves(token, s.server()) {
		if err := os.Remove(token); err != nil && !errors.Is(err, os.ErrNotExist) {
			return err
		}
	}
	if err := writeFile(filepath.Join(s.dir, "kwok.yaml"), kwok.Config()); err != nil {
		return err
	}
	return writeFile(filepath.Join(s.dir, "audit-policy.yaml"), o.AuditPolicy)
}

func (s *Sandbox) pkiDir() string { return filepath.Join(s.dir, "pki") }

func (s *Sandbox) context() string { return "sandbox-" + s.name }

func (s *Sandbox) server() string {
	return fmt.Sprintf("https://127.0.0.1:%d", s.settings.Ports["kube-apiserver"])
}

func (s *Sandbox) kubeconfigOf(user string) string {
	return filepath.Join(s.dir, "kubeconfigs", user+".kubeconfig")
}
