-- Who looks after which channels stands in `owners`, who lives in `owner_beats` (ADR 15).
DROP TABLE notifier_replicas;
