package proxy

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strconv"
)

var watchFaults = []Fault{Cut, Held}

// spoilWatch puts itself between a watch and what it brings.
func (p *Proxy) spoilWatch(answer *http.Response) error {
	r := answer.Request
	watches, _ := strconv.ParseBool(r.URL.Query().Get("watch"))
	if watches && answer.StatusCode == http.StatusOK {
		answer.Body = &events{ReadCloser: answer.Body, proxy: p, ctx: r.Context(), kind: "WATCH " + r.URL.Path}
	}
	return nil
}

// events are what a watch brings, as it comes.
type events struct {
	io.ReadCloser
	proxy *Proxy
	ctx   context.Context // of the one request whose body this is
	kind  string
	cut   bool
}

var errCut = errors.New("cut by chaos")

// Read hands on what came, late or not all of it.
func (e *events) Read(into []byte) (int, error) {
	if e.cut {
		return 0, errCut
	}
	n, err := e.ReadCloser.Read(into)
	over := e.proxy.troubled()
	if over == nil || n == 0 {
		return n, err
	}
	e.proxy.mu.Lock()
	e.proxy.seen.Batches++
	e.proxy.mu.Unlock()
	switch d := e.proxy.draw(e.kind, watchFaults); {
	case d.fault == Held:
		pause(e.ctx, over, d.lasts)
	case d.fault == Cut && d.other:
		return 0, io.EOF // as a server does that ends a watch
	case d.fault == Cut:
		e.cut = true
		return n / 2, nil
	}
	return n, err
}
