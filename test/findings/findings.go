// Package findings records the cases of triage: each incident of incidents/ is brought about
// on a sandbox, its near miss beside it, and what the API server then holds is kept.
package findings

import (
	"cmp"
	"context"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"time"

	"github.com/rogpeppe/go-internal/txtar"
	"sigs.k8s.io/yaml"

	"demarc.dev/demarc/internal/finding"
	"demarc.dev/demarc/internal/snapshot"
	"demarc.dev/demarc/internal/triage"
	"demarc.dev/demarc/test/findings/incident"
	"demarc.dev/demarc/test/findings/keep"
	"demarc.dev/demarc/test/findings/stage"
)

//go:embed incidents/*.yaml
var files embed.FS

// Incidents are all of them, by id.
func Incidents() ([]incident.Incident, error) {
	folder, err := fs.Sub(files, "incidents")
	if err != nil {
		return nil, err
	}
	return incident.Read(folder)
}

const (
	// within is how long a cluster may take until what is wanted is found.
	within = 90 * time.Second
	// still is how long a case must not change before it is kept.
	still = 1500 * time.Millisecond
)

// Record brings an incident and its near miss about, and makes a case of them. The error
// says what was found in place of what was wanted.
func Record(ctx context.Context, on *stage.Stage, one incident.Incident, versions string) (*txtar.Archive, error) {
	team := strings.ToLower(one.ID)
	wrong, err := side(ctx, on, team, one, one.Wrong, func(found []string) error {
		for _, id := range append([]string{one.ID}, one.Wrong.Finds...) {
			if !slices.Contains(found, id) {
				return fmt.Errorf("%s is not found, but %v", id, found)
			}
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("%s: %w", one.ID, err)
	}
	near, err := side(ctx, on, team+"-near", one, one.Near, func(found []string) error {
		lacks := slices.ContainsFunc(one.Near.Finds, func(id string) bool { return !slices.Contains(found, id) })
		if lacks || slices.Contains(found, one.ID) || len(one.Near.Finds) == 0 && len(found) > 0 {
			return fmt.Errorf("in the near miss %v is found, want %v", found, one.Near.Finds)
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("%s: %w", one.ID, err)
	}
	return archive(one, versions, wrong, near)
}

func archive(one incident.Incident, versions, wrong, near string) (*txtar.Archive, error) {
	head := one.Says + "\nNear miss: " + strings.ToLower(one.Miss[:1]) + one.Miss[1:] + "\nrecorded: " + versions +
		fmt.Sprintf("; read %s and %s after it was done\n", plain(one.Wrong.Read.Duration), plain(one.Near.Read.Duration))
	if who := one.Played(); who != "" {
		head += "written in the stead of: " + who + "\n"
	}
	a := &txtar.Archive{Comment: []byte(head)}
	if len(one.Wrong.Unread) > 0 {
		text, err := yaml.Marshal(map[string]any{"unread": one.Wrong.Unread})
		if err != nil {
			return nil, err
		}
		a.Files = append(a.Files, txtar.File{Name: "question", Data: text})
	}
	a.Files = append(a.Files, txtar.File{Name: "objects", Data: []byte(wrong)}, txtar.File{Name: "want"},
		txtar.File{Name: "near miss", Data: []byte(near)}, txtar.File{Name: "want of near miss"})
	return a, nil
}

func plain(d time.Duration) string {
	text := strings.TrimSuffix(d.String(), "0s")
	if strings.HasSuffix(text, "h0m") {
		return strings.TrimSuffix(text, "0m")
	}
	return text
}

// side plays one side and waits until it is as it is wanted, and still.
func side(ctx context.Context, on *stage.Stage, team string, one incident.Incident, s incident.Side, wanted func([]string) error) (text string, err error) {
	scene, err := on.Play(ctx, team, one.Given, s)
	defer func() { err = errors.Join(err, scene.Close(context.WithoutCancel(ctx))) }()
	if err != nil {
		return "", err
	}
	ctx, cancel := context.WithTimeout(ctx, within)
	defer cancel()
	tick := time.NewTicker(300 * time.Millisecond)
	defer tick.Stop()
	var since time.Time
	var last error
	for {
		now, err := look(ctx, scene)
		if err != nil {
			return "", errors.Join(err, cmp.Or(last, errUneasy))
		}
		if now != text {
			text, since = now, time.Now()
		}
		found, err := Found(text, s.Unread)
		if err != nil {
			return "", err
		}
		if last = wanted(found); last == nil && time.Since(since) > still {
			return text, nil
		}
		select {
		case <-ctx.Done():
			return text, fmt.Errorf("not within %s: %w", within, cmp.Or(last, errUneasy))
		case <-tick.C:
		}
	}
}

var errUneasy = errors.New("it does not become still")

func look(ctx context.Context, scene *stage.Scene) (string, error) {
	set, what, err := scene.Look(ctx)
	if err != nil {
		return "", err
	}
	objects := keep.Choose(set, what)
	for _, u := range scene.Side.Unread {
		objects = slices.DeleteFunc(objects, func(o snapshot.Object) bool { return o.GetKind() == u.Kind })
	}
	return keep.Text(objects, what)
}

// Found are the ids of all that triage finds in the objects of a case, each once, in order.
func Found(objects string, unread []incident.Unread) ([]string, error) {
	list, err := snapshot.Parse([]byte(objects))
	if err != nil {
		return nil, err
	}
	set := &snapshot.Set{At: keep.At}
	set.Add(list...)
	for _, u := range unread {
		set.Miss(snapshot.Unread{Verb: u.Verb, Resource: u.Resource, Kind: u.Kind})
	}
	var ids []string
	for _, f := range triage.Check(set, triage.Question{}).Findings {
		for _, one := range append([]finding.Finding{f}, f.Folded...) {
			ids = append(ids, one.ID)
		}
	}
	slices.Sort(ids)
	return slices.Compact(ids), nil
}
