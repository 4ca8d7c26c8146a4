package programs

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

const hello = `package main

import "fmt"

var version = "unset"

func main() { fmt.Println("hello", version, "0.0.0.0") }
`

// helloPin is a pin of a tiny module that lies in a folder: building it needs no network.
func helloPin(t *testing.T, change func(*Group)) pin {
	t.Helper()
	root := t.TempDir()
	write := func(name, text string) {
		t.Helper()
		path := filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	write("hello/go.mod", "module example.com/hello\n\ngo 1.26\n")
	write("hello/main.go", hello)
	write("pins/hello/go.mod", "module example.com/pins\n\ngo 1.26\n\nrequire example.com/hello v1.2.3\n\nreplace example.com/hello => ../../hello\n\ntool example.com/hello\n")
	write("pins/hello/go.sum", "")
	g := Group{
		Name: "hello", Module: "example.com/hello", Ldflags: "-X main.version={version}",
		Programs: []Program{
			{Name: "hello", Links: []string{"hullo"}, Package: "example.com/hello", Says: "{version}"},
			{Name: "again", Package: "example.com/hello", Says: "{number}"},
		},
	}
	if change != nil {
		change(&g)
	}
	p, err := loadPin(t.Context(), filepath.Join(root, "pins"), g)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestEnsureBuildsOnce(t *testing.T) {
	cache, p := t.TempDir(), helloPin(t, nil)
	var out bytes.Buffer
	set, err := ensure(t.Context(), cache, []pin{p}, &out)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(out.String(), "[2/2] again: built in ") {
		t.Errorf("progress:\n%s", out.String())
	}
	for _, name := range []string{"hello", "hullo", "again", "git-verify-wrapper.sh"} {
		if _, err := os.Stat(filepath.Join(set.BinDir, name)); err != nil {
			t.Error(err)
		}
	}
	out.Reset()
	if _, err := ensure(t.Context(), cache, []pin{p}, &out); err != nil || out.Len() > 0 {
		t.Errorf("second time: %v, %s", err, out.String())
	}
}

func TestInterruptedBuildGoesOn(t *testing.T) {
	cache, p := t.TempDir(), helloPin(t, nil)
	aside := filepath.Join(cache, "hello-"+p.hash+".partial")
	if err := os.MkdirAll(aside, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(aside, "hello"), []byte("from before"), 0o755); err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if _, err := ensure(t.Context(), cache, []pin{p}, &out); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(out.String(), "[1/2] hello: built before") {
		t.Errorf("progress:\n%s", out.String())
	}
}

func TestConcurrentBuildsShareOne(t *testing.T) {
	cache, p := t.TempDir(), helloPin(t, nil)
	var outs [2]bytes.Buffer
	var both sync.WaitGroup
	for i := range outs {
		both.Go(func() {
			if _, err := ensure(t.Context(), cache, []pin{p}, &outs[i]); err != nil {
				t.Error(err)
			}
		})
	}
	both.Wait()
	if n := strings.Count(outs[0].String()+outs[1].String(), "again: built in"); n != 1 {
		t.Errorf("built %d times:\n%s\n%s", n, outs[0].String(), outs[1].String())
	}
}

func TestProgramThatSaysAnotherVersionIsNotKept(t *testing.T) {
	cache := t.TempDir()
	p := helloPin(t, func(g *Group) { g.Ldflags = "" })
	_, err := ensure(t.Context(), cache, []pin{p}, nil)
	if err == nil || !strings.Contains(err.Error(), "want version v1.2.3") {
		t.Fatalf("error %v", err)
	}
	if _, err := os.Stat(filepath.Join(cache, "hello-"+p.hash)); err == nil {
		t.Error("a wrong program was kept")
	}
}

func TestPatchFitsOnce(t *testing.T) {
	path := filepath.Join(t.TempDir(), "main.go")
	for text, want := range map[string]string{"a b": "a c", "a": "", "b b": ""} {
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		err := Patch{Old: "b", New: "c"}.apply(path)
		if got, _ := os.ReadFile(path); want != "" && (err != nil || string(got) != want) {
			t.Errorf("%q became %q, error %v; want %q", text, got, err, want)
		}
		if want == "" && err == nil {
			t.Errorf("a patch was applied to %q", text)
		}
	}
}

func TestHashFollowsWhatIsBuilt(t *testing.T) {
	g := Groups()[0]
	base := hashOf(g, []byte("mod"), []byte("sum"), "env")
	changed := g
	changed.Ldflags = "-X other"
	for name, other := range map[string]string{
		"go.mod": hashOf(g, []byte("mod2"), []byte("sum"), "env"), "go.sum": hashOf(g, []byte("mod"), []byte("sum2"), "env"),
		"environment": hashOf(g, []byte("mod"), []byte("sum"), "env2"), "flags": hashOf(changed, []byte("mod"), []byte("sum"), "env"),
		"border": hashOf(g, []byte("mods"), []byte("um"), "env"),
	} {
		if other == base {
			t.Errorf("another %s gives the same hash", name)
		}
	}
	if again := hashOf(g, []byte("mod"), []byte("sum"), "env"); again != base {
		t.Error("the same gives another hash")
	}
}

func TestEveryPinIsComplete(t *testing.T) {
	source, err := Source()
	if err != nil {
		t.Fatal(err)
	}
	for _, g := range Groups() {
		p, err := loadPin(t.Context(), filepath.Join(source, "sandbox", "pins"), g)
		if err != nil {
			t.Error(err)
		}
		if filled := p.fill(g.Ldflags); strings.Contains(filled, "{") {
			t.Errorf("%s: unfilled flags %s", g.Name, filled)
		}
	}
}
