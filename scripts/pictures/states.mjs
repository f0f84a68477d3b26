// Every state of the customer pages by name: the stored rows, and the address that shows it.

import { addLink, addOtherStore, addSession } from './rows.mjs';

/** The token of a claim link, or of a browser. */
const token = (last) => '7'.repeat(42) + last;
/** The cookie value of the browser that paid. */
export const PAYER = token('b');
const EVM_ADDRESS = '0x52908400098527886E0F7030069857D2E4169EE7';
const TRON_ADDRESS = 'TNPeeaaFB7K9cmo4uQpcU32zGK8G1NYqeL';
const whole = (network = 'bsc') => [{ network, cents: 1234 }];
const PAID = { status: 'completed', received: 1234, transfers: whole() };
const items = [
  { quantity: 2, price_data: { unit_amount: 450, product_data: { name: 'Blue mug' } } },
  { quantity: 1, price_data: { unit_amount: 134, product_data: { name: 'فنجان قهوة' } } },
];

/** The session of each state, and the page's query where it has one. */
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
    session: { received: 500, transfers: [{ cents: 500 }], unconfirmed: [{ cents: 300, block: 999 }] },
  },
  confirming: { session: { unconfirmed: [{ network: 'ethereum', cents: 1234 }] } },
  'taken-back': { session: { unconfirmed: [{ network: 'ethereum', cents: 1234, orphaned: true }] } },
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

/** Cases that only the shop can resolve, where the shop gave no contact. */
const WITHOUT_CONTACT = ['wrong-token', 'wrong-network', 'expired-and-paid-late', 'expired-half-paid', 'paid-too-much'];

/** Paid orders by the content of their receipts. */
const RECEIPTS = {
  'receipt-of-items': {
    ...{ ...PAID, items, tax: 100, shipping: 100, currency: 'EUR', total: 1234, due: 1423, received: 1423 },
    ...{ transfers: [{ cents: 1423 }], currencies: ['USDT'], rate: '1.1531', payer: PAYER },
  },
  'receipt-of-a-description': PAID,
  'receipt-after-a-refund': {
    ...PAID,
    refunds: [{ status: 'completed', cents: 234, receipt: `rcp_${'t'.repeat(22)}` }],
  },
};

/** Paid orders by their query for a refund address; `path` is below the order's. */
const REFUND_ADDRESS = {
  'refund-address-can-be-given': { session: { ...PAID, payer: PAYER } },
  'refund-address-only-in-the-browser-that-paid': { session: PAID },
  'refund-address-form': { session: { ...PAID, payer: PAYER }, path: '/refund-address' },
  'refund-address-shown-back': {
    session: { ...PAID, payer: PAYER },
    path: `/refund-address?address=${EVM_ADDRESS}`,
  },
  'refund-address-given': { session: { ...PAID, given: EVM_ADDRESS.toLowerCase() } },
};

/** Queries to the claim page of a TRON refund that waits for an address. */
const CLAIM = {
  'claim-open': '',
  'claim-malformed': 'address=hello',
  'claim-checksum': 'address=TNPeeaaFB7K9cmo4uQpcU32zGK8G1NYqeM',
  'claim-other-network': `address=${EVM_ADDRESS}`,
  'claim-zero': 'address=T9yD14Nj9j7xAB4dbGeiX9h8unkKHxuWwb',
  // No endpoint responds here.
  'claim-unchecked': `address=${TRON_ADDRESS}`,
};

/** Refunds on BSC with a claim link, and the queries to its page. */
const CLAIMED = {
  'claim-shown-back': { refund: { status: 'processing', hold: 'destination_needed' }, query: `address=${EVM_ADDRESS}` },
  'claim-given': { refund: { status: 'processing', given: EVM_ADDRESS.toLowerCase() } },
  'claim-sent': {
    refund: { status: 'completed', given: EVM_ADDRESS.toLowerCase(), receipt: `rcp_${'s'.repeat(22)}` },
  },
  'claim-not-needed': { refund: { status: 'processing' } },
  'claim-failed': { refund: { status: 'failed', given: EVM_ADDRESS.toLowerCase() } },
  'claim-canceled': { refund: { status: 'canceled' } },
  'claim-expired': { refund: { status: 'processing', hold: 'destination_needed', claimLeft: -60 } },
};

