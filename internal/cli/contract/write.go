package contract

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"demarc.dev/demarc/internal/cli/exit"
	"demarc.dev/demarc/internal/cli/plain"
)

// write looks at all files first, and writes none where one is somebody else's.
func write(o *RenderOptions, documents []document) error {
	var foreign []string
	current := map[string]bool{}
	for _, d := range documents {
		path := filepath.Join(o.Out, d.path)
		same, why, err := look(path, d.text)
		if err != nil {
			return err
		}
		current[d.path] = same
		if why != "" && !o.Force {
			foreign = append(foreign, path+" "+why)
		}
	}
	if len(foreign) > 0 {
		return exit.Refused("nothing is written, since\n"+plain.Text(strings.Join(foreign, "\n")), "name another folder, or overwrite them with --force")
	}
	for _, d := range documents {
		path, done := filepath.Join(o.Out, d.path), "unchanged"
		if !current[d.path] {
			done = "wrote"
			if err := replace(path, d.text); err != nil {
				return exit.Failed("cannot write "+path+": "+reason(err), "")
			}
		}
		if _, err := fmt.Fprintln(o.IO.Out, done+" "+plain.Line(path)); err != nil {
			return unwritten(err)
		}
	}
	return nil
}

// look says whether a file is as it is to be, or else why it is not ours to write.
func look(path, text string) (same bool, why string, err error) {
	info, err := os.Lstat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return false, "", nil
	case err != nil:
		return false, "", exit.Failed("cannot look at "+path+": "+reason(err), "")
	case !info.Mode().IsRegular():
		return false, "", exit.Refused(path+" is no file", "move it away, or name another folder")
	}
	raw, err := os.ReadFile(path)
	if err != nil {
		return false, "", exit.Failed("cannot read "+path+": "+reason(err), "")
	}
	if string(raw) == text {
		return true, "", nil
	}
	first, _, _ := strings.Cut(string(raw), "\n")
	switch {
	case strings.Contains(first, marker):
		return false, "", nil
	case filepath.Base(path) == "contract.yaml":
		return false, "is another contract than the one that is rendered: name it with -f", nil
	default:
		return false, "was not made by this command", nil
	}
}

// replace writes a file aside and renames it, so that it is there as a whole or as it was.
func replace(path, text string) error {
	dir := filepath.Dir(path)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	aside, err := os.CreateTemp(dir, ".demarc-*")
	if err != nil {
		return err
	}
	defer os.Remove(aside.Name()) // once renamed there is nothing to remove
	_, err = aside.WriteString(text)
	err = errors.Join(err, aside.Chmod(0o644), aside.Sync(), aside.Close())
	if err != nil {
		return err
	}
	return os.Rename(aside.Name(), path)
}

// reason leaves the path to the caller.
func reason(err error) string {
	var withPath *fs.PathError
	if errors.As(err, &withPath) {
		return withPath.Err.Error()
	}
	return err.Error()
}
