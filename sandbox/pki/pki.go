// Package pki makes the certificates, keys and kubeconfigs of a sandbox. Everything lies in one folder that only its user can
// read, and is made once: what exists is left alone.
package pki

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"fmt"
	"math/big"
	"net"
	"os"
	"time"
)

const lifetime = 10 * 365 * 24 * time.Hour

// leaf is a certificate to be made.
type leaf struct {
	file, ca, user string
	groups         []string
	// serves is set for a server's certificate, which names the hosts it serves as.
	serves bool
}

// hosts are the names under which loopback and the Service of the API server are called.
var (
	hosts = []string{
		"localhost", "kubernetes", "kubernetes.default", "kubernetes.default.svc", "kubernetes.default.svc.cluster.local",
	}
	addresses = []net.IP{net.IPv4(127, 0, 0, 1), net.IPv6loopback, net.IPv4(10, 96, 0, 1)}
)

// leaves lists every certificate. etcd has a CA of its own: the cluster signs certificates with the other, and whoever gets
// one must not reach etcd with it.
func leaves() []leaf {
	return []leaf{
		{file: "etcd", ca: "etcd-ca", user: "etcd", serves: true},
		{file: "etcd-client", ca: "etcd-ca", user: "kube-apiserver"},
		{file: "serving", ca: "ca", user: "kube-apiserver", serves: true},
		{file: "admin", ca: "ca", user: "sandbox-admin", groups: []string{"system:masters"}},
		{file: "kube-controller-manager", ca: "ca", user: "system:kube-controller-manager"},
		{file: "kube-scheduler", ca: "ca", user: "system:kube-scheduler"},
		{file: "kwok", ca: "ca", user: "kwok", groups: []string{"system:masters"}},
	}
}

// Ensure makes what is missing in the folder.
func Ensure(dir string) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return fmt.Errorf("make the folder of certificates: %w", err)
	}
	for _, ca := range []string{"ca", "etcd-ca"} {
		if err := ensureCA(dir, ca); err != nil {
			return fmt.Errorf("make the certificate authority %s: %w", ca, err)
		}
	}
	for _, l := range leaves() {
		if err := l.ensure(dir); err != nil {
			return fmt.Errorf("make the certificate %s: %w", l.file, err)
		}
	}
	return ensureKeyPair(dir, "sa")
}

func ensureCA(dir, name string) error {
	if exists(dir, name+".crt") {
		return nil
	}
	template := certificate(pkix.Name{CommonName: "sandbox-" + name})
	template.IsCA, template.BasicConstraintsValid = true, true
	template.KeyUsage = x509.KeyUsageCertSign | x509.KeyUsageCRLSign | x509.KeyUsageDigitalSignature
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return err
	}
	return write(dir, name, template, template, key, key)
}

func (l leaf) ensure(dir string) error {
	if exists(dir, l.file+".crt") {
		return nil
	}
	ca, caKey, err := load(dir, l.ca)
	if err != nil {
		return err
	}
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return err
	}
	template := certificate(pkix.Name{CommonName: l.user, Organization: l.groups})
	template.KeyUsage = x509.KeyUsageDigitalSignature
	template.ExtKeyUsage = []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth}
	if l.serves {
		// etcd calls itself with its serving certificate, so that one serves both ends.
		template.ExtKeyUsage = append(template.ExtKeyUsage, x509.ExtKeyUsageServerAuth)
		template.DNSNames, template.IPAddresses = hosts, addresses
	}
	return write(dir, l.file, template, ca, key, caKey)
}

func certificate(subject pkix.Name) *x509.Certificate {
	serial, err := rand.Int(rand.Reader, new(big.Int).Lsh(big.NewInt(1), 120))
	if err != nil {
		panic(err) // the system's random source does not fail
	}
	now := time.Now()
	return &x509.Certificate{SerialNumber: serial, Subject: subject, NotBefore: now.Add(-time.Hour), NotAfter: now.Add(lifetime)}
}

// ensureKeyPair makes the keys that sign and check ServiceAccount tokens.
func ensureKeyPair(dir, name string) error {
	if exists(dir, name+".pub") {
		return nil
	}
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return err
	}
	der, err := x509.MarshalPKIXPublicKey(key.Public())
	if err != nil {
		return err
	}
	if err := writeKey(dir, name+".key", key); err != nil {
		return err
	}
	return writePEM(dir, name+".pub", "PUBLIC KEY", der)
}
