-- Why a worker beside the feed (history, backfill, reprocess, …) stands still; NULL: none does (invariant 14).
ALTER TABLE analyzer_states ADD COLUMN worker_reason text;
