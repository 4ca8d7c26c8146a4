package verify

import "slices"

// Cursor is where each ring goes on. The zero value is their beginning.
type Cursor [3]Mark

// Mark is a place in a ring: a block by whose it is and where, so that it holds while teams come and go.
type Mark struct {
	who, place string
	cell       int
}

// Round are the questions of one round.
type Round struct {
	// Asked are those of each ring.
	Asked [3][]Review
	// Next is where the next round goes on, Ended which rings were asked to their end.
	Next  Cursor
	Ended [3]bool
}

// All questions of the round, suspects first.
func (r Round) All() (all []Review) {
	for _, list := range r.Asked {
		all = append(all, list...)
	}
	return all
}

// Round takes at most so many questions, from where the last one ended. A ring that ends
// begins anew in the next round.
func (r *Reviews) Round(from Cursor, most int) (round Round) {
	for i, share := range r.shares(most) {
		round.Asked[i], round.Next[i], round.Ended[i] = r.take(i, from[i], share)
	}
	return round
}

// Rounds is how many of them it takes to ask everything once.
func (r *Reviews) Rounds(most int) (rounds int) {
	for i, share := range r.shares(most) {
		if size := r.sizes[i]; size > 0 {
			rounds = max(rounds, (size+share-1)/share)
		}
	}
	return rounds
}

// leastRound leaves a question to each ring.
const leastRound = 4

// shares are how many of each ring a round asks: suspects up to a half, and all that is
// dangerous where that leaves a half of what remains to the rest.
func (r *Reviews) shares(most int) [3]int {
	most = max(most, leastRound)
	suspects := min(r.sizes[0], most/2)
	left := most - suspects
	dangerous := min(r.sizes[1], left-min(r.sizes[2], left/2))
	return [3]int{suspects, dangerous, min(r.sizes[2], left-dangerous)}
}

// take takes so many questions of a ring from a mark on.
func (r *Reviews) take(ring int, from Mark, n int) (list []Review, next Mark, ended bool) {
	for b := range r.from(from) {
		part, begin := r.part(ring, b), 0
		if b.who == from.who && b.place == from.place {
			begin = min(from.cell, len(part))
		}
		for i, c := range part[begin:] {
			if len(list) == n {
				return list, Mark{b.who, b.place, begin + i}, false
			}
			list = append(list, Review{b.name, b.Identity, b.place, c.Request, c.allowed})
		}
	}
	return list, Mark{}, true
}

// part are the cells of a block that are of a ring.
func (r *Reviews) part(ring int, b *block) []cell {
	suspect := len(b.strays) > 0
	switch {
	case suspect != (ring == 0):
		return nil
	case suspect:
		c := r.rights.cells(b)
		return slices.Concat(c.first, c.rest)
	case ring == 1:
		return r.rights.cells(b).first
	default:
		return r.rights.cells(b).rest
	}
}
