package v1alpha1

// Labels, annotations and finalizers that Demarc writes. Users read them;
// admission policy keeps them from being written by anyone but the operator.
const (
	// LabelOwner says which Tenant or ServiceClaim an object belongs to, as
	// "<kind>.<name>" (see internal/owner). Same name is never ownership: this
	// label and AnnotationOwnerUID together are.
	LabelOwner = "demarc.dev/owner"
	// LabelTenant marks a team's namespace; its value is the team's name.
	LabelTenant = "demarc.dev/tenant"
	// LabelTeam names the team on every object that Demarc or its chart makes.
	LabelTeam = "demarc.dev/team"
	// LabelClaim names the ServiceClaim on its Application and its pods.
	LabelClaim = "demarc.dev/claim"

	// AnnotationOwnerUID is the UID of the owner that LabelOwner names.
	AnnotationOwnerUID = "demarc.dev/owner-uid"
	// AnnotationApplied is the hash of what the operator last applied, so that a
	// quiet operator can tell without a write that nothing is to be done.
	AnnotationApplied = "demarc.dev/applied"
	// AnnotationDrained is set by the operator alone, when it has seen that
	// nothing is left that the object's deletion would take down by surprise.
	// Without it the deletion of a team namespace, of an Application or of an
	// AppProject of ours is refused.
	AnnotationDrained = "demarc.dev/drained"
	// AnnotationAllowDeletion on one of Demarc's CRDs lets it be deleted; its
	// value is the reason.
	AnnotationAllowDeletion = "demarc.dev/allow-deletion"
	// AnnotationForce on something that is being deleted makes Demarc stop waiting for
	// what blocks it and leave that behind; its value is the reason. Policy lets only
	// holders of the verb force set it.
	AnnotationForce = "demarc.dev/force"
	// AnnotationRelease on a ServiceClaim makes its deletion leave the Application, and
	// so the service, in place; its value is the reason.
	AnnotationRelease = "demarc.dev/release"
	// AnnotationAdopted marks a namespace that was there before its Tenant. It stays
	// when the Tenant goes. Its value holds the labels that adoption replaced, as JSON.
	AnnotationAdopted = "demarc.dev/adopted"

	// AnnotationOnCall and AnnotationChannel say who is called about what Demarc made for
	// a team, and where its people answer: those of spec.contacts of the team's Tenant,
	// or of spec.team of the Platform on what is no team's. Absent where none is named.
	AnnotationOnCall  = "demarc.dev/on-call"
	AnnotationChannel = "demarc.dev/channel"

	// AnnotationContracts on the policy that is compiled from the ownership contract says
	// from which, packed; while one follows another it is compiled from both.
	AnnotationContracts = "demarc.dev/contracts"

	// AnnotationExpires on a binding of an AccessGrant is when it ends, as RFC 3339 has it:
	// one that is there later is overdue.
	AnnotationExpires = "demarc.dev/expires"

	// FinalizerClaim holds a ServiceClaim until what it delivered is gone.
	FinalizerClaim = "demarc.dev/delivery"
	// FinalizerTenant holds a Tenant until its claims and its space are gone.
	FinalizerTenant = "demarc.dev/space"
	// FinalizerAccess holds a team's RoleBindings until nothing else is left in
	// the namespace, so that the team can still mend what blocks its deletion.
	FinalizerAccess = "demarc.dev/access"
	// FinalizerGrant holds an AccessGrant until the access that it gave is gone.
	FinalizerGrant = "demarc.dev/grant"
)

// PlatformName is the name of the one Platform that Demarc reads.
const PlatformName = "default"

// ContractName is the name of the one OwnershipContract that Demarc reads.
const ContractName = "default"

// NamespacePrefix stands before a team's name in the name of its namespace.
const NamespacePrefix = "team-"

// ReservedTeams are names no Tenant may have: they mean something else in
// Demarc or in Kubernetes. The CEL rule on Tenant repeats them; a test compares.
var ReservedTeams = []string{"platform", "team", "shared", "nobody", "system", "default", "demarc"}

// NamespaceOf returns the name of a team's namespace.
func NamespaceOf(team string) string { return NamespacePrefix + team }
