// Package redis serves an in-memory Redis on loopback, enough for Argo CD's cache.
package redis

import (
	"context"
	"fmt"
	"time"

	"github.com/alicebob/miniredis/v2"
)

// Serve listens until ctx ends. Keys expire only when time is moved forward, so it is, each second.
func Serve(ctx context.Context, addr, password string) error {
	server := miniredis.NewMiniRedis()
	if password != "" {
		server.RequireAuth(password)
	}
	if err := server.StartAddr(addr); err != nil {
		return fmt.Errorf("listen on %s: %w", addr, err)
	}
	defer server.Close()
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
			server.FastForward(time.Second)
		}
	}
}
