// The faults of a typed address, as the readers of the network families report them.

/**
 * `malformed`: not an address of any known network. `checksum`: mistyped. `zero`: a burn address. `cannot_receive`: no key exists
 * for it, or it is a contract. `ours`: an address of this service; only callers that know our addresses report it, never a
 * reader.
 */
export type RecipientFault = 'malformed' | 'checksum' | 'token_contract' | 'zero' | 'ours' | 'cannot_receive';

/** The address in its stored form, or its fault. */
export type FamilyRecipient = { readonly address: string } | { readonly fault: RecipientFault };
