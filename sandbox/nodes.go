package sandbox

import (
	"context"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	corev1ac "k8s.io/client-go/applyconfigurations/core/v1"
	"k8s.io/client-go/kubernetes"
)

// ensureNodes makes the simulated nodes and waits until they are ready.
func (s *Sandbox) ensureNodes(ctx context.Context) error {
	config, err := s.RESTConfig()
	if err != nil {
		return err
	}
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		return err
	}
	version, err := client.Discovery().ServerVersion()
	if err != nil {
		return fmt.Errorf("ask the API server for its version: %w", err)
	}
	for i := range s.settings.Nodes {
		if err := applyNode(ctx, client, i+1, version.GitVersion); err != nil {
			return fmt.Errorf("make node %d: %w", i+1, err)
		}
	}
	return awaitNodes(ctx, client, s.settings.Nodes)
}

func applyNode(ctx context.Context, client kubernetes.Interface, n int, version string) error {
	name := fmt.Sprintf("node-%d", n)
	node := corev1ac.Node(name).WithLabels(map[string]string{
		"kubernetes.io/hostname":           name,
		"kubernetes.io/arch":               "amd64",
		"kubernetes.io/os":                 "linux",
		"topology.kubernetes.io/region":    "sandbox",
		"topology.kubernetes.io/zone":      fmt.Sprintf("zone-%c", 'a'+(n-1)%3),
		"node.kubernetes.io/instance-type": "simulated",
	})
	options := metav1.ApplyOptions{FieldManager: "demarc-sandbox", Force: true}
	if _, err := client.CoreV1().Nodes().Apply(ctx, node, options); err != nil {
		return err
	}
	size := corev1.ResourceList{
		corev1.ResourceCPU:              resource.MustParse("8"),
		corev1.ResourceMemory:           resource.MustParse("32Gi"),
		corev1.ResourceEphemeralStorage: resource.MustParse("100Gi"),
		corev1.ResourcePods:             resource.MustParse("110"),
	}
	status := corev1ac.Node(name).WithStatus(corev1ac.NodeStatus().WithCapacity(size).WithAllocatable(size).
		WithNodeInfo(nodeInfo(version)).WithAddresses(
		corev1ac.NodeAddress().WithType(corev1.NodeInternalIP).WithAddress(fmt.Sprintf("10.10.%d.%d", n/250, n%250+1)),
		corev1ac.NodeAddress().WithType(corev1.NodeHostName).WithAddress(name),
	))
	_, err := client.CoreV1().Nodes().ApplyStatus(ctx, status, options)
	return err
}

// nodeInfo gives every field that the API requires; a node is as new as its API server.
func nodeInfo(version string) *corev1ac.NodeSystemInfoApplyConfiguration {
	return corev1ac.NodeSystemInfo().WithArchitecture("amd64").WithOperatingSystem("linux").WithOSImage("simulated").
		WithKernelVersion("simulated").WithContainerRuntimeVersion("kwok://simulated").WithKubeletVersion(version).
		WithKubeProxyVersion("").WithBootID("").WithMachineID("").WithSystemUUID("")
}

func awaitNodes(ctx context.Context, client kubernetes.Interface, want int) error {
	for {
		nodes, err := client.CoreV1().Nodes().List(ctx, metav1.ListOptions{})
		ready := 0
		if err == nil {
			if ready = countReady(nodes.Items); ready >= want {
				return nil
			}
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("%d of %d nodes are ready (see logs/kwok.log): %w", ready, want, ctx.Err())
		case <-time.After(50 * time.Millisecond):
		}
	}
}

// countReady counts the nodes that take pods: ready, and free of the taint that new nodes carry.
func countReady(nodes []corev1.Node) int {
	n := 0
	for _, node := range nodes {
		for _, c := range node.Status.Conditions {
			if c.Type == corev1.NodeReady && c.Status == corev1.ConditionTrue && len(node.Spec.Taints) == 0 {
				n++
			}
		}
	}
	return n
}
