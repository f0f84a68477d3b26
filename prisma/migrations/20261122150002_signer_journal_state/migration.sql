-- How large the signer's journal is and how much room is left for it, as the signer said last.

-- AlterTable
ALTER TABLE "signer_states" ADD COLUMN     "journal" JSONB;
