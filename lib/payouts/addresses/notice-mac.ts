// The worker's MAC over an announced payout address, under EVIDENCE_KEY, which the web process does not have. A row whose MAC does not
// match is ignored, so a compromised web process can neither change an announced address nor shorten its delay. Pure.

import { isMac, makeMac, type MacKeys } from '@/lib/platform/crypto';
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

export const noticeMac = (keys: MacKeys, announced: AnnouncedAddress): Buffer => makeMac(keys, partsOf(announced));

/** Whether the worker announced exactly this. */
export const isAnnounced = (keys: MacKeys, announced: AnnouncedAddress, mac: Uint8Array): boolean =>
  isMac(keys, partsOf(announced), mac);

function partsOf({ id, storeId, environment, network, address, payAfter }: AnnouncedAddress): readonly string[] {
  return ['stabletill payout address 1', id, storeId, environment, network, address, payAfter.toISOString()];
}
