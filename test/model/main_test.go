package model

import (
	"flag"
	"os"
	"testing"

	"github.com/go-logr/logr"
	ctrl "sigs.k8s.io/controller-runtime"
)

func TestMain(m *testing.M) {
	ctrl.SetLogger(logr.Discard())
	flag.Parse()
	_ = flag.Set("rapid.nofailfile", "true") // the seed that a failure prints is enough
	os.Exit(m.Run())
}
