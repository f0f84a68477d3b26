// The control server: the product's signed test helpers send it their actions on a local chain. It listens on this machine only,
// and the product's own port does not forward to it.

import { z } from 'zod';
import { changeSchema, type BadDay } from './bad-day/bad-day';
import { readJson, Refusal, sendJson, type Exchange } from './http';
import { DEEPEST_REORG, type LocalNetwork } from './chains/local-network';
import { PaymentRefused, SCENARIOS } from './chains/payment';
import type { LocalChains } from './chains/start';

export const CONTROL_PATH = '/control/';
const LARGEST_BODY = 16_384;
const MAX_BLOCKS = 1000;

const share = {
  recipient: z.string(),
  cents: z
    .number()
    .int()
    .positive()
    .max(Number.MAX_SAFE_INTEGER)
    .transform((cents) => BigInt(cents)),
};
const bodies = {
  pay: z.object({
    ...share,
    network: z.string(),
    currency: z.string(),
    scenario: z.enum(SCENARIOS).default('exact'),
    other: z.object(share).optional(),
  }),
  mine: z.object({ network: z.string(), blocks: z.number().int().min(1).max(MAX_BLOCKS) }),
  'blocked-address': z.object({ network: z.string(), currency: z.string() }),
  reorg: z.object({ network: z.string(), depth: z.number().int().min(1).max(DEEPEST_REORG) }),
};

/**
 * Serves `POST /control/pay`, `/control/mine`, `/control/reorg`, `/control/blocked-address` and `/control/fault`. Responds with 200 and `{
 * transaction_hash, network }`, `{ blocks, tip }`, `{ depth }`, `{ address }` or `{ is_on }`; throws a Refusal with 400 for an
 * impossible action.
 */
export async function serveControl({ chains, badDay }: Parts, { request, response, url }: Exchange): Promise<void> {
  if (request.method !== 'POST') throw new Refusal(405, 'the control door takes POST only');
  const read = await readJson(request, LARGEST_BODY);
  switch (url.pathname) {
    case '/control/pay':
      return sendJson(response, 200, await makePayment(chains, read));
    case '/control/mine': {
      const { network, blocks } = checked(bodies.mine, read);
      return sendJson(response, 200, { blocks, tip: await networkOf(chains, network).mine(blocks) });
    }
    case '/control/reorg': {
      const { network, depth } = checked(bodies.reorg, read);
      await orRefuse(networkOf(chains, network).reorganise(depth));
      return sendJson(response, 200, { depth });
    }
    case '/control/blocked-address': {
      const { network, currency } = checked(bodies['blocked-address'], read);
      return sendJson(response, 200, { address: await orRefuse(networkOf(chains, network).blockedAddress(currency)) });
    }
    case '/control/fault': {
      const change = checked(changeSchema, read);
      await orRefuse(badDay.set(change));
      return sendJson(response, 200, { is_on: change.is_on });
    }
  }
  throw new Refusal(404, 'there is nothing at this path');
}

type Parts = { readonly chains: LocalChains; readonly badDay: BadDay };

async function makePayment(chains: LocalChains, read: unknown) {
  const { network, ...payment } = checked(bodies.pay, read);
  const local = networkOf(chains, network);
  for (const { recipient } of [payment, ...(payment.other ? [payment.other] : [])]) {
    if (!local.isAddress(recipient)) throw new Refusal(400, `recipient: not an address of ${network}`);
  }
  return { transaction_hash: await orRefuse(local.pay(payment)), network };
}

async function orRefuse<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if (!(error instanceof PaymentRefused)) throw error;
    throw new Refusal(400, error.message);
  }
}

function networkOf(chains: LocalChains, network: string): LocalNetwork {
  const local = chains.networks.get(network);
  if (!local) throw new Refusal(400, `there is no local chain ${network}`);
  return local;
}

function checked<T extends z.ZodType>(schema: T, read: unknown): z.output<T> {
  const result = schema.safeParse(read);
  if (result.success) return result.data;
  throw new Refusal(400, result.error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`).join('; '));
}
