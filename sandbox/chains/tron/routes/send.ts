// Accepts signed transactions, and reports their signers.

import { PermissionError, permissionFor, permissionJson, weigh } from '../permissions';
import { Rejected } from '../rejected';
import { readTransactionBytes, readTransactionJson, signedJson, signerOf, type Transaction } from '../transaction';
import { toBase58 } from '../address';
import type { Json } from '../views';
import { messageOf, textIn, type NodeRequest, type Routes } from './request';

export const SEND_ROUTES: Routes = {
  broadcasttransaction: (request) => send(request, readTransactionJson(request.parameters)),
  broadcasthex: (request) => {
    const transaction = readTransactionBytes(Buffer.from(textIn(request, 'transaction'), 'hex'));
    return {
      ...send(request, transaction),
      transaction: JSON.stringify(signedJson(transaction, null, request.visible)),
    };
  },
  getsignweight: (request) => {
    const transaction = readTransactionJson(request.parameters);
    return { ...signWeight(request, transaction), transaction: shown(request, transaction) };
  },
  getapprovedlist: (request) => {
    const transaction = readTransactionJson(request.parameters);
    const signers = signersOf(transaction).map((address) => written(request, address));
    return { result: {}, approved_list: signers, transaction: shown(request, transaction) };
  },
};

function signWeight(request: NodeRequest, transaction: Transaction): Json {
  try {
    const permission = permissionFor(request.chain.state, transaction);
    const { signers, weight } = weigh(permission, transaction);
    return {
      result: weight >= permission.threshold ? {} : { code: 'NOT_ENOUGH_PERMISSION' },
      ...(signers.length > 0 ? { approved_list: signers.map((one) => written(request, one)) } : {}),
      permission: permissionJson(permission, (one) => written(request, one)),
      ...(weight > 0 ? { current_weight: weight } : {}),
    };
  } catch (error) {
    if (!(error instanceof PermissionError)) throw error;
    return { result: { code: 'PERMISSION_ERROR', message: error.message } };
  }
}

/** The node only confirms that it accepted the transaction. The receipt reports whether it is in a block. */
function send(request: NodeRequest, transaction: Transaction): Json {
  try {
    request.chain.accept(transaction);
    return { result: true, txid: transaction.id };
  } catch (error) {
    if (!(error instanceof Rejected)) throw error;
    return { code: error.code, txid: transaction.id, message: messageOf(request, error.message) };
  }
}

const signersOf = ({ id, signatures }: Transaction): string[] => signatures.map((one) => signerOf(id, one));

const written = ({ visible }: NodeRequest, address: string): string => (visible ? toBase58(address) : address);

const shown = (request: NodeRequest, transaction: Transaction): Json => ({
  result: { result: true },
  txid: transaction.id,
  transaction: { visible: request.visible, ...signedJson(transaction, null, request.visible) },
});
