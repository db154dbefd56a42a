# The image for both platforms, with a list of what is in it (SBOM) and how it was made (provenance):
#   IMAGE=registry.example.com/chainwatch VERSION=0.2.0 BUILD_COMMIT=$(git rev-parse HEAD) BUILD_TIME=$(date -u +%FT%TZ) \
#     docker buildx bake -f deploy/docker-bake.hcl --push
variable "IMAGE" { default = "chainwatch" }
variable "VERSION" { default = "dev" }
variable "BUILD_COMMIT" { default = "unknown" }
variable "BUILD_TIME" { default = "unknown" }

group "default" { targets = ["chainwatch"] }

target "chainwatch" {
  context    = "."
  dockerfile = "deploy/Dockerfile"
  platforms  = ["linux/amd64", "linux/arm64"]
  tags       = ["${IMAGE}:${VERSION}"]
  args = {
    VERSION      = VERSION
    BUILD_COMMIT = BUILD_COMMIT
    BUILD_TIME   = BUILD_TIME
  }
  attest = ["type=sbom", "type=provenance,mode=max"]
}
