package status

import (
	"context"

	"demarc.dev/demarc/internal/cli/document"
	"demarc.dev/demarc/internal/cli/exit"
	"demarc.dev/demarc/internal/prometheus"
	"demarc.dev/demarc/internal/snapshot"
	"demarc.dev/demarc/internal/status"
	"demarc.dev/demarc/internal/survey"
)

func run(ctx context.Context, o *Options) error {
	if o.Watch {
		return watch(ctx, o)
	}
	a, err := o.answer(ctx)
	if err != nil {
		return err
	}
	if err := o.print(a); err != nil {
		return err
	}
	switch a.Overall.Level {
	case status.OK:
		return nil
	case status.Unknown:
		return exit.Failed("how "+a.Service+" is could not be told: the answers say why", "")
	case status.Bad, status.Wait:
	}
	return exit.ErrFound
}

func (o *Options) print(a status.Answer) error {
	if o.Output != "text" {
		return document.Write(o.IO.Out, o.Output, a)
	}
	return screen(o, a)
}

// answer reads the cluster and answers.
func (o *Options) answer(ctx context.Context) (status.Answer, error) {
	cluster, err := o.cluster()
	if err != nil {
		return status.Answer{}, err
	}
	q := o.Question
	q.Now = o.Clock.Now()
	set, err := cluster.Status(ctx, q, q.Now)
	if err != nil {
		return status.Answer{}, exit.Unreadable(err, "read the service")
	}
	config, err := o.Config()
	if err != nil {
		return status.Answer{}, err
	}
	if ref, ok := status.LogOf(set, q); ok {
		if q.Log, err = survey.Log(ctx, config, ref); err != nil {
			return status.Answer{}, exit.Unreadable(err, "read the log")
		}
	}
	if query, why := status.QueryOf(set, q); why == "" {
		if q.Throttle, err = prometheus.Throttled(ctx, config, query, q.Now); err != nil {
			return status.Answer{}, exit.Unreadable(err, "ask Prometheus")
		}
	}
	a, ok := status.Of(set, q)
	if !ok {
		return a, o.absent(set)
	}
	return a, nil
}

func (o *Options) cluster() (survey.Cluster, error) {
	c, err := o.Client()
	if err != nil {
		return survey.Cluster{}, err
	}
	d, err := o.Discovery()
	return survey.Cluster{Client: c, Discovery: d}, err
}

// absent says that there is no such service, or that it could not be seen whether there is.
func (o *Options) absent(set *snapshot.Set) error {
	if o.Question.Claim != "" {
		kind := status.ClaimKind
		name := o.Question.Claim
		if u, missed := set.Missed(kind, "", name); missed {
			return unreadable("read claim "+name, u)
		}
		if !set.Serves(kind) {
			return exit.Failed("the cluster does not know claims", "see whether Demarc is installed there: kubectl get crd serviceclaims.demarc.dev")
		}
		return exit.Refused("there is no claim "+name, o.Program+" get shows yours; with -n NAMESPACE a workload is meant")
	}
	for _, kind := range status.WorkloadKinds {
		if o.Question.Kind != "" && o.Question.Kind != kind.Kind {
			continue
		}
		if u, missed := status.Missed(set, kind, o.Namespace); missed {
			return unreadable("read what runs in "+o.Namespace, u)
		}
	}
	return exit.Refused("there is no "+o.Arg+" that makes pods in "+o.Namespace, "kubectl get deployments,statefulsets,daemonsets,cronjobs,jobs -n "+o.Namespace)
}

func unreadable(doing string, u snapshot.Unread) error {
	if u.Why != "" {
		return exit.Failed("cannot "+doing+": "+u.Why, "see whether the cluster can be reached: kubectl version")
	}
	return exit.Failed("cannot "+doing+": you may not "+u.String(), "ask who may give you that right; kubectl auth whoami says who you are")
}
