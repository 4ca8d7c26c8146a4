# The operator as a static binary on nothing else.
FROM golang:1.26 AS build
WORKDIR /src
COPY go.mod go.sum ./
RUN go mod download
COPY api api
COPY internal internal
COPY cmd/demarc-operator cmd/demarc-operator
RUN CGO_ENABLED=0 go build -trimpath -ldflags "-s -w" -o /demarc-operator ./cmd/demarc-operator

FROM scratch
COPY --from=build /demarc-operator /demarc-operator
COPY --from=build /etc/ssl/certs/ca-certificates.crt /etc/ssl/certs/
USER 65532:65532
ENTRYPOINT ["/demarc-operator"]
