-- No two sessions share an address. 128 bits of its SHA-256 take less than half the room of the text in a tree.
CREATE UNIQUE INDEX CONCURRENTLY "sessions_evm_address_once" ON "sessions"((encode(substr(sha256("evm_address"::bytea), 1, 16), 'hex')::uuid));
