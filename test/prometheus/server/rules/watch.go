package main

import (
	"context"
	"fmt"
	"log/slog"
	"net/url"
	"os"
	"slices"
	"time"

	"github.com/prometheus/prometheus/model/labels"
	"github.com/prometheus/prometheus/promql"
	"github.com/prometheus/prometheus/promql/parser"
	"github.com/prometheus/prometheus/rules"
	"github.com/prometheus/prometheus/tsdb"
)

// alert is one that fires, as Alertmanager and people get it.
type alert struct{ Labels, Annotations map[string]string }

// recorded is one series and its values.
type recorded struct {
	labels labels.Labels
	values []parser.SequenceValue
}

// watched is what came of it: the alerts that fire at the end, and the names of those that
// fired at any time.
type watched struct {
	Fires []alert
	Ever  []string
}

// watch writes the series minute by minute, evaluates the rules each time, and says which
// alerts fire. Expressions that can be read are asked at the end.
func watch(ctx context.Context, parse parser.Parser, files []string, c replay, ask []expression) (w watched, err error) {
	dir, err := os.MkdirTemp("", "series-")
	if err != nil {
		return w, err
	}
	defer os.RemoveAll(dir)
	db, err := tsdb.Open(dir, nil, nil, tsdb.DefaultOptions(), tsdb.NewDBStats())
	if err != nil {
		return w, err
	}
	defer func() { _ = db.Close() }()
	var series []recorded
	for _, line := range c.Series {
		l, values, err := parse.ParseSeriesDesc(line)
		if err != nil {
			return w, fmt.Errorf("%s: %w", line, err)
		}
		series = append(series, recorded{l, values})
	}
	engine := promql.NewEngine(promql.EngineOpts{MaxSamples: 50_000_000, Timeout: 2 * time.Minute, LookbackDelta: 5 * time.Minute, Parser: parse})
	manager := rules.NewManager(&rules.ManagerOptions{Context: ctx, Appendable: db, Queryable: db, Logger: slog.New(slog.DiscardHandler),
		QueryFunc: rules.EngineQueryFunc(engine, db), NotifyFunc: func(context.Context, string, ...*rules.Alert) {}, ExternalURL: &url.URL{}, Parser: parse})
	groups, problems := manager.LoadGroups(step, labels.EmptyLabels(), "", nil, false, files...)
	if len(problems) > 0 {
		return w, problems[0]
	}
	end := time.Unix(0, 0).Add(time.Duration(c.At))
	for i, now := 0, time.Unix(0, 0); !now.After(end); i, now = i+1, now.Add(step) {
		if err := write(ctx, db, series, i, now); err != nil {
			return w, err
		}
		for _, g := range groups {
			g.Eval(ctx, now)
		}
		if w.Fires, err = firing(groups); err != nil {
			return w, err
		}
		for _, a := range w.Fires {
			if name := a.Labels[labels.AlertName]; !slices.Contains(w.Ever, name) {
				w.Ever = append(w.Ever, name)
			}
		}
	}
	return w, count(ctx, engine, db, ask, end)
}

func write(ctx context.Context, db *tsdb.DB, series []recorded, i int, now time.Time) error {
	app := db.Appender(ctx)
	for _, s := range series {
		if i >= len(s.values) || s.values[i].Omitted {
			continue
		}
		if _, err := app.Append(0, s.labels, now.UnixMilli(), s.values[i].Value); err != nil {
			return fmt.Errorf("%s: %w", s.labels, err)
		}
	}
	return app.Commit()
}

func firing(groups map[string]*rules.Group) ([]alert, error) {
	fired := []alert{}
	for _, g := range groups {
		for _, r := range g.AlertingRules() {
			if err := r.LastError(); err != nil {
				return nil, fmt.Errorf("rule %s: %w", r.Name(), err)
			}
			for _, a := range r.ActiveAlerts() {
				if a.State == rules.StateFiring {
					fired = append(fired, alert{a.Labels.Map(), a.Annotations.Map()})
				}
			}
		}
	}
	return fired, nil
}

// count asks how many series each expression gives.
func count(ctx context.Context, engine *promql.Engine, db *tsdb.DB, ask []expression, at time.Time) error {
	for i := range ask {
		if ask[i].Problem != "" {
			continue
		}
		query, err := engine.NewInstantQuery(ctx, db, nil, ask[i].Text, at)
		if err != nil {
			return fmt.Errorf("%s: %w", ask[i].Text, err)
		}
		result := query.Exec(ctx)
		if result.Err != nil {
			ask[i].Problem = result.Err.Error()
			continue
		}
		vector, err := result.Vector()
		if err != nil {
			ask[i].Problem = "it gives no vector: " + err.Error()
		}
		ask[i].Gives = len(vector)
		query.Close()
	}
	return nil
}
