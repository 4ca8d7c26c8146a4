package matrix

import (
	"bytes"
	"fmt"
	"html/template"
	"strings"
	"unicode/utf8"

	"demarc.dev/demarc/api/v1alpha1"
	"demarc.dev/demarc/internal/contract"
)

// Measures of the picture, in its own units.
const (
	margin, titleHeight, headHeight           = 24, 64, 30
	domainWidth, answerWidth, pathWidth       = 230, 84, 80
	boundaryWidth, lineHeight, rowPadding     = 560, 17, 14
	domainLetters, boundaryLetters, pillInset = 30, 84, 5
)

// cell is a pill with an answer.
type cell struct {
	X, Y, Width, Height, Middle, Baseline int
	Fill, Ink, Text                       string
}

// words is a text at its place.
type words struct {
	X, Y  int
	Class string
	Text  string
}

type picture struct {
	Width, Height int
	Title, About  string
	Stripes       []cell
	Rows          []pictured
	Heads         []words
}

// pictured is one domain; Label is what is read aloud for it.
type pictured struct {
	Label string
	Words []words
	Cells []cell
}

// colours tell the parties apart, by lightness too; each answer is written out beside.
var colours = map[v1alpha1.Party][2]string{
	v1alpha1.PartyPlatform: {"#1f4e79", "#ffffff"},
	v1alpha1.PartyTeam:     {"#f4c95d", "#3a2c00"},
	v1alpha1.PartyShared:   {"#7a5195", "#ffffff"},
	v1alpha1.PartyNobody:   {"#e9ecef", "#495057"},
}

// SVG draws the matrix.
func SVG(c *contract.Contract) ([]byte, error) {
	all := rows(c)
	p := picture{
		Width: 2*margin + domainWidth + len(head)*answerWidth + pathWidth + boundaryWidth,
		Title: "Who owns what",
		About: fmt.Sprintf("A table of %d domains and of what is in none. For each: who creates, changes, approves, watches, is paged for and deletes it, "+
			"the way on which it is changed, and what each side does where they meet.", len(all)-1),
	}
	y := margin + titleHeight
	p.heads(y)
	y += headHeight
	for i, r := range all {
		height := p.row(y, r)
		if i%2 == 0 {
			p.Stripes = append(p.Stripes, cell{X: margin / 2, Y: y, Width: p.Width - margin, Height: height})
		}
		y += height
	}
	p.Height = y + margin
	var out bytes.Buffer
	if err := drawing.Execute(&out, p); err != nil {
		return nil, fmt.Errorf("draw the matrix: %w", err)
	}
	return out.Bytes(), nil
}

func (p *picture) heads(y int) {
	at := y + headHeight - 11
	x := margin
	p.Heads = append(p.Heads, words{x, at, "head", "domain"})
	x += domainWidth
	for _, h := range head {
		p.Heads = append(p.Heads, words{x + answerWidth/2, at, "head middle", h})
		x += answerWidth
	}
	p.Heads = append(p.Heads, words{x + pathWidth/2, at, "head middle", "changed in"}, words{x + pathWidth + 12, at, "head", "boundary"})
}

// row adds one domain and says how high it is.
func (p *picture) row(y int, r row) (height int) {
	titles, boundary := wrap(r.Title, domainLetters), wrap(r.Boundary, boundaryLetters)
	lines := max(len(titles), len(boundary), 1)
	height = lines*lineHeight + rowPadding
	top := func(n int) int { return y + (height-n*lineHeight)/2 + lineHeight - 5 }
	spoken := []string{}
	one := pictured{}
	for i, t := range titles {
		one.Words = append(one.Words, words{margin, top(len(titles)) + i*lineHeight, "domain", t})
	}
	x := margin + domainWidth
	for i, a := range r.Answers {
		colour, ok := colours[v1alpha1.Party(a)]
		if !ok {
			colour = colours[v1alpha1.PartyNobody]
		}
		one.Cells = append(one.Cells, cell{X: x + pillInset/2, Y: y + height/2 - 11, Width: answerWidth - pillInset, Height: 22,
			Middle: x + answerWidth/2, Baseline: y + height/2 + 4, Fill: colour[0], Ink: colour[1], Text: a})
		spoken = append(spoken, a+" "+head[i])
		x += answerWidth
	}
	one.Words = append(one.Words, words{x + pathWidth/2, top(1), "middle", r.Path})
	for i, t := range boundary {
		one.Words = append(one.Words, words{x + pathWidth + 12, top(len(boundary)) + i*lineHeight, "", t})
	}
	one.Label = r.Title + ": " + strings.Join(spoken, ", ") + "; changed in " + r.Path + ". " + r.Boundary
	p.Rows = append(p.Rows, one)
	return height
}

// wrap cuts a text into lines of at most n letters; a longer word is cut too.
func wrap(text string, n int) (lines []string) {
	current := ""
	for _, word := range strings.Fields(text) {
		for utf8.RuneCountInString(word) > n {
			letters := []rune(word)
			if current != "" {
				lines, current = append(lines, current), ""
			}
			lines, word = append(lines, string(letters[:n])), string(letters[n:])
		}
		switch {
		case current == "":
			current = word
		case utf8.RuneCountInString(current)+1+utf8.RuneCountInString(word) <= n:
			current += " " + word
		default:
			lines, current = append(lines, current), word
		}
	}
	if current != "" {
		lines = append(lines, current)
	}
	return lines
}

// drawing escapes whatever is filled in.
var drawing = template.Must(template.New("matrix").Parse(`<svg xmlns="http://www.w3.org/2000/svg" width="{{.Width}}" height="{{.Height}}" viewBox="0 0 {{.Width}} {{.Height}}" role="list" aria-labelledby="title" aria-describedby="about">
<title id="title">{{.Title}}</title>
<desc id="about">{{.About}}</desc>
<g font-family="DejaVu Sans, Verdana, sans-serif" font-size="12">
<rect width="{{.Width}}" height="{{.Height}}" fill="#ffffff"/>
<text x="24" y="52" font-size="22" font-weight="bold" fill="#16202a">{{.Title}}</text>
{{- range .Stripes}}
<rect x="{{.X}}" y="{{.Y}}" width="{{.Width}}" height="{{.Height}}" rx="4" fill="#f5f7f9"/>
{{- end}}
{{- range .Heads}}
<text x="{{.X}}" y="{{.Y}}"{{if eq .Class "head middle"}} text-anchor="middle"{{end}} font-weight="bold" fill="#5a6872">{{.Text}}</text>
{{- end}}
{{- range .Rows}}
<g role="listitem" aria-label="{{.Label}}">
{{- range .Words}}
<text x="{{.X}}" y="{{.Y}}"{{if eq .Class "middle"}} text-anchor="middle"{{end}}{{if eq .Class "domain"}} font-weight="bold"{{end}} fill="#16202a">{{.Text}}</text>
{{- end}}
{{- range .Cells}}
<rect x="{{.X}}" y="{{.Y}}" width="{{.Width}}" height="{{.Height}}" rx="11" fill="{{.Fill}}"/>
<text x="{{.Middle}}" y="{{.Baseline}}" text-anchor="middle" fill="{{.Ink}}">{{.Text}}</text>
{{- end}}
</g>
{{- end}}
</g>
</svg>
`))
