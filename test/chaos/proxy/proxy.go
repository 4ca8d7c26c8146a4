// Package proxy stands between a client and an API server and makes requests fail, by a plan that follows from a seed. It
// speaks HTTPS on loopback, hands credentials on as they come, and while no faults are asked for changes nothing.
package proxy

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"log"
	"maps"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"sync"
	"time"

	"k8s.io/client-go/util/cert"
)

// Proxy is one that runs.
type Proxy struct {
	plan     Plan
	listener net.Listener
	server   *http.Server
	ca       []byte
	reverse  *httputil.ReverseProxy

	mu sync.Mutex
	// over is closed when the faults end; nil while there are none.
	over chan struct{}
	// asked counts the requests of each kind, by method and path.
	asked map[string]int
	// seen counts what could have failed, and what did.
	seen Seen
}

// Seen is what came in the time of faults.
type Seen struct {
	Faults map[Fault]int
	// Requests, and batches of events that watches brought.
	Requests, Batches int
}

// Start serves until Close. ca verifies the API server.
func Start(upstream string, ca []byte, plan Plan) (*Proxy, error) {
	target, err := url.Parse(upstream)
	if err != nil {
		return nil, fmt.Errorf("address of the API server: %w", err)
	}
	roots := x509.NewCertPool()
	if !roots.AppendCertsFromPEM(ca) {
		return nil, errors.New("the API server's authority is no PEM certificate")
	}
	p := &Proxy{plan: plan, asked: map[string]int{}, seen: Seen{Faults: map[Fault]int{}}}
	p.reverse = &httputil.ReverseProxy{
		Rewrite: func(r *httputil.ProxyRequest) { r.SetURL(target) },
		Transport: &http.Transport{
			TLSClientConfig: &tls.Config{RootCAs: roots}, ForceAttemptHTTP2: true, DisableCompression: true, MaxIdleConnsPerHost: 100,
		},
		FlushInterval:  -1,
		ModifyResponse: p.spoilWatch,
		// An API server that is not there gives no answer, and so does what stands before it.
		ErrorHandler: func(http.ResponseWriter, *http.Request, error) { panic(http.ErrAbortHandler) },
		ErrorLog:     silent,
	}
	return p, p.serve()
}

var silent = log.New(io.Discard, "", 0)

func (p *Proxy) serve() error {
	certificate, key, err := cert.GenerateSelfSignedCertKey("127.0.0.1", []net.IP{net.IPv4(127, 0, 0, 1)}, nil)
	if err != nil {
		return fmt.Errorf("make the proxy's certificate: %w", err)
	}
	pair, err := tls.X509KeyPair(certificate, key)
	if err != nil {
		return err
	}
	if p.listener, err = net.Listen("tcp", "127.0.0.1:0"); err != nil {
		return fmt.Errorf("listen for the operator: %w", err)
	}
	p.ca = certificate
	p.server = &http.Server{
		Handler: http.HandlerFunc(p.handle), ErrorLog: silent, ReadHeaderTimeout: time.Minute,
		TLSConfig: &tls.Config{Certificates: []tls.Certificate{pair}},
	}
	go func() { _ = p.server.ServeTLS(p.listener, "", "") }() // ends with Close
	return nil
}

// URL of the proxy.
func (p *Proxy) URL() string { return "https://" + p.listener.Addr().String() }

// CA verifies the proxy; PEM.
func (p *Proxy) CA() []byte { return p.ca }

// Begin makes requests fail from now on.
func (p *Proxy) Begin() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.over == nil {
		p.over = make(chan struct{})
	}
}

// End ends all faults at once: what hangs is ended, and what is held goes on.
func (p *Proxy) End() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.over != nil {
		close(p.over)
		p.over = nil
	}
}

// Close ends the proxy and every connection through it.
func (p *Proxy) Close() error {
	p.End()
	return p.server.Close()
}

// Seen is what there was up to now.
func (p *Proxy) Seen() Seen {
	p.mu.Lock()
	defer p.mu.Unlock()
	seen := p.seen
	seen.Faults = maps.Clone(seen.Faults)
	return seen
}

// troubled is the channel that is closed when the faults end; nil while there are none.
func (p *Proxy) troubled() <-chan struct{} {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.over
}

// pause waits until the faults are over, the client has gone, or the time has passed.
func pause(ctx context.Context, over <-chan struct{}, d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-over:
	case <-ctx.Done():
	}
}
