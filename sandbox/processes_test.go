package sandbox_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"demarc.dev/demarc/sandbox"
	"demarc.dev/demarc/sandbox/component"
)

func find(t *testing.T, s *sandbox.Sandbox, name string) sandbox.Status {
	t.Helper()
	list, err := s.Components()
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range list {
		if c.Name == name {
			return c
		}
	}
	t.Fatalf("no component %s in %v", name, list)
	return sandbox.Status{}
}

func testKill(t *testing.T, s *sandbox.Sandbox) {
	before := find(t, s, "kube-scheduler")
	if err := s.Kill("kube-scheduler"); err != nil {
		t.Fatal(err)
	}
	eventually(t, 3*time.Minute, func(context.Context) error {
		after := find(t, s, "kube-scheduler")
		if after.Restarts != before.Restarts+1 || after.Problem != "" {
			return fmt.Errorf("%+v", after)
		}
		return nil
	})
	if e := find(t, s, "kube-scheduler").LastExit; e == nil || len(e.Log) == 0 {
		t.Errorf("last exit %+v, want its last lines", e)
	}
}

func testRun(t *testing.T, s *sandbox.Sandbox) {
	c := component.Component{Name: "extra", Binary: "/bin/sh", Args: []string{"-c", "exec sleep 100"}}
	if err := s.Run(t.Context(), c); err != nil {
		t.Fatal(err)
	}
	first := find(t, s, "extra")
	c.Args = []string{"-c", "exec sleep 101"}
	if err := s.Run(t.Context(), c); err != nil {
		t.Fatal(err)
	}
	if first.Process.Alive() || find(t, s, "extra").Problem != "" {
		t.Error("the changed component was not replaced")
	}
	if err := s.Stop(t.Context(), "extra"); err != nil {
		t.Fatal(err)
	}
	if p := find(t, s, "extra").Problem; p == "" {
		t.Error("a stopped component has no problem")
	}
	if err := s.Start(t.Context(), "extra"); err != nil {
		t.Fatal(err)
	}
	if err := s.Remove(t.Context(), "extra"); err != nil {
		t.Fatal(err)
	}
	// With a probe: without one it is ready as soon as it runs, however shortly that is.
	bad := component.Component{Name: "bad", Binary: "/bin/sh", Args: []string{"-c", "echo no such flag; exit 3"},
		Ready: component.Probe{TCP: "127.0.0.1:1"}}
	if err := s.Run(t.Context(), bad); err == nil || !strings.Contains(err.Error(), "no such flag") {
		t.Errorf("error %v, want the last words of the component", err)
	}
	if err := s.Remove(t.Context(), "bad"); err != nil {
		t.Fatal(err)
	}
}

func testUpAgain(t *testing.T, s *sandbox.Sandbox) {
	before := find(t, s, "etcd").Process
	if _, err := sandbox.Up(t.Context(), sandbox.Options{Name: "test", Out: t.Output()}); err != nil {
		t.Fatal(err)
	}
	if after := find(t, s, "etcd").Process; after != before {
		t.Errorf("etcd went from %v to %v", before, after)
	}
}
