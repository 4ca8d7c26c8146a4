package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"demarc.dev/demarc/internal/check"
	"demarc.dev/demarc/internal/finding"
	"demarc.dev/demarc/internal/guardrail/compile"
)

// pair is one rule on one object.
type pair struct{ rule, object string }

// refusals are the messages of what is refused.
type refusals map[pair]string

// readDemarc reads what demarc check prints as JSON.
func readDemarc(output []byte) (refusals, error) {
	var answer check.Answer
	if err := json.Unmarshal(output, &answer); err != nil {
		return nil, fmt.Errorf("read what %s says: %w", nameDemarc, err)
	}
	if len(answer.Unjudged) > 0 || answer.Elsewhere > 0 {
		return nil, fmt.Errorf("%s did not judge %d objects: %v", nameDemarc, len(answer.Unjudged)+answer.Elsewhere, answer.Unjudged)
	}
	all := refusals{}
	for _, f := range answer.Findings {
		if f.Severity != finding.Error {
			return nil, fmt.Errorf("%s says %s of %s, where all rules refuse", nameDemarc, f.Severity, f.Object)
		}
		all[pair{f.ID, f.Object.Namespace + "/" + f.Object.Kind + "/" + f.Object.Name}] = f.Message
	}
	return all, nil
}

var (
	kyvernoFailed = regexp.MustCompile(`^policy (\S+) -> resource (\S+) failed:$`)
	kyvernoTotals = regexp.MustCompile(`^pass: (\d+), fail: (\d+), warn: (\d+), error: (\d+), skip: (\d+)`)
)

// readKyverno reads what kyverno apply prints: two lines for each refusal, and the totals. That it made an error of a verdict,
// and that it printed another number of refusals than it counted, is an error.
func readKyverno(output []byte) (refusals, error) {
	all, of, totals := refusals{}, (*pair)(nil), []string(nil)
	lines := bufio.NewScanner(bytes.NewReader(output))
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		line := lines.Text()
		if of != nil {
			_, message, _ := strings.Cut(line, " - "+compile.Prefix+of.rule+" ")
			all[*of], of = message, nil
		} else if found := kyvernoFailed.FindStringSubmatch(line); found != nil {
			of = &pair{strings.TrimPrefix(found[1], compile.Prefix), found[2]}
		} else if found := kyvernoTotals.FindStringSubmatch(line); found != nil {
			totals = found
		}
	}
	if totals == nil || totals[2] != strconv.Itoa(len(all)) || totals[4] != "0" {
		return nil, fmt.Errorf("%s printed %d refusals, and of totals %q: %.2000s", nameKyverno, len(all), totals, output)
	}
	return all, lines.Err()
}

// Agreement is how far two programs say the same of so many objects.
type Agreement struct {
	Objects int
	// Verdicts are one for each object and rule. Equal are those of which both say the same, Refused those of them that both
	// refuse, and Words those of them that both refuse in the same words.
	Verdicts, Equal, Refused, Words int
	// Differ are the first that differ.
	Differ []string
}

// compare counts.
func compare(objects int, ours, theirs refusals) Agreement {
	a := Agreement{Objects: objects, Verdicts: objects * len(compared())}
	a.Equal = a.Verdicts
	for p, message := range ours {
		other, also := theirs[p]
		switch {
		case !also:
			a.differ(p, nameDemarc, message)
		case message == other:
			a.Words++
			fallthrough
		default:
			a.Refused++
		}
	}
	for p, message := range theirs {
		if _, also := ours[p]; !also {
			a.differ(p, nameKyverno, message)
		}
	}
	return a
}

// told is how many differences are told.
const told = 5

func (a *Agreement) differ(p pair, who, message string) {
	a.Equal--
	if len(a.Differ) < told {
		a.Differ = append(a.Differ, fmt.Sprintf("only %s refuses %s by %s: %s", who, p.object, p.rule, message))
	}
}
