// Command checkbench measures how many objects per second demarc check judges, as a ratio to kyverno apply: the same rules on
// the same files, in one invocation. It also compares what the two refuse, object by object and rule by rule: a program that
// judges less is no faster.
//
// Kyverno's command line is built from a module of its own, kyverno/, so that what it needs does not become Demarc's.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// Options are the flags.
type Options struct {
	// Copies of each example in the folders, one folder for each number, the smallest first.
	Copies []int
	// Rounds of a run of each program on each folder.
	Rounds int
	// Limit is how long one run may take.
	Limit time.Duration
	// Out takes the progress.
	Out io.Writer
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	o := Options{Out: os.Stderr, Copies: []int{1, 3}}
	flag.Func("copies", "copies of each of the rules' examples, one folder for each number (default 1,3)", o.copies)
	flag.IntVar(&o.Rounds, "rounds", 3, "rounds of a run of each program on each folder; the order alternates")
	flag.DurationVar(&o.Limit, "limit", 10*time.Minute, "how long one run may take")
	markdown := flag.Bool("markdown", false, "print the tables for docs/performance.md")
	flag.Parse()
	report, err := bench(ctx, o)
	if err == nil {
		err = report.Print(os.Stdout, *markdown)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "checkbench:", err)
		os.Exit(1)
	}
}

func (o *Options) copies(text string) error {
	o.Copies = nil
	for _, one := range strings.Split(text, ",") {
		n, err := strconv.Atoi(one)
		if err != nil || n < 1 || len(o.Copies) > 0 && n <= o.Copies[len(o.Copies)-1] {
			return fmt.Errorf("takes rising numbers, such as 1,3")
		}
		o.Copies = append(o.Copies, n)
	}
	return nil
}

// bench does all rounds in a folder that it removes.
func bench(ctx context.Context, o Options) (report Report, err error) {
	report.Options, report.Date = o, time.Now()
	dir, err := os.MkdirTemp("", "demarc-checkbench-")
	if err != nil {
		return report, err
	}
	defer os.RemoveAll(dir)
	folders, err := lay(dir, o.Copies)
	if err != nil {
		return report, err
	}
	fmt.Fprintln(o.Out, "building both; kyverno takes some minutes the first time")
	demarc, kyverno, version, err := build(ctx, dir)
	if err != nil {
		return report, err
	}
	report.Kyverno = version
	for round := range o.Rounds {
		order := []*program{demarc, kyverno}
		if round%2 == 1 {
			order[0], order[1] = kyverno, demarc
		}
		for _, f := range folders {
			for _, p := range order {
				run, err := p.run(ctx, f, o.Limit)
				if err != nil {
					return report, err
				}
				fmt.Fprintf(o.Out, "round %d, %s, %d objects: %s, CPU %s\n", round+1, p.name, f.objects,
					run.Wall.Round(10*time.Millisecond), run.CPU.Round(10*time.Millisecond))
				report.Runs = append(report.Runs, run)
			}
		}
	}
	report.Agreements, err = agreements(ctx, o, demarc, folders, report.Runs)
	return report, err
}

// agreements compare what the two refuse of each folder. What demarc check says is asked once more, as JSON; what kyverno
// apply says is what it printed while it was measured.
func agreements(ctx context.Context, o Options, demarc *program, folders []folder, runs []Run) (list []Agreement, err error) {
	for _, f := range folders {
		again, err := demarc.with("-o", "json").run(ctx, f, o.Limit)
		if err != nil {
			return nil, err
		}
		ours, err := readDemarc(again.output)
		if err != nil {
			return nil, err
		}
		for _, r := range runs {
			if r.Program != nameKyverno || r.Objects != f.objects {
				continue
			}
			theirs, err := readKyverno(r.output)
			if err != nil {
				return nil, err
			}
			list = append(list, compare(f.objects, ours, theirs))
			break
		}
	}
	return list, nil
}

// folder of manifests.
type folder struct {
	path    string
	objects int
}

// lay writes everything that the two read, and gives the folders of manifests.
func lay(dir string, copies []int) (folders []folder, err error) {
	given := map[string]string{}
	if given["sets.yaml"], err = sets(); err != nil {
		return nil, err
	}
	if given["values.yaml"], err = values(); err != nil {
		return nil, err
	}
	policies, err := rules()
	if err != nil {
		return nil, err
	}
	if err := write(filepath.Join(dir, "given"), given); err != nil {
		return nil, err
	}
	if err := write(filepath.Join(dir, "rules"), policies); err != nil {
		return nil, err
	}
	for _, n := range copies {
		files, err := manifests(n)
		if err != nil {
			return nil, err
		}
		f := folder{path: filepath.Join(dir, fmt.Sprintf("manifests-%d", n)), objects: len(files)}
		if err := write(f.path, files); err != nil {
			return nil, err
		}
		folders = append(folders, f)
	}
	return folders, nil
}
