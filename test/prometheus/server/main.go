// Command server is Prometheus' own query API over recorded series: its storage, its engine
// and the handlers of its HTTP API. It is a module of its own, so that what Prometheus needs
// does not become Demarc's.
//
// It reads a file of series in the notation of promtool's tests, one in a line and a sample
// each 30 seconds from the time that is given, prints the address that it listens on, and
// ends when its input does.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/prometheus/common/route"
	"github.com/prometheus/prometheus/config"
	"github.com/prometheus/prometheus/promql"
	"github.com/prometheus/prometheus/promql/parser"
	"github.com/prometheus/prometheus/tsdb"
	v1 "github.com/prometheus/prometheus/web/api/v1"
)

const step = 30 * time.Second

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "answer as Prometheus:", err)
		os.Exit(1)
	}
}

func run(args []string) error {
	if len(args) != 2 {
		return errors.New("usage: server FILE BEGIN, where BEGIN is in seconds since 1970")
	}
	begin, err := strconv.ParseInt(args[1], 10, 64)
	if err != nil {
		return err
	}
	series, err := os.ReadFile(args[0])
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "prometheus-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	db, err := tsdb.Open(dir, nil, nil, tsdb.DefaultOptions(), tsdb.NewDBStats())
	if err != nil {
		return err
	}
	defer db.Close()
	parse := parser.NewParser(parser.Options{})
	if err := load(db, parse, string(series), time.Unix(begin, 0)); err != nil {
		return err
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	server := &http.Server{Handler: handler(db, parse), ReadHeaderTimeout: time.Minute}
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin)
		_ = server.Close()
	}()
	fmt.Println("http://" + listener.Addr().String())
	if err := server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}

// load puts the series into the storage.
func load(db *tsdb.DB, parse parser.Parser, text string, begin time.Time) error {
	app := db.Appender(context.Background())
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		labels, values, err := parse.ParseSeriesDesc(line)
		if err != nil {
			return err
		}
		for i, v := range values {
			if v.Omitted {
				continue
			}
			if _, err := app.Append(0, labels, begin.Add(time.Duration(i)*step).UnixMilli(), v.Value); err != nil {
				return err
			}
		}
	}
	return app.Commit()
}

// handler is Prometheus' HTTP API; what it does not need to answer a query is left out.
func handler(db *tsdb.DB, parse parser.Parser) http.Handler {
	const lookback = 5 * time.Minute
	engine := promql.NewEngine(promql.EngineOpts{MaxSamples: 50_000_000, Timeout: 2 * time.Minute, LookbackDelta: lookback, Parser: parse})
	ready := func(f http.HandlerFunc) http.HandlerFunc { return f }
	api := v1.NewAPI(engine, db, nil, nil, nil, nil, nil, nil, func() config.Config { return config.DefaultConfig }, nil, v1.GlobalURLOptions{}, ready,
		nil, "", false, false, 0, slog.New(slog.DiscardHandler), nil, 0, 0, 0, false, nil, nil, nil, nil, nil, nil, nil, nil, false, nil,
		false, false, false, false, lookback, false, false, nil, nil, v1.OpenAPIOptions{}, parse)
	router := route.New()
	api.Register(router.WithPrefix("/api/v1"))
	return router
}
