// Methods that send or simulate transactions, and report their cost.

import { accountJson, type AccountForm } from '../account-json';
import { BLOCKHASH_LIFETIME } from '../blocks';
import type { Ledger } from '../ledger';
import { addressOf, contextOf, optionsOf, slotOf, textOf, type Options } from '../params';
import { badSignature, invalidParams, preflightFailed } from '../rpc-error';
import { errorText, SIGNATURE_FAILURE, type TransactionError } from '../transaction-error';
import { innerJson, returnedJson } from '../transaction-json';
import type { Simulation } from '../vm';
import { feeOf, keysOf, readMessage, readTransaction, type WireTransaction } from '../wire';
import { withContext, type Methods } from './method';

const MAX_LAMPORTS = 1_000_000_000_000;

export const sendingMethods: Methods = {
  sendTransaction: ({ ledger }, [text, rest]) => {
    const given = optionsOf(rest);
    const wire = readWire(text, given);
    const commitment = given.preflightCommitment ?? 'finalized';
    contextOf(ledger.blocks, { ...given, commitment });
    if (!given.skipPreflight) {
      const refusal = ledger.refusal(wire, commitment);
      if (refusal) throw preflightFailed(errorText(refusal), simulationJson(ledger, wire, failedWith(refusal), given));
      const tried = ledger.simulate(wire, true);
      if (tried.error === SIGNATURE_FAILURE) throw badSignature();
      if (tried.error) throw preflightFailed(errorText(tried.error), simulationJson(ledger, wire, tried, given));
    }
    ledger.submit(wire);
    return wire.signatures[0];
  },

  simulateTransaction: ({ ledger }, [text, rest]) => {
    const given = optionsOf(rest);
    const wire = readWire(text, given);
    const block = contextOf(ledger.blocks, given);
    if (given.sigVerify && given.replaceRecentBlockhash) {
      throw invalidParams('sigVerify may not be used with replaceRecentBlockhash');
    }
    const refusal = given.replaceRecentBlockhash ? null : ledger.refusal(wire, given.commitment);
    const tried = refusal ? failedWith(refusal) : ledger.simulate(wire, given.sigVerify ?? false);
    if (tried.error === SIGNATURE_FAILURE) throw badSignature();
    return withContext(block, simulationJson(ledger, wire, tried, given));
  },

  getFeeForMessage: ({ ledger }, [text, rest]) => {
    const given = optionsOf(rest);
    const block = contextOf(ledger.blocks, given);
    const message = messageOf(textOf(text));
    const known = ledger.blocks.takesBlockhash(message.blockhash, given.commitment);
    return withContext(block, known ? Number(feeOf(message)) : null);
  },

  requestAirdrop: ({ airdrop }, [address, lamports]) => {
    const amount = slotOf(lamports);
    if (amount > MAX_LAMPORTS) throw invalidParams(`Invalid params: at most ${MAX_LAMPORTS} lamports at once`);
    return airdrop(addressOf(address), BigInt(amount));
  },
};

function readWire(text: unknown, { encoding }: Options): WireTransaction {
  const used = encoding ?? 'base58';
  if (used !== 'base58' && used !== 'base64') throw invalidParams(`unsupported encoding: ${used}`);
  return readTransaction(textOf(text), used);
}

function messageOf(text: string) {
  try {
    return readMessage(new Uint8Array(Buffer.from(text, 'base64')));
  } catch (error) {
    throw invalidParams(`failed to deserialize VersionedMessage: ${(error as Error).message}`);
  }
}

const failedWith = (error: TransactionError): Simulation => ({
  error,
  logs: [],
  computeUnits: 0,
  inner: [],
  returned: null,
  after: [],
});

function simulationJson(ledger: Ledger, wire: WireTransaction, tried: Simulation, given: Options) {
  const keys = keysOf(wire.message, (address) => ledger.accounts.now(address));
  const { blockhash, height } = ledger.blocks.newest;
  return {
    err: tried.error,
    logs: tried.logs,
    accounts: given.accounts ? accountsAfter(ledger, tried, given.accounts) : null,
    unitsConsumed: tried.computeUnits,
    returnData: returnedJson(tried.returned),
    innerInstructions: given.innerInstructions ? innerJson(tried.inner, keys, true) : null,
    ...(given.replaceRecentBlockhash
      ? { replacementBlockhash: { blockhash, lastValidBlockHeight: height + BLOCKHASH_LIFETIME } }
      : {}),
  };
}

function accountsAfter({ accounts, blocks }: Ledger, tried: Simulation, wanted: NonNullable<Options['accounts']>) {
  const form: AccountForm = { encoding: wanted.encoding === 'jsonParsed' ? 'jsonParsed' : 'base64' };
  if (tried.error) return wanted.addresses.map(() => null);
  return wanted.addresses.map(addressOf).map((address) => {
    const state = tried.after.find((one) => one.address === address) ?? accounts.now(address);
    return state && state.lamports > 0n ? accountJson(state, accounts, blocks.newest.slot, form) : null;
  });
}
