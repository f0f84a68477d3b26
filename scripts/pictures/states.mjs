// Every state of the pages that customers meet, by its name: what is stored, and the address that shows it.

import { addLink, addSession } from './rows.mjs';

const MINE = '7'.repeat(43);
const whole = (network = 'bsc') => [{ network, cents: 1234 }];
const PAID = { status: 'completed', received: 1234, transfers: whole() };
const items = [
  { quantity: 2, price_data: { unit_amount: 450, product_data: { name: 'Blue mug' } } },
  { quantity: 1, price_data: { unit_amount: 134, product_data: { name: 'فنجان قهوة' } } },
];

/** The session of each, and the page's query where it has one. */
const PAY = {
  waiting: { session: { items, tax: 100, shipping: 100, total: 1234, currency: 'EUR', due: 1333 } },
  'one-method': { session: { due: 123_456_789, currency: 'USDT', currencies: ['USDT'], networks: ['tron'] } },
  'last-minute': { session: { left: 75 } },
  lagging: { session: { networks: ['bsc', 'solana'] }, query: 'method=solana-USDT' },
  'token-chosen': { session: {}, query: 'method=bsc-USDC&choosing=network' },
  'chosen-tron': { session: {}, query: 'method=tron-USDT' },
  'chosen-solana': { session: {}, query: 'method=solana-USDC' },
  'code-of-a-wallet': { session: {}, query: 'method=ethereum-USDC&wallet=metamask' },
  short: { session: { received: 500, transfers: [{ cents: 500 }] } },
  'short-and-underway': {
    session: { received: 500, transfers: [{ cents: 500 }], sightings: [{ cents: 300, block: 999 }] },
  },
  confirming: { session: { sightings: [{ network: 'ethereum', cents: 1234 }] } },
  'taken-back': { session: { sightings: [{ network: 'ethereum', cents: 1234, orphaned: true }] } },
  checking: { session: { left: -30 } },
  unavailable: { session: { networks: ['polygon'] } },
  'wrong-token': {
    session: {
      currency: 'USDT',
      currencies: ['USDT'],
      exception: 'wrong_token',
      transfers: [{ currency: 'USDC', cents: 1234, decided: { kind: 'wrong_token' } }],
    },
  },
  'wrong-network': {
    session: {
      networks: ['ethereum'],
      exception: 'wrong_network',
      transfers: [{ cents: 1234, decided: { kind: 'wrong_network' } }],
    },
  },
  'not-found-by-the-finder': { session: {}, query: 'transaction=0x12' },
  paid: { session: PAID },
  'paid-too-much': {
    session: {
      status: 'completed',
      exception: 'over',
      received: 1500,
      transfers: [{ cents: 1500, decided: { kind: 'over' } }],
    },
  },
  'paid-late-and-accepted': {
    session: {
      ...PAID,
      exception: 'late',
      acceptedFrom: 'expired',
      left: -300,
      transfers: [{ cents: 1234, when: -100, decided: { kind: 'late', state: 'accepted' } }],
    },
  },
  expired: { session: { status: 'expired', left: -300 } },
  'expired-and-paid-late': {
    session: {
      status: 'expired',
      exception: 'late',
      left: -300,
      transfers: [{ cents: 1234, when: -100, decided: { kind: 'late' } }],
    },
  },
  'expired-half-paid': {
    session: {
      status: 'failed',
      exception: 'partial',
      left: -10,
      received: 500,
      transfers: [{ cents: 500, when: -200, decided: { kind: 'unfinished' } }],
    },
  },
  canceled: { session: { status: 'canceled' } },
  'refund-pending': { session: { ...PAID, refunds: [{ status: 'pending' }] } },
  'refund-waits-for-address': { session: { ...PAID, refunds: [{ status: 'processing', hold: 'destination_needed' }] } },
  'refund-completed': { session: { ...PAID, refunds: [{ status: 'completed', receipt: `rcp_${'r'.repeat(22)}` }] } },
  'refund-failed-and-another': {
    session: {
      ...PAID,
      refunds: [
        { status: 'failed', cents: 600 },
        { status: 'processing', cents: 634 },
        { status: 'canceled', cents: 100 },
      ],
    },
  },
};

/** What is asked of the claim page of a refund on TRON that waits for an address. */
const CLAIM = {
  'claim-open': '',
  'claim-malformed': 'address=hello',
  'claim-checksum': 'address=TNPeeaaFB7K9cmo4uQpcU32zGK8G1NYqeM',
  'claim-other-network': 'address=0x52908400098527886E0F7030069857D2E4169EE7',
  'claim-zero': 'address=T9yD14Nj9j7xAB4dbGeiX9h8unkKHxuWwb',
  // No endpoint answers here.
  'claim-unchecked': 'address=TNPeeaaFB7K9cmo4uQpcU32zGK8G1NYqeL',
};

const LINKS = {
  'link-price': { link: { amount: 1250 } },
  'link-free-amount': { link: { least_amount: 500, most_amount: 5000 } },
  'link-amount-refused': { link: { least_amount: 500, most_amount: 5000 }, query: 'amount=4' },
  'link-above-the-limit': { link: {}, query: 'amount=900&refused=limit' },
  'link-shop-cannot': { link: { currency: 'USDC', amount: 1250 }, query: 'refused=shop' },
  'link-busy': { link: { amount: 1250 }, query: 'refused=busy' },
  'link-off': { link: { amount: 1250, is_active: false } },
};

/** Stores all of it; resolves to the path of every state by its name. */
export async function addStates(client, chains) {
  const paths = {};
  const asked = (query) => (query ? `?${query}` : '');
  for (const [name, { session, query }] of Object.entries(PAY))
    paths[name] = `/pay/${await addSession(client, chains, session)}${asked(query)}`;
  const receipt = `rcp_${'r'.repeat(22)}`;
  paths.receipt = `/receipt/${receipt}`;
  const waits = { status: 'processing', network: 'tron', hold: 'destination_needed', claim: MINE };
  await addSession(client, chains, { ...PAID, transfers: whole('tron'), refunds: [waits] });
  for (const [name, query] of Object.entries(CLAIM)) paths[name] = `/claim/${MINE}${asked(query)}`;
  for (const [name, { link, query }] of Object.entries(LINKS))
    paths[name] = `/link/${await addLink(client, link)}${asked(query)}`;
  paths['no-such-payment'] = '/pay/cs_test_none';
  paths['no-such-claim'] = `/claim/${'8'.repeat(43)}`;
  paths['no-such-receipt'] = '/receipt/rcp_none';
  return paths;
}
