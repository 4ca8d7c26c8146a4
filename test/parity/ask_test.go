package parity

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"path"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"demarc.dev/demarc/internal/guardrail/admitted"
)

// answer of the API server.
type answer struct {
	Code int
	// At is its clock when it answered.
	At       time.Time
	Body     []byte
	Warnings []string
	// ID by which the request is found in the audit log.
	ID string
}

// refusal is the message of a refusal; empty where it is none.
func (a answer) refusal() string {
	if a.Code < 300 {
		return ""
	}
	var status metav1.Status
	if json.Unmarshal(a.Body, &status) != nil {
		return string(a.Body)
	}
	return status.Message
}

// number of requests that were made.
var number atomic.Int64

// ask makes one request; nothing is stored where it is a dry run.
func ask(t testing.TB, q question, dry bool) answer {
	t.Helper()
	a, err := send(t.Context(), q, dry)
	must(t, err)
	return a
}

func send(ctx context.Context, q question, dry bool) (answer, error) {
	var body io.Reader
	if q.body != nil {
		raw, err := json.Marshal(q.body)
		if err != nil {
			return answer{}, err
		}
		body = bytes.NewReader(raw)
	}
	if dry {
		q.where += "?dryRun=All"
	}
	request, err := http.NewRequestWithContext(ctx, q.method, strings.TrimSuffix(env.Config.Host, "/")+q.where, body)
	if err != nil {
		return answer{}, err
	}
	id := fmt.Sprintf("parity-%d", number.Add(1))
	request.Header.Set("Audit-ID", id)
	request.Header.Set("Content-Type", "application/json")
	// Who changes a field is told by this name, with and without a cluster.
	request.Header.Set("User-Agent", "demarc-check")
	if u := q.user(); u.Name != "" {
		request.Header.Set("Impersonate-User", u.Name)
		for _, group := range u.Groups {
			request.Header.Add("Impersonate-Group", group)
		}
	}
	response, err := web.Do(request)
	if err != nil {
		return answer{}, err
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		return answer{}, err
	}
	at, err := http.ParseTime(response.Header.Get("Date"))
	return answer{response.StatusCode, at, text, response.Header.Values("Warning"), id}, err
}

// address of a kind's objects in a namespace, and of one of them where a name is given.
func address(o runtime.Object, namespace string, more ...string) string {
	kind := admitted.KindOf(o.GetObjectKind().GroupVersionKind())
	parts := []string{"/apis", kind.Group, kind.Version}
	if kind.Group == "" {
		parts = []string{"/api", kind.Version}
	}
	if !kind.Cluster {
		parts = append(parts, "namespaces", namespace)
	}
	return path.Join(append(append(parts, kind.Resource.Resource), more...)...)
}
