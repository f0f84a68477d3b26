// A request to the local TRON node: the side of the node, and the parameters from a JSON body or a query.

import { readAddress } from '../address';
import type { Block } from '../block';
import type { TronChain } from '../chain';
import { MalformedMessage } from '../protobuf';
import { Rejected } from '../rejected';
import type { Json } from '../views';

export type NodeRequest = {
  readonly chain: TronChain;
  /** Only solid state is visible. */
  readonly solid: boolean;
  /** Addresses in base58, and messages as text. */
  readonly visible: boolean;
  readonly parameters: Json;
};

/** Returns the body; undefined is an empty object. Its work is serialized on the chain. */
type Route = (request: NodeRequest) => unknown;
export type Routes = Readonly<Record<string, Route>>;

/** The newest visible block. */
export const topOf = ({ chain, solid }: NodeRequest): Block => (solid ? chain.solid() : chain.head());

/** Reads the visible state. */
export const inState = <T>({ chain, solid }: NodeRequest, read: () => T | Promise<T>): T | Promise<T> =>
  solid ? chain.atSolid(read) : read();

export function numberIn({ parameters }: NodeRequest, name: string, otherwise = 0): number {
  const given = parameters[name] ?? otherwise;
  const number = typeof given === 'string' && given.trim() !== '' ? Number(given) : given;
  if (typeof number !== 'number' || !Number.isSafeInteger(number)) throw new MalformedMessage(`INVALID ${name}`);
  return number;
}

export function textIn({ parameters }: NodeRequest, name: string): string {
  const given = parameters[name] ?? '';
  if (typeof given !== 'string') throw new MalformedMessage(`INVALID ${name}`);
  return given;
}

/** An address as hex. Throws when it is missing or invalid. */
export function addressIn({ parameters }: NodeRequest, name: string): string {
  const address = readAddress(parameters[name]);
  if (address === null) throw new MalformedMessage('INVALID hex String');
  return address;
}

/** java-tron's error format for a request that it cannot serve, with status 200. */
export function errorJson(error: unknown): Json | null {
  if (error instanceof Rejected) {
    const reason = error.message.replace(/^Contract validate error : /, '');
    return { Error: `class org.tron.core.exception.ContractValidateException : ${reason}` };
  }
  if (!(error instanceof MalformedMessage)) return null;
  return { Error: `class java.lang.IllegalArgumentException : ${error.message}` };
}

export const messageOf = ({ visible }: NodeRequest, text: string): string =>
  visible ? text : Buffer.from(text, 'utf8').toString('hex');
