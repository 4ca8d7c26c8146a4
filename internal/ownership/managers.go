package ownership

// Managers are the names under which the operator writes, as managed fields have them: one
// for each controller, one for adoption, and that of the program itself for what it writes
// through a library.
var Managers = []string{
	"demarc-accessgrant", "demarc-adopt", "demarc-budgetrequest", "demarc-contract", "demarc-guardrail", "demarc-guardrailexception", "demarc-operator",
	"demarc-platform", "demarc-serviceclaim", "demarc-tenant",
}
