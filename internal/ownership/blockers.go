package ownership

// Blockers is the table of what holds a deletion beside the reasons of conditions: who
// can act, and the safe next step. docs/deleting.md lists them; a test compares. The
// next step of a plain finalizer is internal/finalizer's.
var Blockers = map[string]Reason{
	"Finalizer":         {Party: Shared, Next: "see whether the controller that is named runs; what it waits for is said beside it"},
	"DependentsRemain":  {Party: Team, Next: "delete what it owns, or mend what holds that"},
	"Refused":           {Party: Platform, Next: "do what the refusal says; it is the API server's own answer to you"},
	"ArgoCDDown":        {Party: Platform, Next: "start Argo CD's application controller; it goes on by itself"},
	"ArgoCDSilent":      {Party: Platform, Next: "see whether Argo CD's application controller runs and reaches this cluster; it goes on by itself"},
	"OperatorDown":      {Party: Platform, Next: "start Demarc's operator; it goes on by itself"},
	"OperatorSilent":    {Party: Platform, Next: "read the object's conditions and the operator's log"},
	"ControllersDown":   {Party: Platform, Next: "start kube-controller-manager; it goes on by itself"},
	"OperationRunning":  {Party: Platform, Next: "end the sync: Argo CD finishes it before it deletes anything"},
	"ProjectMissing":    {Party: Platform, Next: "make the AppProject again until the Application is gone: without it Argo CD deletes nothing"},
	"NotPermitted":      {Party: Platform, Next: "let the AppProject permit it until it is gone, or delete it by hand: Argo CD passes over it without a word"},
	"Kept":              {Party: Team, Next: "delete it by hand, or keep the service with demarc release; Argo CD leaves it as its annotation asks"},
	"Unconfirmed":       {Party: Platform, Next: "confirm the deletion: Argo CD deletes nothing of the Application before"},
	"DeletionError":     {Party: Platform, Next: "mend what Argo CD says; it tries again by itself"},
	"HookRunning":       {Party: Team, Next: "see the hook's Job and its log, and mend it in Git"},
	"PodNotEnded":       {Party: Platform, Next: "see whether the pod's node lives; a node that is gone for good is deleted, and the pod goes with it"},
	"ContentFailed":     {Party: Platform, Next: "mend the API that the message names; an APIService without a server behind it is the usual cause"},
	"ContentRemains":    {Party: Team, Next: "see the objects that are counted; you may not list them"},
	"DefinitionDeletes": {Party: Platform, Next: "wait for its objects, or mend what holds them"},
}

// BlockerOf is the row of a reason, whichever table has it.
func BlockerOf(reason string) Reason {
	if r, ok := Blockers[reason]; ok {
		return r
	}
	return Reasons[reason]
}
