package render

import (
	"demarc.dev/demarc/api/v1alpha1"
)

// GuardrailSet renders what the policies of the guardrails read. It is the platform's, as
// the fixed roles are, with or without a Platform.
func GuardrailSet(set v1alpha1.GuardrailSet) Object {
	o := object(set)
	return own(o, PlatformRef, "")
}
