package v1alpha1

// Contacts are how a party is reached.
type Contacts struct {
	// Channel where alerts go and people answer: #CHANNEL of a chat, an e-mail address,
	// or the https URL of a webhook.
	// +optional
	// +kubebuilder:validation:MaxLength=512
	// +kubebuilder:validation:XValidation:rule="self == '' || self.matches('^#[^ \\\\s]+$') || self.matches('^[^@\\\\s]+@[^@\\\\s]+$') || self.startsWith('https://')",message="must be #CHANNEL, an e-mail address or an https URL"
	// +kubebuilder:validation:XValidation:rule=`self.matches(r'^[^\p{Cc}\p{Zl}\p{Zp}\x{61C}\x{200E}\x{200F}\x{202A}-\x{202E}\x{2066}-\x{2069}\x{FEFF}\x{FFFE}\x{FFFF}]*$')`,message="must be one line of text, without line breaks, control characters and marks that change the direction of text"
	Channel string `json:"channel,omitempty"`
	// OnCall is who is paged: a rotation, a number or a page that names them.
	// +optional
	// +kubebuilder:validation:MaxLength=512
	// +kubebuilder:validation:XValidation:rule=`self.matches(r'^[^\p{Cc}\p{Zl}\p{Zp}\x{61C}\x{200E}\x{200F}\x{202A}-\x{202E}\x{2066}-\x{2069}\x{FEFF}\x{FFFE}\x{FFFF}]*$')`,message="must be one line of text, without line breaks, control characters and marks that change the direction of text"
	OnCall string `json:"onCall,omitempty"`
	// Escalation is whom to call when on-call does not answer.
	// +optional
	// +kubebuilder:validation:MaxLength=512
	// +kubebuilder:validation:XValidation:rule=`self.matches(r'^[^\p{Cc}\p{Zl}\p{Zp}\x{61C}\x{200E}\x{200F}\x{202A}-\x{202E}\x{2066}-\x{2069}\x{FEFF}\x{FFFE}\x{FFFF}]*$')`,message="must be one line of text, without line breaks, control characters and marks that change the direction of text"
	Escalation string `json:"escalation,omitempty"`
	// CodeOwners are the handles that CODEOWNERS names, such as @example/payments.
	// +optional
	// +listType=set
	// +kubebuilder:validation:MaxItems=16
	// +kubebuilder:validation:items:MaxLength=256
	// +kubebuilder:validation:XValidation:rule="self.all(o, o.matches('^@[A-Za-z0-9/_.-]+$') || o.matches('^[^@\\\\s]+@[^@\\\\s]+$'))",message="each must be a handle such as @example/payments, or an e-mail address"
	// +kubebuilder:validation:XValidation:rule=`self.all(x, x.matches(r'^[^\p{Cc}\p{Zl}\p{Zp}\x{61C}\x{200E}\x{200F}\x{202A}-\x{202E}\x{2066}-\x{2069}\x{FEFF}\x{FFFE}\x{FFFF}]*$'))`,message="each must be one line of text, without line breaks, control characters and marks that change the direction of text"
	CodeOwners []string `json:"codeOwners,omitempty"`
}

// PlatformTeam is who the platform's party is.
type PlatformTeam struct {
	// Groups of the platform's people, as the API server's authenticator names them.
	// They get the ClusterRole demarc:platform, which is compiled from the contract.
	// +optional
	// +listType=set
	// +kubebuilder:validation:MaxItems=32
	// +kubebuilder:validation:items:MinLength=1
	// +kubebuilder:validation:items:MaxLength=512
	// +kubebuilder:validation:XValidation:rule=`self.all(x, x.matches(r'^[^\p{Cc}\p{Cf}\p{Z}\x{FFFE}\x{FFFF}]([^\p{Cc}\p{Cf}\p{Zl}\p{Zp}\x{FFFE}\x{FFFF}]*[^\p{Cc}\p{Cf}\p{Z}\x{FFFE}\x{FFFF}])?$'))`,message="each must be a name as the API server knows it: one line, without control characters and marks, not beginning or ending with a space"
	Groups []string `json:"groups,omitempty"`
	// Contacts are how they are reached.
	// +optional
	Contacts Contacts `json:"contacts,omitzero"`
}
