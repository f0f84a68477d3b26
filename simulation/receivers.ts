// The merchants' webhook receivers: real HTTP servers on this machine that respond as a history says, and keep what they
// received for the checks.

import type { Clock } from '@/lib/platform/clock';
import { DEADLINE_MILLISECONDS } from '@/lib/webhooks/delivery/dial';
import { openReceiver, type Received, type Receiver } from '@/testing/receivers/receiver';
import { expectedSecrets, type ExpectedSecrets, type Secret } from './secrets';
import type { ControlledTimers } from './injected/timers';

/** How a receiver responds, with what that means in words. */
export const RECEIVER_FAULTS = {
  server_error: 'answers 500 to every event',
  busy: 'answers 429 to every event',
  timeout: 'never answers an event',
  redirect: 'answers with a redirect',
  closed: 'closes the connection without an answer',
  gone: 'answers 404 to every event',
} as const;
export type ReceiverFault = keyof typeof RECEIVER_FAULTS;
export const RECEIVER_FAULT_NAMES = Object.keys(RECEIVER_FAULTS) as readonly ReceiverFault[];

export type SimulatedReceiver = {
  readonly url: string;
  readonly received: Received[];
  /** The secrets that each of them had to verify with when it came. */
  readonly expected: ExpectedSecrets[];
  /** The secrets of the store whose receiver it is. */
  secrets: readonly Secret[];
  fault: ReceiverFault | null;
  /** Whether any call failed since the history began. */
  hasFailed: boolean;
  readonly begin: (clock: Clock) => void;
  readonly close: () => Promise<void>;
};

export async function openSimulatedReceiver(timers: ControlledTimers): Promise<SimulatedReceiver> {
  let now: Clock['now'];
  const receiver: Receiver = await openReceiver(() => {
    const { fault, secrets, expected } = simulated;
    expected.push(expectedSecrets(secrets, now().getTime()));
    if (fault === null) return 200;
    simulated.hasFailed = true;
    switch (fault) {
      case 'server_error':
        return 500;
      case 'busy':
        return 429;
      case 'redirect':
        return (response) => void response.writeHead(302, { location: 'http://127.0.0.1:1/elsewhere' }).end();
      case 'closed':
        return 'close';
      case 'gone':
        return 404;
      case 'timeout':
        // The deadline of the call passes at once. One call runs at a time, so it is this one's.
        setImmediate(() => timers.fire(DEADLINE_MILLISECONDS));
        return 'hang';
    }
  });
  const simulated: SimulatedReceiver = {
    ...{
      url: receiver.url,
      received: receiver.received,
      fault: null as ReceiverFault | null,
      hasFailed: false,
      expected: [],
      secrets: [],
    },
    begin: (clock) => {
      now = () => clock.now();
      receiver.received.length = 0;
      simulated.expected.length = 0;
      simulated.secrets = [];
      simulated.fault = null;
      simulated.hasFailed = false;
    },
    close: receiver.close,
  };
  return simulated;
}
