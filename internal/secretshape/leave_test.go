package secretshape_test

import (
	"strings"
	"testing"

	"demarc.dev/demarc/internal/secretshape"
)

// What is shown of a text, line by line.
func TestLines(t *testing.T) {
	key := "-----BEGIN " + "PRIVATE KEY-----\nMIIEvQIBADAN\nabc\n-----END " + "PRIVATE KEY-----"
	for text, want := range map[string]string{
		"listening on :8080\nready":                              "listening on :8080\nready",
		"connect DB_PASSWORD=open-sesame user=app":               "connect DB_PASSWORD=(left out: env-name) user=app",
		`{"level":"error","dbPassword":"open sesame","n":1}`:     `{"level":"error","dbPassword":(left out: env-name),"n":1}`,
		"--db-password=open-sesame --token-ttl=15m":              "--db-password=(left out: env-name) --token-ttl=15m",
		"a\npostgres://app:open-sesame@db/app\nb":                "a\n(left out: url-password)\nb",
		"before\n" + key + "\nafter":                             "before\n(left out: private-key)\nafter",
		"api.key: x1, password_file=/run/secrets/db, TOKEN=$(T)": "api.key: (left out: env-name), password_file=/run/secrets/db, TOKEN=$(T)",
	} {
		if got := secretshape.Lines(text); got != want {
			t.Errorf("%q is shown as %q, want %q", text, got, want)
		}
	}
	if got := secretshape.Lines("-----BEGIN " + "PRIVATE KEY-----\nMIIE"); strings.Contains(got, "MIIE") {
		t.Errorf("of a key that is cut off %q is shown", got)
	}
	if got := secretshape.Lines("MIIE\n-----END " + "PRIVATE KEY-----\nafter"); got != "(left out: private-key)\nafter" {
		t.Errorf("of a key whose beginning is cut off %q is shown", got)
	}
}

// Where in a line a secret stands. What was gone through once stays as it is, since findings of a
// dump are made of words that were gone through when it was written.
func TestSpots(t *testing.T) {
	for _, line := range []string{
		"config: DB_PASSWORD=opensesame API_TOKEN=opensesame cannot connect", "helm template --set db.password=opensesame failed",
		"GET /health?token=opensesame&verbose=1", "GET /?apikey=opensesame", "GET https://x.example/?a=b&sig=opensesame", "https://x.example/?key=opensesame",
		"Authorization: Basic opensesame", "authorization: Bearer opensesame", `{"Authorization":"Bearer opensesame"}`, "curl -H 'X-Api-Key: opensesame'",
		"sent Bearer 0pensesame1 to it", "Cookie: opensesame", "set-cookie: opensesame; Path=/",
		"curl -u app:opensesame https://x.example", "curl -uapp:opensesame https://x.example", "curl --user app:opensesame", "curl --user=app:opensesame", `["curl", "-u", "app:opensesame"]`, "[curl -u app:opensesame]",
		"mysql -popensesame -h db", "mysqldump -u app -p'opensesame' shop", "sshpass -p opensesame ssh x", "redis-cli -h cache -a opensesame ping",
		"web --db-password opensesame --verbose", "web -password opensesame", `["--token","opensesame"]`, "web --token 'opensesame'",
		`{\"password\":\"opensesame\"}`, `password="opensesame and then it is cut`, "PASSWORD=abc,opensesame next", `"password" : "opensesame"`, "password: opensesame user: app",
		"db.password = <opensesame>", "failed with MYSQL_PWD=opensesame",
	} {
		once := secretshape.Lines(line)
		if strings.Contains(once, "sesame") || !strings.Contains(once, "(left out: ") {
			t.Errorf("%q is shown as %q", line, once)
		}
		if twice := secretshape.Lines(once); twice != once {
			t.Errorf("%q is shown as %q, and that as %q", line, once, twice)
		}
	}
	for _, line := range []string{
		`volume "db-credentials" : secret "db-credentials" not found`, `Back-off pulling image "ghcr.io/shop/token-service:1.2"`, `pulling image "token-service:1.2"`,
		"failed to fetch anonymous token: unexpected status from GET request to https://ghcr.io/token?scope=x: 403 Forbidden", "token.go:12: no such file",
		"--token is required", "store vault does not give out secrets: InvalidProviderConfig: unable to log in", "mkdir -p /var/lib/app", "mkdir -p build", "ssh -p 2222 host", "redis-cli -p 6379", "docker run -u 1000:1000", "grep -u https://x.example/a",
		"basic authentication of bearer tokens", "Basic internationalisation", "GET /search?q=keys&page=2", "container app ends with exit code 1; 7 restarts",
		"web --token-ttl 15m --db-password $(DB_PASSWORD)", `secrets "db" is forbidden: User "system:serviceaccount:a:b" cannot get resource`, "",
	} {
		if got := secretshape.Lines(line); got != line {
			t.Errorf("%q is shown as %q", line, got)
		}
	}
}

// What Demarc says of something stays where the words it quotes may not be shown.
func TestSentence(t *testing.T) {
	for text, want := range map[string]string{
		"web cannot start: postgres://app:opensesame@db/app is down":     "web cannot start: (left out: url-password)",
		"web cannot start: password: opensesame":                         "web cannot start: password: (left out: env-name)",
		"web of postgres://app:opensesame@db/app: is down":               "(left out: url-password)",
		"web cannot start: it is down":                                   "web cannot start: it is down",
		"web ends: MIIE -----END " + "PRIVATE KEY----- and then it ends": "(left out: private-key)",
	} {
		if got := secretshape.Sentence(text); got != want {
			t.Errorf("%q is shown as %q, want %q", text, got, want)
		}
	}
}

// What stands below a secret's name is secret too, but for what says where the secret is.
func TestField(t *testing.T) {
	for _, c := range []struct {
		name, under string
		secret      bool
	}{
		{"value", "credentials", true}, {"plain", "redisPassword", true}, {"dbPassword", "", true}, {"accessTokenValue", "", true}, {"item", "tokens", true},
		{"name", "password", false}, {"tokenTtl", "", false}, {"secretName", "password", false}, {"level", "", false}, {"path", "token", false}, {"secretKeyRef", "", false},
	} {
		if got := secretshape.Field(c.name, "opensesame", c.under); (got != "") != c.secret {
			t.Errorf("%s under %q is left out by %q", c.name, c.under, got)
		}
	}
}

// Every bad example of the list is left out of a text, and no good one.
func TestExamplesAreLeftOut(t *testing.T) {
	for _, r := range secretshape.Rules {
		for _, e := range r.Bad {
			if secretshape.Variable(e.Name, e.Value) == "" {
				t.Errorf("%s: %s=%s is no secret", r.ID, e.Name, e.Value)
			}
			if r.Names == nil && secretshape.Text(e.Value) != secretshape.LeftOut(r.ID) {
				t.Errorf("%s: %q is shown as %q", r.ID, e.Value, secretshape.Text(e.Value))
			}
		}
		for _, e := range r.Good {
			if rule := secretshape.Variable(e.Name, e.Value); rule != "" || secretshape.Text(e.Value) != e.Value {
				t.Errorf("%s: %s=%q is left out by %s", r.ID, e.Name, e.Value, rule)
			}
		}
	}
}
