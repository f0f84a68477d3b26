// The forms that store an address for refunds: only what our own page has shown, from our own page, once.

import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { fromUnixSeconds } from '@/lib/platform/clock';
import fc from 'fast-check';
import { sealSecret, sha256 } from '@/lib/platform/crypto';
import { newClaimToken } from '@/lib/platform/ids';
import {
  checkForPage,
  readRefundRoute,
  readShownClaim,
  shownAddress,
  type AddressPlace,
} from '@/lib/refunds/customer-address/page';
import { recordBrowser } from '@/lib/refunds/destination/payer-browser';
import { flushSecurityEvents } from '@/lib/platform/security/events';
import { readPayPage } from '@/lib/payments/checkout/pay-page';
import { openTestDatabase, type TestDatabase } from '@/testing/database/database';
import { makeChain, makeStore, TestClock, testConfig, testContext } from '@/testing/fixtures';
import { formRequest } from '@/testing/page-form';
import { EXPIRES, openSettledSessions } from '@/testing/payments/settled-session';
import { newSigningWallet, type SigningWallet } from '@/testing/refunds/signing-wallets';
import { isFromOurPages } from './form';
import { answerRefundAddress } from './refund-address';
import { openServices, type Services } from '@/lib/api/services';

const MINE = '0x9858EfFD232B4033E47d90003D41EC34EcaEda94';
const OTHER = '0x6Fac4D18c912343BF86fa7049364Dd4E424Ab9C0';
const PUBLIC = 'http://127.0.0.1:3000';

let database: TestDatabase;
let clock: TestClock;
let services: Services & { kindOf: () => Promise<'wallet' | 'contract' | 'unknown'> };
let kind: 'wallet' | 'contract' | 'unknown';
/** The cookies of browsers that were shown the payment pages in time. */
const tokens = new Map<string, string>();
let make: (payers?: readonly string[]) => Promise<string>;

beforeAll(async () => {
  database = await openTestDatabase();
  clock = new TestClock(EXPIRES - 200);
  const opened = openServices(testContext(database, clock, testConfig({ LIMIT_LOOPBACK: 'off' })), () => []);
  services = { ...opened, kindOf: () => Promise.resolve(kind) };
  const sessions = openSettledSessions(database, clock, {
    ethereum: await makeChain(database, 'ethereum', EXPIRES - 100),
  });
  const { storeId } = await makeStore(database, services.config);
  make = async (payers = [OTHER]) => {
    const id = await sessions.make(storeId);
    tokens.set(id, (await show(id))!);
    for (const payer of payers) {
      const transfer = await sessions.transfer(id, { cents: 1250 / payers.length });
      await database.pool.query('ALTER TABLE transfers DISABLE TRIGGER USER');
      await database.pool.query('UPDATE transfers SET payer = $2 WHERE id = $1', [transfer, payer.toLowerCase()]);
      await database.pool.query('ALTER TABLE transfers ENABLE TRIGGER USER');
    }
    await sessions.settle(id);
    return id;
  };
});
afterAll(() => database.close());
beforeEach(() => {
  kind = 'wallet';
  // Each check takes a token of a limit that all tests share.
  clock.advance(60);
});

const check = (place: AddressPlace, typed: string) =>
  checkForPage(services, place, { environment: 'test', network: 'ethereum', typed });

const securityCounts = async () =>
  flushSecurityEvents(services).then(() => database.prisma.securityCount.findMany({ where: { sort: 'all' } }));
const clearSecurityCounts = async () =>
  flushSecurityEvents(services).then(() => database.pool.query('TRUNCATE security_counts'));

/** The step as the customer sees it, and what their wallet returns. */
async function signedStep(sessionId: string, wallet: SigningWallet, typed = MINE) {
  const signer = (await routeOf(sessionId))?.signer ?? null;
  const of = { environment: 'test', network: 'ethereum', typed, signer } as const;
  const checked = await checkForPage(services, { sessionId }, of);
  if (checked.refusal !== null || checked.signing === null) throw new Error('nothing to sign');
  return { shown: checked.seal, signature: await wallet.sign(checked.signing.text) };
}

