// A merchant of one network during the campaign. It sells, is paid on the chain, and makes small refunds and payouts, so that
// one of them, or the sweep of a payment, always approaches the next step. Creates continue during the kills.

import { setTimeout as sleep } from 'node:timers/promises';
import { agePayouts, inDatabase } from './database.mjs';

/** Paid without approval; larger refunds need two operators (REFUND_APPROVAL_ABOVE of a sandbox). */
const PRICE = 45_000;
/** Of a sale that is only swept: in cents, and how long after the one before. */
const [SMALL_PRICE, SALE_PAUSE_MS] = [2_000, 2000];
/** In cents. Different amounts, so that a transfer on the chain identifies its payment. */
const [LEAST, MAX] = [5, 300];
/** The least amount of a payout (lib/payouts/request). */
const LEAST_PAYOUT = 100;
/** One in this many payments is a payout. */
const PAYOUT_IN = 3;
/** A store may request fifty payouts within a day. Stores of two networks can be the same. */
const PAYOUTS_OF_DAY = 20;
/** The most refunds of one session (lib/refunds/request/counts). */
const MAX_OF_SESSION = 50;
/** How many wait to be drafted at any time. */
const WAITING = 8;
/** One in this many is made to fail. */
const FAILING_IN = 20;
const UNREAD_LIMIT_MS = 120_000;
const UNREAD_PAUSE_MS = 1000;
const PAUSE_MS = 500;

export class Refunding {
  /** What was requested: { kind, name, currency, cents, planned, request }, where `planned` says that it is made to fail. */
  payments = [];
  /** Cents that the customer paid, by currency. */
  paid = { USDT: 0n, USDC: 0n };
  /** The fault that ended it early; without refunds no more kills at a step are possible. */
  fault = null;
  #options;
  #session = null;
  /** The session whose money is paid out. */
  #paidOut = null;
  #payouts = 0;
  #over = false;
  #loop = Promise.resolve();

  /** @param {{ network: string, merchant: import('./merchant.mjs').Merchant, wallet: any, dataDir: string, random: () => number }} options */
  constructor(options) {
    this.#options = options;
  }

  begin() {
    this.#loop = Promise.all([this.#feed(), this.#keepSelling()]);
    this.#loop.catch((error) => (this.fault = error));
  }

  /** Resolves when the last started payment has been requested. */
  async stop() {
    this.#over = true;
    await this.#loop;
  }

  async #feed() {
    for (; !this.#over; await sleep(PAUSE_MS)) {
      const missing = WAITING - (await this.#waiting());
      for (let n = 0; n < missing && !this.#over; n++)
        await (this.#options.random() * PAYOUT_IN < 1 ? this.#payOutOne() : this.#refundOne());
    }
  }

  /** Sales whose money stays in the store, so that there is always something to sweep. */
  async #keepSelling() {
    for (; !this.#over; await sleep(SALE_PAUSE_MS)) await this.#sellFor(SMALL_PRICE);
  }

  async #waiting() {
    const { dataDir, network } = this.#options;
    const waiting = (table) =>
      `SELECT id FROM ${table} WHERE network = $1 AND status IN ('pending', 'processing') AND signature_requested_at IS NULL`;
    const text = `SELECT count(*)::int AS count FROM (${waiting('refunds')} UNION ALL ${waiting('payouts')}) AS all_of_them`;
    // While the database is down, nothing is due.
    return inDatabase(dataDir, (query) => query(text, [network])).then(
      ([row]) => row.count,
      () => WAITING,
    );
  }

  async #refundOne() {
    const { merchant, random } = this.#options;
    const cents = LEAST + Math.floor(random() * (MAX - LEAST));
    const isSpent = this.#session === null || this.#session.left < cents || this.#session.refunds === MAX_OF_SESSION;
    if (isSpent) this.#session = await this.#sell();
    const { id: sessionId, currency } = this.#session;
    this.#session.refunds++;
    const name = this.#newName();
    const request = { session_id: sessionId, refund_id: name, amount: cents, currency };
    const refund = { kind: 'refund', name, currency, cents, planned: random() * FAILING_IN < 1, request };
    this.#session.left -= cents;
    this.payments.push(refund);
    await merchant.refund(request);
    if (refund.planned) refund.planned = await merchant.failRefund(name);
  }

  /** From money of sessions that are not refunded, so that both are always covered. */
  async #payOutOne() {
    const { merchant, network, random, dataDir } = this.#options;
    const cents = LEAST_PAYOUT + Math.floor(random() * (MAX - LEAST_PAYOUT));
    if (this.#paidOut === null || this.#paidOut.left < cents) this.#paidOut = await this.#sell();
    // While the database is down, the payouts of this day are aged with those of the next one.
    if (++this.#payouts % PAYOUTS_OF_DAY === 0) await agePayouts(dataDir).catch(() => {});
    const { currency } = this.#paidOut;
    this.#paidOut.left -= cents;
    const name = this.#newName();
    const request = { payout_id: name, amount: cents, currency, network };
    this.payments.push({ kind: 'payout', name, currency, cents, planned: false, request });
    await merchant.payOut(request);
  }

  #newName() {
    return `crash-${this.#options.network}-${this.payments.length}`;
  }

  /** A paid session, with the amount that can be refunded. */
  async #sell() {
    const { id, currency } = await this.#sellFor(PRICE);
    while ((await this.#options.merchant.read(id)).status !== 'COMPLETED') await sleep(PAUSE_MS);
    return { id, currency, left: PRICE, refunds: 0 };
  }

  /** A session, and the transfer that pays it. */
  async #sellFor(price) {
    const { merchant, network, wallet, random } = this.#options;
    const currencies = Object.keys(wallet.network.tokens);
    let session;
    let fit = [];
    // A network that no worker could read for a minute is not offered, for example after many kills on a busy machine.
    for (const end = Date.now() + UNREAD_LIMIT_MS; fit.length === 0;) {
      if (session) await sleep(UNREAD_PAUSE_MS);
      if (Date.now() > end) throw new Error(`no session offered ${network} for ${UNREAD_LIMIT_MS / 1000} s`);
      session = await merchant.create({ amount: price, currency: 'USD' });
      const { methods } = await merchant.status(session.id);
      fit = methods.filter((one) => one.network === network && currencies.includes(one.currency));
    }
    const { currency, address } = fit[Math.floor(random() * fit.length)];
    this.paid[currency] += BigInt(price);
    await wallet.pay(currency, address, price);
    return { id: session.id, currency };
  }
}
