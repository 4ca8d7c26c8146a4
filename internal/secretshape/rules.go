package secretshape

import "strings"

// Rules is the list. What a pattern follows is the issuer's public description of its
// format; lengths are lower bounds, since issuers lengthen their tokens.
var Rules = []Rule{
	nameRule,
	{
		ID: "private-key", Catches: "a private key in PEM, also base64 of it", Why: "who holds it is its owner",
		Needles: []string{"PRIVATE KEY", "LS0tLS1CRUdJTiB"},
		Pattern: `-----BEGIN [A-Z ]*PRIVATE KEY|LS0tLS1CRUdJTiB(QUklW|SU0EgUFJJ|FQyBQUklW|FTkNSWV|PUEVOU1N)`,
		Bad: values("-----BEGIN "+"PRIVATE KEY-----\nMIIE\n", "a: -----BEGIN "+"RSA PRIVATE KEY-----", "-----BEGIN "+"PGP PRIVATE KEY BLOCK-----",
			"LS0tLS1CRUdJTiB"+"QUklWQVRFIEtFWS0tLS0t", "LS0tLS1CRUdJTiB"+"PUEVOU1NIIFBSSVZBVEUgS0VZ"),
		Good: values("-----BEGIN CERTIFICATE-----\nMIIE\n", "-----BEGIN PUBLIC KEY-----", "LS0tLS1CRUdJTiBDRVJUSUZJQ0FURS0tLS0t", "the PRIVATE KEY lies in the vault"),
	},
	{
		ID: "jwt", Catches: "a JSON Web Token", Why: "who shows it is taken for its subject",
		Needles: []string{"eyJ"}, Pattern: `eyJ[\w-]{10,}\.eyJ[\w-]{10,}\.[\w-]{10,}`,
		Bad:  values(filled("eyJ", 30)+"."+filled("eyJ", 40)+"."+filled("", 43), "Authorization: "+filled("eyJ", 20)+"."+filled("eyJ", 20)+"."+filled("", 20)),
		Good: values("eyJ.eyJ.x", `{"alg":"RS256"}`, filled("eyJ", 30)),
	},
	{
		ID: "aws-key", Catches: "the id of an access key of AWS", Why: "it is half of a pair, and says where the other half belongs",
		Needles: []string{"AKIA", "ASIA", "ABIA", "ACCA"}, Pattern: `(^|[^A-Za-z0-9])(A[KSB]IA|ACCA)[A-Z0-9]{16}([^A-Za-z0-9]|$)`,
		Bad:  values("AKIA"+"IOSFODNN7EXAMPLE", "key=ASIA"+"IOSFODNN7EXAMPLE;"),
		Good: values("AKIA", "EURASIAANDAFRICA20TOWNS", "arn:aws:iam::123456789012:role/payments", "AROA"+"IOSFODNN7EXAMPLE"),
	},
	{
		ID: "github-token", Catches: "a token of GitHub", Why: "it acts as its user or app",
		Needles: []string{"ghp_", "gho_", "ghu_", "ghs_", "ghr_", "github_pat_"}, Pattern: `gh[pousr]_[A-Za-z0-9]{36,}|github_pat_\w{40,}`,
		Bad: values(filled("ghp_", 36), filled("ghs_", 60), filled("github_pat_", 82)), Good: values("ghp_short", "github_pat_", "ghcr.io/shop/api"),
	},
	{
		ID: "gitlab-token", Catches: "a token of GitLab", Why: "it acts as its user, project or runner",
		Needles: []string{"glpat-", "gldt-", "glrt-", "glptt-", "glcbt-", "gloas-"}, Pattern: `gl(pat|dt|rt|ptt|cbt|oas)-[\w-]{20,}`,
		Bad: values(filled("glpat-", 20), filled("gldt-", 20)), Good: values("glpat-", "gitlab.example/shop/api", "glrt-short"),
	},
	{
		ID: "slack-token", Catches: "a token of Slack, or the address of one of its webhooks", Why: "it reads or writes a workspace's messages",
		Needles: []string{"xox", "xapp-", "hooks.slack.com/"}, Pattern: `xox[abeoprs][.-][\w.-]{10,}|xapp-\d-\w{5,}|hooks\.slack\.com/\w+/\w+/\w+`,
		Bad: values(filled("xox"+"b-", 40), filled("xapp"+"-1-", 20), "https://hooks.slack.com"+"/services/T0000/B0000/XXXX"), Good: values("xoxo", "https://shop.slack.com", "https://hooks.slack.com/"),
	},
	{
		ID: "google-key", Catches: "an API key, client secret or access token of Google", Why: "it spends its project's quota or acts in its name",
		Needles: []string{"AIza", "GOCSPX-", "ya29."}, Pattern: `AIza[\w-]{35}|GOCSPX-[\w-]{20,}|ya29\.[\w-]{20,}`,
		Bad: values(filled("AIza", 35), filled("GOCSPX-", 28)), Good: values("AIza", "my-project.apps.googleusercontent.com"),
	},
	{
		ID: "stripe-key", Catches: "a secret or restricted key of Stripe, or a webhook's signing secret", Why: "it moves money",
		Needles: []string{"k_live_", "k_test_", "whsec_"}, Pattern: `[rs]k_(live|test)_\w{10,}|whsec_\w{20,}`,
		Bad: values(filled("sk"+"_live_", 24), filled("rk"+"_test_", 24), filled("whsec_", 32)), Good: values(filled("pk_live_", 24), "sk_live_", "disk_test_1"),
	},
	{
		ID: "registry-token", Catches: "a token of npm, PyPI or Docker Hub", Why: "it publishes packages or images",
		Needles: []string{"npm_", "pypi-AgE", "dckr_"}, Pattern: `npm_[A-Za-z0-9]{36}|pypi-AgE[\w-]{40,}|dckr_[a-z]{3}_[\w-]{20,}`,
		Bad: values(filled("npm_", 36), filled("pypi-AgE", 80), filled("dckr_pat_", 27)), Good: values("npm_config_loglevel", "docker.io/shop/api"),
	},
	{
		ID: "sk-key", Catches: "a key of OpenAI or Anthropic", Why: "it spends its owner's money",
		Needles: []string{"sk-ant-", "sk-proj-", "sk-svcacct-", "sk-admin-"}, Pattern: `sk-(ant|proj|svcacct|admin)-[\w-]{20,}`,
		Bad: values(filled("sk-proj-", 48), filled("sk-ant-", 90)), Good: values("sk-ant-", "task-project-of-the-platform-team"),
	},
	{
		ID: "service-token", Catches: "a token of HashiCorp Vault or SendGrid", Why: "it opens what its issuer keeps",
		Needles: []string{"hvs.", "hvb.", "SG."}, Pattern: `hv[sb]\.[\w-]{24,}|SG\.[\w-]{22}\.[\w-]{40,}`,
		Bad: values(filled("hvs.", 90), "SG."+filled("", 22)+"."+filled("", 43)), Good: values("hvs.example", "SG.1"),
	},
	{
		ID: "azure-key", Catches: "a connection string or a signed address of Azure", Why: "it holds the key, or is one",
		Needles: []string{"AccountKey=", "SharedAccessKey=", "sig="}, Pattern: `(AccountKey|SharedAccessKey)=[\w+/=]{20,}|[?&]sig=[\w%+/=-]{20,}`,
		Bad: values("DefaultEndpointsProtocol=https;AccountName=shop;"+filled("AccountKey=", 86)+"==;EndpointSuffix=core.windows.net",
			filled("Endpoint=sb://shop.servicebus.windows.net/;SharedAccessKey=", 43)+"=", filled("https://shop.blob.core.windows.net/a?sv=2022-11-02&sig=", 44)+"%3D"),
		Good: values("DefaultEndpointsProtocol=https;AccountName=shop", "AccountKey=$(KEY)", "https://shop.example/?sig=v1"),
	},
	{
		ID: "url-password", Catches: "a URL with a password", Why: "the password stands between ':' and '@'",
		Needles: []string{"@"}, Pattern: `://[^\s/?#:@]*:([^\s/?#@$<{*]|\$[^\s/?#@({])[^\s/?#@]*@`,
		Bad:  values("postgres://app:open-sesame@db:5432/app", "redis://:open-sesame@cache:6379", "see https://kim:$esame@git.example/a"),
		Good: values("postgres://app@db:5432/app", "ssh://git@git.example:22/shop.git", "postgres://app:$(DB_PASSWORD)@db/app", "amqp://app:${PASSWORD}@mq", "https://shop.example:8443/@kim", "https://kim:<password>@git.example", "git@git.example:shop.git"),
	},
	{
		ID: "connection-password", Catches: "a password among the settings of a connection", Why: "the setting says so",
		Needles: []string{"word=", "WORD=", "wd=", "WD="}, Pattern: `(^|[;&?\s])([Pp]ass(word|wd)|PASS(WORD|WD)|[Pp]wd|PWD)=[^\s;&$<{*]`,
		Bad:  values("Server=db;User=app;Password=open-sesame;", "jdbc:postgresql://db/app?user=app&password=open-sesame", "host=db user=app pwd=open-sesame"),
		Good: values("Server=db;User=app;Password=$(DB_PASSWORD);", "host=db user=app", "--require-password=true", "password=", "change-password=weekly"),
	},
	{
		ID: "authorization", Catches: "an Authorization header", Why: "who sends it is let in",
		Needles: []string{"earer ", "EARER ", "asic ", "ASIC "}, Pattern: `\b([Bb]earer|BEARER) [\w.~+/-]{20,}|\b([Bb]asic|BASIC) [\w+/]{12,}=`,
		Bad: values(filled("Bearer ", 32), "authorization: Basic YXBwOm9wZW4tc2VzYW1l"+"YQ=="), Good: values("the bearer of this", "basic internationalisation", "Bearer $(TOKEN)"),
	},
}

// values are variables of no telling name.
func values(list ...string) []Example {
	var out []Example
	for _, v := range list {
		out = append(out, Example{"SETTING", v})
	}
	return out
}

// filled lengthens a prefix by n letters and digits. Examples are put together here, so
// that nobody's scanner takes this file for a leak.
func filled(prefix string, n int) string {
	return prefix + strings.Repeat(filler, n/len(filler)+1)[:n]
}

const filler = "Example0"
