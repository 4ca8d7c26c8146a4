package readiness

import (
	"fmt"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// sourced is the workload of a claim with a source: every tracked workload is at
// its observed generation and available, and there is at least one.
func (c Claim) sourced(delivery metav1.Condition) metav1.Condition {
	if delivery.Status != metav1.ConditionTrue {
		return no(WorkloadReady, "WaitingForDelivery", "the source has not been delivered yet")
	}
	if len(c.Application.Status.Resources) == 0 {
		return no(WorkloadReady, "NothingDelivered", "the source was delivered and holds no object")
	}
	for _, w := range c.Workloads {
		if cond := w.trouble(); cond != nil {
			return *cond
		}
	}
	if found := health(c.Application.Status.Health.Status, c.Application.Status.Health.Message, "the workloads run; Argo CD waits for the rest to become healthy"); found != nil {
		return *found
	}
	if len(c.Workloads) == 0 {
		return yes(WorkloadReady, "Running", "all of the source is there; nothing of it runs all the time")
	}
	var names []string
	for _, w := range c.Workloads {
		names = append(names, strings.ToLower(w.Kind)+"/"+w.Name)
	}
	return yes(WorkloadReady, "Running", "all of the source runs: "+strings.Join(names, ", "))
}

func (w Workload) trouble() *metav1.Condition {
	name := strings.ToLower(w.Kind) + "/" + w.Name
	switch {
	case w.Refused != "":
		return because(no(WorkloadReady, refusalReason(w.Refused), name+": "+w.Refused))
	case w.Trouble != nil:
		return because(no(WorkloadReady, w.Trouble.Reason, name+": "+w.Trouble.Message))
	case w.Missing:
		return because(no(WorkloadReady, "Progressing", name+" is tracked and not there yet"))
	case !w.Observed, w.Available < w.Asked:
		return because(no(WorkloadReady, "Progressing", fmt.Sprintf("waiting for %d of %s to be available", w.Asked, name)))
	default:
		return nil
	}
}
