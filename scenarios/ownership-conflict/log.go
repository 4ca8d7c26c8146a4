package main

import (
	"fmt"
	"log/slog"
	"os"
	"path/filepath"

	"github.com/go-logr/logr"
)

// logTo sends what the old controller logs to a file, for it would drown the story: the second claim is an error each time.
// The file stays open until the program ends.
func logTo(dir string) (logr.Logger, error) {
	file, err := os.OpenFile(filepath.Join(dir, "old-controller.log"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return logr.Logger{}, fmt.Errorf("open the old controller's log: %w", err)
	}
	return logr.FromSlogHandler(slog.NewTextHandler(file, nil)), nil
}
