// The transfer of a Safe as a file that the Transaction Builder of the Safe web app imports, for owners whose keys are in hardware wallets.
// The owners compare the safeTxHash that their device shows with the one of the request. Pure.

import type { NetworkSpec } from '@/lib/networks/networks';
import { checksumAddress } from '@/lib/treasury/wallets/derivation';
import type { Item } from './item';

const INPUTS = [
  { internalType: 'address', name: 'to', type: 'address' },
  { internalType: 'uint256', name: 'value', type: 'uint256' },
];

export function builderText(
  { chainId }: Pick<NetworkSpec, 'chainId'>,
  { intent, from, to, contract, amount }: Item,
  created: Date,
): string {
  const file = {
    version: '1.0',
    chainId: String(chainId),
    createdAt: created.getTime(),
    meta: {
      name: intent,
      description: 'from the cold wallet to the refund wallet',
      txBuilderVersion: '1.18.0',
      createdFromSafeAddress: checksumAddress(from),
      createdFromOwnerAddress: '',
    },
    transactions: [
      {
        to: checksumAddress(contract),
        value: '0',
        data: null,
        contractMethod: { inputs: INPUTS, name: 'transfer', payable: false },
        contractInputsValues: { to: checksumAddress(to), value: amount },
      },
    ],
  };
  return `${JSON.stringify(file, null, 2)}\n`;
}
