// When the signer's journal needs room: before it cannot be written, with weeks to spare.

/** Room for some 700,000 refunds: an operator has weeks to add more. */
const LOW_BYTES = 1 << 30;

export const isJournalLow = ({ freeBytes }: { readonly freeBytes: number }): boolean => freeBytes < LOW_BYTES;
