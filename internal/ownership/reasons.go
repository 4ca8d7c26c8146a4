package ownership

// Reason is why something is not Ready, as it stands in a condition. The names
// are API: people and alerts match on them. Waiting and refused never share one.
type Reason struct {
	// Party who can act on it.
	Party Party
	// Stalled reasons do not go away by waiting.
	Stalled bool
	// Next is what that party does about it.
	Next string
	// Expected reasons are passed through by every healthy object.
	Expected bool
}

// Reasons is the table of every reason with which a condition of Demarc's is not
// True. docs/reasons.md lists them; a test compares.
var Reasons = map[string]Reason{
	// Any kind.
	"OperatorForbidden": {Party: Platform, Stalled: true, Next: "give the operator's ClusterRole back what it lacks, or mend the policy that refuses it"},
	"Retrying":          {Party: Platform, Next: "nothing if it passes within a minute; otherwise look at the API server"},
	"Invalid":           {Party: Platform, Stalled: true, Next: "the API server refuses what was rendered; report it with this message"},

	// OwnershipContract.
	"ContractInvalid": {Party: Platform, Stalled: true, Next: "mend what contradicts itself (demarc contract lint FILE); the contract before holds meanwhile"},
	"RolesFollow":     {Party: Platform, Expected: true, Next: "wait: admission is changed first, the roles follow within seconds"},
	"BoundaryTaken":   {Party: Platform, Stalled: true, Next: "rename or delete the ValidatingAdmissionPolicy that is not Demarc's"},
	"KindsUnlisted":   {Party: Platform, Expected: true, Next: "put the kinds into a domain of the contract; until then they are the side's that spec.unlisted names"},
	"NobodyBehind":    {Party: Platform, Expected: true, Next: "name the platform's groups and on-call in spec.team of Platform default, and each team's in spec.contacts of its Tenant"},
	"GrantsMore":      {Party: Platform, Stalled: true, Next: "run demarc contract verify: it names the binding that causes each, and the command that mends it"},
	"GrantsLess":      {Party: Platform, Stalled: true, Next: "run demarc contract verify: it names what was changed, and the command that brings it back"},
	"Differs":         {Party: Platform, Stalled: true, Next: "run demarc contract verify: it names what causes each, and the command that mends it"},
	"NotYetAsked":     {Party: Platform, Expected: true, Next: "wait some minutes; the operator asks by itself"},
	"ReviewFailed":    {Party: Platform, Next: "nothing if it passes within minutes; otherwise see whether the operator may create subjectaccessreviews and read RBAC"},

	// Platform.
	"RoleTaken":    {Party: Platform, Stalled: true, Next: "rename or delete the ClusterRole that is not Demarc's"},
	"ArgoCDAbsent": {Party: Platform, Next: "install Argo CD's CRDs; Demarc goes on by itself when they are there"},
	"SetsBehind":   {Party: Platform, Expected: true, Next: "nothing if it passes within seconds; otherwise read the operator's log: until then the guardrails hold as they were, and without a set team namespaces take nothing that it judges"},

	// Tenant.
	"NamespaceTaken":       {Party: Platform, Stalled: true, Next: "take it over with spec.adopt: true (demarc adopt shows before what changes), or give the team another name"},
	"NamespaceTerminating": {Party: Platform, Next: "see what holds the namespace with: kubectl describe namespace"},
	"ObjectTaken":          {Party: Platform, Stalled: true, Next: "delete or rename the object that is not Demarc's"},
	"ProjectTaken":         {Party: Platform, Stalled: true, Next: "delete or rename the AppProject that is not Demarc's"},
	"QuotaNotCounted":      {Party: Platform, Expected: true, Next: "nothing if it passes within seconds; otherwise look at kube-controller-manager"},
	"WaitingForNamespace":  {Party: Platform, Expected: true, Next: "see NamespaceReady"},
	"ClaimsRemain":         {Party: Team, Expected: true, Next: "delete the claims that are named; the Tenant goes on by itself"},
	"OrphansDeleting":      {Party: Platform, Expected: true, Next: "wait; what they delivered is being removed"},
	"ApplicationsRemain":   {Party: Platform, Expected: true, Next: "delete the Applications that are named; the Tenant goes on by itself"},
	"ProjectDeleting":      {Party: Platform, Expected: true, Next: "see what holds it; demarc explain delete says it"},
	"NamespaceDeleting":    {Party: Team, Expected: true, Next: "mend what is named; access stays until it is gone (demarc explain delete says what holds it)"},
	"NamespaceReleasing":   {Party: Platform, Expected: true, Next: "wait; the namespace was adopted and stays"},
	"Forced":               {Party: Platform, Expected: true, Next: "wait; what is left behind is named in an Event"},
	"CleaningUp":           {Party: Platform, Expected: true, Next: "nothing; the last bindings are being removed"},

	// AccessGrant, BudgetRequest and GuardrailException.
	"AwaitingApproval":   {Party: Asker, Expected: true, Next: "have somebody else do so who holds the verb approve"},
	"RequestLapsed":      {Party: Asker, Stalled: true, Next: "ask anew: a request is approved within 24 hours, and before its own end, or not at all"},
	"Revoked":            {Party: Asker, Stalled: true, Next: "nothing; ask anew if it is still needed"},
	"Expired":            {Party: Asker, Stalled: true, Expected: true, Next: "nothing; ask anew if it is still needed"},
	"DurationAboveLimit": {Party: Asker, Stalled: true, Next: "ask anew for less time, or have the platform raise spec.access.maxHours of Platform default first"},
	"TeamNotFound":       {Party: Asker, Stalled: true, Next: "ask anew with the name of a Tenant that is there"},
	"TeamGone":           {Party: Asker, Stalled: true, Next: "nothing; what was given to a team ends with it"},
	"RequestUnreadable":  {Party: Asker, Stalled: true, Next: "ask anew with what the message says put right"},
	"AboveCeiling":       {Party: Asker, Stalled: true, Next: "ask anew for less, or have the platform raise spec.ceiling of Platform default first"},
	"NotARaise":          {Party: Asker, Stalled: true, Next: "ask anew for more than there is, and name the whole of it; a team that has as much needs nothing"},
	"BeingGranted":       {Party: Platform, Expected: true, Next: "wait; the binding is being written"},
	"BeingRaised":        {Party: Platform, Expected: true, Next: "wait; the Tenant's budget is being written"},

	// GuardrailException.
	"RuleUnknown":      {Party: Shared, Stalled: true, Next: "take an id that docs/guardrails lists; where an exception was asked for, ask anew"},
	"ExpiryAboveLimit": {Party: Platform, Stalled: true, Next: "ask anew for less time, or have spec.guardrails.exceptions.maxDays of Platform default raised first"},
	"BeingExcepted":    {Party: Platform, Expected: true, Next: "wait; the GuardrailSets are being written"},
	"StillRunning":     {Party: Team, Next: "put right what is named: it runs on, but what replaces it is refused; or ask for another exception (demarc exception request)"},
	"ExceptionLapsed":  {Party: Team, Next: "put right what still runs on it, or ask for another exception (demarc exception request)"},

	// ServiceClaim: the tenant.
	"TenantNotFound":    {Party: Platform, Expected: true, Next: "create the Tenant; the claim goes on by itself"},
	"TenantNotReady":    {Party: Platform, Expected: true, Next: "see the Tenant's conditions; the claim goes on by itself"},
	"TenantTerminating": {Party: Platform, Next: "wait for the Tenant to be gone and create it again, or delete the claim"},

	// ServiceClaim: the delivery.
	"WaitingForTenant":        {Party: Platform, Expected: true, Next: "see TenantReady"},
	"ChartNotConfigured":      {Party: Platform, Next: "set spec.chart of Platform default to where the chart is"},
	"HostTaken":               {Party: Team, Stalled: true, Next: "choose another host, or have the claim that is named let go of it; this one then gets it by itself"},
	"HostNotAllowed":          {Party: Shared, Stalled: true, Next: "team: choose a host below one of its domains; platform: add the domain to spec.domains of the Tenant"},
	"ExposeNotConfigured":     {Party: Platform, Next: "set spec.expose of Platform default, or have the claim name a host"},
	"ExposeUnfit":             {Party: Team, Stalled: true, Next: "take the field that is named out of the claim"},
	"StoreNotConfigured":      {Party: Platform, Next: "set spec.secretStore of Platform default, or have the team make the Secret itself"},
	"ApplicationTaken":        {Party: Platform, Stalled: true, Next: "delete or rename the Application that is not Demarc's"},
	"ApplicationTerminating":  {Party: Platform, Next: "wait; it is delivered again when the old Application is gone"},
	"WaitingForArgoCD":        {Party: Platform, Expected: true, Next: "nothing for the first minute; after that see whether Argo CD's application controller runs"},
	"RepositoryError":         {Party: Platform, Next: "make the repository and revision readable to Argo CD"},
	"SourceNotFound":          {Party: Team, Next: "correct path or targetRevision of spec.source, or push what it names"},
	"SourceNotAllowed":        {Party: Platform, Stalled: true, Next: "add the repository to spec.sources of the Tenant"},
	"ArgoCDNamespaceNotFound": {Party: Platform, Next: "create that namespace with Argo CD in it, or name the right one in spec.argocd.namespace of Platform default"},
	"RenderFailed":            {Party: Team, Next: "mend the manifests or values that do not render"},
	"ApplicationInvalid":      {Party: Platform, Next: "see the AppProject: it must allow the repository, the namespace and the kinds"},
	"Syncing":                 {Party: Platform, Expected: true, Next: "wait; Argo CD is delivering"},
	"WaitingForHook":          {Party: Team, Expected: true, Next: "wait; if it does not end see the events of the hook that is named"},
	"SyncFailed":              {Party: Team, Stalled: true, Next: "mend what the message names and change the claim, or sync again in Argo CD"},
	"SyncRetrying":            {Party: Team, Next: "mend what the message names; Argo CD tries again by itself"},
	"OutOfSync":               {Party: Team, Expected: true, Next: "put the live objects back to what the claim says, or change the claim"},

	// ServiceClaim: the workload.
	"WaitingForDelivery":       {Party: Platform, Expected: true, Next: "see DeliveryReady"},
	"NothingDelivered":         {Party: Team, Stalled: true, Next: "put manifests into the path that spec.source names"},
	"Progressing":              {Party: Team, Expected: true, Next: "wait; pods are starting"},
	"QuotaExceeded":            {Party: Team, Next: "ask for less, delete what is not needed, or have the Tenant's budget raised"},
	"RequestAboveDefaultLimit": {Party: Team, Next: "set a limit of at least the request"},
	"PodsRefused":              {Party: Team, Next: "change what the message names; the pods are then made by themselves"},
	"NoRoomToRoll":             {Party: Team, Next: "free what is named for the time of the rollout, or have the Tenant's budget raised"},
	"ImageMismatch":            {Party: Team, Next: "undo the change of the image that was made past the claim, or change the claim"},
	"ImagePullFailed":          {Party: Team, Next: "correct the image, its tag or the credentials for its registry"},
	"CrashLooping":             {Party: Team, Next: "read the log of the container: kubectl logs --previous"},
	"ContainerConfigError":     {Party: Team, Next: "create or correct the ConfigMap or Secret that is named"},
	"Unschedulable":            {Party: Shared, Next: "team: ask for less; platform: see whether the nodes have room"},
	"Suspended":                {Party: Team, Next: "resume it (kubectl rollout resume; of a Job or a CronJob set spec.suspend to false)"},
	"WaitingForExpose":         {Party: Platform, Expected: true, Next: "wait; if it does not end see whether the ingress controller, or the gateway, runs and takes up what is named after the claim"},
	"JobRunning":               {Party: Team, Expected: true, Next: "wait; it is Ready once it has completed"},
	"JobFailed":                {Party: Team, Stalled: true, Next: "read the log of its pods and change the claim; each change runs it again"},
	"LastRunFailed":            {Party: Team, Next: "read the log of the Job that is named; it is over when a run completes"},
	"Degraded":                 {Party: Team, Next: "see the pods' events and logs"},

	// ServiceClaim: the drain.
	"ApplicationDeleting": {Party: Platform, Expected: true, Next: "see whether Argo CD's application controller runs; demarc explain delete says what holds it"},
	"ObjectsHeld":         {Party: Shared, Next: "see whether the controllers that are named run; demarc explain delete gives the step for each"},
	"ObjectsRemain":       {Party: Team, Next: "delete the objects that are named; to keep one take its annotation argocd.argoproj.io/tracking-id off"},
	"Releasing":           {Party: Team, Expected: true, Next: "wait; the Application stays and is no longer Demarc's"},
}

// Act completes a message with who can act and how.
func Act(reason, message string) string { return ActOf("", reason, message) }

// ActOf is Act where it is known by name who asked; an empty name is not known.
func ActOf(asker, reason, message string) string {
	r, known := Reasons[reason]
	if !known {
		return message
	}
	who := string(r.Party)
	if r.Party == Asker && asker != "" {
		who = asker
	}
	return message + ". Next, " + who + ": " + r.Next + "."
}

// Notable reports whether somebody wants to hear of this reason in an Event. A
// reason that is not in the table is none.
func (r Reason) Notable() bool { return r.Party != "" && !r.Expected }
