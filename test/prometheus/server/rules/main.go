// Command rules is what Prometheus makes of rule files and expressions, by its own loader,
// engine and parser.
//
// It reads a question as JSON from its input: rule files, cases of recorded series in the
// notation of promtool's tests, a sample each minute from time 0, and expressions. It writes
// what is wrong with the files, which alerts fire in each case, and of each expression what
// it reads and how many series it gives in the last case.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/prometheus/prometheus/promql/parser"
)

const step = time.Minute

type question struct {
	// Files are rule files, by name.
	Files       map[string]string
	Cases       []replay
	Expressions []string
}

// replay is a cluster's series, and how long they are watched.
type replay struct {
	Series []string
	At     duration
}

type answer struct {
	Problems    []string
	Rules       []rule
	Cases       []watched
	Expressions []expression
}

type duration time.Duration

// UnmarshalText reads what time.ParseDuration does.
func (d *duration) UnmarshalText(text []byte) error {
	read, err := time.ParseDuration(string(text))
	*d = duration(read)
	return err
}

func main() {
	if err := run(context.Background(), os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "ask Prometheus:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, in io.Reader, out io.Writer) error {
	var q question
	decoder := json.NewDecoder(in)
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&q); err != nil {
		return fmt.Errorf("read the question: %w", err)
	}
	dir, err := os.MkdirTemp("", "rules-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	var files []string
	for name, text := range q.Files {
		file := filepath.Join(dir, name)
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			return err
		}
		files = append(files, file)
	}
	var a answer
	parse := parser.NewParser(parser.Options{})
	a.Rules, a.Problems = check(files, parse)
	for _, e := range q.Expressions {
		a.Expressions = append(a.Expressions, read(parse, e))
	}
	for i, c := range q.Cases {
		if len(a.Problems) > 0 {
			break
		}
		var ask []expression
		if i == len(q.Cases)-1 {
			ask = a.Expressions
		}
		fired, err := watch(ctx, parse, files, c, ask)
		if err != nil {
			return fmt.Errorf("case %d: %w", i, err)
		}
		a.Cases = append(a.Cases, fired)
	}
	return json.NewEncoder(out).Encode(a)
}
