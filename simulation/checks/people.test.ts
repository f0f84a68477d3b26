// The checks of what people do fail when they should.

import { createHmac } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { centOf } from '@/simulation/chain/units';
import { name, pageOf, type Records } from '@/simulation/records';
import { expectedSecrets, type Secret } from '@/simulation/secrets';
import { WALLET } from '@/simulation/parties';
import type { SignerAnswer } from '@/simulation/signer';
import type { SimulatedStore, Terms } from '@/simulation/stores';
import type { Check, Checked } from './check';
import { ALICE, BOB, doctored } from './doctored';
import { callsVerifyWithEverySecret, readersReadEverything, readersReadNothingTwice } from './events';
import { everyUnitHasAPlace, transfersAreReturnedOnce } from './every-unit';
import {
  dayLimitsHold,
  formerKeysAreRefused,
  largeRefundsNeedTwoOperators,
  linksAreNotOverrun,
  nothingIsSignedWhileFrozen,
  refundsFailForLastingReasons,
} from './people';
import { refundsGoToTheirPayers } from './refunds';

const found = (check: Check, checked: Checked): string => check(checked).join('; ');

/** The scene with a store that is another one in some fields. */
function withStore(change: Partial<SimulatedStore>): Checked {
  const checked = doctored({});
  Object.assign(checked.world.stores[0]!, change);
  return checked;
}

function withRecords(change: (records: Records, checked: Checked) => void, at = doctored({})): Checked {
  change(at.world.records, at);
  return at;
}

function withLog(...log: SignerAnswer[]): Checked {
  const checked = doctored({});
  (checked.world.harness.signer.log as SignerAnswer[]).push(...log);
  return checked;
}

/** The wallet's payment of so many cents to somebody, for the refund of the scene. */
function paidOut(checked: Checked, recipient: string, cents: bigint): Checked {
  const [chain] = checked.world.chains as [Checked['world']['chains'][number]];
  const token = chain.spec.tokens.USDT!.contract;
  const hash = chain.pay({ token, payer: WALLET.evm, recipient, amount: cents * centOf(chain, 'USDT') });
  for (const time of [500, 600, 700]) chain.mine(time);
  return {
    ...checked,
    after: { ...checked.after, attempts: [...checked.after.attempts, { hash, refund_id: 'rf', signed_at: null }] },
  };
}

describe('a call to a receiver', () => {
  const [now, day] = [100, 24 * 3600 * 1000];
  const body = Buffer.from('{"id":"ev"}');
  const signatureOf = (secret: string) => createHmac('sha256', secret).update('1.n.').update(body).digest('hex');

  /** One call that arrives at `now`, signed with these secrets. */
  function signedWith(secret: string, previous?: string): Checked {
    const headers = {
      ...{ 'x-service-event-id': 'ev', 'x-service-timestamp': '1', 'x-service-nonce': 'n' },
      'x-service-signature': signatureOf(secret),
      ...(previous === undefined ? {} : { 'x-service-signature-previous': signatureOf(previous) }),
    };
    return withStore({ receivers: [{ received: [{ headers, body }], expected: [], hasFailed: false }] as never });
  }

  it.each<[string, Checked, readonly Secret[], RegExp | null]>([
    ['the present secret', signedWith('new'), [{ text: 'new', from: 0, until: null }], null],
    [
      'the present and the former one',
      signedWith('new', 'old'),
      [
        { text: 'old', from: 0, until: day },
        { text: 'new', from: 50, until: null },
      ],
      null,
    ],
    [
      'a secret that ends at this moment',
      signedWith('old'),
      [
        { text: 'old', from: 0, until: Number.NEGATIVE_INFINITY, removedAt: now },
        { text: 'new', from: now, until: null },
      ],
      null,
    ],
    ['another secret', signedWith('other'), [{ text: 'new', from: 0, until: null }], /wrong signature/],
    [
      'the present secret alone within a day of a rotation',
      signedWith('new'),
      [
        { text: 'old', from: 0, until: day },
        { text: 'new', from: 50, until: null },
      ],
      /wrong signature/,
    ],
    [
      'a secret that has ended',
      signedWith('old'),
      [
        { text: 'old', from: 0, until: 60 },
        { text: 'new', from: 60, until: null },
      ],
      /wrong signature/,
    ],
  ])('with %s', (_, checked, secrets, sentence) => {
    checked.world.stores[0]!.receivers[0]!.expected.push(expectedSecrets(secrets, now));
    if (sentence === null) expect(callsVerifyWithEverySecret(checked)).toEqual([]);
    else expect(found(callsVerifyWithEverySecret, checked)).toMatch(sentence);
  });
});

