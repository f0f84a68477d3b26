// The keys of deposit addresses at a machine without a network, and the files of authorizations that it signs for a worker. The test of the
// `authorizations` command is sandbox/chains/sweep-keyless.test.ts; here the same lines are made without a keystore.

import { randomBytes } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { presignedFile } from '@/lib/networks/families/evm/sweeping/presigned';
import { authorizationLines } from '@/lib/signer/sweeps/authorizations-command';
import { sweepKeys } from '@/lib/treasury/wallets/derivation-sweep';
import { temporaryDirectory } from '@/testing/signer/signer-scene';

export type OfflineKeys = {
  readonly seed: Uint8Array;
  /** Of the files that the worker reads (SWEEP_AUTHORIZATIONS_DIR). */
  readonly directory: string;
};

type Delegation = { readonly chainId: number; readonly address: string };
type Range = { readonly from: number; readonly count: number };

/** Delegations of an address in its life: at first, and after another treasury or a transaction of its key. */
const NONCES = [0, 1, 2];

export function openOfflineKeys() {
  const [seed, directory] = [randomBytes(64), temporaryDirectory()];
  const keys = sweepKeys(seed);
  return {
    seed,
    directory,
    /** Signs for these addresses, unless files for this delegate lie there already. */
    presign(delegation: Delegation, range: Range): void {
      for (const nonce of NONCES) {
        const one = { ...delegation, nonce };
        const file = path.join(directory, presignedFile(one));
        if (!fs.existsSync(file)) fs.writeFileSync(file, authorizationLines(keys, one, range), { mode: 0o600 });
      }
    },
  };
}
