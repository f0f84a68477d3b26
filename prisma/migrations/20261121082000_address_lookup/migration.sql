-- Every recipient of every block is looked up here, nearly all in vain. A hash index answers "not ours" from one page whatever
-- the number of sessions, where the tree of the unique key compares text at each of its levels.
-- CreateIndex
CREATE INDEX "sessions_evm_address_idx" ON "sessions" USING HASH ("evm_address");

-- CreateIndex
CREATE INDEX "sessions_tron_address_idx" ON "sessions" USING HASH ("tron_address");
