package review

import (
	"fmt"
	"maps"
	"slices"

	"demarc.dev/demarc/internal/readiness"
	"demarc.dev/demarc/internal/verify"
)

const (
	// mostAsked bounds a round: at perSecond it lasts under two minutes of an hour, and a
	// cluster of two teams is asked whole in three or four rounds. What is more likely to
	// be wrong is asked first, so a larger bound would find the same a little sooner and
	// cost the API server more.
	mostAsked = 5000
	// mostKnown bounds what is remembered, and asked again in each round, of what differs:
	// beyond it the whole cluster does.
	mostKnown = 1000
	// mostNamed are named in the condition.
	mostNamed = 5
)

// answer to one question; Said is why, in the API server's words.
type answer struct {
	verify.Review
	let  bool
	said string
}

func (a answer) differs() bool { return a.let != a.Allowed }

// tally keeps what was answered over rounds.
type tally struct {
	// version of the contract that is asked for.
	version string
	cursor  verify.Cursor
	// lapped are the rings that this pass has gone round, asked the questions of it.
	lapped [3]bool
	asked  int
	// whole is what was asked in the last whole pass, and of how many; nil until there was one.
	whole *pass
	// known are the cells that differ, by their key.
	known map[string]answer
	// found is that some did since the start.
	found bool
}

type pass struct{ asked, cells int }

// of begins anew where it is another contract. What differs is asked again all the same.
func (t *tally) of(version string) {
	if t.version != version {
		*t = tally{version: version, known: t.known}
	}
}

// next are the questions of a round: what is known to differ, and some more.
func (t *tally) next(all *verify.Reviews) (verify.Round, []verify.Review) {
	var again []verify.Review
	for _, key := range slices.Sorted(maps.Keys(t.known)) {
		now, still := all.Again(t.known[key].Review)
		if !still {
			delete(t.known, key)
			continue
		}
		again = append(again, now)
	}
	round := all.Round(t.cursor, mostAsked-len(again))
	for _, q := range round.All() {
		if _, known := t.known[q.Key()]; !known {
			again = append(again, q)
		}
	}
	return round, again
}

// took counts the answers of a round, and returns those that are to be asked again before
// they count.
func (t *tally) took(round verify.Round, answers []answer) (doubts []verify.Review) {
	for _, a := range answers {
		_, known := t.known[a.Key()]
		switch {
		case !a.differs():
			delete(t.known, a.Key())
		case known:
			t.known[a.Key()] = a
		case len(doubts) < mostKnown:
			doubts = append(doubts, a.Review)
		}
	}
	for i, list := range round.Asked {
		if !t.lapped[i] {
			t.asked, t.lapped[i] = t.asked+len(list), round.Ended[i]
		}
	}
	t.cursor = round.Next
	return doubts
}

// confirm takes what was asked again: what still differs does.
func (t *tally) confirm(answers []answer) {
	for _, a := range answers {
		if a.differs() && len(t.known) < mostKnown {
			if t.known == nil {
				t.known = map[string]answer{}
			}
			t.known[a.Key()], t.found = a, true
		}
	}
}

// end closes the pass where everything was asked in it; cells is how much that is now.
func (t *tally) end(cells int) (ended bool) {
	if t.lapped != [3]bool{true, true, true} {
		return false
	}
	t.whole = &pass{t.asked, cells}
	t.lapped, t.asked, t.cursor = [3]bool{}, 0, verify.Cursor{}
	return true
}

// reviewed is what all this comes to.
func (t *tally) reviewed(cells int) readiness.Reviewed {
	r := readiness.Reviewed{Asked: t.asked, Cells: cells, Whole: t.whole != nil, Mended: t.found && len(t.known) == 0}
	if t.whole != nil {
		r.Asked, r.Cells = t.whole.asked, t.whole.cells
	}
	said := ""
	for _, key := range slices.Sorted(maps.Keys(t.known)) {
		a := t.known[key]
		if a.let {
			r.More++
		} else {
			r.Less++
		}
		if len(r.Differ) < mostNamed {
			what := a.String()
			if a.said != "" && a.said != said {
				what, said = fmt.Sprintf("%s (%s)", what, short(a.said)), a.said
			}
			r.Differ = append(r.Differ, what)
		}
	}
	return r
}

// short keeps the API server's words to a line of a terminal or two.
func short(s string) string {
	const most = 160
	if r := []rune(s); len(r) > most {
		return string(r[:most]) + "…"
	}
	return s
}
