// The wallet of the test signer (signer-scene), for sessions that tests put into the database with deposit addresses of their own.

import { keysFromSeed } from '@/lib/treasury/wallets/derivation';

/** Any seed does; this one is that of no wallet. */
export const seed = Buffer.alloc(64, 7);
export const depositKeys = keysFromSeed(seed);