async function sealFor(place: AddressPlace, typed = MINE): Promise<string> {
  const checked = await check(place, typed);
  if (checked.refusal !== null) throw new Error(checked.refusal);
  return checked.seal;
}

function post(
  place: AddressPlace,
  seal: string,
  headers: Record<string, string> = {},
  { body, token }: { readonly body?: string; readonly token?: string } = {},
) {
  const request = formRequest('/x', body ?? { shown: seal }, headers);
  const own = 'sessionId' in place ? tokenOf(place.sessionId) : undefined;
  return answerRefundAddress(services, { place, request, payerToken: token ?? own });
}

const tokenOf = (sessionId: string): string => tokens.get(sessionId) ?? 'none';
/** Shows the payment page to a browser. */
const show = async (sessionId: string, token?: string, isSignedIn = false): Promise<string | null> =>
  recordBrowser(database.pool, sessionId, { page: await readPayPage(database.pool, sessionId), token, isSignedIn });
const routeOf = (sessionId: string) => readRefundRoute(services, sessionId, tokenOf(sessionId));
const givenAt = async (sessionId: string) => (await routeOf(sessionId))?.given ?? null;

async function waitingRefund(sessionId: string, expires = EXPIRES + 86_400): Promise<string> {
  const token = newClaimToken();
  await database.pool.query(
    `INSERT INTO refunds (id, store_id, environment, refund_id, session_id, order_id, status, amount, currency, network,
       request_hash, day, created_at, sign_after, hold, hold_message, held_at, claim_hash, claim_ciphertext, claim_expires_at)
     SELECT 'r' || $1, store_id, 'test', 'r' || $1, id, 'o', 'processing', 500, 'USDT', 'ethereum', '\\x00', '2027-01-15',
       $2::timestamptz, $2, 'destination_needed', 'waits', $2, $3, '\\x00', $4 FROM sessions WHERE id = $1`,
    [sessionId, clock.now(), sha256(token), fromUnixSeconds(expires)],
  );
  return token;
}

