package verify

// ring is a list of questions that is gone round, some of them each time.
type ring struct {
	parts []part
	size  int
}

// part are the cells of one block.
type part struct {
	block *block
	key   string
	cells []cell
}

func (r *ring) put(b *block, list []cell) {
	if len(list) > 0 {
		r.parts, r.size = append(r.parts, part{b, blockKey(b.Identity, b.place), list}), r.size+len(list)
	}
}

// Cursor is where each ring goes on. The zero value is their beginning.
type Cursor [3]Mark

// Mark is a place in a ring: a block by its name, so that it holds while teams come and go.
type Mark struct {
	block string
	cell  int
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
		round.Asked[i], round.Next[i], round.Ended[i] = r.rings[i].take(from[i], share)
	}
	return round
}

// Rounds is how many of them it takes to ask everything once.
func (r *Reviews) Rounds(most int) (rounds int) {
	for i, share := range r.shares(most) {
		if size := r.rings[i].size; size > 0 {
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
	suspects := min(r.rings[0].size, most/2)
	left := most - suspects
	dangerous := min(r.rings[1].size, left-min(r.rings[2].size, left/2))
	return [3]int{suspects, dangerous, min(r.rings[2].size, left-dangerous)}
}

func (r *ring) take(from Mark, n int) (list []Review, next Mark, ended bool) {
	for _, p := range r.parts {
		if p.key < from.block {
			continue
		}
		begin := 0
		if p.key == from.block {
			begin = min(from.cell, len(p.cells))
		}
		for i, c := range p.cells[begin:] {
			if len(list) == n {
				return list, Mark{p.key, begin + i}, false
			}
			list = append(list, Review{p.block.name, p.block.Identity, p.block.place, c.Request, c.allowed})
		}
	}
	return list, Mark{}, true
}
