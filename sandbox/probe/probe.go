// Package probe asks components whether they serve.
package probe

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"strings"
	"time"

	"demarc.dev/demarc/sandbox/component"
)

const attempt = 5 * time.Second

// Check asks once; nil means ready.
func Check(ctx context.Context, p component.Probe) error {
	ctx, cancel := context.WithTimeout(ctx, attempt)
	defer cancel()
	switch {
	case p.HTTP != "":
		return get(ctx, p)
	case p.TCP != "":
		conn, err := new(net.Dialer).DialContext(ctx, "tcp", p.TCP)
		if err != nil {
			return err
		}
		return conn.Close()
	}
	return nil
}

func get(ctx context.Context, p component.Probe) error {
	client, err := clientFor(p)
	if err != nil {
		return err
	}
	defer client.CloseIdleConnections()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, p.HTTP, nil)
	if err != nil {
		return err
	}
	resp, err := client.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	body, _ := io.ReadAll(io.LimitReader(resp.Body, 4096))
	if resp.StatusCode != http.StatusOK {
		return fmt.Errorf("GET %s: %s: %s", p.HTTP, resp.Status, failing(string(body)))
	}
	return nil
}

// clientFor never uses a proxy: every probe goes to loopback.
func clientFor(p component.Probe) (*http.Client, error) {
	transport := &http.Transport{}
	if p.CAFile != "" {
		pem, err := os.ReadFile(p.CAFile)
		if err != nil {
			return nil, err
		}
		pool := x509.NewCertPool()
		if !pool.AppendCertsFromPEM(pem) {
			return nil, errors.New(p.CAFile + " holds no certificate")
		}
		transport.TLSClientConfig = &tls.Config{RootCAs: pool, MinVersion: tls.VersionTLS12}
	}
	return &http.Client{Transport: transport}, nil
}

// failing keeps the lines of a health report that failed.
func failing(body string) string {
	var lines []string
	for _, l := range strings.Split(body, "\n") {
		if strings.HasPrefix(l, "[-]") {
			lines = append(lines, l)
		}
	}
	if len(lines) == 0 {
		return strings.TrimSpace(body)
	}
	return strings.Join(lines, "; ")
}
