package survey

import (
	"context"
	"fmt"
	"io"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	corev1client "k8s.io/client-go/kubernetes/typed/core/v1"
	"k8s.io/client-go/rest"
	"k8s.io/utils/ptr"

	"demarc.dev/demarc/internal/status"
)

// mostLog bounds what is read of a log, in bytes: lines may be long, and their end counts.
const mostLog = 256 << 10

// Log reads the last lines of one run of a container. What may not be read, or is gone, is
// said in it; an error is that it was broken off.
func Log(ctx context.Context, config *rest.Config, ref status.LogRef) (*status.Log, error) {
	out := &status.Log{LogRef: ref}
	client, err := corev1client.NewForConfig(config)
	if err != nil {
		return nil, err
	}
	stream, err := client.Pods(ref.Namespace).GetLogs(ref.Pod, &corev1.PodLogOptions{
		Container: ref.Container, Previous: ref.Previous, TailLines: ptr.To[int64](status.MostLines), LimitBytes: ptr.To[int64](mostLog),
	}).Stream(ctx)
	if err == nil {
		defer stream.Close()
		var text []byte
		text, err = io.ReadAll(io.LimitReader(stream, mostLog))
		out.Text = string(text)
	}
	switch {
	case err == nil:
	case ctx.Err() != nil:
		return nil, fmt.Errorf("read the log: %w", ctx.Err())
	case apierrors.IsForbidden(err):
		out.Why = "you may not get pods/log in " + ref.Namespace
	default:
		out.Why = "the log of container " + ref.Container + " of " + ref.Pod + " cannot be read: " + err.Error()
	}
	return out, nil
}
