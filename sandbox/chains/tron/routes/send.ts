// Accepts signed transactions, and reports their signers.

import { Rejected } from '../rejected';
import { readTransactionBytes, readTransactionJson, signedJson, signerOf, type Transaction } from '../transaction';
import { toBase58 } from '../address';
import type { Json } from '../views';
import { messageOf, textIn, type Ask, type Routes } from './request';

export const SEND_ROUTES: Routes = {
  broadcasttransaction: (ask) => send(ask, readTransactionJson(ask.parameters)),
  broadcasthex: (ask) => {
    const transaction = readTransactionBytes(Buffer.from(textIn(ask, 'transaction'), 'hex'));
    return { ...send(ask, transaction), transaction: JSON.stringify(signedJson(transaction, null, ask.visible)) };
  },
  getsignweight: (ask) => {
    const transaction = readTransactionJson(ask.parameters);
    const signers = signersOf(transaction);
    const enough = signers.includes(transaction.owner);
    return {
      result: enough ? {} : { code: 'NOT_ENOUGH_PERMISSION' },
      approved_list: signers.map((address) => written(ask, address)),
      permission: {
        permission_name: 'owner',
        threshold: 1,
        keys: [{ address: written(ask, transaction.owner), weight: 1 }],
      },
      ...(enough ? { current_weight: 1 } : {}),
      transaction: shown(ask, transaction),
    };
  },
  getapprovedlist: (ask) => {
    const transaction = readTransactionJson(ask.parameters);
    const signers = signersOf(transaction).map((address) => written(ask, address));
    return { result: {}, approved_list: signers, transaction: shown(ask, transaction) };
  },
};

/** The node only confirms that it accepted the transaction. The receipt reports whether it is in a block. */
function send(ask: Ask, transaction: Transaction): Json {
  try {
    ask.chain.accept(transaction);
    return { result: true, txid: transaction.id };
  } catch (error) {
    if (!(error instanceof Rejected)) throw error;
    return { code: error.code, txid: transaction.id, message: messageOf(ask, error.message) };
  }
}

const signersOf = ({ id, signatures }: Transaction): string[] => signatures.map((one) => signerOf(id, one));

const written = ({ visible }: Ask, address: string): string => (visible ? toBase58(address) : address);

const shown = (ask: Ask, transaction: Transaction): Json => ({
  result: { result: true },
  txid: transaction.id,
  transaction: { visible: ask.visible, ...signedJson(transaction, null, ask.visible) },
});
