package snapshot

import (
	"bufio"
	"bytes"
	"errors"
	"io"
)

// source hands out a text line by line, cut into documents at its "---" lines. Logs that
// kubectl cluster-info dump prints between its documents are left out.
type source struct {
	in *bufio.Reader
	// line is the number of the line that was begun last, from 1.
	line int
	// begins says that what comes next begins a line, and ended that the document has.
	begins, ended, log bool
	// rest is what stands on a "---" line behind it.
	rest []byte
	err  error
}

func newSource(in io.Reader) *source {
	s := &source{in: bufio.NewReaderSize(in, 64<<10), begins: true, ended: true}
	if mark, err := s.in.Peek(3); err == nil && bytes.Equal(mark, []byte("\ufeff")) {
		_, _ = s.in.Discard(3)
	}
	return s
}

// nextDocument goes to the next document; what is left of this one is passed over.
func (s *source) nextDocument() error {
	for !s.ended {
		if _, _, err := s.next(); err != nil && !errors.Is(err, io.EOF) {
			return err
		}
	}
	if s.err != nil {
		return s.err
	}
	s.ended = false
	return nil
}

var (
	divider  = []byte("---")
	logStart = []byte("==== START logs for container ")
	logEnd   = []byte("==== END logs for container ")
)

// next is a line, or a part of a long one, good until the next call; begins says whether it
// is the beginning of one. io.EOF is that the document has ended.
func (s *source) next() (part []byte, begins bool, err error) {
	for {
		if s.ended {
			return nil, false, io.EOF
		}
		if s.rest != nil {
			part, s.rest = s.rest, nil
			return part, true, nil
		}
		if part, begins, err = s.part(); err != nil {
			s.ended, s.err = true, err
			return nil, false, err
		}
		switch {
		case begins && s.passes(part), s.log:
		case begins && isDivider(part):
			s.ended = true
			if behind := part[len(divider):]; len(bytes.TrimSpace(behind)) > 0 {
				s.rest = append([]byte("   "), behind...)
			}
			return nil, false, io.EOF
		default:
			return part, begins, nil
		}
	}
}

// part is a line of the text, or as much of it as the buffer holds.
func (s *source) part() (part []byte, begins bool, err error) {
	part, err = s.in.ReadSlice('\n')
	switch {
	case err == nil, errors.Is(err, bufio.ErrBufferFull), errors.Is(err, io.EOF) && len(part) > 0:
	default:
		return nil, false, err
	}
	begins = s.begins
	if begins {
		s.line++
	}
	s.begins = part[len(part)-1] == '\n'
	return part, begins, nil
}

// passes says that a line is one around a log.
func (s *source) passes(line []byte) bool {
	switch {
	case !s.log && bytes.HasPrefix(line, logStart):
		s.log = true
	case s.log && bytes.HasPrefix(line, logEnd):
		s.log = false
	default:
		return false
	}
	return true
}

func isDivider(line []byte) bool {
	behind, ok := bytes.CutPrefix(line, divider)
	return ok && (len(bytes.TrimSpace(behind)) == 0 || behind[0] == ' ' || behind[0] == '\t')
}

// sniff is the first part of a document that holds something; what it passes over are blanks
// and comments. io.EOF is that there is nothing in it.
func (s *source) sniff() ([]byte, error) {
	comment := false
	for {
		part, begins, err := s.next()
		if err != nil {
			return nil, err
		}
		text := bytes.TrimSpace(part)
		switch {
		case begins:
			comment = bytes.HasPrefix(text, []byte("#"))
		case comment:
			continue
		}
		if len(text) > 0 && !comment {
			return bytes.Clone(part), nil
		}
	}
}