describe('an address for the refunds of a payment', () => {
  test('is stored as it was shown, once, and the page then shows it instead of the sender', async () => {
    const sessionId = await make();
    expect(await routeOf(sessionId)).toMatchObject({
      network: 'ethereum',
      currency: 'USDT',
      given: null,
      payer: OTHER,
      addressEntry: 'here',
    });
    const answer = await post({ sessionId }, await sealFor({ sessionId }, ` ${MINE.toLowerCase()} `));
    expect(answer).toMatchObject({ status: 303, headers: { Location: `/pay/${sessionId}#refund-address` } });
    expect(await routeOf(sessionId)).toMatchObject({ given: MINE, payer: null, addressEntry: 'closed' });

    const again = await post({ sessionId }, await sealFor({ sessionId }, OTHER));
    expect(again.headers.Location).toBe(`/pay/${sessionId}#refund-address`);
    expect(await givenAt(sessionId)).toBe(MINE);
  });

  test('is not suggested as the sender’s with several senders, or with one on the operator’s list of exchange wallets', async () => {
    expect((await routeOf(await make([MINE, OTHER])))?.payer).toBeNull();
    await database.pool.query(`INSERT INTO exchange_wallets VALUES ('ethereum', $1, 'an exchange')`, [
      MINE.toLowerCase(),
    ]);
    expect((await routeOf(await make([MINE])))?.payer).toBeNull();
    expect(await routeOf('cs_test_11111111111111111111111111111111')).toBeNull();
  });

  test.each([
    [{ 'sec-fetch-site': 'cross-site' }, 403],
    [{ 'sec-fetch-site': 'same-site' }, 403],
    [{ 'sec-fetch-site': 'none' }, 403],
    [{ 'content-type': 'text/plain' }, 400],
    [{ 'content-type': 'application/json' }, 400],
  ])('is refused from a form with %j', async (headers, status) => {
    const sessionId = await make();
    expect((await post({ sessionId }, await sealFor({ sessionId }), headers)).status).toBe(status);
    expect(await givenAt(sessionId)).toBeNull();
  });

  test('D-01: is accepted only if this very page has shown it', async () => {
    const [sessionId, other] = [await make(), await make()];
    const foreign = await sealFor({ sessionId: other });
    const forged = sealSecret(services.config.MASTER_KEYS, MINE, 'another purpose').toString('base64url');
    for (const seal of [foreign, forged, '', MINE, foreign.slice(0, -2), 'A'.repeat(80)])
      expect((await post({ sessionId }, seal)).status).toBe(403);
    expect((await post({ sessionId }, '', {}, { body: `shown=${'A'.repeat(5000)}` })).status).toBe(413);
    expect(await givenAt(sessionId)).toBeNull();
    expect(shownAddress(services, { sessionId: other }, { seal: foreign, isContract: false })).toEqual({
      address: MINE,
      shownAt: clock.now(),
    });
    expect(shownAddress(services, { sessionId: other }, { seal: foreign, isContract: true })).toBeNull();
  });

  test('is accepted from the browser that the customer paid from, and not from others that know the session', async () => {
    const [sessionId, other] = [await make(), await make()];
    await clearSecurityCounts();
    for (const token of [tokenOf(other), sessionId, '', tokenOf(sessionId).slice(0, -1), 'A'.repeat(80)]) {
      expect((await readRefundRoute(services, sessionId, token))?.addressEntry).toBe('signed');
      expect((await post({ sessionId }, await sealFor({ sessionId }), {}, { token })).status).toBe(403);
    }
    expect(await securityCounts()).toMatchObject([{ kind: 'payer_refused', count: 5n }]);
    expect((await readRefundRoute(services, sessionId, undefined))?.addressEntry).toBe('signed');
    expect(await givenAt(sessionId)).toBeNull();
    expect((await post({ sessionId }, await sealFor({ sessionId }))).status).toBe(303);
    expect(await givenAt(sessionId)).toBe(MINE);
  });

  test('is refused from every other browser where the wallet that paid cannot sign', async () => {
    const sessionId = await make(['0x00000000000000000000000000000000000e5c4a']);
    await database.pool.query(
      `INSERT INTO exchange_wallets VALUES ('ethereum', '0x00000000000000000000000000000000000e5c4a', 'an exchange')`,
    );
    expect((await readRefundRoute(services, sessionId, undefined))?.addressEntry).toBe('elsewhere');
    const till = await make(['0x00000000000000000000000000000000000e5c4a']);
    await database.pool.query(`UPDATE sessions SET order_id = 'till-' || order_id WHERE id = $1`, [till]);
    expect((await routeOf(till))?.addressEntry).toBe('closed');
    expect((await post({ sessionId: till }, await sealFor({ sessionId: till }))).status).toBe(303);
    expect(await givenAt(till)).toBeNull();
  });

  test('is refused from all browsers when a second browser was shown the page before it was paid', async () => {
    const sessionId = await make();
    // The same browser again does not count as a second one.
    expect(await show(sessionId, tokenOf(sessionId))).toBeNull();
    expect((await routeOf(sessionId))?.addressEntry).toBe('here');
    expect(await show(sessionId)).toBeNull();
    expect((await routeOf(sessionId))?.addressEntry).toBe('signed');
    expect((await post({ sessionId }, await sealFor({ sessionId }))).status).toBe(403);
    expect(await show(sessionId, tokenOf(sessionId))).toBeNull();
    expect((await routeOf(sessionId))?.addressEntry).toBe('signed');
  });

  test('is refused from a browser that is signed in to the dashboard, and its visit to the page does not affect the customer', async () => {
    const sessionId = await make();
    await database.pool.query('DELETE FROM payer_browsers WHERE session_id = $1', [sessionId]);
    expect(await show(sessionId, undefined, true)).toBeNull();
    const customer = await show(sessionId);
    expect(await show(sessionId, undefined, true)).toBeNull();
    expect((await readRefundRoute(services, sessionId, customer ?? undefined))?.addressEntry).toBe('here');
  });

  test('is refused for a sale of the till without a signature, and for a payment of several people', async () => {
    const [till, several] = [await make(), await make([MINE, OTHER])];
    await database.pool.query(`UPDATE sessions SET order_id = 'till-' || order_id WHERE id = $1`, [till]);
    for (const [sessionId, addressEntry, status] of [
      [till, 'signed', 403],
      [several, 'closed', 303],
    ] as const) {
      expect((await routeOf(sessionId))?.addressEntry).toBe(addressEntry);
      expect((await post({ sessionId }, await sealFor({ sessionId }))).status).toBe(status);
      expect(await givenAt(sessionId)).toBeNull();
    }
  });

  test('counts for at most one of two browsers that open the page at once, and later for none', async () => {
    const sessionId = await make();
    await database.pool.query('DELETE FROM payer_browsers WHERE session_id = $1', [sessionId]);
    const met = await Promise.all([show(sessionId), show(sessionId)]);
    expect(met.filter((token) => token !== null)).toHaveLength(1);
    for (const token of met)
      expect((await readRefundRoute(services, sessionId, token ?? undefined))?.addressEntry).toBe('signed');
  });

  test('is checked again when it is stored: an address that has become a contract since is sent back to the form', async () => {
    const sessionId = await make();
    const seal = await sealFor({ sessionId });
    kind = 'contract';
    const answer = await post({ sessionId }, seal);
    expect(answer.headers.Location).toBe(`/pay/${sessionId}/refund-address?address=${MINE}`);
    expect(await check({ sessionId }, MINE)).toEqual({ refusal: 'cannot_receive', typed: MINE });
    expect(await givenAt(sessionId)).toBeNull();
  });

  test('is requested again later when it cannot be checked now, or is checked too often', async () => {
    const sessionId = await make();
    kind = 'unknown';
    expect(await check({ sessionId }, MINE)).toEqual({ refusal: 'unchecked', typed: MINE });
    kind = 'wallet';
    const refusals = [];
    for (let at = 0; at < 12; at++) refusals.push((await check({ sessionId }, MINE)).refusal);
    expect(refusals.filter((refusal) => refusal === 'unchecked').length).toBe(3);
  });
});

