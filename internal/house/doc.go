// Package house holds the rules of this house as tests: which package may import
// which, that every package says what it is for, that nothing sleeps, and that the
// documents' links lead somewhere. CONTRIBUTING.md tells them in words.
package house
