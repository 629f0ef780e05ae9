# What readers of the documentation type. Everything is done by npm scripts and kubectl; docker is needed for the image only.

IMG ?= ghcr.io/reloader-operator/reloader:0.1.0
KUBECTL ?= kubectl
HELM ?= helm
CONTAINER_TOOL ?= docker
# Flags for `make run`, such as ARGS=--log-level=debug.
ARGS ?=

.DEFAULT_GOAL := help

.PHONY: help
help: ## This list.
	@awk 'BEGIN {FS = ":.*##"} /^[a-z-]+:.*##/ {printf "  %-18s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

node_modules: package-lock.json
	npm ci
	@touch node_modules

##@ Development

.PHONY: generate
generate: node_modules ## Write generated files: definitions, documentation, copies for chart and kustomize.
	npm run generate

.PHONY: manifests
manifests: generate build-installer ## Write generated files and manifests/install.yaml.

.PHONY: build-installer
build-installer: node_modules ## Write manifests/install.yaml from config/default.
	$(KUBECTL) kustomize config/default | node config/install.mjs > manifests/install.yaml

.PHONY: build
build: node_modules ## Build all packages.
	npm run build

.PHONY: test
test: node_modules ## Checks and fast tests.
	npm test

.PHONY: test-cluster
test-cluster: node_modules ## Tests on a real control plane, built with Go on first use.
	npm run test:cluster

.PHONY: run
run: build ## Run the operator here, on the cluster of your kubeconfig.
	node packages/operator/bin/reloader.mjs $(ARGS)

##@ Image

.PHONY: docker-build
docker-build: ## Build the image IMG.
	$(CONTAINER_TOOL) build -t $(IMG) .

.PHONY: docker-push
docker-push: ## Push the image IMG.
	$(CONTAINER_TOOL) push $(IMG)

##@ Cluster

.PHONY: install
install: ## Install the custom resource definitions.
	$(KUBECTL) apply --server-side -k config/crd

.PHONY: uninstall
uninstall: ## Remove the definitions, and with them all custom resources.
	$(KUBECTL) delete --ignore-not-found -k config/crd

.PHONY: deploy
deploy: ## Install everything, with the image IMG.
	$(KUBECTL) kustomize config/default | sed 's|image: .*/reloader:.*|image: $(IMG)|' | $(KUBECTL) apply --server-side -f -

.PHONY: undeploy
undeploy: ## Remove everything that `make deploy` installed, custom resources included.
	$(KUBECTL) delete --ignore-not-found -k config/default

##@ Chart

.PHONY: chart-package
chart-package: ## Package the chart into dist/.
	$(HELM) package charts/reloader --destination dist
