// What goes wrong on the local chains on purpose, and how each is undone. The chains begin without any of it at every start, so memory
// is enough.

import { z } from 'zod';
import type { Faults } from '../chains/local-network';
import type { LocalChains } from '../chains/start';
import { PaymentRefused } from '../chains/payment';
import { WorkQueue } from '../chains/work-queue';

/** What a network can have without naming an address. */
export const SWITCHES = ['sponsor_empty', 'energy_gone', 'stopped'] as const;
export type Switch = (typeof SWITCHES)[number];

const given = { network: z.string(), is_on: z.boolean() };
export const changeSchema = z.discriminatedUnion('fault', [
  z.object({ ...given, fault: z.literal('blocked'), currency: z.string(), address: z.string() }),
  z.object({ ...given, fault: z.enum(SWITCHES) }),
]);
export type Change = z.output<typeof changeSchema>;

export type Blocked = { readonly currency: string; readonly address: string };
export type NetworkFaults = {
  readonly network: string;
  readonly currencies: readonly string[];
  readonly hasEnergy: boolean;
  readonly blocked: readonly Blocked[];
  readonly switches: ReadonlySet<Switch>;
};

const SETTERS: Readonly<Record<Switch, (faults: Faults, isOn: boolean) => Promise<void>>> = {
  sponsor_empty: (faults, isOn) => faults.setSponsorEmpty(isOn),
  energy_gone: (faults, isOn) => faults.setEnergyGone(isOn),
  stopped: (faults, isOn) => faults.setStopped(isOn),
};

export class BadDay {
  readonly #chains: LocalChains;
  /** Whether a fault is on, by its name. */
  readonly #on = new Map<string, { readonly network: string; readonly what: Switch | Blocked }>();
  /** Changes come one after the other, so that what is shown is what the chains have. */
  readonly #turns = new WorkQueue();

  constructor(chains: LocalChains) {
    this.#chains = chains;
  }

  /** Makes something go wrong, or ends that. Once more changes nothing. Throws PaymentRefused for what is not possible. */
  set(change: Change): Promise<void> {
    return this.#turns.take(async () => {
      const { network, is_on: isOn } = change;
      const local = this.#chains.networks.get(network);
      if (!local) throw new PaymentRefused(`there is no local chain ${network}`);
      if (change.fault === 'blocked') {
        const { currency, address } = change;
        if (!local.isAddress(address)) throw new PaymentRefused(`this is not an address of ${network}`);
        await local.faults.setBlocked({ currency, address }, isOn);
        this.#keep([network, currency, address], { network, what: { currency, address } }, isOn);
      } else {
        await SETTERS[change.fault](local.faults, isOn);
        this.#keep([network, change.fault], { network, what: change.fault }, isOn);
      }
    });
  }

  /** Every local chain, with what is wrong there. */
  networks(): readonly NetworkFaults[] {
    return [...this.#chains.networks.values()].map(({ network, spec }) => {
      const wrong = [...this.#on.values()].flatMap((one) => (one.network === network ? [one.what] : []));
      return {
        network,
        currencies: Object.keys(spec.tokens),
        hasEnergy: spec.family === 'tron',
        blocked: wrong.filter((what) => typeof what === 'object'),
        switches: new Set(wrong.filter((what) => typeof what === 'string')),
      };
    });
  }

  #keep(name: readonly string[], what: { network: string; what: Switch | Blocked }, isOn: boolean): void {
    if (isOn) this.#on.set(name.join(' '), what);
    else this.#on.delete(name.join(' '));
  }
}
