package pki_test

import (
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"os"
	"path/filepath"
	"testing"

	"demarc.dev/demarc/sandbox/pki"
)

func TestServingCertificateIsTrustedOnLoopback(t *testing.T) {
	dir := t.TempDir()
	if err := pki.Ensure(dir); err != nil {
		t.Fatal(err)
	}
	pair, err := tls.LoadX509KeyPair(filepath.Join(dir, "serving.crt"), filepath.Join(dir, "serving.key"))
	if err != nil {
		t.Fatal(err)
	}
	for _, host := range []string{"127.0.0.1", "localhost", "kubernetes.default.svc"} {
		if _, err := pair.Leaf.Verify(x509.VerifyOptions{DNSName: host, Roots: pool(t, dir, "ca.crt")}); err != nil {
			t.Errorf("as %s: %v", host, err)
		}
	}
	// A certificate that the cluster signs must not open etcd.
	if _, err := pair.Leaf.Verify(x509.VerifyOptions{Roots: pool(t, dir, "etcd-ca.crt")}); err == nil {
		t.Error("etcd's authority trusts a certificate of the cluster's")
	}
}

func TestEnsureKeepsWhatExists(t *testing.T) {
	dir := t.TempDir()
	if err := pki.Ensure(dir); err != nil {
		t.Fatal(err)
	}
	before, err := os.ReadFile(filepath.Join(dir, "ca.crt"))
	if err != nil {
		t.Fatal(err)
	}
	if err := pki.Ensure(dir); err != nil {
		t.Fatal(err)
	}
	if after, _ := os.ReadFile(filepath.Join(dir, "ca.crt")); string(after) != string(before) {
		t.Error("a second call made a new authority")
	}
}

func TestKeysAreForTheUserAlone(t *testing.T) {
	dir := t.TempDir()
	if err := pki.Ensure(dir); err != nil {
		t.Fatal(err)
	}
	keys, _ := filepath.Glob(filepath.Join(dir, "*.key"))
	for _, key := range keys {
		if info, err := os.Stat(key); err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("%s: mode %v, error %v", key, info.Mode(), err)
		}
	}
}

func pool(t *testing.T, dir, name string) *x509.CertPool {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(dir, name))
	if err != nil {
		t.Fatal(err)
	}
	block, _ := pem.Decode(text)
	ca, err := x509.ParseCertificate(block.Bytes)
	if err != nil {
		t.Fatal(err)
	}
	p := x509.NewCertPool()
	p.AddCert(ca)
	return p
}
