package initclaim

import (
	"fmt"
	"path"
	"strconv"
	"strings"

	"k8s.io/apimachinery/pkg/util/intstr"

	"demarc.dev/demarc/api/v1alpha1"
)

// kinds of workload, the usual one first.
var kinds = []string{
	string(v1alpha1.KindService), string(v1alpha1.KindWorker), string(v1alpha1.KindJob), string(v1alpha1.KindCronJob), string(v1alpha1.KindStateful),
}

// platformHost is the answer that leaves the host to the platform.
const platformHost = "platform"

// Answers are what a claim is written from.
type Answers struct {
	Name, Team, Image, Kind string
	Port, Replicas          int32
	// Autoscale is MIN-MAX; Host is empty for a service that is not exposed.
	Autoscale, Host string
	TLS             bool
	Schedule        string
	// Volumes are PATH=SIZE, Env NAME=VALUE, SecretEnv NAME=SECRET/KEY.
	Volumes, Env, SecretEnv []string
}

// runsOn says that replicas are kept running.
func (a Answers) runsOn() bool {
	return a.Kind != string(v1alpha1.KindJob) && a.Kind != string(v1alpha1.KindCronJob)
}

// Claim is what the answers come to. The error names the answer that cannot be read;
// whether the claim is valid the rules of its kind say.
func (a Answers) Claim() (*v1alpha1.ServiceClaim, error) {
	c := &v1alpha1.ServiceClaim{}
	c.APIVersion, c.Kind, c.Name = v1alpha1.SchemeGroupVersion.String(), "ServiceClaim", a.Name
	c.Spec.Team, c.Spec.Image = a.Team, a.Image
	if a.Kind != kinds[0] {
		c.Spec.Kind = v1alpha1.ClaimKind(a.Kind)
	}
	if a.Port != 0 {
		c.Spec.Port = &a.Port
	}
	if a.Host != "" {
		c.Spec.Expose = &v1alpha1.ClaimExpose{}
		if a.Host != platformHost {
			c.Spec.Expose.Host = v1alpha1.ClaimHost(a.Host)
		}
		if a.TLS {
			c.Spec.Expose.TLS = &v1alpha1.ClaimTLS{}
		}
	}
	if a.Schedule != "" {
		c.Spec.Job = &v1alpha1.ClaimJob{Schedule: a.Schedule}
	}
	for _, add := range []func(*v1alpha1.ServiceClaimSpec) error{a.scale, a.volumes, a.env} {
		if err := add(&c.Spec); err != nil {
			return nil, err
		}
	}
	return c, nil
}

func (a Answers) scale(spec *v1alpha1.ServiceClaimSpec) error {
	if a.Autoscale == "" {
		if a.runsOn() {
			spec.Replicas = &a.Replicas
		}
		return nil
	}
	low, high, ok := strings.Cut(a.Autoscale, "-")
	least, errLow := strconv.ParseInt(strings.TrimSpace(low), 10, 32)
	most, errHigh := strconv.ParseInt(strings.TrimSpace(high), 10, 32)
	if !ok || errLow != nil || errHigh != nil {
		return fmt.Errorf("--autoscale %q is no pair of numbers such as 2-6", a.Autoscale)
	}
	lowest := int32(least)
	spec.Autoscaling = &v1alpha1.ClaimAutoscaling{Min: &lowest, Max: int32(most)}
	return nil
}

// volumes are named after the last part of their paths.
func (a Answers) volumes(spec *v1alpha1.ServiceClaimSpec) error {
	for _, v := range a.Volumes {
		at, size, ok := strings.Cut(v, "=")
		if !ok || size == "" {
			return fmt.Errorf("--volume %q is not PATH=SIZE, such as /var/lib/data=10Gi", v)
		}
		amount := intstr.Parse(size)
		name := strings.Trim(strings.Map(func(r rune) rune {
			if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' {
				return r
			}
			return '-'
		}, strings.ToLower(path.Base(at))), "-")
		spec.Volumes = append(spec.Volumes, v1alpha1.ClaimVolume{Name: name, Path: at, Size: &amount})
	}
	return nil
}

func (a Answers) env(spec *v1alpha1.ServiceClaimSpec) error {
	for _, e := range a.Env {
		name, value, ok := strings.Cut(e, "=")
		if !ok {
			return fmt.Errorf("--env %q is not NAME=VALUE", e)
		}
		spec.Env = append(spec.Env, v1alpha1.ClaimEnv{Name: name, Value: value})
	}
	for _, e := range a.SecretEnv {
		name, from, _ := strings.Cut(e, "=")
		secret, key, ok := strings.Cut(from, "/")
		if !ok {
			return fmt.Errorf("--secret-env %q is not NAME=SECRET/KEY", e)
		}
		spec.Env = append(spec.Env, v1alpha1.ClaimEnv{Name: name, ValueFrom: &v1alpha1.ClaimEnvSource{SecretKeyRef: &v1alpha1.ClaimKeyRef{Name: secret, Key: key}}})
	}
	return nil
}
