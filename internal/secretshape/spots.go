package secretshape

import (
	"regexp"
	"slices"
	"strings"
)

// word is a value in a line: what was left out already, quoted, also where the quote is cut off or
// stands in a text that is quoted itself, or up to what parts it from the next.
const word = `\(left out: [\w-]+\)|\\*"[^"]*(?:"|$)|\\*'[^']*(?:'|$)|(?i:bearer|basic|digest|token|apikey) +[^\s"',;&}\]]+|[^\s"',;&}\]]+`

// spot is a way in which a secret stands in a line that tells more. The last group of its pattern
// is the value; rule is by which it is secret, empty where it is not, and is asked with what
// stands before the match, and all groups.
type spot struct {
	// needles: each text that the pattern matches holds one of them.
	needles []string
	pattern *regexp.Regexp
	rule    func(before string, groups []string) string
}

var spots = []spot{
	// A name with a value: of a log, a command, a query, or settings.
	{[]string{"=", ":"}, regexp.MustCompile(`([A-Za-z_][\w.-]*)(?:\\*["'])?(\s*[=:]\s*)(` + word + `)`), pair},
	// A flag with its value behind it, also as a list is printed.
	{[]string{"--", " -", ",-", `"-`, "'-", "[-"}, regexp.MustCompile(`(?:^|[\s"'\[,])--?([A-Za-z][\w.-]*)["']?[\s,]+(` + word + `)`), func(_ string, g []string) string {
		if strings.HasPrefix(g[2], "-") || clauses[strings.ToLower(g[2])] {
			return ""
		}
		return named(g[1], unquoted(g[2]))
	}},
	// A user with the password behind a colon, as curl takes it.
	{[]string{"-u", "-U", "-user"}, regexp.MustCompile(`(?:^|[\s"'\[,])(?:-u|-U|--user|--proxy-user)["']?(?:[\s,=]+)?(` + word + `)`), func(_ string, g []string) string {
		return UserPassword(unquoted(g[1]))
	}},
	// A password as database clients take it.
	{[]string{" -p", " -a"}, regexp.MustCompile(`\b(?:mysql\w*|mariadb[\w-]*|sshpass|mongo\w*|redis-cli)\b[^|;&]{0,300}?\s-[pa]\s?(` + word + `)`), func(_ string, g []string) string {
		return ShortPassword(unquoted(g[1]))
	}},
	// What opens a door in a header, too short for its own rule: a word alone is an English one.
	{[]string{"earer ", "asic ", "EARER ", "ASIC "}, regexp.MustCompile(`\b(?:[Bb]earer|[Bb]asic|BEARER|BASIC) +([\w.~+/=-]{6,})`), func(_ string, g []string) string {
		if !strings.ContainsAny(g[1], "0123456789") {
			return ""
		}
		return "authorization"
	}},
}

// spotless leaves out of a line each value that looks like a secret by where it stands.
func spotless(line string) string {
	for _, s := range spots {
		if slices.ContainsFunc(s.needles, func(n string) bool { return strings.Contains(line, n) }) {
			line = s.out(line)
		}
	}
	return line
}

func (s spot) out(line string) string {
	var b strings.Builder
	from := 0
	for at := 0; ; {
		m := s.pattern.FindStringSubmatchIndex(line[at:])
		if m == nil {
			return b.String() + line[from:]
		}
		var groups []string
		for i := 0; i < len(m); i += 2 {
			groups = append(groups, line[at+m[i]:at+m[i+1]])
		}
		before, begin, end := line[:at+m[0]], at+m[len(m)-2], at+m[len(m)-1]
		switch rule := s.rule(before, groups); {
		case strings.HasPrefix(line[begin:], "(left out: "):
			at = end
		case rule == "":
			at = begin // the value may hold a name with another
		default:
			b.WriteString(line[from:begin] + LeftOut(rule))
			from = end
			if rest := more.FindStringSubmatch(line[end:]); rest != nil {
				from += len(rest[1])
			}
			at = from
		}
	}
}

// more of a value that holds what parts others, where no name begins behind that.
var more = regexp.MustCompile(`^((?:[,;&}\]]+[^\s"'=:,;&}\]]+)+)(?:[\s,;}\])]|$)`)

var (
	// inQuery are names that are secret in the query of a URL, and too plain elsewhere.
	inQuery = regexp.MustCompile(`(?i)^(key|sig|auth|code|session|jwt|x-amz-credential|.*signature)$`)
	// inFile is a place in a file, told with a colon.
	inFile = regexp.MustCompile(`\.(go|py|js|ts|java|rb|rs|cc?|ya?ml|json|tpl|conf|properties)$`)
)

// reason is one of a condition's, told with a colon behind it.
var reason = regexp.MustCompile(`^[A-Z][A-Za-z]+:$`)

// clauses are words with which a sentence goes on behind a name and a colon; no flag's value is
// one of them either.
var clauses = func() map[string]bool {
	is := map[string]bool{}
	for _, w := range strings.Fields(`a an and are cannot code configmap connection context could denied dial error expected expired failed failing
		flag for forbidden get got has have head i in internal invalid is it malformed missing must namespace need needs no not object of on option or
		permission post put received refused request required resource rpc secret secrets server status takes that the there this timed timeout to
		unable unauthorized undefined unexpected unknown value was while x509: you`) {
		is[w] = true
	}
	return is
}()

func pair(before string, g []string) string {
	name, parts, value := g[1], strings.TrimLeft(g[2], " \t"), unquoted(g[3])
	if strings.HasPrefix(parts, ":") && sentence(before, name, g[2], g[3]) {
		return ""
	}
	query := parts == "=" && (strings.HasSuffix(before, "?") || strings.HasSuffix(before, "&"))
	if query && inQuery.MatchString(name) {
		return named("PASSWORD", value)
	}
	if rule := named(name, value); rule != "" {
		return rule
	}
	return shape(value)
}

// sentence says that a colon stands for something else than a value: an image with its tag, a place in
// a file, or a sentence that goes on.
func sentence(before, name, parts, value string) bool {
	image := parts == ":" && (strings.HasSuffix(before, "/") || strings.HasSuffix(before, `image "`) || strings.HasSuffix(before, "image "))
	return image || inFile.MatchString(name) || clauses[strings.ToLower(strings.Trim(value, `:.`))] || reason.MatchString(value)
}

func unquoted(value string) string { return strings.Trim(value, `"'\`) }

var (
	ids    = regexp.MustCompile(`^\d*:\d*$`)
	plainP = regexp.MustCompile(`^[\d.:]+$|^[./]`)
)

// UserPassword is the rule that user:password breaks, as the value of a flag for a user; empty
// where it is none, such as two numbers.
func UserPassword(value string) string {
	_, password, ok := strings.Cut(value, ":")
	if !ok || ids.MatchString(value) || strings.HasPrefix(password, "//") {
		return ""
	}
	return named("PASSWORD", password)
}

// ShortPassword is the rule that the value of -p breaks, where it is no port and no path.
func ShortPassword(value string) string {
	if plainP.MatchString(value) {
		return ""
	}
	return named("PASSWORD", value)
}
