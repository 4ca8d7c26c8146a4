package guardrail

import (
	"encoding/json"

	"demarc.dev/demarc/api/v1alpha1"
)

// join puts the limits that one rule's examples are judged with to those of the others.
func join(into *v1alpha1.GuardrailLimits, more v1alpha1.GuardrailLimits) {
	raw, err := json.Marshal(more)
	if err == nil {
		err = json.Unmarshal(raw, into)
	}
	if err != nil {
		panic(err)
	}
}
