// Writes a journal of N records, or times opening it: `write DIRECTORY RECORDS`, `open DIRECTORY`.

import { randomBytes } from 'node:crypto';
import path from 'node:path';
import type { Entry } from '@/lib/signer/journal/record';
import { OpenJournal } from '@/lib/signer/journal/open';

const KEY = Buffer.alloc(32, 5);
/** Records per disk write. Each write waits for the disk, so a million records are written in bulk. */
const TOGETHER = 5000;
/** A start reads the open segment line by line. This is the most that it holds before it closes. */
const [OPEN_WRITES, OPEN_TOGETHER] = [15, 500];
const START = 1_795_219_200_000;
/** About 100,000 refunds a day. */
const MILLISECONDS_A_RECORD = 432;

const [command, directory = '', records = '0'] = process.argv.slice(2);
const file = path.join(directory, 'journal');

if (command === 'write') {
  const journal = new OpenJournal(file, KEY);
  let written = 0;
  const write = (count: number) => {
    const entries = Array.from({ length: count / 2 }, (_, n) => refund(written / 2 + n)).flat();
    journal.write(START + written * MILLISECONDS_A_RECORD, entries);
    written += count;
  };
  while (written < Number(records)) write(TOGETHER);
  // A start is slowest when the open segment is nearly full.
  for (const closed = journal.state().segments; journal.state().segments === closed;) write(OPEN_TOGETHER);
  for (let left = OPEN_WRITES; left > 0; left--) write(OPEN_TOGETHER);
} else {
  const begin = process.hrtime.bigint();
  const journal = new OpenJournal(file, KEY);
  const seconds = Number(process.hrtime.bigint() - begin) / 1e9;
  if (journal.damage !== null) throw new Error(`the journal ${journal.damage}`);
  console.log(JSON.stringify({ seconds, state: journal.state() }));
}

/** The records of an Ethereum refund, at their production length. */
function refund(at: number): Entry[] {
  const intentId = `re_${at}_${randomBytes(8).toString('hex')}`;
  const hex = (bytes: number) => randomBytes(bytes).toString('hex');
  const address = `0x${hex(20)}`;
  const evidence = {
    kind: 'payer',
    session: `cs_live_${hex(16)}`,
    network: 'ethereum',
    address,
    reference: hex(32),
    mostCents: '5000',
    mac: hex(32),
  } as const;
  const order = {
    intentId,
    environment: 'live',
    network: 'ethereum',
    currency: 'USDT',
    contract: `0x${hex(20)}`,
    to: address,
    amount: '1',
    evidence,
  } as const;
  const signed = { hash: `0x${hex(32)}`, bytes: `0x${hex(180)}`, validity: { kind: 'nonce', nonce: at } } as const;
  const draft = { family: 'evm', intentId, from: address, unsigned: `0x${hex(110)}` } as const;
  return [
    { kind: 'opened', chain: 'mainnet', cents: '100', order },
    { kind: 'signed', intentId, digest: hex(32), draft, signed, lapsed: null },
  ];
}
