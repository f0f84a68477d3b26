// When the signer's journal needs disk space: weeks before it cannot be written.

/** Space for about 700,000 refunds, so that an operator has weeks to add more. */
const LOW_BYTES = 1 << 30;

export const isJournalLow = ({ freeBytes }: { readonly freeBytes: number }): boolean => freeBytes < LOW_BYTES;
