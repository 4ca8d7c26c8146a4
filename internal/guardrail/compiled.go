package guardrail

import "embed"

//go:embed rules/*.yaml
var rules embed.FS

// Compiled is what a rule is made to, as the chart ships it: a policy and its bindings, as
// YAML, and the name of its file. The id is one of the catalogue's.
func (r Rule) Compiled() (file, text string) {
	file = "rules/" + r.ID + ".yaml"
	raw, err := rules.ReadFile(file)
	if err != nil {
		panic("guardrail: " + err.Error() + ": make generate") // a test compares them all
	}
	return file, string(raw)
}
