// A signer that is killed (SIGKILL) at a chosen point of writing its journal; run bundled, as a separate process.
// Arguments: the journal, the point, and the parameters of `sign` as JSON. If it survives, it prints the hash.

import fs from 'node:fs';
import { NETWORKS } from '@/lib/networks/networks';
import { signParams } from '@/lib/signer/orders';
import { RefundSigner } from '@/lib/signer/refund-signer';
import { journalKeyOf } from '@/lib/signer/journal/signer-journal';
import { refundAccounts } from '@/lib/treasury/wallets/derivation-refund';

const [journalFile = '', point = '', request = ''] = process.argv.slice(2);
const seed = Buffer.alloc(64, 7);
const signer = new RefundSigner({
  accounts: refundAccounts(seed),
  policy: {
    chains: NETWORKS.filter(({ chain }) => chain === 'local'),
    limits: { perRefund: 100_000n, perHour: 10_000_000n, perDay: 100_000_000n },
    claimLimits: { perRefund: 50_000n, perHour: 100_000n, perDay: 500_000n },
    payoutLimits: { perRefund: 0n, perHour: 0n, perDay: 0n },
    cold: { wallets: [], limits: { perRefund: 1_000_000n, perHour: 2_000_000n, perDay: 5_000_000n } },
    fees: new Map(),
    batches: [],
    approvalAbove: 500_000n,
    payoutApprovalAbove: 1_000_000n,
    approvals: null,
    evidenceKey: [Buffer.alloc(32, 3)],
  },
  clock: { now: () => new Date(1_795_219_200_000) },
  journalFile,
  journalKey: journalKeyOf(seed),
  fingerprint: 'f'.repeat(64),
  isNewWallet: false,
});

/** The process ends here. */
const die = (): void => {
  process.kill(process.pid, 'SIGKILL');
  for (;;) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1000);
};
const { writeSync, fsyncSync } = fs;
fs.writeSync = ((fd: number, bytes: Uint8Array) => {
  if (point === 'before write') die();
  const torn = /^torn write (\d+)$/.exec(point)?.[1];
  if (torn !== undefined) {
    writeSync(fd, bytes.subarray(0, Math.floor((bytes.length * Number(torn)) / 100)));
    die();
  }
  const count = writeSync(fd, bytes);
  if (point === 'after write') die();
  return count;
}) as typeof fs.writeSync;
fs.fsyncSync = (fd) => {
  fsyncSync(fd);
  if (point === 'after sync') die();
};

const { hash } = signer.sign(signParams.parse(JSON.parse(request)));
if (point === 'before answer') die();
writeSync(1, `${hash}\n`);
if (point === 'after answer') die();
