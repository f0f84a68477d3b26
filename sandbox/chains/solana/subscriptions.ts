// WebSocket subscriptions of one connection: signatures, accounts, logs, slots and roots. After every change of the chain, each
// subscription computes its notifications at its commitment.

import type { WebSocket } from 'ws';
import type { AccountForm } from './account-json';
import type { Commitment } from './blocks';
import type { Ledger } from './ledger';
import { formOf, stateJson } from './methods/accounts';
import { withContext } from './methods/method';
import { toJson } from './json';
import { addressOf, base58Of, optionsOf } from './params';
import { invalidParams, METHOD_NOT_FOUND, RpcError } from './rpc-error';

/** The notifications of one subscription; `over` when it has ended. */
type Step = { readonly results: readonly unknown[]; readonly over?: boolean };
type Subscription = { readonly notification: string; readonly next: () => Step };
type Opener = (ledger: Ledger, params: readonly unknown[]) => Subscription;

const MAX_SUBSCRIPTIONS = 1000;
/** A client that does not read is disconnected. */
const MAX_UNREAD = 8_000_000;

const OPENERS: Readonly<Record<string, Opener>> = {
  signatureSubscribe: (ledger, [signature, rest]) => {
    const [wanted, { commitment }] = [base58Of(signature, 64), optionsOf(rest)];
    return {
      notification: 'signatureNotification',
      next: () => {
        const landed = ledger.find(wanted);
        const block = ledger.blocks.at(commitment);
        if (!landed || landed.slot > block.slot) return { results: [] };
        return { results: [withContext(block, { err: landed.execution.error })], over: true };
      },
    };
  },
  accountSubscribe: (ledger, [address, rest]) => {
    const given = optionsOf(rest);
    return accountSubscription(ledger, addressOf(address), given.commitment, formOf(given, 'base58'));
  },
  logsSubscribe: (ledger, [filter, rest]) => logsSubscription(ledger, mentionedIn(filter), optionsOf(rest).commitment),
  slotSubscribe: (ledger) => slotSubscription(ledger, 'slotNotification', 'processed'),
  rootSubscribe: (ledger) => slotSubscription(ledger, 'rootNotification', 'finalized'),
};

export class Subscriptions {
  readonly #ledger: Ledger;
  readonly #socket: WebSocket;
  readonly #open = new Map<number, Subscription>();
  #last = 0;

  constructor(ledger: Ledger, socket: WebSocket) {
    this.#ledger = ledger;
    this.#socket = socket;
  }

  /** The response to a call on the connection. Throws an RpcError when it cannot be served. */
  answer(method: string, params: readonly unknown[]): unknown {
    if (method === 'ping') return 'pong';
    if (/^[a-z]+Unsubscribe$/.test(method)) return this.#open.delete(Number(params[0]));
    const opener = Object.hasOwn(OPENERS, method) ? OPENERS[method] : undefined;
    if (!opener) throw new RpcError(METHOD_NOT_FOUND, 'Method not found');
    if (this.#open.size >= MAX_SUBSCRIPTIONS) throw invalidParams(`at most ${MAX_SUBSCRIPTIONS} subscriptions`);
    this.#last += 1;
    this.#open.set(this.#last, opener(this.#ledger, params));
    return this.#last;
  }

  /** Sends new notifications. */
  notify(): void {
    for (const [subscription, { notification, next }] of this.#open) {
      const { results, over } = next();
      for (const result of results) {
        this.#socket.send(toJson({ jsonrpc: '2.0', method: notification, params: { result, subscription } }));
      }
      if (over) this.#open.delete(subscription);
    }
    if (this.#socket.bufferedAmount > MAX_UNREAD) this.#socket.terminate();
  }
}

function accountSubscription(
  ledger: Ledger,
  address: ReturnType<typeof addressOf>,
  commitment: Commitment,
  form: AccountForm,
): Subscription {
  const read = () => stateJson(ledger, address, ledger.blocks.at(commitment), form);
  let last = toJson(read());
  return {
    notification: 'accountNotification',
    next: () => {
      const state = read();
      const text = toJson(state);
      if (text === last) return { results: [] };
      last = text;
      return { results: [withContext(ledger.blocks.at(commitment), state)] };
    },
  };
}

function logsSubscription(ledger: Ledger, mentioned: string | null, commitment: Commitment): Subscription {
  // Everything up to here was sent. The block of the slot may still be filling.
  let said = { slot: ledger.blocks.newest.slot, count: ledger.blocks.newest.signatures.length };
  return {
    notification: 'logsNotification',
    next: () => {
      const until = ledger.blocks.at(commitment);
      const blocks = [...ledger.blocks.slots(said.slot, until.slot)].flatMap(
        (slot) => ledger.blocks.bySlot(slot) ?? [],
      );
      const fresh = blocks.flatMap((block) => block.signatures.slice(block.slot === said.slot ? said.count : 0));
      if (blocks.length > 0) said = { slot: until.slot, count: until.signatures.length };
      const landed = fresh.flatMap((signature) => ledger.find(signature) ?? []);
      return {
        results: landed
          .filter(({ keys }) => mentioned === null || keys.all.some((key) => key === mentioned))
          .map(({ signature, execution }) =>
            withContext(until, { signature, err: execution.error, logs: execution.logs }),
          ),
      };
    },
  };
}

function slotSubscription(ledger: Ledger, notification: string, commitment: Commitment): Subscription {
  let last = ledger.blocks.at(commitment).slot;
  return {
    notification,
    next: () => {
      const { slot, parentSlot } = ledger.blocks.at(commitment);
      if (slot === last) return { results: [] };
      last = slot;
      const root = ledger.blocks.at('finalized').slot;
      return { results: [commitment === 'finalized' ? slot : { slot, parent: parentSlot, root }] };
    },
  };
}

/** The address in the filter; null for all transactions. */
function mentionedIn(filter: unknown): string | null {
  if (filter === 'all' || filter === 'allWithVotes') return null;
  const [only, ...more] = (filter as { mentions?: unknown[] } | null)?.mentions ?? [];
  if (more.length > 0) throw invalidParams('Invalid Request: Only 1 address supported');
  return addressOf(only);
}
