# `make` shows the targets. Anything longer than a line lives in tools/.
SHELL := /bin/bash
.DEFAULT_GOAL := help
export PATH := $(CURDIR)/node_modules/.bin:$(PATH)
JEST := NODE_OPTIONS=--experimental-vm-modules jest
NODE := node --disable-warning=ExperimentalWarning

.PHONY: help
help: ## Show the targets
	@awk 'BEGIN {FS = ":.*## "} /^[a-z][a-z0-9-]*:.*## / {gsub(/\$$\$$/, "$$", $$2); printf "  \033[1m%-18s\033[0m %s\n", $$1, $$2}' $(MAKEFILE_LIST)

.PHONY: setup
setup: ## Install everything a developer needs (idempotent)
	@tools/setup/setup.sh

.PHONY: up down env status logs
up: setup ## The whole service on this machine: Kubernetes, operator, API, a first database; goes on where it stopped
	@$(NODE) tools/up/main.ts up
down: ## Stop the service; its data stay for the next make up, unless DATA=1
	@$(NODE) tools/up/main.ts down $(if $(filter 1,$(DATA)),--data)
env: ## Print the variables for a shell that uses it: eval "$$(make env)"
	@$(NODE) tools/up/main.ts env
status: ## Show which parts run
	@$(NODE) tools/up/main.ts status
logs: ## Follow the logs of operator and API
	@$(NODE) tools/up/main.ts logs

.PHONY: check
check: fmt-check lint types gen-check test-unit ## Format, lint, types, generated files, unit tests: under a minute warm

.PHONY: fmt fmt-check lint types gen gen-check
fmt: ## Format every source file
	@oxfmt
fmt-check:
	@oxfmt --check
lint: ## Lint with type-aware rules and the arrows between folders
	@oxlint --type-aware --deny-warnings
types: ## Check the types
	@tsc -p .
	@tsc -p dashboard
gen: ## Write the generated files
	@$(NODE) tools/codegen/main.ts
gen-check: ## Fail if a generated file differs from its source
	@$(NODE) tools/codegen/main.ts --check

.PHONY: test test-unit test-conformance test-crash test-replication test-chaos test-integration test-browser test-e2e
test: setup ## The whole ladder, ending with one line `N passed, N failed`; STAGES="unit e2e" picks
	@$(NODE) tools/test/ladder.ts $(STAGES)
test-unit: ## Unit tests: no I/O
	@$(JEST) --testPathIgnorePatterns '<rootDir>/test/(repository|conformance|crash|replication|chaos|integration|browser|e2e)/' --silent
test-conformance: ## Official clients against the engine
	@$(NODE) tools/test/ladder.ts conformance
test-crash: ## Kill, cut, flip, fill
	@$(NODE) tools/test/ladder.ts crash
test-replication: ## The replicated log on real etcd members
	@$(NODE) tools/test/ladder.ts replication
test-chaos: ## The same under a minute of faults
	@$(NODE) tools/test/ladder.ts chaos
test-integration: ## Against a real Kubernetes control plane
	@$(NODE) tools/test/ladder.ts integration
test-browser: ## People with a real browser
	@$(NODE) tools/test/ladder.ts browser
test-e2e: ## Against a real cluster with nodes
	@$(NODE) tools/test/ladder.ts e2e

.PHONY: chaos soak soak-rot soak-streams drill
drill: setup ## What only a real cluster shows and takes long: the disaster drill of the manual; a killed leader as monitoring tells it; one replica’s volume with three; a database as full as its size promises (ONLY=disaster|failover|volume|capacity TOPOLOGY=single|ha-3|ha-6 TRANSFERS=20000000 SIZE=lh-5)
	@$(JEST) --runInBand --silent=false --testMatch '<rootDir>/test/drill/$(or $(ONLY),*).drill.ts'
soak: ## Long runs of faults with new seeds, beside adversarial clients in a pod's memory, until MINUTES are over (60)
	@$(NODE) tools/test/soak.ts --minutes=$(MINUTES)
