package check

import (
	"errors"

	"k8s.io/apimachinery/pkg/runtime"

	"demarc.dev/demarc/internal/guardrail"
	"demarc.dev/demarc/internal/guardrail/offline"
	"demarc.dev/demarc/internal/manifest"
)

// Rules are compiled, and what stands beside them, such as the parameters of users' own.
type Rules struct {
	policies *offline.Policies
	beside   []runtime.Object
}

// Compile compiles the rules that come with Demarc, and those of users' own. All that is
// wrong with these is in the error, as manifest.Faults has it.
func Compile(own []manifest.Doc) (*Rules, error) {
	docs, errs := []manifest.Doc{}, []error{}
	for _, r := range guardrail.Catalogue() {
		file, text := r.Compiled()
		read, err := manifest.Parse(file, text)
		docs, errs = append(docs, read...), append(errs, err)
	}
	source, err := offline.Read(append(docs, own...))
	if err := errors.Join(append(errs, err)...); err != nil {
		return nil, err
	}
	policies, err := source.Compile()
	return &Rules{policies, source.Others}, err
}