describe('an address that the paying wallet signed', () => {
  const wallet = newSigningWallet('evm');
  const signedBody = (step: { shown: string; signature: string }) => new URLSearchParams(step).toString();

  test('is stored with the signature, from any browser and for a sale of the till', async () => {
    const [mine, elsewhere, till] = [
      await make([wallet.address]),
      await make([wallet.address]),
      await make([wallet.address]),
    ];
    await database.pool.query(`UPDATE sessions SET order_id = 'till-' || order_id WHERE id = $1`, [till]);
    for (const [sessionId, token] of [
      [mine, tokenOf(mine)],
      [elsewhere, 'another browser'],
      [till, 'another browser'],
    ] as const) {
      const body = signedBody(await signedStep(sessionId, wallet));
      const answer = await post({ sessionId }, '', {}, { body, token });
      expect(answer).toMatchObject({ status: 303, headers: { Location: `/pay/${sessionId}#refund-address` } });
      const { rows } = await database.pool.query(
        'SELECT address, octet_length(signature) AS bytes FROM refund_addresses WHERE session_id = $1',
        [sessionId],
      );
      expect(rows).toEqual([{ address: MINE.toLowerCase(), bytes: 65 }]);
    }
  });

  test('is shown again to be signed when the signature is another wallet’s, another session’s, or too old', async () => {
    const [sessionId, other] = [await make([wallet.address]), await make([wallet.address])];
    const own = await signedStep(sessionId, wallet);
    const wrong = [
      await signedStep(sessionId, newSigningWallet('evm')),
      { ...own, signature: (await signedStep(other, wallet)).signature },
      { ...own, signature: (await signedStep(sessionId, wallet, OTHER)).signature },
      { ...own, signature: 'x' },
    ];
    const tryAgain = `/pay/${sessionId}/refund-address?address=${MINE}&signature=refused`;
    await clearSecurityCounts();
    for (const step of wrong) {
      const answer = await post({ sessionId }, '', {}, { body: signedBody(step) });
      expect([answer.status, answer.headers.Location]).toEqual([303, tryAgain]);
    }
    clock.advance(15 * 60 + 1);
    const late = await post({ sessionId }, '', {}, { body: signedBody(own) });
    expect(late.headers.Location).toBe(tryAgain);
    expect(await securityCounts()).toMatchObject([{ kind: 'wallet_signature_refused', count: 5n }]);
    expect(await givenAt(sessionId)).toBeNull();
    // The session's own seal is still required.
    const foreign = { ...own, shown: (await signedStep(other, wallet)).shown };
    expect((await post({ sessionId }, '', {}, { body: signedBody(foreign) })).status).toBe(403);
  });

  test('never fails on an invalid signature from a browser, and stores nothing of it', async () => {
    const sessionId = await make([wallet.address]);
    const { shown, signature } = await signedStep(sessionId, wallet);
    const hex = (bytes: Uint8Array) => `0x${Buffer.from(bytes).toString('hex')}`;
    const field = fc.oneof(
      fc.string({ unit: 'binary', minLength: 1, maxLength: 200 }),
      fc.uint8Array({ minLength: 64, maxLength: 65 }).map(hex),
      fc.nat(signature.length - 1).map((length) => signature.slice(0, length) || '0'),
      fc.constantFrom(`${signature}0`, signature.replace('0x', ''), `0x${'0'.repeat(130)}`, `0x${'f'.repeat(130)}`),
    );
    await fc.assert(
      fc.asyncProperty(field, async (text) => {
        const answer = await post({ sessionId }, '', {}, { body: signedBody({ shown, signature: text }) });
        expect([answer.status, answer.headers.Location]).toEqual([303, expect.stringContaining('signature=refused')]);
      }),
      { numRuns: 100 },
    );
    expect(await givenAt(sessionId)).toBeNull();
  });
});

