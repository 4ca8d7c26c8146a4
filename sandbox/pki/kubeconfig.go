package pki

import (
	"fmt"
	"os"
	"path/filepath"

	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/client-go/tools/clientcmd/api"
)

// Users have a client certificate of the cluster.
func Users() []string { return []string{"admin", "kube-controller-manager", "kube-scheduler", "kwok"} }

// CertKubeconfig writes a kubeconfig with the client certificate of a user. cluster names the context.
func CertKubeconfig(dir, user, cluster, server, path string) error {
	crt, err := os.ReadFile(filepath.Join(dir, user+".crt"))
	if err != nil {
		return err
	}
	key, err := os.ReadFile(filepath.Join(dir, user+".key"))
	if err != nil {
		return err
	}
	auth := &api.AuthInfo{ClientCertificateData: crt, ClientKeyData: key}
	return writeConfig(dir, user, cluster, server, path, auth)
}

// TokenKubeconfig writes a kubeconfig with a token.
func TokenKubeconfig(dir, user, token, cluster, server, path string) error {
	return writeConfig(dir, user, cluster, server, path, &api.AuthInfo{Token: token})
}

// Serves tells whether a kubeconfig exists and is for that server.
func Serves(path, server string) bool {
	config, err := clientcmd.LoadFromFile(path)
	if err != nil {
		return false
	}
	for _, cluster := range config.Clusters {
		if cluster.Server == server {
			return true
		}
	}
	return false
}

func writeConfig(dir, user, cluster, server, path string, auth *api.AuthInfo) error {
	ca, err := os.ReadFile(filepath.Join(dir, "ca.crt"))
	if err != nil {
		return err
	}
	config := api.NewConfig()
	config.Clusters[cluster] = &api.Cluster{Server: server, CertificateAuthorityData: ca}
	config.AuthInfos[user] = auth
	config.Contexts[cluster] = &api.Context{Cluster: cluster, AuthInfo: user}
	config.CurrentContext = cluster
	if err := clientcmd.WriteToFile(*config, path+".new"); err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	return os.Rename(path+".new", path)
}
