// What goes wrong on purpose on the local chains, at the webhook receiver and in the installation, and how each is undone. All of them
// begin without any of it at every start of the sandbox, so memory is enough.

import { z } from 'zod';
import type { Faults } from '../chains/local-network';
import type { LocalChains } from '../chains/start';
import { PaymentRefused } from '../chains/payment';
import { WorkQueue } from '../chains/work-queue';
import type { Receiver } from '../receiver/routes';
import { INSTALLATION_FAULTS, type Installation, type InstallationFault } from './installation';

/** What a network can have without naming an address. */
const SWITCHES = ['away', 'stopped', 'fees_empty', 'sponsor_empty', 'energy_gone', 'robbed'] as const;
export type Switch = (typeof SWITCHES)[number];

/** What goes wrong beside the chains. */
const COMMON_FAULTS = ['receiver_down', ...INSTALLATION_FAULTS] as const;
export type CommonFault = (typeof COMMON_FAULTS)[number];

const given = { network: z.string(), is_on: z.boolean() };
export const changeSchema = z.discriminatedUnion('fault', [
  z.object({ ...given, fault: z.literal('blocked'), currency: z.string(), address: z.string() }),
  z.object({ ...given, fault: z.enum(SWITCHES) }),
  z.object({ is_on: z.boolean(), fault: z.enum(COMMON_FAULTS) }),
]);
export type Change = z.output<typeof changeSchema>;

export type Blocked = { readonly currency: string; readonly address: string };
export type NetworkFaults = {
  readonly network: string;
  readonly currencies: readonly string[];
  readonly offered: readonly Switch[];
  readonly blocked: readonly Blocked[];
  readonly switches: ReadonlySet<Switch>;
};

const SETTERS: Readonly<Record<Exclude<Switch, 'away'>, (faults: Faults, isOn: boolean) => Promise<void>>> = {
  fees_empty: (faults, isOn) => faults.setFeesEmpty(isOn),
  robbed: (faults, isOn) => faults.setRobbed(isOn),
  sponsor_empty: (faults, isOn) => faults.setSponsorEmpty(isOn),
  energy_gone: (faults, isOn) => faults.setEnergyGone(isOn),
  stopped: (faults, isOn) => faults.setStopped(isOn),
};

/** The family of networks on which a switch is possible, if not on all. */
const FAMILY_OF: Readonly<Partial<Record<Switch, string>>> = { energy_gone: 'tron', robbed: 'evm' };

/** `installation`: null when no supervisor started the sandbox. */
type Parts = { readonly chains: LocalChains; readonly receiver: Receiver; readonly installation: Installation | null };

export class BadDay {
  readonly #parts: Parts;
  /** Whether a fault is on, by its name. */
  readonly #on = new Map<string, { readonly network: string; readonly what: Switch | Blocked }>();
  /** Changes come one after the other, so that what is shown is what the chains have. */
  readonly #turns = new WorkQueue();
  readonly #common = new Set<CommonFault>();

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** Makes something go wrong, or ends that. Once more changes nothing. Throws PaymentRefused for what is not possible. */
  set(change: Change): Promise<void> {
    return this.#turns.take(async () => {
      const { is_on: isOn } = change;
      if (!('network' in change)) return this.#setCommon(change.fault, isOn);
      const { network } = change;
      const { networks, endpoints } = this.#parts.chains;
      const local = networks.get(network);
      if (!local) throw new PaymentRefused(`there is no local chain ${network}`);
      if (change.fault === 'blocked') {
        const { currency, address } = change;
        if (!local.isAddress(address)) throw new PaymentRefused(`this is not an address of ${network}`);
        await local.faults.setBlocked({ currency, address }, isOn);
        this.#keep([network, currency, address], { network, what: { currency, address } }, isOn);
      } else {
        // A theft stops the signing of every network, so the supervisor refuses it where one is live.
        if (change.fault === 'robbed') await this.#parts.installation?.set('robbed', isOn);
        if (change.fault === 'away') await endpoints.get(network)?.setAway(isOn);
        else await SETTERS[change.fault](local.faults, isOn);
        this.#keep([network, change.fault], { network, what: change.fault }, isOn);
      }
    });
  }

  /** Every local chain, with what is wrong there. */
  networks(): readonly NetworkFaults[] {
    return [...this.#parts.chains.networks.values()].map(({ network, spec }) => {
      const wrong = [...this.#on.values()].flatMap((one) => (one.network === network ? [one.what] : []));
      return {
        network,
        currencies: Object.keys(spec.tokens),
        offered: SWITCHES.filter((what) => (FAMILY_OF[what] ?? spec.family) === spec.family),
        blocked: wrong.filter((what) => typeof what === 'object'),
        switches: new Set(wrong.filter((what) => typeof what === 'string')),
      };
    });
  }

  /** What is wrong beside the chains. */
  common(): ReadonlySet<CommonFault> {
    return this.#common;
  }

  async #setCommon(fault: CommonFault, isOn: boolean): Promise<void> {
    if (fault === 'receiver_down') this.#parts.receiver.isDown = isOn;
    else await this.#setInstallation(fault, isOn);
    if (isOn) this.#common.add(fault);
    else this.#common.delete(fault);
  }

  async #setInstallation(fault: InstallationFault, isOn: boolean): Promise<void> {
    const { installation } = this.#parts;
    if (!installation) throw new PaymentRefused('only the sandbox of npm start can do this');
    await installation.set(fault, isOn);
  }

  #keep(name: readonly string[], what: { network: string; what: Switch | Blocked }, isOn: boolean): void {
    if (isOn) this.#on.set(name.join(' '), what);
    else this.#on.delete(name.join(' '));
  }
}
