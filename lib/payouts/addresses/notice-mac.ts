// The worker's MAC over an announced payout address, under EVIDENCE_KEY, which the web process does not have. A row whose MAC does not
// match is ignored, so a compromised web process can neither change an announced address nor shorten its delay. Pure.

import { macOf, sameBytes } from '@/lib/platform/crypto';
import type { Environment } from '@/lib/platform/ids';

export type AnnouncedAddress = {
  readonly id: string;
  readonly storeId: string;
  readonly environment: Environment;
  readonly network: string;
  /** In stored form. */
  readonly address: string;
  readonly payAfter: Date;
};

export const noticeMac = (key: Uint8Array, announced: AnnouncedAddress): Buffer => {
  const { id, storeId, environment, network, address, payAfter } = announced;
  const facts = [id, storeId, environment, network, address, payAfter.toISOString()];
  return macOf(key, ['stabletill payout address 1', ...facts]);
};

/** Whether the worker announced exactly this. */
export const isAnnounced = (key: Uint8Array, announced: AnnouncedAddress, mac: Uint8Array): boolean =>
  sameBytes(noticeMac(key, announced), mac);
