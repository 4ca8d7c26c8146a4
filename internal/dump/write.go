package dump

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"sigs.k8s.io/yaml"

	"demarc.dev/demarc/internal/snapshot"
)

// Write is how a set becomes a dump.
type Write struct {
	// Out is a file where it ends in .json, .yaml or .yml, and else a folder. By is who writes it.
	Out, By string
	// Namespaces that were asked for; empty is all.
	Namespaces []string
	// Overwrite a file that is there.
	Overwrite bool
}

// Written is what came of it.
type Written struct {
	Objects int
	// LeftOut counts what looked like a secret, by rule.
	LeftOut map[string]int
}

var (
	// ErrThere is that something is there already, which is left as it is.
	ErrThere = errors.New("it is there already")
	files    = []string{".json", ".yaml", ".yml"}
)

// IsFile says whether a name is that of a file, rather than of a folder.
func IsFile(out string) bool {
	return slices.Contains(files, strings.ToLower(filepath.Ext(out)))
}

// Do writes it aside and renames it: it is there as a whole, or not at all.
func (w Write) Do(ctx context.Context, set *snapshot.Set) (Written, error) {
	if err := w.free(); err != nil {
		return Written{}, err
	}
	if IsFile(w.Out) {
		return w.file(ctx, set)
	}
	return w.folder(ctx, set)
}

// free says whether there is a place for it.
func (w Write) free() error {
	info, err := os.Lstat(w.Out)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return err
	case IsFile(w.Out) && info.Mode().IsRegular() && w.Overwrite:
		return nil
	case !IsFile(w.Out) && info.IsDir():
		entries, err := os.ReadDir(w.Out)
		if err != nil {
			return err
		}
		if len(entries) == 0 {
			return nil
		}
	}
	return ErrThere
}

func (w Write) file(ctx context.Context, set *snapshot.Set) (Written, error) {
	aside, err := os.CreateTemp(filepath.Dir(w.Out), "."+filepath.Base(w.Out)+"-*")
	if err != nil {
		return Written{}, err
	}
	defer os.Remove(aside.Name()) // renamed it is not there any more
	one := &page{out: bufio.NewWriter(aside), file: aside, yaml: strings.ToLower(filepath.Ext(w.Out)) != ".json"}
	written, err := w.objects(ctx, set, func(snapshot.Object) (*page, error) { return one, nil })
	if err = errors.Join(err, one.close()); err != nil {
		return written, err
	}
	return written, os.Rename(aside.Name(), w.Out)
}

// folder has a file for each kind, in a folder for each namespace.
func (w Write) folder(ctx context.Context, set *snapshot.Set) (Written, error) {
	out := filepath.Clean(w.Out)
	aside, err := os.MkdirTemp(filepath.Dir(out), "."+filepath.Base(out)+"-*")
	if err != nil {
		return Written{}, err
	}
	defer os.RemoveAll(aside)
	var name string
	var open *page
	pageOf := func(o snapshot.Object) (*page, error) {
		wanted := filepath.Join(aside, place(o))
		if wanted == name {
			return open, nil
		}
		name = wanted
		if err := open.close(); err != nil {
			return nil, err
		}
		open, err = create(wanted)
		return open, err
	}
	// Objects of a kind stand together, by namespace: each file is written at one time.
	written, err := w.objects(ctx, set, pageOf)
	if err = errors.Join(err, open.close()); err != nil {
		return written, err
	}
	if err := os.Remove(out); err != nil && !errors.Is(err, fs.ErrNotExist) { // an empty folder
		return written, err
	}
	return written, os.Rename(aside, out)
}

// place of an object in the folder.
func place(o snapshot.Object) string {
	kind := o.GroupVersionKind().GroupKind()
	switch {
	case kind == headKind:
		return "dump.json"
	case o.GetNamespace() == "":
		return filepath.Join("cluster", url.PathEscape(strings.ToLower(kind.String()))+".json")
	}
	return filepath.Join("namespaces", url.PathEscape(o.GetNamespace()), url.PathEscape(strings.ToLower(kind.String()))+".json")
}

func create(name string) (*page, error) {
	if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
		return nil, err
	}
	file, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return nil, err
	}
	return &page{out: bufio.NewWriter(file), file: file}, nil
}

// objects writes all of a set, and the head of the dump behind them.
func (w Write) objects(ctx context.Context, set *snapshot.Set, pageOf func(snapshot.Object) (*page, error)) (Written, error) {
	written := Written{LeftOut: map[string]int{}}
	cleaner := cleaner{written.LeftOut}
	add := func(o snapshot.Object) error {
		to, err := pageOf(o)
		if err != nil {
			return err
		}
		return to.add(o)
	}
	for _, o := range set.All() {
		if err := ctx.Err(); err != nil {
			return written, err
		}
		if err := add(cleaner.clean(o)); err != nil {
			return written, err
		}
		written.Objects++
	}
	head, err := asObject(headOf(set, w.Namespaces, w.By, written.LeftOut))
	if err != nil {
		return written, err
	}
	return written, add(head)
}

func asObject(h Head) (snapshot.Object, error) {
	raw, err := json.Marshal(h)
	if err != nil {
		return nil, err
	}
	list, err := snapshot.Parse(raw)
	if err != nil {
		return nil, fmt.Errorf("the head of the dump: %w", err)
	}
	return list[0], nil
}

// page is one file: a List in JSON with a line for each object, or documents of YAML.
type page struct {
	out  *bufio.Writer
	file *os.File
	yaml bool
	any  bool
}

func (p *page) add(o snapshot.Object) error {
	raw, err := json.Marshal(o.Object)
	if err != nil {
		return err
	}
	before := ",\n"
	switch {
	case p.yaml:
		before = "---\n"
		if raw, err = yaml.JSONToYAML(raw); err != nil {
			return err
		}
	case !p.any:
		before = `{"apiVersion":"v1","kind":"List","items":[` + "\n"
	}
	p.any = true
	_, err = p.out.WriteString(before + string(raw))
	return err
}

// close ends a page; of none it does nothing.
func (p *page) close() error {
	if p == nil {
		return nil
	}
	if p.any && !p.yaml {
		_, _ = p.out.WriteString("\n]}\n") // Flush tells what failed
	}
	return errors.Join(p.out.Flush(), p.file.Sync(), p.file.Close())
}
