package proxy

import (
	"encoding/json"
	"net/http"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// What can befall a request that reads, and one that writes.
var (
	readFaults  = []Fault{Throttle, Internal, Hang}
	writeFaults = []Fault{Conflict, Throttle, Internal, Hang, Lost}
)

func (p *Proxy) handle(w http.ResponseWriter, r *http.Request) {
	over := p.troubled()
	if over == nil {
		p.reverse.ServeHTTP(w, r)
		return
	}
	faults := writeFaults
	if r.Method == http.MethodGet {
		faults = readFaults
	}
	p.mu.Lock()
	p.seen.Requests++
	p.mu.Unlock()
	switch d := p.draw(r.Method+" "+r.URL.Path, faults); d.fault {
	case Conflict:
		refuse(w, metav1.StatusReasonConflict, http.StatusConflict)
	case Throttle:
		w.Header().Set("Retry-After", "1")
		refuse(w, metav1.StatusReasonTooManyRequests, http.StatusTooManyRequests)
	case Internal:
		refuse(w, metav1.StatusReasonInternalError, http.StatusInternalServerError)
	case Hang:
		pause(r.Context(), over, d.lasts)
		panic(http.ErrAbortHandler)
	case Lost:
		p.lose(w, r, d)
	default:
		p.reverse.ServeHTTP(w, r)
	}
}

// lose lets a request be done and its answer get lost: the stream ends, or a gateway says that time was up.
func (p *Proxy) lose(w http.ResponseWriter, r *http.Request, d draw) {
	p.reverse.ServeHTTP(nobody{http.Header{}}, r)
	if d.other {
		panic(http.ErrAbortHandler)
	}
	refuse(w, metav1.StatusReasonTimeout, http.StatusGatewayTimeout)
}

// nobody takes an answer and tells it to no one.
type nobody struct{ header http.Header }

func (n nobody) Header() http.Header          { return n.header }
func (nobody) WriteHeader(int)                {}
func (nobody) Write(text []byte) (int, error) { return len(text), nil }

// refuse answers as an API server does.
func refuse(w http.ResponseWriter, reason metav1.StatusReason, code int) {
	status := metav1.Status{
		TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Status"},
		Status:   metav1.StatusFailure, Reason: reason, Code: int32(code), Message: "chaos: " + string(reason),
	}
	text, err := json.Marshal(status)
	if err != nil {
		panic(err) // plain strings and a number
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(code)
	_, _ = w.Write(text) // a client that has gone does not matter
}
