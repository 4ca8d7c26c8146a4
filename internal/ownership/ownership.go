// Package ownership has the names by which ownership is enforced (roles, verbs, the
// account that delivers) and the table of who acts on a reason. Who owns which kind is
// said in the contract: internal/contract.
package ownership

import "demarc.dev/demarc/api/v1alpha1"

// Party is one side of the demarcation line.
type Party = v1alpha1.Party

const (
	// Platform is the platform team.
	Platform = v1alpha1.PartyPlatform
	// Team is the application team.
	Team = v1alpha1.PartyTeam
	// Shared means that both must look.
	Shared = v1alpha1.PartyShared
	// Asker is who asked for what another approves; no side of the contract.
	Asker Party = "who asked"
)

// Names of the ClusterRoles that Demarc keeps. They are fixed, so that the
// operator's right to write and bind them can be named one by one.
const (
	RoleView    = "demarc:view"
	RoleOperate = "demarc:operate"
	RoleEdit    = "demarc:edit"
	// RoleDeliver is what Argo CD may do as the team's ServiceAccount.
	RoleDeliver = "demarc:deliver"
	// RoleClaims gives the writes on ServiceClaims, cluster-wide; the claim
	// policy then asks for the verb deploy in the team's namespace.
	RoleClaims = "demarc:claims"
	// RoleScale gives the patch on ServiceClaims, cluster-wide, to those who may not
	// write them; the claim policy then asks for the verb scale.
	RoleScale = "demarc:scale"
	// RoleContacts gives the patch on Tenants, cluster-wide, to those with edit; a policy
	// then asks for the verb contact, and lets the contacts alone differ.
	RoleContacts = "demarc:contacts"
	// RoleRequests gives create and patch on AccessGrants, BudgetRequests and
	// GuardrailExceptions, cluster-wide; a policy then asks for the verbs request and approve
	// in the team's namespace.
	RoleRequests = "demarc:requests"
	// RolePlatform is what the platform's people do by hand.
	RolePlatform = "demarc:platform"
	// RoleRead lets a team's people read Demarc's own kinds.
	RoleRead = "demarc:read"
)

// DeliverAccount is the ServiceAccount that Argo CD syncs a team's project as.
const DeliverAccount = "demarc-deliver"

// Verbs of Demarc's own, on serviceclaims in the namespace team-<team>: what the
// claim policy asks for.
const (
	// VerbDeploy: create, change and delete the team's claims.
	VerbDeploy = "deploy"
	// VerbScale: change a claim's spec.replicas, and nothing else of it.
	VerbScale = "scale"
	// VerbContact: change a Tenant's spec.contacts, and nothing else of it.
	VerbContact = "contact"
	// VerbOverride, on ownershipcontracts: do in team namespaces what the contract says is
	// the platform's.
	VerbOverride = "override"
	// VerbRequest, on accessgrants, budgetrequests and guardrailexceptions: ask for one for
	// a team.
	VerbRequest = "request"
	// VerbApprove, on the same: approve what another asked for, or revoke it.
	VerbApprove = "approve"
	// VerbForce: have Demarc let go of what blocks a deletion. No role of a team holds
	// it. For Tenants, and what they keep, it is asked on tenants.
	VerbForce = "force"
)
