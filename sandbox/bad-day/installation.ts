// The faults of the installation's own processes and database. The supervisor of `npm start` makes them (scripts/start/incidents.mjs), because
// the sandbox process may do nothing to the others. The two talk over the channel between a Node process and its child.

import { z } from 'zod';
import { PaymentRefused } from '../chains/payment';

export const INSTALLATION_FAULTS = ['signer_stopped', 'worker_stopped', 'database_read_only', 'pool_empty'] as const;
export type InstallationFault = (typeof INSTALLATION_FAULTS)[number];

export type Installation = {
  /** Throws PaymentRefused with the reason of the supervisor. */
  readonly set: (fault: InstallationFault | 'robbed', isOn: boolean) => Promise<void>;
};

/** `refused`: null when it is done. */
const answer = z.object({ id: z.number(), refused: z.string().nullable() });

/** Null when no supervisor started this process. */
export function openInstallation(): Installation | null {
  if (!process.send) return null;
  let last = 0;
  const waiting = new Map<number, (refused: string | null) => void>();
  process.on('message', (message) => {
    const { id, refused } = answer.parse(message);
    waiting.get(id)?.(refused);
    waiting.delete(id);
  });
  return {
    async set(fault, isOn) {
      const id = ++last;
      const refused = await new Promise<string | null>((resolve) => {
        waiting.set(id, resolve);
        process.send?.({ id, fault, is_on: isOn });
      });
      if (refused !== null) throw new PaymentRefused(refused);
    },
  };
}
