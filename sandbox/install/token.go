package install

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	authenticationv1 "k8s.io/api/authentication/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"
	"k8s.io/utils/ptr"
)

// tokenLife is long enough for a sandbox that is left running; the API server may grant less.
const tokenLife = 30 * 24 * time.Hour

// operatorKubeconfig holds a token of the operator's ServiceAccount. One that still works is kept, where nothing stands
// between.
func (d *Demarc) operatorKubeconfig(ctx context.Context, through *Server) (string, error) {
	path := filepath.Join(d.Sandbox.Dir(), "operator", "kubeconfig")
	admin, err := d.Sandbox.RESTConfig()
	if err != nil {
		return "", err
	}
	c, err := kubernetes.NewForConfig(admin)
	if err != nil {
		return "", err
	}
	account, err := c.CoreV1().ServiceAccounts(Namespace).Get(ctx, Operator, metav1.GetOptions{})
	if err != nil {
		return "", fmt.Errorf("look at ServiceAccount %s/%s: %w", Namespace, Operator, err)
	}
	if through == nil && works(ctx, path, account.UID) {
		return path, nil
	}
	request := &authenticationv1.TokenRequest{Spec: authenticationv1.TokenRequestSpec{ExpirationSeconds: ptr.To(int64(tokenLife.Seconds()))}}
	token, err := c.CoreV1().ServiceAccounts(Namespace).CreateToken(ctx, Operator, request, metav1.CreateOptions{})
	if err != nil {
		return "", fmt.Errorf("get a token of ServiceAccount %s/%s: %w", Namespace, Operator, err)
	}
	if through != nil {
		admin.Host, admin.TLSClientConfig = through.URL, rest.TLSClientConfig{CAData: through.CA}
	}
	return path, writeKubeconfig(path, admin, token.Status.Token)
}

func writeKubeconfig(path string, admin *rest.Config, token string) error {
	if err := rest.LoadTLSFiles(admin); err != nil {
		return err
	}
	config := clientcmdapi.NewConfig()
	config.Clusters["cluster"] = &clientcmdapi.Cluster{Server: admin.Host, CertificateAuthorityData: admin.CAData, InsecureSkipTLSVerify: admin.Insecure}
	config.AuthInfos["operator"] = &clientcmdapi.AuthInfo{Token: token}
	config.Contexts["operator"] = &clientcmdapi.Context{Cluster: "cluster", AuthInfo: "operator"}
	config.CurrentContext = "operator"
	return clientcmd.WriteToFile(*config, path)
}

// works reports whether a kubeconfig's token is taken now, is this very account's, and has at least half of its life before
// it. An API server takes the token of an account that was made anew for some seconds more.
func works(ctx context.Context, path string, account types.UID) bool {
	config, err := clientcmd.BuildConfigFromFlags("", path)
	if err != nil || !fresh(config.BearerToken, account, time.Now()) {
		return false
	}
	c, err := kubernetes.NewForConfig(config)
	if err != nil {
		return false
	}
	_, err = c.AuthenticationV1().SelfSubjectReviews().Create(ctx, &authenticationv1.SelfSubjectReview{}, metav1.CreateOptions{})
	return err == nil
}

// claims are what a ServiceAccount's token says of itself.
type claims struct {
	Issued     int64 `json:"iat"`
	Expires    int64 `json:"exp"`
	Kubernetes struct {
		ServiceAccount struct {
			UID types.UID `json:"uid"`
		} `json:"serviceaccount"`
	} `json:"kubernetes.io"`
}

// fresh reports whether a token is an account's and at least half of its life, as its claims tell it, lies after now.
func fresh(token string, account types.UID, now time.Time) bool {
	parts := strings.Split(token, ".")
	if len(parts) != 3 {
		return false
	}
	payload, err := base64.RawURLEncoding.DecodeString(parts[1])
	if err != nil {
		return false
	}
	var c claims
	if err := json.Unmarshal(payload, &c); err != nil || c.Kubernetes.ServiceAccount.UID != account {
		return false
	}
	return c.Expires-now.Unix() >= (c.Expires-c.Issued)/2 && now.Unix() < c.Expires
}
