package kube

import (
	"context"
	"fmt"
	"strings"
	"sync"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"demarc.dev/demarc/api/v1alpha1"
	"demarc.dev/demarc/internal/contract"
)

// Contracts reads the contract that holds: OwnershipContract default, or where there is
// none the one that comes with Demarc.
type Contracts struct {
	Cached client.Reader

	mu   sync.Mutex
	seen string
	last *contract.Contract
	err  error
}

// InvalidContractError says that the contract contradicts itself. What was made of the
// one before stays as it is until that is mended.
type InvalidContractError struct{ Faults []string }

func (e *InvalidContractError) Error() string {
	const most = 3
	said := strings.Join(e.Faults[:min(most, len(e.Faults))], "; ")
	if more := len(e.Faults) - most; more > 0 {
		said += fmt.Sprintf("; and %d more", more)
	}
	return "the ownership contract contradicts itself: " + said
}

// Current is the contract that holds. *InvalidContractError where there is one that
// cannot hold; anything else is the reader's.
func (c *Contracts) Current(ctx context.Context) (*contract.Contract, error) {
	o := &v1alpha1.OwnershipContract{}
	err := c.Cached.Get(ctx, types.NamespacedName{Name: v1alpha1.ContractName}, o)
	if apierrors.IsNotFound(err) {
		return contract.Default(), nil
	}
	if err != nil {
		return nil, fmt.Errorf("read OwnershipContract: %w", err)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if version := string(o.UID) + fmt.Sprint(o.Generation); version != c.seen {
		c.seen, c.last, c.err = version, nil, nil
		if found := contract.Lint(o.Spec, contract.Parties{}); contract.Sound(found) {
			c.last = contract.New(o.Spec)
		} else {
			c.err = refused(found)
		}
	}
	return c.last, c.err
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
