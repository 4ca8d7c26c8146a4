// Command alertmanager says to which receivers Alertmanager sends alerts. It is a module of
// its own, so that what Alertmanager needs does not become Demarc's.
//
// It reads a configuration and the labels of alerts as JSON from its input, loads the
// configuration as Alertmanager does, and writes for each alert the receivers that its
// route tree picks, in the same order. Nothing is sent.
package main

import (
	"encoding/json"
	"fmt"
	"io"
	"os"

	"github.com/prometheus/alertmanager/config"
	"github.com/prometheus/alertmanager/dispatch"
	"github.com/prometheus/common/model"
)

type question struct {
	Config string           `json:"config"`
	Alerts []model.LabelSet `json:"alerts"`
}

func main() {
	if err := answer(os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "ask Alertmanager:", err)
		os.Exit(1)
	}
}

func answer(in io.Reader, out io.Writer) error {
	var q question
	decoder := json.NewDecoder(in)
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&q); err != nil {
		return fmt.Errorf("read the question: %w", err)
	}
	loaded, err := config.Load(q.Config)
	if err != nil {
		return fmt.Errorf("load the configuration: %w", err)
	}
	tree := dispatch.NewRoute(loaded.Route, nil)
	receivers := make([][]string, 0, len(q.Alerts))
	for _, labels := range q.Alerts {
		names := []string{}
		for _, route := range tree.Match(labels) {
			names = append(names, route.RouteOpts.Receiver)
		}
		receivers = append(receivers, names)
	}
	return json.NewEncoder(out).Encode(receivers)
}
