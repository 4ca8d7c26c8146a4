package codeowners_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"demarc.dev/demarc/api/v1alpha1"
	"demarc.dev/demarc/internal/codeowners"
	"demarc.dev/demarc/internal/contract"
)

func domain(name string, approves v1alpha1.Party, paths ...string) v1alpha1.ContractDomain {
	d := v1alpha1.ContractDomain{Name: name, Approves: approves}
	for _, p := range paths {
		d.Paths = append(d.Paths, v1alpha1.ContractPath{Repository: "apps", Path: p})
	}
	return d
}

func tenant(name string, owners ...string) v1alpha1.Tenant {
	t := v1alpha1.Tenant{}
	t.Name, t.Spec.Contacts.CodeOwners = name, owners
	return t
}

func platform(owners ...string) *v1alpha1.Platform {
	p := &v1alpha1.Platform{}
	p.Name, p.Spec.Team.Contacts.CodeOwners = "default", owners
	return p
}

func TestText(t *testing.T) {
	ops, shop := platform("@x/platform"), tenant("shop", "@x/shop", "eve@x.example")
	cases := map[string]struct {
		domains []v1alpha1.ContractDomain
		parties contract.Parties
		want    string
	}{
		"the platform's": {[]v1alpha1.ContractDomain{domain("a", "platform", "/a/")}, contract.Parties{Platform: ops}, "# a\n/a/ @x/platform\n"},
		"each team's": {[]v1alpha1.ContractDomain{domain("a", "team", "/{team}/")}, contract.Parties{Platform: ops, Tenants: []v1alpha1.Tenant{tenant("books", "@x/books"), shop}},
			"# a\n/books/ @x/books\n\n# a\n/shop/ @x/shop eve@x.example\n"},
		"all teams'":       {[]v1alpha1.ContractDomain{domain("a", "team", "/a/")}, contract.Parties{Tenants: []v1alpha1.Tenant{tenant("books", "@x/books"), shop}}, "# a\n/a/ @x/books @x/shop eve@x.example\n"},
		"shared":           {[]v1alpha1.ContractDomain{domain("a", "shared", "/{team}/a/")}, contract.Parties{Platform: ops, Tenants: []v1alpha1.Tenant{shop}}, "# a\n/shop/a/ @x/platform @x/shop eve@x.example\n"},
		"two at one place": {[]v1alpha1.ContractDomain{domain("a", "platform", "/a/"), domain("b", "platform", "/a/")}, contract.Parties{Platform: ops}, "# a, b\n/a/ @x/platform\n"},
		"narrow after wide": {[]v1alpha1.ContractDomain{domain("a", "platform", "/a/b/c/", "/a/b/", "/a/*/", "/a/")}, contract.Parties{Platform: ops},
			"# a\n/a/ @x/platform\n\n# a\n/a/*/ @x/platform\n\n# a\n/a/b/ @x/platform\n\n# a\n/a/b/c/ @x/platform\n"},
		"nobody":             {[]v1alpha1.ContractDomain{domain("a", "nobody", "/a/")}, contract.Parties{Platform: ops}, "# a\n# nobody approves this, says the contract\n# /a/ has no owner of its own\n"},
		"nobody behind it":   {[]v1alpha1.ContractDomain{domain("a", "team", "/{team}/")}, contract.Parties{Tenants: []v1alpha1.Tenant{tenant("shop")}}, "# a\n# Tenant shop approves this, and its spec.contacts.codeOwners names nobody\n# /shop/ has no owner of its own\n"},
		"no Platform":        {[]v1alpha1.ContractDomain{domain("a", "platform", "/a/")}, contract.Parties{}, "# a\n# the platform approves this, and no Platform is known that names its people\n# /a/ has no owner of its own\n"},
		"no Tenant":          {[]v1alpha1.ContractDomain{domain("a", "team", "/{team}/", "/a/")}, contract.Parties{}, "# a\n# the teams approve this, and no Tenant is known\n# /a/ has no owner of its own\n\n# a\n# no Tenant is known, so there is no line for a team\n# /{team}/ has no owner of its own\n"},
		"no handle":          {[]v1alpha1.ContractDomain{domain("a", "platform", "/a/")}, contract.Parties{Platform: platform("x\n/ @eve", "@x/y")}, "# a\n# spec.team.contacts.codeOwners of Platform default holds \"x\\n/ @eve\", which is no handle and no e-mail address\n/a/ @x/y\n"},
		"no path":            {[]v1alpha1.ContractDomain{domain("a", "platform", "/a\n* @eve")}, contract.Parties{Platform: ops}, "# a\n# the path holds a blank or a control character, which ends a path in CODEOWNERS\n# /a * @eve has no owner of its own\n"},
		"no name of a team":  {[]v1alpha1.ContractDomain{domain("a", "team", "/{team}/")}, contract.Parties{Tenants: []v1alpha1.Tenant{tenant("* @eve\n", "@x/y")}}, "# a\n# no Tenant is known, so there is no line for a team\n# /{team}/ has no owner of its own\n"},
		"somewhere else":     {[]v1alpha1.ContractDomain{{Name: "a", Paths: []v1alpha1.ContractPath{{Repository: "other", Path: "/a/"}}}}, contract.Parties{}, ""},
		"owners only doubly": {[]v1alpha1.ContractDomain{domain("a", "shared", "/a/")}, contract.Parties{Platform: ops, Tenants: []v1alpha1.Tenant{tenant("shop", "@x/platform")}}, "# a\n/a/ @x/platform\n"},
	}
	const top = "# Who approves changes in the repository apps. The last line that matches a path counts.\n"
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			files := codeowners.Files(contract.New(v1alpha1.OwnershipContractSpec{
				Repositories: []v1alpha1.ContractRepository{{Name: "apps"}}, Domains: c.domains}), c.parties)
			if len(files) != 1 {
				t.Fatalf("it makes %d files", len(files))
			}
			want := top
			if c.want != "" {
				want += "\n" + c.want
			}
			if diff := cmp.Diff(want, files[0].Text()); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
}

// Whatever the contract and the parties hold, no line lacks an owner: such a line would
// take the owners away that a wider one gives.
func TestNoLineWithoutOwners(t *testing.T) {
	var parties contract.Parties
	for _, name := range []string{"a", "b\n/x/", "c d"} {
		parties.Tenants = append(parties.Tenants, tenant(name), tenant(name+"2", "@x/y", "\n/"))
	}
	for _, f := range codeowners.Files(contract.Default(), parties) {
		for line := range strings.Lines(f.Text()) {
			line = strings.TrimSpace(line)
			if words := strings.Fields(line); line != "" && !strings.HasPrefix(line, "#") && (len(words) < 2 || !strings.Contains(words[1], "@")) {
				t.Errorf("%s: the line %q", f.Repository, line)
			}
		}
	}
}
