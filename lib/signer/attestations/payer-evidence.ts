// The watcher's attestation of a stored transfer: a MAC over every fact of the row under EVIDENCE_KEY, which the web
// process does not have. An attacker who can write to the database but does not control the watcher can therefore not
// name a payer. Pure.

import { isMac, makeMac, type MacKeys } from '@/lib/platform/crypto';
import type { Environment } from '@/lib/platform/ids';

/**
 * Everything the chain reports of a stored transfer. `genesis` identifies the chain. `blockTime` is in Unix seconds.
 */
export type TransferFacts = {
  readonly environment: Environment;
  readonly network: string;
  readonly genesis: string;
  readonly sessionId: string;
  readonly transactionHash: string;
  readonly ordinal: number;
  readonly blockNumber: number;
  readonly blockHash: string;
  readonly blockTime: number;
  readonly currency: string;
  readonly contract: string;
  readonly payer: string;
  readonly recipient: string;
  /** Base units. */
  readonly amount: bigint;
  readonly decimals: number;
  /** As in FoundTransfer; null in rows from before the watcher recorded it. */
  readonly isPlain: boolean | null;
};

/** Attests a transfer; 32 bytes. */
export const transferMac = (keys: MacKeys, facts: TransferFacts): Buffer => makeMac(keys, partsOf(facts));

const partsOf = (facts: TransferFacts): readonly string[] => [
  facts.isPlain === null ? 'stabletill transfer 1' : 'stabletill transfer 2',
  facts.environment,
  facts.network,
  facts.genesis,
  facts.sessionId,
  facts.transactionHash,
  String(facts.ordinal),
  String(facts.blockNumber),
  facts.blockHash,
  String(facts.blockTime),
  facts.currency,
  facts.contract,
  facts.payer,
  facts.recipient,
  String(facts.amount),
  String(facts.decimals),
  ...(facts.isPlain === null ? [] : [String(facts.isPlain)]),
];

/** Whether the watcher stored exactly this transfer. False without a MAC: rows of older versions have none. */
export const isAttested = (keys: MacKeys, facts: TransferFacts, mac: Uint8Array | null): boolean =>
  mac !== null && isMac(keys, partsOf(facts), mac);