soak-rot: ## One replica’s volume rots under clients: three real engines, then simulated clusters with kills and elections (SEEDS, a quarter of them is run)
	@$(NODE) test/soak/rot.ts
	@REPLICA_SEEDS=$(or $(SEEDS),400) $(JEST) --silent=false engine/replica/replicated-replica.test.ts -t rots
soak-streams: ## 100,000 transfers leave three replicas by RabbitMQ, Kafka, webhook and SSE while leader, workers, API, brokers and receiver are killed (SEED)
	@$(NODE) test/soak/change-streams.ts --seed=$(SEED)
chaos: ## Engines and etcd members under a schedule of faults, checked afterwards (SEED=random MINUTES=2 REPLICAS=3|6)
	@$(NODE) test/chaos/main.ts --seed=$(SEED) --minutes=$(MINUTES) --replicas=$(REPLICAS)

.PHONY: cluster-up cluster-down cluster-status
cluster-up: ## Bring up the local Kubernetes (LEDGERHOUSE_CLUSTER=native|docker|kubeconfig|auto, NODES=1..3)
	@$(NODE) tools/cluster/main.ts up
cluster-down: ## Take it down and leave nothing behind
	@$(NODE) tools/cluster/main.ts down
cluster-status: ## Show what runs and the path of the kubeconfig
	@$(NODE) tools/cluster/main.ts status

.PHONY: bench bench-engine bench-operator bench-api bench-webhooks bench-monitoring bench-streams bench-tunnel bench-archive bench-changes
bench: bench-engine bench-operator bench-api bench-webhooks bench-monitoring bench-streams bench-tunnel bench-archive ## Print figures; never passes or fails
bench-engine: ## One durable replica: throughput, latency, memory, restart; then three and six, with faults (TRANSFERS=10000000); PEER=path/to/tigerbeetle: both in turns, and their ratios (TRANSFERS=2000000 TURNS=3 REPLICAS=1|3 MEMORY=bytes of each)
	@$(NODE) bench/engine/main.ts
bench-operator: build ## The operator with many databases on fake nodes (DATABASES=1000 TOPOLOGY=single IDLE_SECONDS=600)
	@$(NODE) bench/operator/main.ts
bench-api: build ## The HTTP API: ledger operations, reads, the tool's start (SECONDS=8 RUNS=1 PROFILE=folder)
	@$(NODE) bench/api/main.ts
bench-webhooks: ## From a change to the receiver, and deliveries a second with one of ten receivers hanging (EVENTS=1500)
	@$(NODE) bench/webhooks/main.ts
bench-streams: ## Change streams: events a second into RabbitMQ, Kafka and SSE, from a transfer to the receiver, and the lag after a burst (EVENTS=50000 BURST=1000000; TIGERBEETLE=program: its own job in turns, TURNS=5)
	@$(NODE) bench/streams/main.ts
bench-monitoring: ## A worker that collects from fake engines, a day of figures, queries of it, and the cost to an engine (DATABASES=1000 ROUNDS=4 SECONDS=15 TURNS=4 HOURS=24)
	@$(NODE) bench/monitoring/main.ts
bench-tunnel: ## The tunnel against a direct connection, in turns
	@$(NODE) bench/tunnel/main.ts
bench-archive: build ## What archiving costs an engine, how late the bucket is, the archiver's memory, and a backup, the next one, a restore and a replay (TRANSFERS=10000000 ACCOUNTS=10000 TURNS=11 SECONDS=60)
	@$(NODE) bench/archive/main.ts
bench-changes: ## How long a client waits while a database is changed on a real local cluster, beside the promise; parts are killed in the middle (PART=one|shape|six DEEDS=1 TRANSFERS=10000000)
	@$(NODE) bench/changes/main.ts

.PHONY: images build clean
images: ## Build the images and load them into the cluster that is up
	@$(NODE) tools/images/main.ts load
build: ## Compile the programs of the images into dist/, and the dashboard
	@tsc -p tsconfig.build.json
	@$(NODE) tools/dashboard/build.ts
clean: ## Remove everything built in the checkout
	@rm -rf dist node_modules/.cache
