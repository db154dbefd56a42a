-- The lease of a process on all its shares of a kind (ADR 15). NULL: a release that renews each share.
ALTER TABLE owner_beats ADD COLUMN lease_until timestamptz;

-- Who owns what, until when: the later one of the two leases.
CREATE VIEW share_leases AS
  SELECT o.kind, o.share, o.owner, o.token, greatest(o.lease_until, b.lease_until) AS lease_until
  FROM owners o LEFT JOIN owner_beats b ON b.kind = o.kind AND b.owner = o.owner;
