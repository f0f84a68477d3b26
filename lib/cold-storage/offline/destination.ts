// The only address that a request may pay: the one that the person who signs has named, or pinned in a file of the offline machine.

import { DRAFT_FAMILIES } from '@/lib/networks/families/drafts';
import { tokenOf, type NetworkSpec } from '@/lib/networks/networks';
import { checksumAddress } from '@/lib/treasury/wallets/derivation';
import { UsageError, type Options } from './options';

/** The destination as requests write it. Throws UsageError. */
export function expectedDestination(
  spec: NetworkSpec,
  { to, toFile }: Pick<Options, 'to' | 'toFile'>,
  readFile: (file: string) => Uint8Array,
): string {
  return storedForm(spec, toFile === null ? (to ?? '') : pinned(spec, Buffer.from(readFile(toFile)).toString('utf8')));
}

function pinned({ network, chain }: NetworkSpec, text: string): string {
  const name = `${network}@${chain}`;
  const lines = text.split('\n').map((line) => line.trim());
  const found = lines.filter((line) => line.startsWith(`${name}=`));
  if (found.length !== 1) throw new UsageError(`The file of destinations must have one line ${name}=ADDRESS.`);
  return (found[0] as string).slice(name.length + 1);
}

function storedForm(spec: NetworkSpec, text: string): string {
  const stored = spec.family === 'evm' ? text.toLowerCase() : text;
  const usable = DRAFT_FAMILIES[spec.family].isPayable(stored) && tokenOf(spec, stored) === null;
  // A mixed case is a checksum; a wrong one is a typing error.
  const isMixed = spec.family === 'evm' && text !== stored && text !== `0x${text.slice(2).toUpperCase()}`;
  if (!usable || (isMixed && checksumAddress(stored) !== text))
    throw new UsageError(`"${text}" is not the address of a wallet on ${spec.network}.`);
  return stored;
}
