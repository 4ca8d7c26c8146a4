// Package prometheus asks a Prometheus, over its HTTP API. One that is a Service of the
// cluster is reached through the API server, as who asks.
package prometheus

import (
	"context"
	"crypto/x509"
	"errors"
	"fmt"
	"math"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/prometheus/client_golang/api"
	v1 "github.com/prometheus/client_golang/api/prometheus/v1"
	"github.com/prometheus/common/model"
	"k8s.io/client-go/rest"

	"demarc.dev/demarc/internal/status"
)

const (
	// patience with one query, and how large an answer may be, in bytes.
	patience   = 10 * time.Second
	mostAnswer = 4 << 20
)

// Throttled asks how much the containers of a service are held back. What goes wrong is said
// in the answer; an error is that it was broken off.
func Throttled(ctx context.Context, config *rest.Config, q status.Query, at time.Time) (*status.Throttle, error) {
	of, err := ask(ctx, config, q, at)
	if ctx.Err() != nil {
		return nil, fmt.Errorf("ask Prometheus: %w", ctx.Err())
	}
	if err != nil {
		return &status.Throttle{Why: why(err, q.URL)}, nil
	}
	return &status.Throttle{Of: of}, nil
}

func ask(ctx context.Context, config *rest.Config, q status.Query, at time.Time) (map[string]float64, error) {
	address, transport, err := way(config, q.URL)
	if err != nil {
		return nil, err
	}
	client, err := api.NewClient(api.Config{Address: address, RoundTripper: bounded{transport}})
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	value, _, err := v1.NewAPI(client).Query(ctx, q.Text, at, v1.WithTimeout(patience))
	if err != nil {
		return nil, err
	}
	vector, ok := value.(model.Vector)
	if !ok {
		return nil, fmt.Errorf("it answers with a %s", value.Type())
	}
	of := map[string]float64{}
	for _, sample := range vector {
		part := float64(sample.Value)
		if math.IsNaN(part) || math.IsInf(part, 0) {
			continue // no period was counted
		}
		of[string(sample.Metric["pod"])+"/"+string(sample.Metric["container"])] = part
	}
	return of, nil
}

// way is where the requests go, and as whom. Only what the API server passes on carries the
// user's credentials.
func way(config *rest.Config, address string) (string, http.RoundTripper, error) {
	u, err := url.Parse(address)
	if err != nil {
		return "", nil, fmt.Errorf("the URL cannot be read: %w", err)
	}
	if u.Scheme == "https" {
		return address, api.DefaultRoundTripper, nil
	}
	name, namespace, ok := service(u.Hostname())
	if u.Scheme != "http" || !ok {
		return "", nil, errors.New("it is neither https nor http to a Service of the cluster")
	}
	port := u.Port()
	if port == "" {
		port = "80"
	}
	base, _, err := rest.DefaultServerUrlFor(config)
	if err != nil {
		return "", nil, err
	}
	transport, err := rest.TransportFor(config)
	if err != nil {
		return "", nil, err
	}
	base.Path = strings.TrimSuffix(base.Path, "/") + fmt.Sprintf("/api/v1/namespaces/%s/services/http:%s:%s/proxy", namespace, name, port) + strings.TrimSuffix(u.Path, "/")
	return base.String(), transport, nil
}

// service is the Service that a host names: NAME.NAMESPACE.svc, and what may follow.
func service(host string) (name, namespace string, ok bool) {
	parts := strings.Split(host, ".")
	if len(parts) < 3 || parts[2] != "svc" {
		return "", "", false
	}
	return parts[0], parts[1], true
}

// why says in few words what went wrong.
func why(err error, address string) string {
	host := address
	if u, parseErr := url.Parse(address); parseErr == nil {
		host = u.Host
	}
	var said *v1.Error
	var certificate x509.UnknownAuthorityError
	var name *net.DNSError
	switch {
	case errors.As(err, &said) && strings.Contains(said.Msg, "403"):
		if service, namespace, ok := service(strings.Split(host, ":")[0]); ok {
			return fmt.Sprintf("you may not get services/proxy of %s in %s, which is the way to Prometheus", service, namespace)
		}
		return "Prometheus at " + host + " refuses you"
	case errors.As(err, &said):
		return "Prometheus at " + host + " says " + string(said.Type) + ": " + said.Msg
	case errors.Is(err, context.DeadlineExceeded):
		return "Prometheus at " + host + " did not answer in time"
	case errors.As(err, &certificate):
		return "the certificate of Prometheus at " + host + " is not one that is trusted here"
	case errors.As(err, &name):
		return "there is no host " + name.Name
	case strings.Contains(err.Error(), "connection refused"):
		return "Prometheus at " + host + " refuses the connection"
	}
	return "Prometheus at " + host + " cannot be asked: " + err.Error()
}

// bounded ends answers that are too large.
type bounded struct{ http.RoundTripper }

// RoundTrip is part of http.RoundTripper.
func (b bounded) RoundTrip(r *http.Request) (*http.Response, error) {
	response, err := b.RoundTripper.RoundTrip(r)
	if err == nil {
		response.Body = http.MaxBytesReader(nil, response.Body, mostAnswer)
	}
	return response, err
}
