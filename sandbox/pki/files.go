package pki

import (
	"crypto/ecdsa"
	"crypto/rand"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"os"
	"path/filepath"
)

// write stores the key before the certificate: the certificate's presence says that both are there.
func write(dir, name string, template, parent *x509.Certificate, key, signer *ecdsa.PrivateKey) error {
	der, err := x509.CreateCertificate(rand.Reader, template, parent, key.Public(), signer)
	if err != nil {
		return err
	}
	if err := writeKey(dir, name+".key", key); err != nil {
		return err
	}
	return writePEM(dir, name+".crt", "CERTIFICATE", der)
}

func writeKey(dir, name string, key *ecdsa.PrivateKey) error {
	der, err := x509.MarshalECPrivateKey(key)
	if err != nil {
		return err
	}
	return writePEM(dir, name, "EC PRIVATE KEY", der)
}

func writePEM(dir, name, kind string, der []byte) error {
	path := filepath.Join(dir, name)
	if err := os.WriteFile(path+".new", pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der}), 0o600); err != nil {
		return err
	}
	return os.Rename(path+".new", path)
}

func load(dir, name string) (*x509.Certificate, *ecdsa.PrivateKey, error) {
	crt, err := readPEM(filepath.Join(dir, name+".crt"))
	if err != nil {
		return nil, nil, err
	}
	der, err := readPEM(filepath.Join(dir, name+".key"))
	if err != nil {
		return nil, nil, err
	}
	ca, err := x509.ParseCertificate(crt)
	if err != nil {
		return nil, nil, err
	}
	key, err := x509.ParseECPrivateKey(der)
	return ca, key, err
}

func readPEM(path string) ([]byte, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	block, _ := pem.Decode(text)
	if block == nil {
		return nil, errors.New(path + " holds no PEM block")
	}
	return block.Bytes, nil
}

func exists(dir, name string) bool {
	_, err := os.Stat(filepath.Join(dir, name))
	return err == nil
}
