package exit_test

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/url"
	"strings"
	"syscall"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"demarc.dev/demarc/internal/cli/exit"
)

var claims = schema.GroupResource{Group: "demarc.dev", Resource: "serviceclaims"}

func TestClusterErrors(t *testing.T) {
	at := func(err error) error {
		return &url.Error{Op: "Get", URL: "https://10.0.0.1:6443/api?timeout=1s", Err: err}
	}
	cases := map[string]struct {
		err           error
		read, written int
		says          string
	}{
		"no CRDs":  {&meta.NoKindMatchError{}, 2, 2, "kubectl get crd tenants.demarc.dev"},
		"nobody":   {apierrors.NewUnauthorized("no"), 2, 2, "does not know who you are"},
		"no right": {apierrors.NewForbidden(claims, "c", errors.New("only who may deploy")), 2, 1, "only who may deploy"},
		"by policy": {apierrors.NewForbidden(claims, "c", errors.New("ValidatingAdmissionPolicy 'p' with binding 'p' denied request: only who may deploy")),
			2, 1, "it: only who may deploy"},
		"gone":          {apierrors.NewNotFound(claims, "c"), 1, 1, `"c" not found`},
		"there already": {apierrors.NewAlreadyExists(claims, "c"), 2, 1, "Next: choose another name"},
		"overtaken":     {apierrors.NewConflict(claims, "c", errors.New("x")), 2, 1, "changed by somebody else"},
		"wrong":         {apierrors.NewBadRequest("no such thing"), 2, 1, "no such thing"},
		"not there":     {at(&net.OpError{Op: "dial", Err: syscall.ECONNREFUSED}), 2, 2, "10.0.0.1:6443 refuses the connection"},
		"no such host":  {at(&net.DNSError{Name: "api.example"}), 2, 2, "there is no host api.example"},
		"too slow":      {at(context.DeadlineExceeded), 2, 2, "10.0.0.1:6443 did not answer in time"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			for want, err := range map[int]error{c.read: exit.Unreadable(c.err, "read it"), c.written + 10: exit.Unwritten(c.err, "write it")} {
				if got := exit.Code(err); got != want%10 {
					t.Errorf("it ends with %d, want %d: %v", got, want%10, err)
				}
				if text := exit.Text(err); !strings.Contains(text, c.says) || strings.Contains(text, "&") || strings.Contains(text, "timeout=") {
					t.Errorf("it says %q, want %q", text, c.says)
				}
				if !errors.Is(err, c.err) {
					t.Errorf("the cause is lost: %v", err)
				}
			}
		})
	}
}

func TestCodes(t *testing.T) {
	cases := []struct {
		err  error
		code int
		text string
	}{
		{nil, 0, ""},
		{fmt.Errorf("check: %w", exit.ErrFound), 1, ""},
		{exit.Refused("no", "ask"), 1, "no\nNext: ask"},
		{fmt.Errorf("and so: %w", exit.Refused("no", "")), 1, "and so: no"},
		{exit.Failed("lost", ""), 2, "lost"},
		{exit.Usage("demarc get", errors.New("what?")), 2, "what?\nNext: demarc get --help"},
		{exit.Add(exit.Refused("no", "ask"), "nothing was %s", "done"), 1, "no\nnothing was done\nNext: ask"},
		{exit.Add(nil, "nothing"), 0, ""},
		{errors.New("unknown"), 2, "unknown"},
		{exit.Unreadable(context.Canceled, "read"), 2, "interrupted"},
		{exit.Unreadable(nil, "read"), 0, ""},
	}
	for _, c := range cases {
		if got := exit.Code(c.err); got != c.code {
			t.Errorf("%v ends with %d, want %d", c.err, got, c.code)
		}
		if got := exit.Text(c.err); got != c.text {
			t.Errorf("%v says %q, want %q", c.err, got, c.text)
		}
	}
}
