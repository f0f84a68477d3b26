// What one unsigned transaction of a signing request does, read from its bytes alone. The offline program and the online commands both
// use it. Pure.

import { tokenOf, type NetworkSpec } from '@/lib/networks/networks';
import { BadDraft } from '@/lib/networks/sending/send';
import { openAccount, type AccountTerms } from './account';
import type { Item, Unsigned } from './item';

/** The item that the bytes are. Throws BadDraft for bytes that do anything but one transfer of a known token of the network. */
export function describeItem(spec: NetworkSpec, given: Unsigned, terms: AccountTerms | null): Item {
  const { intent, unsigned, from } = given;
  const read = openAccount(spec, from, terms).read(given);
  const { contract, validity: valid } = read;
  if (read.chainId !== null && read.chainId !== spec.chainId)
    throw new BadDraft(`it is for the chain ${read.chainId}, and ${spec.network} is ${String(spec.chainId)}`);
  if (read.intent !== null && read.intent !== intent) throw new BadDraft('its memo names another intent');
  const found = tokenOf(spec, contract);
  if (!found) throw new BadDraft(`it calls ${contract}, which is no token of ${spec.network} that Stabletill knows`);
  const { decimals } = found.token;
  if (read.decimals !== null && read.decimals !== decimals) throw new BadDraft('it names other decimals of its token');
  if (read.amount <= 0n) throw new BadDraft('it moves nothing');
  return {
    ...{ intent, unsigned, from: read.from, to: read.to, currency: found.currency, contract, decimals },
    ...{ amount: String(read.amount), feeCap: String(read.feeCap), validity: valid },
  };
}
