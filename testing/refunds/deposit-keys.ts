// The test signer's wallet (signer-scene), for sessions that tests insert into the database with its deposit addresses.

import { keysFromSeed } from '@/lib/treasury/wallets/derivation';

/** Any seed that belongs to no wallet will do. */
export const seed = Buffer.alloc(64, 7);
export const depositKeys = keysFromSeed(seed);
