// The operator's screening hook: a real HTTP server on this machine that answers as a history says. The worker asks about several addresses at
// once, so answers are given one at a time, in the order of the questions' texts, and each only when everything that the one before has
// caused is over. Otherwise the speed of the machine would decide which row is stored first.

import type { ServerResponse } from 'node:http';
import { openReceiver } from '@/testing/receivers/receiver';
import type { SimulatedPool } from './faults/simulated-pool';

/** `answers`: whether it names the address. `unknown`: that it does not know yet. `fails`: 500 to every question. */
export const HOOK_MODES = ['answers', 'unknown', 'fails'] as const;
export type HookMode = (typeof HOOK_MODES)[number];

export type SimulatedHook = {
  readonly url: string;
  mode: HookMode;
  /** Addresses that it names, in stored form. */
  named: ReadonlySet<string>;
  readonly begin: () => void;
  readonly close: () => Promise<void>;
};

/** Real milliseconds between two looks, and the looks in a row in which nothing may have happened. */
const [A_MOMENT, CALM_LOOKS] = [2, 3];

type Question = { readonly text: string; readonly response: ServerResponse };

export async function openSimulatedHook(pool: Pick<SimulatedPool, 'statements' | 'isBusy'>): Promise<SimulatedHook> {
  const waiting: Question[] = [];
  let isAnswering = false;

  async function untilCalm(): Promise<void> {
    const state = (): string => `${waiting.length} ${pool.statements()}`;
    for (let calm = 0; calm < CALM_LOOKS;) {
      const before = state();
      // The phases of the event loop between the two take what sockets have received.
      await new Promise((resolve) => void setTimeout(() => void setImmediate(resolve), A_MOMENT));
      calm = pool.isBusy() || state() !== before ? 0 : calm + 1;
    }
  }

  async function answerAll(): Promise<void> {
    if (isAnswering) return;
    isAnswering = true;
    while (waiting.length > 0) {
      await untilCalm();
      waiting.sort((one, other) => (one.text < other.text ? -1 : 1));
      const next = waiting.shift();
      if (next) answer(next);
    }
    isAnswering = false;
  }

  function answer({ text, response }: Question): void {
    if (hook.mode === 'fails') return void response.writeHead(500).end();
    const { address } = JSON.parse(text) as { readonly address: string };
    const result = hook.mode === 'unknown' ? 'unknown' : hook.named.has(address) ? 'hit' : 'clear';
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ result }));
  }

  const receiver = await openReceiver((_, { body }) => (response) => {
    waiting.push({ text: body.toString('utf8'), response });
    void answerAll();
  });
  const hook: SimulatedHook = {
    url: receiver.url,
    mode: 'answers',
    named: new Set(),
    begin: () => {
      receiver.received.length = 0;
      waiting.length = 0;
      Object.assign(hook, { mode: 'answers', named: new Set() });
    },
    close: receiver.close,
  };
  return hook;
}