const LINKS = {
  'link-price': { link: { amount: 1250 } },
  'link-free-amount': { link: { least_amount: 500, most_amount: 5000 } },
  'link-amount-refused': { link: { least_amount: 500, most_amount: 5000 }, query: 'amount=4' },
  'link-above-the-limit': { link: {}, query: 'amount=900&refused=limit' },
  'link-shop-cannot': { link: { currency: 'USDC', amount: 1250 }, query: 'refused=shop' },
  'link-busy': { link: { amount: 1250 }, query: 'refused=busy' },
  'link-off': { link: { amount: 1250, is_active: false } },
  'link-used': { link: { amount: 1250, most_paid: 1 }, paid: PAID },
  'link-paused': { link: { amount: 1250 }, isSuspended: true },
};

/** Stores all of it; resolves to the path of every state by name. */
export async function addStates(client, chains) {
  const paths = {};
  const asked = (query) => (query ? `?${query}` : '');
  for (const [name, { session, query }] of Object.entries(PAY))
    paths[name] = `/pay/${await addSession(client, chains, session)}${asked(query)}`;
  const store = await addOtherStore(client, { id: 'st_unnamed', name: 'Corner Shop', status: 'approved' });
  for (const name of WITHOUT_CONTACT)
    paths[`${name}-without-contact`] = `/pay/${await addSession(client, chains, { ...PAY[name].session, store })}`;
  for (const [name, session] of Object.entries(RECEIPTS))
    paths[name] = `/pay/${await addSession(client, chains, session)}/receipt`;
  const seller = await addOtherStore(client, { id: 'st_seller', name: 'Hafen Handel', status: 'approved' });
  await client.query(
    `UPDATE stores SET legal_name = 'Hafen Handel GmbH', legal_address = E'Am Kai 1\\n20457 Hamburg', vat_number = 'DE123456789' WHERE id = $1`,
    [seller],
  );
  const sold = { ...RECEIPTS['receipt-of-items'], store: seller };
  paths['receipt-with-the-seller'] = `/pay/${await addSession(client, chains, sold)}/receipt`;
  for (const [name, { session, path = '' }] of Object.entries(REFUND_ADDRESS))
    paths[name] = `/pay/${await addSession(client, chains, session)}${path}`;
  const receipt = `rcp_${'r'.repeat(22)}`;
  paths.receipt = `/receipt/${receipt}`;
  const waits = { status: 'processing', network: 'tron', hold: 'destination_needed', claim: token('0') };
  await addSession(client, chains, { ...PAID, transfers: whole('tron'), refunds: [waits] });
  for (const [name, query] of Object.entries(CLAIM)) paths[name] = `/claim/${token('0')}${asked(query)}`;
  for (const [n, [name, { refund, query }]] of Object.entries(CLAIMED).entries()) {
    await addSession(client, chains, { ...PAID, refunds: [{ ...refund, claim: token(n + 1) }] });
    paths[name] = `/claim/${token(n + 1)}${asked(query)}`;
  }
  const suspended = await addOtherStore(client, { id: 'st_pictures', name: 'Windmill Books', status: 'suspended' });
  for (const [name, { link, query, paid, isSuspended = false }] of Object.entries(LINKS)) {
    const id = await addLink(client, { ...link, ...(isSuspended && { store_id: suspended }) });
    if (paid) await addSession(client, chains, { ...paid, link: id });
    paths[name] = `/link/${id}${asked(query)}`;
  }
  paths['no-such-payment'] = '/pay/cs_test_none';
  paths['no-such-claim'] = `/claim/${'8'.repeat(43)}`;
  paths['no-such-receipt'] = '/receipt/rcp_none';
  paths['no-such-page'] = '/nowhere';
  return paths;
}
