package kube

import (
	"context"
	"fmt"
	"strings"
	"sync"

	admissionv1 "k8s.io/api/admissionregistration/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"demarc.dev/demarc/api/v1alpha1"
	"demarc.dev/demarc/internal/contract"
)

// Contracts reads the contract that holds: OwnershipContract default, or where there is
// none the one that comes with Demarc; and where that contradicts itself, the one before.
//
// While one follows another, admission keeps what either keeps, then the roles follow, and
// at last admission keeps what the new one does: so nobody has a moment of more than either
// gives. Who writes admission and who writes the roles agree on that here.
type Contracts struct {
	Cached client.Reader
	// Policy is the name of the policy that is compiled from contracts, and says from which.
	Policy string

	mu   sync.Mutex
	seen string
	last *contract.Contract
	err  error
	// guarded is the contract, packed, that the roles may follow, followed the one that
	// they are known to; unguarded and behind are why they may not, and why they do not.
	guarded, followed string
	unguarded, behind error
	wake              []func()
}

// InvalidContractError says that the contract contradicts itself. The one before holds
// until that is mended.
type InvalidContractError struct{ Faults []string }

func (e *InvalidContractError) Error() string {
	const most = 3
	said := strings.Join(e.Faults[:min(most, len(e.Faults))], "; ")
	if more := len(e.Faults) - most; more > 0 {
		said += fmt.Sprintf("; and %d more", more)
	}
	return "the ownership contract contradicts itself: " + said
}

// Current is the contract that holds. With *InvalidContractError it is the one before the
// one that is there; any other error is the reader's, and then there is none.
func (c *Contracts) Current(ctx context.Context) (*contract.Contract, error) {
	o := &v1alpha1.OwnershipContract{}
	err := c.Cached.Get(ctx, types.NamespacedName{Name: v1alpha1.ContractName}, o)
	if client.IgnoreNotFound(err) != nil {
		return nil, fmt.Errorf("read OwnershipContract: %w", err)
	}
	version := "shipped"
	if err == nil {
		version = string(o.UID) + fmt.Sprint(o.Generation)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if version == c.seen {
		return c.last, c.err
	}
	now, invalid := contract.Default(), error(nil)
	if err == nil {
		found := contract.Lint(o.Spec, contract.Parties{})
		if contract.Sound(found) {
			now = contract.New(o.Spec)
		} else if now, invalid = c.last, refused(found); now == nil {
			before, err := c.Kept(ctx)
			if err != nil {
				return nil, err
			}
			now = contract.Default()
			if len(before) > 0 {
				now = before[len(before)-1]
			}
		}
	}
	c.seen, c.last, c.err = version, now, invalid
	return c.last, c.err
}

// Kept are the contracts that the policy in place keeps, the newest last: that of which
// the roles are, or while they follow another, both. A policy that does not say is of none.
func (c *Contracts) Kept(ctx context.Context) ([]*contract.Contract, error) {
	policy := Named(admissionv1.SchemeGroupVersion.WithKind("ValidatingAdmissionPolicy"), "", c.Policy)
	err := c.Cached.Get(ctx, client.ObjectKeyFromObject(policy), policy)
	if apierrors.IsNotFound(err) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read the policy that is compiled from the contract: %w", err)
	}
	kept, err := contract.Unpack(policy.GetAnnotations()[v1alpha1.AnnotationContracts])
	if err != nil {
		return nil, nil //nolint:nilerr // whoever changed it: it is written anew
	}
	return kept, nil
}

// Guard lets the roles follow a contract: admission keeps what it keeps by now. With an
// error it could not be made to.
func (c *Contracts) Guard(agreed *contract.Contract, err error) {
	packed := contract.Pack(agreed)
	c.mu.Lock()
	changed := fmt.Sprint(c.unguarded) != fmt.Sprint(err)
	c.unguarded = err
	if err == nil && c.guarded != packed {
		changed, c.guarded, c.followed, c.behind = true, packed, "", nil
	}
	c.mu.Unlock()
	if changed {
		c.tell()
	}
}

// MayFollow says whether roles may be made of a contract, or why they cannot be; neither is
// that it is not known yet.
func (c *Contracts) MayFollow(agreed *contract.Contract) (bool, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.guarded == contract.Pack(agreed), c.unguarded
}

// Follow says that the roles are made of a contract, or why they could not be.
func (c *Contracts) Follow(agreed *contract.Contract, err error) {
	packed := contract.Pack(agreed)
	c.mu.Lock()
	was, before := c.followed, c.behind
	if c.behind = err; err == nil && c.guarded == packed {
		c.followed = packed
	}
	changed := was != c.followed || fmt.Sprint(before) != fmt.Sprint(err)
	c.mu.Unlock()
	if changed {
		c.tell()
	}
}

// Followed says whether the roles are made of a contract, and if not why, as far as that
// is known.
func (c *Contracts) Followed(agreed *contract.Contract) (bool, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.followed == contract.Pack(agreed), c.behind
}

// OnChange has somebody told when Guard or Follow changed something.
func (c *Contracts) OnChange(wake func()) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.wake = append(c.wake, wake)
}

func (c *Contracts) tell() {
	c.mu.Lock()
	wake := c.wake
	c.mu.Unlock()
	for _, w := range wake {
		w()
	}
}

func refused(found []contract.Problem) *InvalidContractError {
	e := &InvalidContractError{}
	for _, p := range found {
		if p.Severity == contract.Refused {
			e.Faults = append(e.Faults, p.Path+": "+p.Message)
		}
	}
	return e
}
