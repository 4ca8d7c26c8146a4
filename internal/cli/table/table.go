// Package table prints rows in aligned columns, the way kubectl does.
package table

import (
	"io"
	"strings"
	"unicode/utf8"

	"demarc.dev/demarc/internal/cli/plain"
)

// Table is a head and rows; what is in its cells is cleaned when it is printed.
type Table struct {
	Head []string
	Rows [][]string
	// Paint colours a cell that is aligned already; it may be nil.
	Paint func(row, column int, cell string) string
}

const gap = 3

// Write prints the table.
func (t Table) Write(out io.Writer) error {
	lines := append([][]string{t.Head}, t.Rows...)
	widths := make([]int, len(t.Head))
	for i, line := range lines {
		clean := make([]string, len(line))
		for column, cell := range line {
			clean[column] = plain.Line(cell)
			widths[column] = max(widths[column], utf8.RuneCountInString(clean[column]))
		}
		lines[i] = clean
	}
	for i, line := range lines {
		if _, err := io.WriteString(out, t.line(i-1, line, widths)+"\n"); err != nil {
			return err
		}
	}
	return nil
}

func (t Table) line(row int, cells []string, widths []int) string {
	var b strings.Builder
	for column, cell := range cells {
		pad := ""
		if column < len(cells)-1 {
			pad = strings.Repeat(" ", widths[column]-utf8.RuneCountInString(cell)+gap)
		}
		if row >= 0 && t.Paint != nil {
			cell = t.Paint(row, column, cell)
		}
		b.WriteString(cell + pad)
	}
	return strings.TrimRight(b.String(), " ")
}
