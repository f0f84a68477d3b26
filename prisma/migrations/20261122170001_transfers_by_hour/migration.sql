-- What was credited on a network within the last hour decides how many endpoints must agree on the next payment.
-- CreateIndex
CREATE INDEX "transfers_chain_id_created_at_idx" ON "transfers"("chain_id", "created_at");
