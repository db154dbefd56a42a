-- Sessions of the dashboard that were signed out of before their end. Each is sealed in its browser's cookie; nothing else
-- is kept of it here.
CREATE TABLE ended_sessions (
  id uuid PRIMARY KEY,
  -- The session's own end: from then on the row says nothing.
  expires_at timestamptz NOT NULL
);
CREATE INDEX ended_sessions_expires_at_idx ON ended_sessions (expires_at);

-- Whom an issuer vouches for, in every workspace that made them a member.
CREATE INDEX members_email_idx ON members (email);

-- actor_key_id is the member's id where a member did it.
ALTER TABLE audit_logs ADD COLUMN actor_type text NOT NULL DEFAULT 'key';

-- Members ask, too. What a deleted key asked goes with its time, within 24 hours; nobody can read it till then.
ALTER TABLE idempotency_keys DROP CONSTRAINT idempotency_keys_api_key_id_fkey;
