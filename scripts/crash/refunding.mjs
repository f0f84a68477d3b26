// A merchant of one network during the campaign. It sells, is paid on the chain, and makes small refunds, so that a
// refund always approaches the next step. Creates continue during the kills.

import { setTimeout as sleep } from 'node:timers/promises';
import { inDatabase } from './database.mjs';

/** Paid without approval; larger refunds need two operators (REFUND_APPROVAL_ABOVE of a sandbox). */
const PRICE = 45_000;
/** In cents. Different amounts, so that a transfer on the chain identifies its refund. */
const [LEAST, MAX] = [5, 300];
/** The most refunds of one session (lib/refunds/request/counts). */
const MAX_OF_SESSION = 50;
/** How many wait to be drafted at any time. */
const WAITING = 8;
/** One in this many is made to fail. */
const FAILING_IN = 20;
const PAUSE_MS = 150;

export class Refunding {
  /** Requested refunds: { refundId, sessionId, network, currency, cents, planned }. */
  refunds = [];
  /** Cents that the customer paid, by currency. */
  paid = { USDT: 0n, USDC: 0n };
  /** The fault that ended it early; without refunds no more kills at a step are possible. */
  fault = null;
  #options;
  #session = null;
  #over = false;
  #loop = Promise.resolve();

  /** @param {{ network: string, merchant: import('./merchant.mjs').Merchant, wallet: any, dataDir: string, random: () => number }} options */
  constructor(options) {
    this.#options = options;
  }

  begin() {
    this.#loop = this.#feed();
    this.#loop.catch((error) => (this.fault = error));
  }

  /** Resolves when the last started refund has been requested. */
  async stop() {
    this.#over = true;
    await this.#loop;
  }

  async #feed() {
    for (; !this.#over; await sleep(PAUSE_MS)) {
      const missing = WAITING - (await this.#waiting());
      for (let n = 0; n < missing && !this.#over; n++) await this.#refundOne();
    }
  }

  async #waiting() {
    const { dataDir, network } = this.#options;
    const text = `SELECT count(*)::int AS count FROM refunds WHERE network = $1 AND status IN ('pending', 'processing') AND signature_requested_at IS NULL`;
    // While the database is down, nothing is due.
    return inDatabase(dataDir, (query) => query(text, [network])).then(
      ([row]) => row.count,
      () => WAITING,
    );
  }

  async #refundOne() {
    const { merchant, network, random } = this.#options;
    const cents = LEAST + Math.floor(random() * (MAX - LEAST));
    const isSpent = this.#session === null || this.#session.left < cents || this.#session.refunds === MAX_OF_SESSION;
    if (isSpent) this.#session = await this.#sell();
    const { id: sessionId, currency } = this.#session;
    this.#session.refunds++;
    const refundId = `crash-${network}-${this.refunds.length}`;
    const refund = { refundId, sessionId, network, currency, cents, planned: random() * FAILING_IN < 1 };
    this.#session.left -= cents;
    this.refunds.push(refund);
    await merchant.refund({ session_id: sessionId, refund_id: refundId, amount: cents, currency });
    if (refund.planned) refund.planned = await merchant.failRefund(refundId);
  }

  /** A paid session, with the amount that can be refunded. */
  async #sell() {
    const { merchant, network, wallet, random } = this.#options;
    const currencies = Object.keys(wallet.network.tokens);
    const session = await merchant.create({ amount: PRICE, currency: 'USD' });
    const { methods } = await merchant.status(session.id);
    const fit = methods.filter((one) => one.network === network && currencies.includes(one.currency));
    const { currency, address } = fit[Math.floor(random() * fit.length)];
    this.paid[currency] += BigInt(PRICE);
    await wallet.pay(currency, address, PRICE);
    while ((await merchant.read(session.id)).status !== 'COMPLETED') await sleep(PAUSE_MS);
    return { id: session.id, currency, left: PRICE, refunds: 0 };
  }
}
