package main

import (
	"log/slog"
	"os"
	"path/filepath"

	"github.com/prometheus/common/model"
	"github.com/prometheus/prometheus/model/rulefmt"
	"github.com/prometheus/prometheus/promql/parser"
)

// rule as Prometheus reads it.
type rule struct {
	File, Group, Alert  string
	Expr                expression
	For                 string
	Labels, Annotations map[string]string
}

// expression is one that was read: the series that it asks for.
type expression struct {
	Text, Problem string
	Reads         []selector
	// Gives is how many series it gave.
	Gives int
}

// selector is a metric and the labels that it is picked by.
type selector struct {
	Metric string
	Labels []string
}

// check reads rule files strictly.
func check(files []string, parse parser.Parser) (all []rule, problems []string) {
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			return nil, []string{err.Error()}
		}
		groups, errs := rulefmt.Parse(text, false, model.UTF8Validation, parse, slog.New(slog.DiscardHandler))
		for _, err := range errs {
			problems = append(problems, filepath.Base(file)+": "+err.Error())
		}
		if groups == nil {
			continue
		}
		for _, g := range groups.Groups {
			for _, r := range g.Rules {
				all = append(all, rule{filepath.Base(file), g.Name, r.Alert, read(parse, r.Expr), r.For.String(), r.Labels, r.Annotations})
			}
		}
	}
	return all, problems
}

// read parses an expression and lists what it asks for.
func read(parse parser.Parser, text string) expression {
	e := expression{Text: text}
	parsed, err := parse.ParseExpr(text)
	if err != nil {
		e.Problem = err.Error()
		return e
	}
	parser.Inspect(parsed, func(node parser.Node, _ []parser.Node) error {
		v, ok := node.(*parser.VectorSelector)
		if !ok {
			return nil
		}
		s := selector{Metric: v.Name}
		for _, m := range v.LabelMatchers {
			if m.Name != model.MetricNameLabel {
				s.Labels = append(s.Labels, m.Name)
			} else if s.Metric == "" {
				s.Metric = m.Value
			}
		}
		e.Reads = append(e.Reads, s)
		return nil
	})
	return e
}
