// Package exit sorts how a command may end: its exit code, and the words for it.
package exit

import (
	"context"
	"errors"
	"fmt"
)

// Codes of the process.
const (
	// Done: it is done, or nothing was found.
	Done = 0
	// No: something was found, does not exist, or was refused.
	No = 1
	// Unknown: it could not tell. Wrong usage, no cluster, no right to look.
	Unknown = 2
)

// ErrFound ends a command that found something and has printed it.
var ErrFound = errors.New("something was found")

// Error is an end with a code, what happened, and the safe next step.
type Error struct {
	Code int
	// What happened, and where.
	What string
	// Next is what to do; it may be empty.
	Next string
	// Err that was the cause; it may be nil.
	Err error
}

func (e *Error) Unwrap() error { return e.Err }

func (e *Error) Error() string {
	if e.Next == "" {
		return e.What
	}
	return e.What + "\nNext: " + e.Next
}

// Refused ends with 1: the answer is no.
func Refused(what, next string) error { return &Error{Code: No, What: what, Next: next} }

// Failed ends with 2: it could not tell, or not do.
func Failed(what, next string) error { return &Error{Code: Unknown, What: what, Next: next} }

// Usage ends with 2: the command line is wrong.
func Usage(command string, err error) error {
	return Failed(err.Error(), command+" --help")
}

// Add tells more of what happened.
func Add(err error, format string, args ...any) error {
	var e *Error
	if !errors.As(err, &e) {
		return err
	}
	more := *e
	more.What += "\n" + fmt.Sprintf(format, args...)
	return &more
}

// Code is the exit code for an error.
func Code(err error) int {
	var e *Error
	switch {
	case err == nil:
		return Done
	case errors.Is(err, ErrFound):
		return No
	case errors.As(err, &e):
		return e.Code
	default:
		return Unknown
	}
}

// Text is what is to be printed of an error; empty where all was printed already.
func Text(err error) string {
	switch {
	case err == nil, errors.Is(err, ErrFound):
		return ""
	case errors.Is(err, context.Canceled):
		return "interrupted"
	default:
		return err.Error()
	}
}
