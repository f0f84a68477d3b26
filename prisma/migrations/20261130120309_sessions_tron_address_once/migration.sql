-- No two sessions share an address. 128 bits of its SHA-256 take less than half the room of the text in a tree.
CREATE UNIQUE INDEX CONCURRENTLY "sessions_tron_address_once" ON "sessions"((encode(substr(sha256("tron_address"::bytea), 1, 16), 'hex')::uuid));
