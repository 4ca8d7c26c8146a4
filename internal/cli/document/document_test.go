package document_test

import (
	"strings"
	"testing"

	"demarc.dev/demarc/internal/cli/document"
)

// What a cluster holds can neither move the cursor nor turn the text around.
func TestTextIsMadeSafe(t *testing.T) {
	answer := map[string]any{"says": []string{"a\x1b[2Jb", "c\u202ed\u009be"}, "n\x1bm": 1}
	for form, want := range map[string]string{
		"json": "{\n  \"nm\": 1,\n  \"says\": [\n    \"a[2Jb\",\n    \"cde\"\n  ]\n}\n",
		"yaml": "nm: 1\nsays:\n- a[2Jb\n- cde\n",
	} {
		var out strings.Builder
		if err := document.Write(&out, form, answer); err != nil || out.String() != want {
			t.Errorf("%s: %q, %v", form, out.String(), err)
		}
	}
	if err := document.Write(&strings.Builder{}, "json", func() {}); err == nil {
		t.Error("what cannot be written is no error")
	}
}
