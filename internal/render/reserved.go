package render

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"demarc.dev/demarc/api/v1alpha1"
	"demarc.dev/demarc/internal/contract"
)

// passed stands for an entry that is about the object and lets it through; refuses tells
// a refusal from that, and from nothing.
const passed, refuses = "' '", "size(s) > 1"

// first is the first of many strings that is wanted, or an empty one.
func first(list []string, wanted string) string {
	return "([" + strings.Join(list, ",\n") + "].filter(s, " + wanted + ") + [''])[0]"
}

// found is for one kind why a request is refused, or nothing: on account of the fields
// that it changes, else of the closest entry about the object, else of the kind. A list,
// as CEL nests no deeper than 250. It is empty where nothing can be.
func (b *boundary) found(r contract.Row, sub string, given bool) string {
	var fields, entries []string
	for _, s := range closest(r.Shares) {
		if s.Label == v1alpha1.LabelOwner || strings.HasPrefix(s.Label, v1alpha1.LabelOwner+"=") {
			continue // what Demarc keeps: see Boundary
		}
		if len(s.Fields) > 0 {
			if on := operations(s.Reserved, sub); on != "" {
				fields = append(fields, when(part(s)+" && "+on, b.because(s.Domain, s.Instead)))
			}
		} else if !given && (sub == "" || s.Label == "") { // a subresource is another object, without the labels
			entries = append(entries, when(part(s), b.verdict(s, sub)))
		}
	}
	if on := operations(r.Reserved, sub); on != "" && !given {
		entries = append(entries, when(on, b.because(r.Domain, r.Instead)))
	}
	all := slices.Concat(fields, entries)
	if len(all) == 0 {
		return ""
	}
	return first(all, "s != ''")
}

// verdict on an object that an entry is about.
func (b *boundary) verdict(s contract.Share, sub string) string {
	on := operations(s.Reserved, sub)
	if on == "" {
		return passed
	}
	return fmt.Sprintf("(%s ? %s : %s)", on, b.because(s.Domain, s.Instead), passed)
}

func when(condition, then string) string { return condition + " ? " + then + " : ''" }

// closest puts the entries that are about fewest objects first, as Contract.Of does.
func closest(shares []contract.Share) []contract.Share {
	points := func(s contract.Share) (p int) {
		if s.Name != "" {
			p += 2
		}
		if s.Label != "" {
			p++
		}
		return p
	}
	return slices.SortedStableFunc(slices.Values(shares), func(a, b contract.Share) int { return points(b) - points(a) })
}

// operations are those of a request that are reserved; by a subresource an object is
// changed, and by an eviction deleted.
func operations(w contract.Writes, sub string) string {
	if sub != "" {
		if sub == "eviction" && w.Delete || sub != "eviction" && w.Modify {
			return "true"
		}
		return ""
	}
	var on []string
	for _, o := range []struct {
		is   bool
		name string
	}{{w.Create, "CREATE"}, {w.Modify, "UPDATE"}, {w.Delete, "DELETE"}} {
		if o.is {
			on = append(on, o.name)
		}
	}
	if len(on) == 0 {
		return ""
	}
	return "request.operation in " + list(on)
}

// part is when an object, or what changes of it, belongs to a share. Who takes a label or
// a field off is asked as well as who puts it on. What the API server fills in itself where
// nobody says it is guarded from the first change on.
func part(s contract.Share) string {
	var all []string
	if s.Name != "" {
		all = append(all, "request.name == "+text(s.Name))
	}
	if s.Label != "" {
		key, value, exact := strings.Cut(s.Label, "=")
		var sides []string
		for _, side := range []string{"before", "after"} {
			label := fmt.Sprintf("variables.%s != null && variables.%s.metadata.?labels[?%s]", side, side, text(key))
			if exact {
				sides = append(sides, label+".orValue('') == "+text(value))
			} else {
				sides = append(sides, label+".hasValue()")
			}
		}
		all = append(all, "("+strings.Join(sides, " || ")+")")
	}
	var fields []string
	for _, f := range s.Fields {
		path := ".?" + strings.Join(strings.Split(f, "."), ".?")
		made := fmt.Sprintf("variables.after%s.hasValue()", path)
		if contract.Defaulted(f) {
			made = "false"
		}
		fields = append(fields, fmt.Sprintf("(variables.after != null && (variables.before == null ? %[2]s : variables.after%[1]s.orValue(null) != variables.before%[1]s.orValue(null)))", path, made))
	}
	if len(fields) > 0 {
		all = append(all, "("+strings.Join(fields, " || ")+")")
	}
	return strings.Join(all, " && ")
}

// because is the end of a refusal.
func (b *boundary) because(domain *v1alpha1.ContractDomain, instead string) string {
	switch {
	case instead != "":
	case b.channel != "":
		instead = "ask them in " + b.channel
	default:
		instead = "have it changed by them"
	}
	return text("domain " + domain.Name + " of the ownership contract): " + instead)
}

func list(words []string) string {
	quoted := make([]string, 0, len(words))
	for _, w := range words {
		quoted = append(quoted, text(w))
	}
	return "[" + strings.Join(quoted, ", ") + "]"
}

// text is a string in CEL; whatever is in it stays text.
func text(s string) string { return strconv.QuoteToASCII(s) }
