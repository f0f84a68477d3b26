// The names that people know networks and their token standards by, as message keys.

import type { MessageKey } from './translate';

type Names = { readonly name: MessageKey; readonly standard: MessageKey };

const NAMES: Readonly<Record<string, Names>> = {
  ethereum: { name: 'networkEthereum', standard: 'standardEthereum' },
  bsc: { name: 'networkBsc', standard: 'standardBsc' },
  tron: { name: 'networkTron', standard: 'standardTron' },
  solana: { name: 'networkSolana', standard: 'standardSolana' },
};

/** The message keys of a network; a network without names must not be offered. */
export function networkNames(network: string): Names {
  const names = NAMES[network];
  if (!names) throw new Error(`no names for the network ${network}`);
  return names;
}
