// What can be wrong with an address that a person typed, as one network family's reader tells it.

/**
 * `malformed`: no address of any network that we know. `checksum`: mistyped. `zero`: an address where coins are destroyed.
 * `cannot_receive`: nobody has a key to it, or it is a contract. `ours`: an address of this service; told by those who know
 * them, and never by a reader.
 */
export type RecipientFault = 'malformed' | 'checksum' | 'token_contract' | 'zero' | 'ours' | 'cannot_receive';

/** The address as it is stored, or what is wrong with it. */
export type FamilyRecipient = { readonly address: string } | { readonly fault: RecipientFault };
