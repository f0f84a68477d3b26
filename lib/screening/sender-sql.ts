// SQL conditions on the screening of senders, for statements about transfers and deposit addresses.

/** Whether row `screening` is the screening of the sender of row `transfer`. */
export const isSender = (of: {
  readonly screening: string;
  readonly transfer: string;
  readonly environment: string;
}): string =>
  `${of.screening}.environment = ${of.environment} AND ${of.screening}.network = ${of.transfer}.network
   AND ${of.screening}.address = ${of.transfer}.payer AND ${of.screening}.role = 'sender'
   AND ${of.screening}.transaction_hash = ${of.transfer}.transaction_hash`;

/**
 * Whether a deposit address is frozen: one of its senders has a hit that is not released, also while screening is switched off. With
 * `isScreened` (a boolean parameter) an address with an unscreened sender must not be swept either.
 */
export const isSweepBarred = (of: {
  readonly sessionId: string;
  readonly chainId: string;
  readonly address: string;
  readonly environment: string;
  readonly isScreened: string;
}): string =>
  // The first part is read once for a statement, so that screening costs nothing while it is off and nothing is frozen.
  `((${of.isScreened} OR EXISTS (SELECT FROM screenings h WHERE h.verdict = 'hit' AND h.released_at IS NULL AND h.role = 'sender'))
   AND EXISTS (SELECT FROM transfers t
     LEFT JOIN screenings x ON ${isSender({ screening: 'x', transfer: 't', environment: of.environment })}
     WHERE t.session_id = ${of.sessionId} AND t.chain_id = ${of.chainId} AND t.recipient = ${of.address}
       AND ((x.verdict = 'hit' AND x.released_at IS NULL)
         OR (${of.isScreened} AND (x.verdict IS NULL OR x.verdict = 'unknown')))))`;
