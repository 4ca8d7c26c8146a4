package contract

import (
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"demarc.dev/demarc/api/v1alpha1"
)

// largest is how large a contract may be that is unpacked, in bytes of JSON: more than the
// API server takes of any object.
const largest = 4 << 20

// Pack writes contracts as one word, for an annotation.
func Pack(contracts ...*Contract) string {
	var words []string
	for _, c := range contracts {
		var b bytes.Buffer
		z := gzip.NewWriter(&b)
		if err := json.NewEncoder(z).Encode(c.Spec); err != nil {
			panic("contract: a spec that is no JSON: " + err.Error()) // only a mistake in the API package gets here
		}
		_ = z.Close() // a buffer takes all
		words = append(words, base64.RawURLEncoding.EncodeToString(b.Bytes()))
	}
	return strings.Join(words, ".")
}

// Unpack reads what Pack wrote; contracts that contradict themselves are refused.
func Unpack(packed string) (contracts []*Contract, err error) {
	if packed == "" {
		return nil, nil
	}
	for _, word := range strings.Split(packed, ".") {
		c, err := unpack(word)
		if err != nil {
			return nil, fmt.Errorf("this is no packed contract: %w", err)
		}
		contracts = append(contracts, c)
	}
	return contracts, nil
}

func unpack(word string) (*Contract, error) {
	raw, err := base64.RawURLEncoding.DecodeString(word)
	if err != nil {
		return nil, err
	}
	z, err := gzip.NewReader(bytes.NewReader(raw))
	if err != nil {
		return nil, err
	}
	text, err := io.ReadAll(io.LimitReader(z, largest))
	if err != nil {
		return nil, err
	}
	var spec v1alpha1.OwnershipContractSpec
	if err := json.Unmarshal(text, &spec); err != nil {
		return nil, err
	}
	if !Sound(Lint(spec, Parties{})) {
		return nil, fmt.Errorf("it contradicts itself")
	}
	return New(spec), nil
}
