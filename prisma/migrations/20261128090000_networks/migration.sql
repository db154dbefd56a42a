-- Networks of an operator: beside those of the release, or in their place.
CREATE TABLE networks (
  gid text PRIMARY KEY,
  -- file: of NETWORKS_FILE, which the API cannot change; api: of PUT /networks.
  source text NOT NULL CHECK (source IN ('file', 'api')),
  document jsonb NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now()
);
