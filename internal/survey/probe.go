package survey

import (
	"context"
	"fmt"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/util/flowcontrol"

	"demarc.dev/demarc/internal/verify"
)

const (
	// mostProbes bounds one run, probeRate what it asks in a second.
	mostProbes = 20_000
	probeRate  = 200
	probeTime  = 30 * time.Second
)

// Probe makes each request as whom it is for, and sorts the answers. Nothing is written:
// every change is a dry run, of an object that is not there.
func (c Cluster) Probe(ctx context.Context, config *rest.Config, probes []verify.Probe) ([]verify.Probed, error) {
	if len(probes) > mostProbes {
		return nil, fmt.Errorf("%d requests would be made, and %d is the most: ask for one team with --team", len(probes), mostProbes)
	}
	clients, rate := map[string]dynamic.Interface{}, flowcontrol.NewTokenBucketRateLimiter(probeRate, atOnce)
	for _, p := range probes {
		if clients[p.Who] != nil {
			continue
		}
		as := rest.CopyConfig(config)
		as.Impersonate = rest.ImpersonationConfig{UserName: p.As.User, Groups: p.As.Groups}
		as.RateLimiter, as.Timeout = rate, probeTime
		as.WarningHandler = rest.NoWarnings{}
		client, err := dynamic.NewForConfig(as)
		if err != nil {
			return nil, err
		}
		clients[p.Who] = client
	}
	answers := make([]verify.Probed, len(probes))
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(atOnce)
	for i, p := range probes {
		mapping, err := c.Client.RESTMapper().RESTMapping(schema.GroupKind{Group: p.Kind.Group, Kind: p.Kind.Kind})
		if meta.IsNoMatchError(err) {
			answers[i] = verify.Probed{Probe: p, Let: p.Allowed} // what is not served is nobody's
			continue
		}
		if err != nil {
			return nil, err
		}
		group.Go(func() error {
			let, said, err := probe(ctx, clients[p.Who], mapping, p)
			answers[i] = verify.Probed{Probe: p, Let: let, Said: said}
			return err
		})
	}
	return answers, group.Wait()
}

// probe makes one request. Whatever is wrong with it, who is not refused may do it.
func probe(ctx context.Context, client dynamic.Interface, mapping *meta.RESTMapping, p verify.Probe) (let bool, said string, err error) {
	var on dynamic.ResourceInterface = client.Resource(mapping.Resource)
	if !p.Kind.Cluster {
		on = client.Resource(mapping.Resource).Namespace(p.Namespace)
	}
	dry := []string{metav1.DryRunAll}
	switch p.Verb {
	case "get":
		_, err = on.Get(ctx, verify.ProbeName, metav1.GetOptions{})
	case "create":
		_, err = on.Create(ctx, p.Sample(mapping.GroupVersionKind.Version), metav1.CreateOptions{DryRun: dry})
	case "update":
		o := p.Sample(mapping.GroupVersionKind.Version)
		o.SetResourceVersion("1") // never made where it is not there
		_, err = on.Update(ctx, o, metav1.UpdateOptions{DryRun: dry})
	case "patch":
		_, err = on.Patch(ctx, verify.ProbeName, types.MergePatchType, []byte(`{}`), metav1.PatchOptions{DryRun: dry})
	case "delete":
		err = on.Delete(ctx, verify.ProbeName, metav1.DeleteOptions{DryRun: dry})
	}
	switch {
	case err == nil:
		return true, "", nil
	case apierrors.IsUnauthorized(err), apierrors.IsForbidden(err) && strings.Contains(err.Error(), "cannot impersonate resource"):
		return false, "", fmt.Errorf("act as %s: %w", p.Who, err)
	case apierrors.IsForbidden(err):
		return false, err.Error(), nil
	case apierrors.ReasonForError(err) == metav1.StatusReasonUnknown, apierrors.IsInternalError(err), apierrors.IsServiceUnavailable(err), apierrors.IsTooManyRequests(err):
		return false, "", err // no answer is no refusal
	}
	return true, err.Error(), nil
}
