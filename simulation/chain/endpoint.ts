// One endpoint of a simulated network: answers JSON-RPC requests from its chain, and fails in at most one way at a time.

import { createHash } from 'node:crypto';
import { ENDPOINT_FAULTS, type EndpointFault, type EndpointFaultName } from '@/simulation/faults/endpoint-faults';
import type { SimulatedChain, View } from './chain';
import type { EndpointAnswer } from './transport';

type Call = { readonly id: number; readonly method: string; readonly params: readonly unknown[] };

export type SimulatedEndpoint = {
  readonly chain: SimulatedChain;
  readonly number: number;
  readonly url: string;
  fault: EndpointFaultName | null;
  /** Begins a fault, or ends all with null. */
  readonly set: (fault: EndpointFaultName | null) => void;
  readonly answer: (body: string) => EndpointAnswer;
};

/** Whether a fault of a part of the requests meets this one. It depends on the request only, whatever came before it. */
const isMeant = ({ percent = 100 }: EndpointFault, body: string): boolean =>
  percent === 100 ||
  createHash('sha256')
    .update(body.replace(/"id":\d+/g, ''))
    .digest()[0]! %
    100 <
    percent;

/** `delay` lets time pass while an answer is on its way, in seconds. */
export function openEndpoint(
  chain: SimulatedChain,
  number: number,
  delay: (seconds: number) => void,
): SimulatedEndpoint {
  let changed: Partial<View> = {};
  const endpoint: SimulatedEndpoint = {
    ...{ chain, number, url: `http://${chain.network}-${number}.test`, fault: null as EndpointFaultName | null },
    set: (name) => {
      const fault: EndpointFault | null = name && ENDPOINT_FAULTS[name];
      endpoint.fault = name;
      changed = fault?.view?.({ height: chain.height(), final: chain.final() }) ?? {};
    },
    answer: (body) => {
      const fault: EndpointFault | null = endpoint.fault && ENDPOINT_FAULTS[endpoint.fault];
      if (fault?.seconds) delay(fault.seconds);
      if (fault?.http && isMeant(fault, body)) return fault.http;
      const view: View = {
        // A reorganisation may have made the chain shorter than what the endpoint saw.
        ...{ ...changed, height: Math.min(changed.height ?? Number.POSITIVE_INFINITY, chain.height()) },
        ...(fault?.tamper ? { tamper: fault.tamper } : {}),
      };
      const calls = JSON.parse(body) as Call | Call[];
      const one = ({ id, method, params }: Call) => {
        const result = chain.answer(view, method, params);
        const isError = typeof result === 'object' && result !== null && 'error' in result;
        return { jsonrpc: '2.0', id: fault?.wrongId ? id + 1000 : id, ...(isError ? result : { result }) };
      };
      return { status: 200, body: JSON.stringify(Array.isArray(calls) ? calls.map(one) : one(calls)) };
    },
  };
  return endpoint;
}
