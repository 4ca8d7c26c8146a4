package supervisor

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
)

const (
	// rotateAt is the size at which a log is put aside when its component starts.
	rotateAt = 10 << 20
	// cutAt is the size at which a running component's log is cut; what it wrote last is kept aside.
	cutAt, cutKeep = 50 << 20, 1 << 20
)

// openLog opens a log for appending: only then can it be cut under a running process.
func openLog(path string) (*os.File, error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return nil, fmt.Errorf("make the folder of logs: %w", err)
	}
	if info, err := os.Stat(path); err == nil && info.Size() > rotateAt {
		if err := os.Rename(path, path+".1"); err != nil {
			return nil, fmt.Errorf("rotate log: %w", err)
		}
	}
	f, err := os.OpenFile(path, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, fmt.Errorf("open log: %w", err)
	}
	return f, nil
}

// cutLogs keeps the logs of running components from growing for ever.
func cutLogs(dir string) error {
	files, err := filepath.Glob(filepath.Join(dir, "logs", "*.log"))
	if err != nil {
		return err
	}
	for _, file := range files {
		info, err := os.Stat(file)
		if err != nil || info.Size() < cutAt {
			continue
		}
		if err := os.WriteFile(file+".1", []byte(lastBytes(file, cutKeep)), 0o600); err != nil {
			return err
		}
		if err := os.Truncate(file, 0); err != nil {
			return err
		}
	}
	return nil
}

// lastLines returns the end of a log, long lines shortened.
func lastLines(path string, n int) []string {
	const most = 500
	lines := strings.Split(strings.TrimSpace(lastBytes(path, 16<<10)), "\n")
	if len(lines) > n {
		lines = lines[len(lines)-n:]
	}
	for i, l := range lines {
		if len(l) > most {
			lines[i] = l[:most] + "…"
		}
	}
	return lines
}

func lastBytes(path string, n int64) string {
	f, err := os.Open(path)
	if err != nil {
		return ""
	}
	defer f.Close()
	if info, err := f.Stat(); err == nil && info.Size() > n {
		_, _ = f.Seek(-n, io.SeekEnd)
	}
	text, _ := io.ReadAll(io.LimitReader(f, n))
	return string(text)
}
