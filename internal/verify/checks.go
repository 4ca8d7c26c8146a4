package verify

import "strings"

// The ids of findings. They are API: none is ever given another meaning.
const (
	Contradicts = "OC001"
	More        = "OC002"
	Less        = "OC003"
	Power       = "OC004"
	Aggregated  = "OC005"
	Stray       = "OC006"
	Unmade      = "OC007"
	NoTenant    = "OC008"
	OwnerGone   = "OC009"
	OwnerOther  = "OC010"
	RoleOther   = "OC011"
	Boundary    = "OC012"
	Policy      = "OC013"
	Install     = "OC014"
	Project     = "OC015"
	NoAccount   = "OC016"
	Labels      = "OC017"
	Isolation   = "OC018"
	Budget      = "OC019"
	Access      = "OC020"
	Delivery    = "OC021"
	HandedOn    = "OC022"
	Everybody   = "OC023"
	Answered    = "OC024"
	Overdue     = "OC025"
	Guardrails  = "OC026"
)

// CheckInfo is one kind of finding.
type CheckInfo struct {
	ID, Title string
	// Means says what it is and why it matters, for people.
	Means string
}

// Checks are all of them, in order; docs/findings.md is made from them.
var Checks = []CheckInfo{
	{Contradicts, "The contract contradicts itself", "The operator does not take such a contract: the one before holds on, and is what is compared with."},
	{More, "Somebody may do more than the contract gives", "A persona holds a verb on a kind, in a place, that no answer of the contract gives it. The binding and the rule that do are named. What everybody is given is told of whoever is known, or of any account, and not of each persona again; whom `spec.trusted` of the contract names may do more."},
	{Less, "Somebody may do less than the contract gives", "The contract gives a verb on a kind to a persona, and RBAC does not: their work will be refused."},
	{Power, "Somebody holds power over the cluster", "Whoever holds this can take every other right, or look into every namespace: `*`, `escalate`, `bind`, `impersonate`, writes on what Argo CD delivers where it runs, `nodes/proxy`, writes on nodes, PersistentVolumes and Namespaces, Secrets, shells or connections to pods everywhere, tokens of accounts, writes on admission, CRDs, roles or in all namespaces, Demarc's own verbs everywhere. To evict pods or place them on nodes is a warning, since only others' work is disturbed by it; so is what is held in a namespace that is neither Kubernetes', Argo CD's nor the operator's. Holders that are trusted are notes, with the reason, and so is what the contract itself gives the people of the platform."},
	{Aggregated, "A role is added to one of Kubernetes' own", "By a label a ClusterRole becomes part of another, such as `edit`: whoever is bound to that gets its rules too."},
	{Stray, "A binding in a team's namespace reaches others", "In a team's namespace only accounts of that namespace are bound beside what the Tenant says. This binding gives rights there to somebody else."},
	{Unmade, "One of Demarc's roles is bound past Demarc", "The roles `demarc:…` are given by a Tenant or the Platform. This binding is of neither, and stays when the access there is taken away."},
	{NoTenant, "A team's namespace has no Tenant", "It looks like a team's, to people and to policies, and no Tenant says who may do what in it."},
	{OwnerGone, "Nobody owns this", "It carries Demarc's mark of an owner that is not there, or that does not make such a thing: nobody keeps it and nobody takes it away."},
	{OwnerOther, "The mark of the owner was changed", "By label and UID Demarc knows what is its own. With another the operator writes nothing to it, or takes it for another's."},
	{RoleOther, "One of Demarc's roles is not what the contract says", "A rule was added, changed or taken out. The operator puts it back; where it stays so, it does not run."},
	{Boundary, "The policy compiled from the contract is not what the contract says", "Without it, or with less of it, RBAC alone keeps the platform's share of a team's namespace."},
	{Policy, "A policy of the install is not what it was", "A policy or its binding is gone, only warns, lets failures pass, or looks at less than it did."},
	{Install, "The operator's own rights are not those of the install", "With more it is a way to power, with less it does not do its work."},
	{Project, "A team's AppProject is not what the contract says", "It confines what Git may bring: from where, to where, of which kinds, and as whom. While no Platform names the chart the repositories that it has stay as they are, and are not compared."},
	{NoAccount, "Argo CD does not deliver as the team's account", "With impersonation off Argo CD writes with its own rights, which are all there are: a team's Git may then do what its people may not."},
	{Labels, "A team's namespace does not carry its labels", "`demarc.dev/tenant` says whose it is, and policies look at it; the labels of Pod Security say what its pods may do."},
	{Isolation, "A team's isolation is not what Demarc makes", "It keeps other teams' pods out."},
	{Budget, "A team's budget is not what its Tenant says", "Quota and defaults are made from `spec.resources`."},
	{Access, "Access is not what the Tenant, or the Platform, says", "A team's bindings and account are made from `spec.access` of its Tenant, the platform's from `spec.team.groups` of the Platform."},
	{Delivery, "A claim's Application is not what the claim says", "What Argo CD delivers follows from the claim alone. While no Platform names the chart it stays as it was delivered, and a claim that asks for something else waits."},
	{HandedOn, "A role in a team's namespace gives more than the team may hand on", "A team gives rights to accounts of its namespace, and never more than its own role `edit`, or its Git, has."},
	{Everybody, "What Kubernetes gives everybody was changed", "These few roles are held by whoever is known to the cluster, or by anyone at all. The API server puts back at its start what is missing, and leaves what was added."},
	{Answered, "The API server answers otherwise than RBAC says", "A request that was made as somebody, with `--probe`, was let through where the contract gives no right, or refused where it does."},
	{Overdue, "Access goes on after its end", "An AccessGrant gives a role for some hours. This binding of one is there although its time is up, it was revoked, or it is gone: the operator takes it away, also when it was down at the time; where it stays, it does not run."},
	{Guardrails, "What the guardrails read is not what the Platform says", "Which rule holds for whom, and who is excepted until when, is made from the Platform, the Tenants and the GuardrailExceptions that were approved. Without the set `deny` team namespaces take nothing that the rules judge; with less in it they refuse less. The operator puts it back; where it stays so, it does not run."},
}

// Docs is where a finding is told of.
func Docs(id string) string { return "docs/findings.md#" + strings.ToLower(id) }
