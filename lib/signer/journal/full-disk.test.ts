// The journal on a disk that is really full, at every moment of writing a record and of closing a segment: it needs no restart
// afterwards. Mounting a small disk needs root.

import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { orderOn, partsOf, policy, seed, solanaDraft, START, temporaryDirectory } from '@/testing/signer/signer-scene';
import { refundAccounts } from '@/lib/treasury/wallets/derivation-refund';
import { RefundSigner } from '@/lib/signer/refund-signer';

const root = temporaryDirectory();
const isMounted = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=1m', 'tmpfs', root]).status === 0;
const PAGE = 4096;
/** A few payments each. */
const SEGMENT = 12_000;

afterAll(() => {
  // The signers of these tests keep their files open.
  if (isMounted) spawnSync('umount', ['-l', root]);
  fs.rmSync(root, { recursive: true, force: true });
});

const open = (directory: string, isNewWallet: boolean): RefundSigner =>
  new RefundSigner({
    ...partsOf(path.join(directory, 'journal'), { now: START }),
    accounts: refundAccounts(seed),
    policy: policy({ perHour: 10_000_000n }),
    isNewWallet,
    segmentBytes: SEGMENT,
  });
const order = (at: number) => orderOn('solana', { intentId: `re_${at}`, session: `cs_${at % 3}` });
const sign = (signer: RefundSigner, at: number) => signer.sign({ order: order(at), draft: solanaDraft(order(at)) });

/** Fills the disk, except for some pages. */
function fill(file: string, pagesLeft: number): void {
  const bytes = fs.statfsSync(root).bavail * PAGE - pagesLeft * PAGE;
  fs.writeFileSync(file, Buffer.alloc(Math.max(0, bytes)));
}

test.skipIf(!isMounted).each([0, 1, 2, 3, 4, 5, 6])(
  'a disk with %d pages left stops signing, and signing goes on when there is space, without a restart',
  (pages) => {
    const directory = fs.mkdtempSync(path.join(root, 'full-'));
    const filler = path.join(root, 'filler');
    const signer = open(directory, true);
    const signed = new Map([0, 1].map((at) => [at, sign(signer, at)]));
    fill(filler, pages);
    let failures = 0;
    for (let at = 2; at < 24; at++) {
      try {
        signed.set(at, sign(signer, at));
      } catch (error) {
        expect(error).toMatchObject({ code: 'ENOSPC' });
        failures++;
      }
    }
    expect(failures).toBeGreaterThan(0);
    expect(signer.state()).toMatchObject({ frozen: false, journal: { trouble: expect.stringContaining('ENOSPC') } });
    fs.rmSync(filler);
    for (let at = 0; at < 24; at++) {
      const again = sign(signer, at);
      expect(again).toEqual(signed.get(at) ?? again);
      signed.set(at, again);
    }
    expect(signer.state()).toMatchObject({ frozen: false, journal: { attempts: 24, trouble: null } });
    const restarted = open(directory, false);
    expect(restarted.state()).toMatchObject({ frozen: false, journal: { attempts: 24, trouble: null } });
    for (const [at, one] of signed) expect(sign(restarted, at)).toEqual(one);
    fs.rmSync(directory, { recursive: true });
  },
);
