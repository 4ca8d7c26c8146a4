package dump

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"demarc.dev/demarc/internal/snapshot"
)

// Stdin is how the standard input is named among the paths.
const Stdin = "-"

const (
	// mostBytes is how much text is read of one dump, mostFaults how many faults are kept.
	mostBytes  = 1 << 30
	mostFaults = 200
)

// Fault is what of a dump could not be read.
type Fault struct {
	File string
	// Line from 1; 0 where it is the whole file.
	Line int
	Says string
}

func (f Fault) String() string {
	if f.Line == 0 {
		return f.File + ": " + f.Says
	}
	return fmt.Sprintf("%s:%d: %s", f.File, f.Line, f.Says)
}

// Read is what was read of a dump.
type Read struct {
	Set *snapshot.Set
	// Head of the dump; nil where it has none, or where there is more than that dump.
	Head *Head
	// Faults are what was passed over, More how many more there were.
	Faults []Fault
	More   int
	// Foreign is how many documents are no objects of Kubernetes.
	Foreign int
	Files   int
	// Dated says that Set.At was told from the newest time in the dump.
	Dated bool
}

// Load reads dumps.
type Load struct {
	Stdin io.Reader
	// Now is when they are read.
	Now time.Time
	// Trim leaves out of an object what nobody will ask for; nil leaves out nothing.
	Trim func(snapshot.Object)
}

// Do reads files, folders with all below them, and the standard input where a path is "-".
// What is broken in them is passed over and told; the error is that of a path that is not there,
// or leads to nothing that could be read.
func (l Load) Do(paths []string) (*Read, error) {
	r := &reading{Load: l, Read: &Read{Set: &snapshot.Set{}}, left: mostBytes, common: newCommon()}
	var errs []error
	for _, p := range paths {
		if err := r.path(p); err != nil {
			errs = append(errs, err)
		}
	}
	r.finish(len(paths))
	return r.Read, errors.Join(errs...)
}

// reading is a dump while it is read.
type reading struct {
	Load
	*Read
	common *common
	// left is how much text may still be read.
	left int64
	// newest is the newest time in an object, and written when the newest of the files was.
	newest, written time.Time
	heads           []Head
}

func (r *reading) path(p string) error {
	if p == Stdin {
		r.written = r.Now
		r.text("standard input", r.Stdin)
		return nil
	}
	info, err := os.Stat(p)
	switch {
	case err != nil:
		return pathError(p, err)
	case info.IsDir():
		return r.folder(p)
	case !info.Mode().IsRegular():
		return fmt.Errorf("%s: it is no file and no folder", p)
	}
	file, err := os.Open(p)
	if err != nil {
		return pathError(p, err)
	}
	defer file.Close()
	r.file(p, file)
	return nil
}

// folder reads what is in a folder. Nothing outside of it is, whatever links lead there.
func (r *reading) folder(p string) error {
	root, err := os.OpenRoot(p)
	if err != nil {
		return pathError(p, err)
	}
	defer func() { _ = root.Close() }() // nothing was written
	before := r.Files + len(r.Faults)
	err = fs.WalkDir(root.FS(), ".", func(name string, entry fs.DirEntry, err error) error {
		label := filepath.Join(p, filepath.FromSlash(name))
		switch {
		case err != nil:
			r.fault(Fault{label, 0, plainly(err)})
		case !entry.IsDir() && slices.Contains(files, strings.ToLower(path.Ext(name))):
			r.entry(root, name, label)
		}
		return nil
	})
	if err == nil && r.Files+len(r.Faults) == before {
		err = errors.New("no .yaml, .yml or .json file is in it")
	}
	if err != nil {
		return pathError(p, err)
	}
	return nil
}

func (r *reading) entry(root *os.Root, name, label string) {
	info, err := root.Stat(name)
	switch {
	case err != nil:
		r.fault(Fault{label, 0, "a link that leads out of the folder, or nowhere, is not followed"})
		return
	case !info.Mode().IsRegular(): // to open a pipe would wait for who writes
		r.fault(Fault{label, 0, "it is no file"})
		return
	}
	file, err := root.Open(name)
	if err != nil {
		r.fault(Fault{label, 0, plainly(err)})
		return
	}
	defer file.Close()
	r.file(label, file)
}

func (r *reading) file(label string, file *os.File) {
	if info, err := file.Stat(); err == nil && info.ModTime().After(r.written) {
		r.written = info.ModTime()
	}
	r.text(label, file)
}

var errMuch = fmt.Errorf("there is more than %d GiB: what follows is passed over", mostBytes>>30)

// Read counts what is read of all files.
type counted struct {
	io.Reader
	left *int64
}

func (c counted) Read(p []byte) (int, error) {
	if *c.left <= 0 {
		return 0, errMuch
	}
	n, err := c.Reader.Read(p[:min(int64(len(p)), *c.left)])
	*c.left -= int64(n)
	return n, err
}

func (r *reading) text(label string, in io.Reader) {
	r.Files++
	err := snapshot.Stream{
		Take:    r.take,
		Fault:   func(line int, says string) { r.fault(Fault{label, line, says}) },
		Foreign: func(int) { r.Foreign++ },
	}.Read(counted{in, &r.left})
	if err != nil {
		r.fault(Fault{label, 0, plainly(err)})
	}
}

func (r *reading) fault(f Fault) {
	if len(r.Faults) == mostFaults {
		r.More++
		return
	}
	r.Faults = append(r.Faults, f)
}

func (r *reading) take(o snapshot.Object, _ int) {
	if o.GroupVersionKind().GroupKind() == headKind {
		var h Head
		if raw, err := o.MarshalJSON(); err == nil && json.Unmarshal(raw, &h) == nil && !h.At.IsZero() {
			r.heads = append(r.heads, h)
		}
		return
	}
	newest(o.Object, &r.newest, r.Now)
	if r.Trim != nil {
		r.Trim(o)
	}
	o.Object = r.common.object(o.Object)
	r.Set.Add(o)
}

// finish tells when the dump was written: as its head says, or when its files were, unless
// all that they tell is older than that by far; then they lay about for some time.
func (r *reading) finish(paths int) {
	if len(r.heads) == 1 && paths == 1 {
		r.Head = &r.heads[0]
		r.Head.tell(r.Set)
		return
	}
	const lay = time.Hour
	r.Set.At = r.written
	if r.written.IsZero() || r.written.After(r.Now) {
		r.Set.At = r.Now
	}
	if !r.newest.IsZero() && r.Set.At.Sub(r.newest) > lay {
		r.Set.At, r.Dated = r.newest, true
	}
}

func pathError(p string, err error) error { return fmt.Errorf("%s: %s", p, plainly(err)) }

// plainly leaves the path to us, so that it is said once.
func plainly(err error) string {
	var withPath *fs.PathError
	if errors.As(err, &withPath) {
		err = withPath.Err
	}
	return cmp.Or(err.Error(), "it cannot be read")
}
