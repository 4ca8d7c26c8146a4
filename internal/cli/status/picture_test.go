package status

import (
	"bytes"
	"html/template"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"demarc.dev/demarc/internal/cli/factory"
)

// TestPicture draws the README's first picture: the screen of a service in trouble, as a
// terminal shows it. make generate writes it anew.
func TestPicture(t *testing.T) {
	screen := draw(t, answer(t, filepath.Join("..", "..", "status", "testdata", "trouble.txtar")), factory.IO{Colour: true})
	got := picture(t, "demarc status web", screen)
	const file = "../../../docs/status.svg"
	if *update {
		if err := os.WriteFile(file, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if want, err := os.ReadFile(file); err != nil || !bytes.Equal(want, got) {
		t.Errorf("docs/status.svg is not current (%v); run: go test ./internal/cli/status -update", err)
	}
}

const (
	charWidth, lineHeight, margin, bar = 8, 18, 16, 34
)

// span is a piece of a line in one colour.
type span struct{ Class, Text string }

var (
	painted = regexp.MustCompile("\x1b\\[([0-9;]*)m")
	class   = map[string]string{factory.Bold: "b", factory.Good: "good", factory.Wait: "wait", factory.Bad: "bad"}
)

// picture is a terminal with a command and what it printed.
func picture(t *testing.T, command, screen string) []byte {
	t.Helper()
	lines := [][]span{{{"prompt", "$ "}, {"b", command}}}
	columns := 0
	for line := range strings.Lines(screen) {
		line = strings.TrimSuffix(line, "\n")
		lines = append(lines, spans(t, line))
		columns = max(columns, utf8.RuneCountInString(painted.ReplaceAllString(line, "")))
	}
	type row struct {
		Y     int
		Spans []span
	}
	in := struct {
		Width, Height, Bar, X int
		Rows                  []row
	}{columns*charWidth + 2*margin, len(lines)*lineHeight + bar + margin, bar, margin, nil}
	for i, l := range lines {
		in.Rows = append(in.Rows, row{bar + (i+1)*lineHeight - 4, l})
	}
	var out bytes.Buffer
	if err := terminal.Execute(&out, in); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// spans takes a line apart where its colour changes.
func spans(t *testing.T, line string) (out []span) {
	t.Helper()
	colour, at := "", 0
	add := func(end int) {
		if end > at {
			out = append(out, span{colour, line[at:end]})
		}
	}
	for _, m := range painted.FindAllStringSubmatchIndex(line, -1) {
		add(m[0])
		code := line[m[2]:m[3]]
		now, known := class[code]
		if !known && code != "0" {
			t.Fatalf("no colour is known for %q: add it to class", code)
		}
		colour, at = now, m[1]
	}
	add(len(line))
	return out
}

var terminal = template.Must(template.New("terminal").Parse(`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {{.Width}} {{.Height}}" role="img" aria-labelledby="title desc"
     font-family="ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace" font-size="13.3">
  <title id="title">demarc status of a service in trouble</title>
  <desc id="desc">A terminal: seven questions about a service and their answers, what is wrong and who acts, the claim's conditions, what is left
  of the budget, and what changed lately. docs/status.md has it as text.</desc>
  <style>
    text { fill: #e2e8f0; white-space: pre } .b { font-weight: bold } .prompt { fill: #94a3b8 }
    .good { fill: #4ade80 } .wait { fill: #facc15 } .bad { fill: #f87171 }
  </style>
  <rect width="{{.Width}}" height="{{.Height}}" rx="10" fill="#0f172a"/>
  <circle cx="20" cy="17" r="5.5" fill="#f87171"/><circle cx="38" cy="17" r="5.5" fill="#facc15"/><circle cx="56" cy="17" r="5.5" fill="#4ade80"/>
{{- range .Rows}}
  <text x="{{$.X}}" y="{{.Y}}" xml:space="preserve">{{range .Spans}}<tspan{{with .Class}} class="{{.}}"{{end}}>{{.Text}}</tspan>{{end}}</text>
{{- end}}
</svg>
`))
