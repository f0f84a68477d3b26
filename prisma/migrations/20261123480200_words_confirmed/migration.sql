-- Whether the words of the signer's wallet were written down, as the signer reports it.
-- AlterTable
ALTER TABLE "signer_states" ADD COLUMN "words_confirmed" BOOLEAN;
