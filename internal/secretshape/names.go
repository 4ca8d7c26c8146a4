package secretshape

import "strings"

// secretWords make a name a secret's wherever they stand in it; "_?" allows for APIKEY
// and api_key alike.
var secretWords = []string{
	"PASSWORD", "PASSWD", "PASSPHRASE", "CREDENTIAL",
	"(API|ACCESS|SECRET|PRIVATE|SIGNING|ENCRYPTION|MASTER|ACCOUNT|AUTH|SSH|LICENSE)_?KEY",
	// Not as a part of another word, such as TOKENIZER or SECRETARY.
	"(SECRET|TOKEN)S?([^A-Z]|$)",
	// At the end alone: PASS_THROUGH and PWD, the working directory, are none.
	"(^|_)PASS[0-9]*$", "_PWD[0-9]*$",
}

// harmlessEnds are last words of names that say something about a secret and hold none.
var harmlessEnds = []string{
	// How long, how many, of what kind.
	"TTL", "AGE", "EXPIRY", "EXPIRES?(_IN)?", "EXPIRATION", "LIFETIME", "DURATION", "TIMEOUT", "INTERVAL", "ROTATION", "SECOND", "MINUTE", "HOUR", "DAY",
	"LENGTH", "LEN", "SIZE", "COUNT", "LIMIT", "MIN", "MAX", "ROUND", "ITERATION", "COST",
	"TYPE", "KIND", "CLASS", "MODE", "FORMAT", "ENCODING", "ALGORITHM", "ALG", "VERSION", "POLICY", "PATTERN", "REGEX", "REQUIRED", "ENABLED?", "DISABLED?",
	// Where it is, and what it is called.
	"NAME", "NAMESPACE", "(KEY|TOKEN|CREDENTIAL)_ID", "ARN", "REF", "FILE", "FILENAME", "PATH", "DIR", "DIRECTORY", "MOUNT",
	"URL", "URI", "ENDPOINT", "HOST", "PORT", "REGION", "STORE", "PROVIDER", "BACKEND", "SOURCE",
	// What goes with it.
	"ISSUER", "AUDIENCE", "SCOPE", "HEADER", "PREFIX", "SUFFIX", "PARAM", "FIELD", "COOKIE", "PUBLIC_KEY",
}

var nameRule = Rule{
	ID:      "env-name",
	Catches: "a variable whose name says password, passphrase, secret, token, credentials, or a key that opens something, with a literal value",
	Why:     "who names a variable so means its value to be secret",
	Names: &Names{
		Secret:   "(?i)" + strings.Join(secretWords, "|"),
		Harmless: "(?i)(_(" + strings.Join(harmlessEnds, "|") + ")S?$|(^|_)(MAX|MIN|NUM)_)",
		Reference: `^(?i:true|false|yes|no|on|off|none)$|` + // a switch
			`^\$(\([A-Za-z_]\w*\)|\{[A-Za-z_]\w*\})$|` + // another variable
			`^(/[\w.-]+){2,}$|` + // a file
			`^((arn|vault):|op://)\S+$`, // an entry of a store
	},
	Bad: []Example{
		{"PASSWORD", "open-sesame"}, {"DB_PASSWORD", "open-sesame"}, {"PGPASSWORD", "open-sesame"}, {"MYSQL_ROOT_PASSWORD", "123456"}, {"SMTP_PASS", "open-sesame"},
		{"DB_PWD", "open-sesame"}, {"DB_PASSWD", "open-sesame"}, {"KEY_PASSPHRASE", "open sesame"}, {"dbPassword", "open-sesame"}, {"DB_PASSWORD_1", "open-sesame"},
		{"SECRET", "open-sesame"}, {"CLIENT_SECRET", "open-sesame"}, {"SECRET_KEY_BASE", "open-sesame"}, {"VAULT_SECRET_ID", "open-sesame"}, {"APP_SECRETS", "a=b"},
		{"TOKEN", "open-sesame"}, {"GITHUB_TOKEN", "open-sesame"}, {"TOKEN_GITHUB", "open-sesame"}, {"accessToken", "open-sesame"},
		{"API_KEY", "open-sesame"}, {"APIKEY", "open-sesame"}, {"STRIPE_API_KEY", "open-sesame"}, {"PRIVATE_KEY", "open-sesame"}, {"AWS_SECRET_ACCESS_KEY", "open-sesame"},
		{"ENCRYPTION_KEY", "open-sesame"}, {"CREDENTIAL", "open-sesame"}, {"GOOGLE_CREDENTIALS", "{}"},
	},
	Good: []Example{
		{"TOKEN_TTL", "15m"}, {"TOKEN_EXPIRES_IN", "3600"}, {"PASSWORD_MIN_LENGTH", "12"}, {"LLM_MAX_TOKENS", "4096"}, {"TOKENS_PER_MINUTE", "100"},
		{"SECRET_NAME", "db"}, {"SECRET_ARN", "db"}, {"PASSWORD_FILE", "/run/secrets/db"}, {"TOKEN_PATH", "token"}, {"TOKEN_URL", "https://login.example/oauth/token"},
		{"AWS_ACCESS_KEY_ID", "see-the-role"}, {"JWT_TOKEN_PUBLIC_KEY", "abc"}, {"TOKEN_ISSUER", "https://login.example"}, {"PASSWORD_HASH_ALGORITHM", "argon2"},
		{"GOOGLE_APPLICATION_CREDENTIALS", "/var/run/secrets/google/key.json"}, {"DB_PASSWORD", "$(PASSWORD_OF_THE_DB)"}, {"DB_PASSWORD", "vault:team/db#password"},
		{"REQUIRE_PASSWORD", "true"}, {"PASSWORD", ""}, {"TOKENIZER", "bpe"}, {"SECRETARY", "Kim"},
		{"KEYBOARD", "qwerty"}, {"MONKEY", "banana"}, {"CACHE_KEY", "v1"}, {"BYPASS", "none"}, {"PASS_THROUGH", "host"}, {"PWD", "/app"}, {"OLDPWD", "/"}, {"COMPASS", "north"},
	},
}
