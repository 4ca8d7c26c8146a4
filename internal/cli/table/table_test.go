package table_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"demarc.dev/demarc/internal/cli/table"
)

func TestTable(t *testing.T) {
	var out strings.Builder
	tab := table.Table{
		Head: []string{"NAME", "READY", "MESSAGE"},
		Rows: [][]string{{"größe", "True", ""}, {"b\x1b[2J", "False", "two\nlines"}},
		Paint: func(row, column int, cell string) string {
			if column == 1 && row == 1 {
				return "<" + cell + ">"
			}
			return cell
		},
	}
	if err := tab.Write(&out); err != nil {
		t.Fatal(err)
	}
	want := "NAME    READY   MESSAGE\n" +
		"größe   True\n" +
		"b[2J    <False>   two lines\n"
	if diff := cmp.Diff(want, out.String()); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}
