package poll

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"
)

func TestUntilSaysWhatWasLastInTheWay(t *testing.T) {
	asked := 0
	err := Until(t.Context(), time.Millisecond, time.Minute, "three", func(context.Context) (bool, error) {
		asked++
		return asked == 3, errors.New("not yet")
	})
	if err != nil || asked != 3 {
		t.Errorf("asked %d times: %v", asked, err)
	}
	err = Until(t.Context(), time.Millisecond, 20*time.Millisecond, "the moon", func(context.Context) (bool, error) {
		return false, errors.New("it is cloudy")
	})
	if !errors.Is(err, context.DeadlineExceeded) || !strings.Contains(err.Error(), "the moon") || !strings.Contains(err.Error(), "it is cloudy") {
		t.Errorf("got %v", err)
	}
}
