package who

import (
	"time"

	"demarc.dev/demarc/api/v1alpha1"
	"demarc.dev/demarc/internal/snapshot"
)

// Answer is who owns what was asked about. Its field names in JSON stay.
type Answer struct {
	// About is what was asked about, in words.
	About  string            `json:"about"`
	Object *Object           `json:"object,omitempty"`
	Field  string            `json:"field,omitempty"`
	Labels map[string]string `json:"labels,omitempty"`
	File   *File             `json:"file,omitempty"`
	// Exists is absent where it was not asked, or could not be told.
	Exists   *bool    `json:"exists,omitempty"`
	Contract Contract `json:"contract"`
	Domain   Domain   `json:"domain"`
	// Also are further domains: of parts of the object, or of the same place in Git.
	Also []Also `json:"also,omitempty"`
	// Team that it is about, where that is known. NoTenant is that there is no such team.
	Team     string   `json:"team,omitempty"`
	NoTenant bool     `json:"noTenant,omitempty"`
	Answers  []Duty   `json:"answers"`
	Parties  []Behind `json:"parties"`
	// Receivers are where the routes that are made of the contract send an alert.
	Receivers []string `json:"receivers,omitempty"`
	Change    Change   `json:"change"`
	// Changed says who changed it last, newest first.
	Changed []Changed `json:"changed,omitempty"`
	// Synced says what Argo CD did last with what delivers it.
	Synced *Synced           `json:"synced,omitempty"`
	You    *You              `json:"you,omitempty"`
	Notes  []string          `json:"notes,omitempty"`
	Unread []snapshot.Unread `json:"unread,omitempty"`
}

// Contract that answered.
type Contract struct {
	// Source is cluster, files or shipped.
	Source string `json:"source"`
	// Why the shipped one was taken.
	Why string `json:"why,omitempty"`
	// Unread is that the cluster may have another, which who asks may not read.
	Unread bool `json:"unread,omitempty"`
	// Pending is that the operator has not said yet whether it takes this version.
	Pending bool `json:"pending,omitempty"`
	// Faults for which the operator does not take it. What it made of one before holds then,
	// and that one can be read nowhere: the answer is one that is not in force.
	Faults []string `json:"faults,omitempty"`
}

// Domain of the contract.
type Domain struct {
	Name       string              `json:"name"`
	Title      string              `json:"title,omitempty"`
	Boundary   string              `json:"boundary,omitempty"`
	ChangePath v1alpha1.ChangePath `json:"changePath"`
	// Decision is how the parties decide what they share.
	Decision    string `json:"decision,omitempty"`
	DecisionHow string `json:"decisionHow,omitempty"`
	// Unlisted is that no domain covers the kind.
	Unlisted bool `json:"unlisted,omitempty"`
}

// Also is another domain, and what of the thing it covers.
type Also struct {
	Domain   string         `json:"domain"`
	Title    string         `json:"title,omitempty"`
	Modifies v1alpha1.Party `json:"modifies"`
	// Name, Label, Fields or Path by which it does.
	Name   string   `json:"name,omitempty"`
	Label  string   `json:"label,omitempty"`
	Fields []string `json:"fields,omitempty"`
	Path   string   `json:"path,omitempty"`
}

// Duty is one of the six answers.
type Duty struct {
	// Duty is creates, modifies, approves, monitors, paged or deletes.
	Duty string `json:"duty"`
	// Answer of the contract.
	Answer v1alpha1.Party `json:"answer"`
	// Who that is here.
	Who string `json:"who"`
	// Means says what an answer of shared or nobody comes to.
	Means string `json:"means,omitempty"`
}

// Behind is a party, and the people and channels behind it.
type Behind struct {
	Party v1alpha1.Party `json:"party"`
	// Name in words.
	Name string `json:"name"`
	// Duties that are this party's, alone or shared.
	Duties     []string `json:"duties,omitempty"`
	People     []Person `json:"people,omitempty"`
	Channel    string   `json:"channel,omitempty"`
	OnCall     string   `json:"onCall,omitempty"`
	Escalation string   `json:"escalation,omitempty"`
	CodeOwners []string `json:"codeOwners,omitempty"`
	// Withheld are those of channel, onCall and escalation that look like a secret.
	Withheld []string `json:"withheld,omitempty"`
	// Missing says why there is less than there should be.
	Missing string `json:"missing,omitempty"`
}

// Person is one subject and its role.
type Person struct {
	Subject string `json:"subject"`
	Role    string `json:"role,omitempty"`
}

// Change is the way on which it is changed.
type Change struct {
	Path v1alpha1.ChangePath `json:"path"`
	// Steps lead from the object to what is to be changed in its place.
	Steps []Step `json:"steps,omitempty"`
	// Places in Git.
	Places []Place `json:"places,omitempty"`
}

// Step is one object on the way.
type Step struct {
	Object string `json:"object"`
	// How it is to the one before: makes, keeps, delivers.
	How string `json:"how"`
}

// Place in Git.
type Place struct {
	Repository string `json:"repository,omitempty"`
	URL        string `json:"url,omitempty"`
	Path       string `json:"path,omitempty"`
	Revision   string `json:"revision,omitempty"`
	// From is where that is known from: an Application, or the contract.
	From string `json:"from"`
}

// Changed is one entry of the object's managed fields.
type Changed struct {
	Manager     string     `json:"manager"`
	Is          string     `json:"is,omitempty"`
	Operation   string     `json:"operation,omitempty"`
	Subresource string     `json:"subresource,omitempty"`
	At          *time.Time `json:"at,omitempty"`
	// Holds are the fields that it holds of the one that is asked about.
	Holds []string `json:"holds,omitempty"`
}

// Synced is what Argo CD did last.
type Synced struct {
	Application string     `json:"application"`
	Phase       string     `json:"phase,omitempty"`
	At          *time.Time `json:"at,omitempty"`
	Revision    string     `json:"revision,omitempty"`
	By          string     `json:"by,omitempty"`
}

// You is what who asks may do.
type You struct {
	Self
	// Of are the parties that they are of, as far as their groups tell.
	Of     []string `json:"of,omitempty"`
	May    []string `json:"may,omitempty"`
	MayNot []MayNot `json:"mayNot,omitempty"`
	// Where it was asked: a namespace, or nothing for everywhere.
	Where string `json:"where,omitempty"`
	// Asked are the API server's answers one by one.
	Asked []Permit `json:"asked,omitempty"`
}

// MayNot is what who asks may not do, and who does it instead.
type MayNot struct {
	What string `json:"what"`
	Why  string `json:"why"`
}
