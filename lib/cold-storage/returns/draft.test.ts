// What is refused before anything is drafted, because the cold wallet could not sign it.

import { expect, it } from 'vitest';
import { associatedAccount } from '@/lib/networks/families/solana/address';
import { networkSpec, type NetworkSpec } from '@/lib/networks/networks';
import type { ChainSender } from '@/lib/networks/sending/send';
import { draftRequest } from './draft';
import type { ReturnChain } from './rows';

const spec = networkSpec('live', 'solana', 'public') as NetworkSpec;
const KEY = '4zMMC9srt5Ri5X14GAgXhaHii3GnPAEERYPJgZJDncDU';
/** An address off the curve, as a vault has one. */
const VAULT = associatedAccount(KEY, spec.tokens.USDC!.contract);
const chain: ReturnChain = { chainId: 1, environment: 'live', spec, sender: {} as ChainSender };
const request = (cold: string) =>
  draftRequest(chain, 'cr_0000000000000000000001', {
    wallets: { cold, refund: KEY },
    transfers: [{ currency: 'USDC', amount: 5n }],
    nonceAccounts: [],
    executor: null,
    permission: null,
    squads: null,
    safe: null,
  });

it('refuses a request to a wallet of a program on Solana, with what its members have to do', async () => {
  await expect(request(VAULT)).rejects.toThrow(
    `The cold wallet ${VAULT} on solana has no key: it belongs to a program, such as a Squads multisig. ` +
      `Name the multisig and the members who sign (--multisig ADDRESS --member ADDRESS ...). ` +
      `Or let its members send the tokens to the refund wallet ${KEY} in Squads.`,
  );
  // The neighbour: a wallet with a key only lacks its nonce account.
  await expect(request(KEY)).rejects.toThrow('name one durable nonce account');
});
