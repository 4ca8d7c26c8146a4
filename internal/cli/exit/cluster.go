package exit

import (
	"context"
	"crypto/x509"
	"errors"
	"net"
	"net/url"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
)

// Unreadable says why something could not be read, and ends with 2. doing is what
// was tried, such as "read the claims".
func Unreadable(err error, doing string) error { return cluster(err, doing, Unknown) }

// Unwritten says why something could not be written. Where the cluster said no it
// ends with 1.
func Unwritten(err error, doing string) error { return cluster(err, doing, No) }

func cluster(err error, doing string, refused int) error {
	var already *Error
	if err == nil || errors.As(err, &already) || errors.Is(err, context.Canceled) {
		return err
	}
	e := sorted(err, refused)
	e.What, e.Err = "cannot "+doing+": "+e.What, err
	return e
}

// sorted says what an API server's error means for a person.
func sorted(err error, refused int) *Error {
	switch {
	case meta.IsNoMatchError(err):
		return &Error{Code: Unknown, What: "the cluster does not know the kind",
			Next: "see whether Demarc is installed there: kubectl get crd tenants.demarc.dev serviceclaims.demarc.dev"}
	case apierrors.IsUnauthorized(err):
		return &Error{Code: Unknown, What: "the cluster does not know who you are", Next: "log in again, or name another --context"}
	case apierrors.IsForbidden(err) && policy(err) != "":
		return &Error{Code: refused, What: policy(err)}
	case apierrors.IsForbidden(err):
		return &Error{Code: refused, What: reason(err), Next: "ask who may give you that right; kubectl auth whoami says who you are"}
	case apierrors.IsAlreadyExists(err):
		return &Error{Code: refused, What: reason(err), Next: "choose another name, or look at the one that is there"}
	case apierrors.IsConflict(err):
		return &Error{Code: refused, What: "it was changed by somebody else at the same time", Next: "look at it and run this again"}
	case apierrors.IsNotFound(err):
		return &Error{Code: No, What: reason(err)}
	case apierrors.IsInvalid(err), apierrors.IsBadRequest(err):
		return &Error{Code: refused, What: reason(err)}
	default:
		return &Error{Code: Unknown, What: reach(err), Next: "see whether the cluster can be reached: kubectl version"}
	}
}

// reason is the API server's own sentence.
func reason(err error) string {
	var status apierrors.APIStatus
	if errors.As(err, &status) && status.Status().Message != "" {
		return status.Status().Message
	}
	return err.Error()
}

// policy is the sentence of an admission policy, which says itself what to do; empty
// where another refused.
func policy(err error) string {
	_, sentence, ok := strings.Cut(reason(err), "denied request: ")
	if !ok || !strings.Contains(reason(err), "ValidatingAdmissionPolicy") {
		return ""
	}
	return sentence
}

// reach says in few words why a server cannot be reached.
func reach(err error) string {
	var certificate x509.UnknownAuthorityError
	var name *net.DNSError
	var request *url.Error
	host := "the server"
	if errors.As(err, &request) {
		if at, parseErr := url.Parse(request.URL); parseErr == nil {
			host = at.Host
		}
	}
	switch {
	case errors.Is(err, context.DeadlineExceeded), isTimeout(err):
		return host + " did not answer in time"
	case errors.As(err, &certificate):
		return "the certificate of " + host + " is not one that the kubeconfig trusts"
	case errors.As(err, &name):
		return "there is no host " + name.Name
	case strings.Contains(err.Error(), "connection refused"):
		return host + " refuses the connection"
	}
	return err.Error()
}

func isTimeout(err error) bool {
	var timeout interface{ Timeout() bool }
	return errors.As(err, &timeout) && timeout.Timeout()
}