describe('an address by a claim link', () => {
  test('is stored for its refund, and the link shows it from then on', async () => {
    const claimToken = await waitingRefund(await make());
    const answer = await post({ claimToken }, await sealFor({ claimToken }));
    expect(answer).toMatchObject({ status: 303, headers: { Location: `/claim/${claimToken}#refund-address` } });
    expect(await readShownClaim(services, claimToken)).toMatchObject({ state: 'given', address: MINE, amount: 500n });
  });

  test('of a smart wallet is stored only when its customer has confirmed that it can receive', async () => {
    const claimToken = await waitingRefund(await make());
    kind = 'contract';
    const checked = await check({ claimToken }, MINE);
    expect(checked).toMatchObject({ refusal: null, address: MINE, isContract: true });
    const seal = await sealFor({ claimToken });
    expect((await post({ claimToken }, seal)).status).toBe(403);
    expect(await readShownClaim(services, claimToken)).toMatchObject({ state: 'open' });
    const body = new URLSearchParams({ shown: seal, contract: 'yes' }).toString();
    expect(await post({ claimToken }, '', {}, { body })).toMatchObject({ status: 303 });
    expect(await readShownClaim(services, claimToken)).toMatchObject({ state: 'given', address: MINE });
  });

  test('that became a contract after it was shown is shown again, with the question', async () => {
    const claimToken = await waitingRefund(await make());
    const seal = await sealFor({ claimToken });
    kind = 'contract';
    expect((await post({ claimToken }, seal)).headers.Location).toBe(`/claim/${claimToken}?address=${MINE}`);
    expect(await readShownClaim(services, claimToken)).toMatchObject({ state: 'open' });
  });

  test('is refused by a link that has expired, without revealing whose refund it is', async () => {
    const claimToken = await waitingRefund(await make(), EXPIRES - 100_000);
    expect(await readShownClaim(services, claimToken)).toBeNull();
    await post({ claimToken }, await sealFor({ claimToken }));
    expect(await readShownClaim(services, claimToken)).toBeNull();
    expect(await readShownClaim(services, newClaimToken())).toBeNull();
    expect(await readShownClaim(services, '../x')).toBeNull();
  });
});

test.each([
  [{}, true],
  [{ origin: 'null' }, true],
  [{ origin: PUBLIC }, true],
  [{ origin: 'https://evil.example' }, false],
  [{ origin: `${PUBLIC}.evil.example` }, false],
  [{ 'sec-fetch-site': 'same-origin', origin: 'null' }, true],
  [{ 'sec-fetch-site': 'cross-site', origin: PUBLIC }, false],
] as const)('D-01: a form with %j is ours: %s', (headers, ours) => {
  expect(isFromOurPages(new Headers(headers), PUBLIC)).toBe(ours);
});
