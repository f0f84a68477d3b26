// The SafeTx of a Safe by hand: the strict reader of its ABI encoding, its safeTxHash (EIP-712), and the EIP-1559 transaction that executes
// it. It shares no code with ethers, which writes the bytes, so that what an owner sees and signs never depends on the online machine.
// Pure.

import { keccak_256 } from '@noble/hashes/sha3.js';
import { signedCall } from '@/lib/networks/families/evm/sending/evm-call';
import { abiWord, TRANSFER_SELECTOR, transferData } from '@/lib/networks/families/evm/transfer-data';
import { BadDraft } from '@/lib/networks/sending/send';

/** One token transfer of a Safe. Addresses in lower case. */
export type SafeTransfer = {
  readonly contract: string;
  readonly to: string;
  readonly amount: bigint;
  /** Of the Safe. */
  readonly nonce: number;
};

/** An address in lower case; null for other text. Mixed case is accepted by its letters. */
export const addressText = (text: string): string | null =>
  /^0x[0-9a-fA-F]{40}$/.test(text) && !/^0x0+$/.test(text) ? text.toLowerCase() : null;

const WORD = 64;
const ADDRESS = 40;
const HEAD_WORDS = 10;
/** selector, recipient and amount. */
const CALL_BYTES = 68n;
const ZERO = abiWord(0n);

const keccakText = (text: string): string => Buffer.from(keccak_256(Buffer.from(text))).toString('hex');
const keccakHex = (hex: string): string => Buffer.from(keccak_256(Buffer.from(hex, 'hex'))).toString('hex');

const DOMAIN_TYPE = keccakText('EIP712Domain(uint256 chainId,address verifyingContract)');
const SAFE_TX_TYPE = keccakText(
  'SafeTx(address to,uint256 value,bytes data,uint8 operation,uint256 safeTxGas,uint256 baseGas,uint256 gasPrice,address gasToken,address refundReceiver,uint256 nonce)',
);
const EXEC_SELECTOR = keccakText(
  'execTransaction(address,uint256,bytes,uint8,uint256,uint256,uint256,address,address,bytes)',
).slice(0, 8);

const callOf = ({ to, amount }: SafeTransfer): string => transferData(to.slice(2), amount);

/** Bytes as an ABI argument: their length, and the bytes up to a full word. */
const abiBytes = (hex: string): string =>
  abiWord(BigInt(hex.length / 2)) + hex.padEnd(Math.ceil(hex.length / WORD) * WORD, '0');

/** All of a SafeTx before its last field: a call with no value, that repays no gas. */
const headOf = (transfer: SafeTransfer): string =>
  [
    ...[abiWord(transfer.contract.slice(2)), ZERO, abiWord(BigInt(HEAD_WORDS) * 32n)],
    ...Array.from({ length: 6 }, () => ZERO),
  ].join('');

/** The ABI encoding of the ten fields of a SafeTx, which requests store. */
const safeTransferBytes = (transfer: SafeTransfer): string =>
  `0x${headOf(transfer)}${abiWord(BigInt(transfer.nonce))}${abiBytes(callOf(transfer))}`;

/** The words after the call that must be zero, by their names in the Safe's contract. */
const ZEROS = ['safeTxGas', 'baseGas', 'gasPrice', 'gasToken', 'refundReceiver'] as const;

/** The transfer that the bytes are. Throws BadDraft for a SafeTx that does anything else. */
export function readSafeTransfer(unsigned: string): SafeTransfer {
  const hex = /^0x(?:[0-9a-f]{64})+$/.test(unsigned) ? unsigned.slice(2) : '';
  const word = (at: number): string => hex.slice(at * WORD, (at + 1) * WORD);
  const number = (at: number): bigint => BigInt(`0x${word(at) || '0'}`);
  if (hex.length < (HEAD_WORDS + 1) * WORD) throw new BadDraft('it is no SafeTx');
  if (number(3) !== 0n) throw new BadDraft(`operation: it is ${operationName(number(3))}, and not a call`);
  if (number(1) !== 0n) throw new BadDraft(`value: it sends ${number(1)} wei`);
  for (const [index, name] of ZEROS.entries())
    if (number(4 + index) !== 0n)
      throw new BadDraft(`${name}: it is not zero, so the Safe would pay more than the transfer`);
  if (number(9) > BigInt(Number.MAX_SAFE_INTEGER)) throw new BadDraft('nonce: it is no nonce of a Safe');
  const data = hex.slice((HEAD_WORDS + 1) * WORD);
  if (number(HEAD_WORDS) !== CALL_BYTES || !data.startsWith(TRANSFER_SELECTOR))
    throw new BadDraft('data: it is no token transfer');
  const [recipient, amount] = [data.slice(8, 8 + WORD), data.slice(8 + WORD, 8 + 2 * WORD)];
  const read = {
    contract: `0x${word(0).slice(-ADDRESS)}`,
    to: `0x${recipient.slice(-ADDRESS)}`,
    amount: BigInt(`0x${amount}`),
    nonce: Number(number(9)),
  };
  // Encode it again and compare, so that the bytes cannot contain anything that was not checked.
  if (safeTransferBytes(read) !== unsigned) throw new BadDraft('it does more than one token transfer');
  return read;
}

const operationName = (operation: bigint): string => (operation === 1n ? 'a delegatecall' : `${operation}`);

/** What the owners of the Safe sign: 32 bytes. */
export function safeTxHash(
  transfer: SafeTransfer,
  { chainId, safe }: { readonly chainId: number; readonly safe: string },
): Uint8Array {
  const domain = keccakHex(DOMAIN_TYPE + abiWord(BigInt(chainId)) + abiWord(safe.slice(2)));
  // In the hash the call stands by its own hash, and not by its place.
  const fields = [
    ...[abiWord(transfer.contract.slice(2)), ZERO, keccakHex(callOf(transfer))],
    ...Array.from({ length: 6 }, () => ZERO),
    abiWord(BigInt(transfer.nonce)),
  ];
  return keccak_256(Buffer.from(`1901${domain}${keccakHex(SAFE_TX_TYPE + fields.join(''))}`, 'hex'));
}

/** Who executes the SafeTx, and what that may cost. Prices are wei per gas, and `nonce` is the executor's account nonce. */
export type Execution = {
  readonly executor: string;
  readonly nonce: number;
  readonly maxFeePerGas: bigint;
  readonly maxPriorityFeePerGas: bigint;
  readonly gasLimit: bigint;
};

/** The executor's transaction with the signatures of the owners, each r, s and v as the Safe reads them, in the order of the owners. */
export function executingTransaction(
  transfer: SafeTransfer,
  { chainId, safe }: { readonly chainId: number; readonly safe: string },
  { execution, signatures }: { readonly execution: Execution; readonly signatures: readonly Uint8Array[] },
): ReturnType<typeof signedCall> {
  const signed = signatures.map((signature) => Buffer.from(signature).toString('hex')).join('');
  const call = abiBytes(callOf(transfer));
  const end = BigInt(HEAD_WORDS) * 32n + BigInt(call.length / 2);
  const data = `${EXEC_SELECTOR}${headOf(transfer)}${abiWord(end)}${call}${abiBytes(signed)}`;
  const { nonce, maxFeePerGas, maxPriorityFeePerGas, gasLimit } = execution;
  return signedCall({ chainId, nonce, maxFeePerGas, maxPriorityFeePerGas, gasLimit, to: safe, data });
}