describe('finds', () => {
  const use = { store: 'store 1', at: 10 };
  const link = (mostPaid: number) => ({ id: 'l', cents: 500n, mostPaid, store: { name: 'store 1' } as SimulatedStore });
  /** The session of the scene and one more, each opened by a link's client. */
  const opened = (...clients: string[]): Checked => {
    const checked = doctored({});
    const [terms, row] = [checked.world.sessions[0]!, checked.after.sessions[0]!];
    const made = clients.map((client, index) => ({ ...terms, id: `cs${index}`, link: { id: 'l', client } }));
    checked.world.sessions.splice(0, 1, ...(made as Terms[]));
    checked.world.records.links.push(link(1));
    return { ...checked, after: { ...checked.after, sessions: made.map(({ id }) => ({ ...row, id })) } };
  };
  const failed = () => doctored({ refunds: { status: 'failed' } });
  const unsigned = () => doctored({ refunds: { status: 'failed', destination: null } });

  it.each<[string, Check, Checked, RegExp]>([
    [
      'an event that is read twice',
      readersReadNothingTwice,
      withStore({ reader: { cursor: null, read: ['ev', 'other', 'ev'] } }),
      /twice/,
    ],
    [
      'an event that is never read',
      readersReadEverything,
      withStore({ reader: { cursor: null, read: [] } }),
      /never read/,
    ],
    [
      'a former key that still works',
      formerKeysAreRefused,
      withRecords(({ keyUses }) => void keyUses.push({ ...use, validUntil: 10, status: 200 })),
      /was answered 200/,
    ],
    [
      'a key that ends early',
      formerKeysAreRefused,
      withRecords(({ keyUses }) => void keyUses.push({ ...use, validUntil: 11, status: 401 })),
      /before its end/,
    ],
    ['a signature after a freeze', nothingIsSignedWhileFrozen, withLog('frozen', 'signed'), /signed 1 times/],
    [
      'a freeze that never reached the signer',
      nothingIsSignedWhileFrozen,
      withRecords(({ freezes }, checked) => {
        checked.world.records.freezes = freezes + 1;
        Object.assign(checked.after, { freezes: [{ id: '1', is_carried_out: true }] });
      }),
      /carried out/,
    ],
    ['two people who pay a link for one', linksAreNotOverrun, opened('Alice', 'Bob'), /2 clients paid/],
    ['a refund that fails without a reason', refundsFailForLastingReasons, failed(), /was not blocked/],
    [
      'a refund that fails before its signature because somebody else is blocked',
      refundsFailForLastingReasons,
      withRecords((records) => void records.blocked.add(`bsc USDT ${BOB}`), unsigned()),
      /was not blocked/,
    ],
    [
      'a large refund without approvals',
      largeRefundsNeedTwoOperators,
      paidOut(doctored({}), ALICE, 301n),
      /without an approval/,
    ],
    [
      'a transfer that is sent back twice',
      transfersAreReturnedOnce,
      paidOut(doctored({ refunds: { case_id: '9' } }), ALICE, 301n),
      /went back/,
    ],
    [
      'money without a place',
      everyUnitHasAPlace,
      doctored({ sessions: { status: 'expired' } }),
      /without an exception/,
    ],
    ['a surplus without a place', everyUnitHasAPlace, doctored({ sessions: { amount_due: '490' } }), /keeps 5.00/],
    [
      'a session above the limit of its day',
      dayLimitsHold,
      { ...withStore({ dayLimit: 499n }), before: { ...doctored({}).before, sessions: [] } },
      /limit of 4.99/,
    ],
    [
      'a refund to somebody who paid by a service',
      refundsGoToTheirPayers,
      withRecords((records, { after }) => void records.relayed.add(after.transfers[0]!.hash)),
      /never sent a payment/,
    ],
    [
      'a refund of another payment that goes to the address of a page',
      refundsGoToTheirPayers,
      withRecords(
        (records) => name(records, pageOf('cs', 'bsc'), BOB),
        paidOut(doctored({ refunds: { case_id: '9' } }), BOB, 200n),
      ),
      /had paid 0/,
    ],
  ])('%s', (_, check, checked, sentence) => {
    expect(found(check, checked)).toMatch(sentence);
  });

  it.each<[string, Check, Checked]>([
    [
      'a former key that is refused, and one that still works',
      formerKeysAreRefused,
      withRecords(({ keyUses }) => {
        keyUses.push({ ...use, validUntil: 10, status: 401 }, { ...use, validUntil: 11, status: 200 });
      }),
    ],
    [
      'a signature before a freeze and after its end',
      nothingIsSignedWhileFrozen,
      withLog('signed', 'frozen', 'unfrozen', 'signed'),
    ],
    ['one person who pays a link for one twice', linksAreNotOverrun, opened('Alice', 'Alice')],
    [
      'a failed refund to a blocked recipient',
      refundsFailForLastingReasons,
      withRecords((records) => void records.blocked.add(`bsc USDT ${ALICE}`), failed()),
    ],
    [
      'a refund that fails before its signature because its payer is blocked',
      refundsFailForLastingReasons,
      withRecords((records) => void records.blocked.add(`bsc USDT ${ALICE}`), unsigned()),
    ],
    [
      'a large refund with approvals',
      largeRefundsNeedTwoOperators,
      withRecords(({ approved }) => void approved.add('rf'), paidOut(doctored({}), ALICE, 301n)),
    ],
    [
      'a refund to an address that its customer named',
      refundsGoToTheirPayers,
      withRecords(
        (records, checked) => {
          name(records, 'rf', BOB);
          Object.assign(checked, { after: { ...checked.after, attempts: checked.after.attempts.slice(1) } });
        },
        paidOut({ ...doctored({}), after: { ...doctored({}).after } }, BOB, 200n),
      ),
    ],
  ])('nothing in %s', (title, check, checked) => {
    // The scene's own payment to Alice has no refund in the last case.
    const expected = title.startsWith('a refund to an address')
      ? /^\d+ USDT left the wallet on bsc for no refund$/
      : /^$/;
    expect(found(check, checked)).toMatch(expected);
  });
});
