# Demarc. `make` prints this help.
SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help
MAKEFLAGS += --no-print-directory

NAME ?= demo
SANDBOX := go run ./cmd/demarc-sandbox
TOOL := go tool -modfile=go.tools.mod
# The race detector needs a C compiler.
RACE := $(shell command -v cc >/dev/null 2>&1 && [ "$$(go env CGO_ENABLED)" = 1 ] && echo -race)
# Tests mostly wait, so more run at once than there are processors.
TESTFLAGS ?= $(RACE) -shuffle=on -parallel 8

# Folders that hold generated files.
GENERATED := api charts docs scenarios internal/guardrail/rules internal/verify/chart.yaml

.PHONY: help
help: ## Print this help
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | awk -F ':.*## ' '{printf "  make %-18s %s\n", $$1, $$2}'
	@echo
	@echo '  make demo KUBECONFIG=… CHART_REPO=… CHART_REVISION=…   the demo on a cluster of your own with Argo CD'
	@echo '  make chaos SEED=… ROUNDS=… TENANTS=…   the same faults again, or fewer; see docs/chaos.md'
	@echo '  NAME=… picks the sandbox of the sandbox targets (default: demo)'

.PHONY: demo
demo: ## Bring up a sandbox, install Demarc, and show two teams' services on their way to Ready
	@$(SANDBOX) demo $(if $(filter command line,$(origin KUBECONFIG)),--kubeconfig "$(KUBECONFIG)")

.PHONY: scenario
scenario: ## Run the article's failing version, then the same services under today's design
	@go run ./scenarios/ownership-conflict

.PHONY: sandbox-up
sandbox-up: ## Bring up a control plane, nodes and Argo CD on loopback (the first time builds them)
	@$(SANDBOX) up --name $(NAME)

.PHONY: sandbox-down
sandbox-down: ## End a sandbox's processes and remove its state
	@$(SANDBOX) down --name $(NAME)

.PHONY: sandbox-status
sandbox-status: ## Say how each component of a sandbox is
	@$(SANDBOX) status --name $(NAME)

.PHONY: kubeconfig
kubeconfig: ## Print the path of a sandbox's kubeconfig
	@$(SANDBOX) kubeconfig --name $(NAME)

.PHONY: test
test: ## Run all tests: unit, real API server, real Argo CD (first run builds the programs)
	@assets=$$($(SANDBOX) build --print-bin); \
	KUBEBUILDER_ASSETS=$$assets go test $(TESTFLAGS) -timeout 40m ./...

.PHONY: test-unit
test-unit: ## Run the tests that need no server
	@go test $(TESTFLAGS) -short $$(go list ./... | grep -vE '/(sandbox|test|scenarios|operator|v1alpha1|cli/explain|cli/adopt)(/|$$)')

.PHONY: bench
bench: bench-check bench-latency ## Measure 100 tenants of 10 claims against a plain client, and the two below (several minutes each)
	@go run ./test/bench

.PHONY: bench-check
bench-check: ## Measure demarc check against Kyverno's command line, which the first time builds (a quarter of an hour)
	@go run ./test/checkbench

.PHONY: bench-latency
bench-latency: ## Measure what all rules add to the creation of a Pod, on two real API servers by turns (two minutes)
	@assets=$$($(SANDBOX) build --print-bin); \
	KUBEBUILDER_ASSETS=$$assets go test ./test/latency -run '^$$' -bench . -benchtime 300x -timeout 20m

# What everything in a chaos run follows from; empty picks one and prints it.
SEED ?=
ROUNDS ?= 20
TENANTS ?= 100

.PHONY: chaos
chaos: ## Kill, cut and fail everything around the operator for 20 rounds, and see that it ends well (about an hour)
	@go run ./test/chaos $(if $(SEED),-seed $(SEED)) -rounds $(ROUNDS) -tenants $(TENANTS)

# Interleavings and plans of a long run of the model; SEED is that of the first plan.
CHECKS ?= 5000
PLANS ?= 120

.PHONY: model
model: ## Ask the invariants of deletion of many generated interleavings, and replay plans on a real control plane (some minutes)
	@go test ./test/model -run TestDeletionInvariants -rapid.checks=$(CHECKS) -timeout 60m
	@DEMARC_MODEL_SEED=$(or $(SEED),1) DEMARC_MODEL_PLANS=$(PLANS) go test ./test/model -run TestReplay -timeout 60m -v

# Ids of signatures with commas, such as DM101,DM301; empty is all.
ONLY ?=

.PHONY: record-findings
record-findings: ## Bring about on a sandbox what triage finds, and record the cases anew (ONLY=DM101,… for some; half an hour for all)
	@go run ./test/findings/record -only "$(ONLY)"
	@go test ./internal/triage -update >/dev/null
	@go test ./internal/triage

.PHONY: generate
generate: ## Write the generated files: CRDs, deep copies, apply configurations, the rules, the policy on secrets, docs
	@$(TOOL) controller-gen object applyconfiguration crd paths=./api/... output:crd:artifacts:config=charts/demarc/crds
	@cd scenarios/ownership-conflict/lab && go generate .
	@go test ./internal/ownership -run TestReasonsDocument -update >/dev/null
	@go test ./internal/secretshape ./internal/guardrail/compile -run TestGenerated -update >/dev/null
	@go test ./internal/verify -run 'TestGeneratedChart|TestFindingsDocument' -update >/dev/null
	@go test ./internal/triage -run TestFindingPages -update >/dev/null
	@go test ./internal/cli/status -run TestPicture -update >/dev/null

.PHONY: verify
verify: generate ## Fail if a generated file or the formatting is not current
	@git --no-pager diff --exit-code -- $(GENERATED) || { echo 'generated files are not current: run make generate and commit'; exit 1; }
	@new=$$(git status --porcelain -- $(GENERATED)); \
	test -z "$$new" || { echo "$$new"; echo 'not committed (?? is new, A or M is staged): commit these, or ignore them if nothing needs them'; exit 1; }
	@test -z "$$(gofmt -l $$(git ls-files '*.go'))" || { gofmt -l $$(git ls-files '*.go'); echo 'run gofmt -w on these'; exit 1; }
	@go vet ./...

.PHONY: lint
lint: ## Run the linters of .golangci.yml
	@$(TOOL) golangci-lint run

.PHONY: build
build: ## Build the command line and the operator to bin/
	@CGO_ENABLED=0 go build -trimpath -o bin/ ./cmd/demarc ./cmd/demarc-operator

.PHONY: image
image: ## Build the operator's image (needs docker)
	@docker build -t demarc-operator:0.1.0 .
