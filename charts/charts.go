// Package charts holds the charts that come with Demarc, so that the command line
// renders what Argo CD renders.
package charts

import (
	"embed"
	"io/fs"
)

//go:embed all:service demarc/crds
var files embed.FS

// CRDs are the definitions of Demarc's own kinds, a file for each.
func CRDs() fs.FS { return sub("demarc/crds") }

// Service is the paved road: the chart that every claim with an image is rendered through.
func Service() fs.FS { return sub("service") }

func sub(dir string) fs.FS {
	sub, err := fs.Sub(files, dir)
	if err != nil {
		panic(err) // only a name that is no path gets here
	}
	return sub
}
