-- A redelivery begins the schedule anew: attempts made before it do not count for it.
ALTER TABLE deliveries ADD COLUMN attempt_base integer NOT NULL DEFAULT 0;
-- A test message: sent once whatever the state of its channel.
ALTER TABLE deliveries ADD COLUMN is_test boolean NOT NULL DEFAULT false;

-- Which notifiers run. Channels are shared among those seen lately; a row that ages is one that died.
CREATE TABLE notifier_replicas (
  instance_id text PRIMARY KEY,
  seen_at timestamptz NOT NULL DEFAULT now()
);
