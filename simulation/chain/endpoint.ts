// One endpoint of a simulated network: answers JSON-RPC requests and requests of TRON's HTTP API from its chain, and fails
// in at most one way at a time.

import {
  ENDPOINT_FAULTS,
  tamperOf,
  type EndpointFault,
  type EndpointFaultName,
} from '@/simulation/faults/endpoint-faults';
import { otherRequest } from '@/simulation/faults/tron-tampering';
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
  readonly answer: (body: string, path: string) => EndpointAnswer;
};

/** TRON's paths, which are the names of its methods. */
const HTTP_API = /^\/(wallet(?:solidity)?\/\w+)$/;

export function openEndpoint(chain: SimulatedChain, number: number): SimulatedEndpoint {
  let changed: Partial<View> = {};
  const endpoint: SimulatedEndpoint = {
    ...{ chain, number, url: `http://${chain.network}-${number}.test`, fault: null as EndpointFaultName | null },
    set: (name) => {
      const fault: EndpointFault | null = name && ENDPOINT_FAULTS[name];
      endpoint.fault = name;
      changed = fault?.view?.({ height: chain.height(), final: chain.final() }) ?? {};
    },
    answer: (body, path) => {
      const fault: EndpointFault | null = endpoint.fault && ENDPOINT_FAULTS[endpoint.fault];
      const tamper = endpoint.fault && tamperOf(chain.spec.family, endpoint.fault);
      if (fault?.http) return fault.http;
      const view: View = {
        // A reorganisation may have made the chain shorter than what the endpoint saw.
        ...{ ...changed, height: Math.min(changed.height ?? Number.POSITIVE_INFINITY, chain.height()) },
        ...(tamper ? { tamper } : {}),
      };
      const api = HTTP_API.exec(path)?.[1];
      if (api !== undefined) {
        const given = JSON.parse(body) as Readonly<Record<string, unknown>>;
        return httpAnswer(chain.answer(view, api, [fault?.wrongId ? otherRequest(given) : given]));
      }
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

function httpAnswer(result: unknown): EndpointAnswer {
  const isMissing = typeof result === 'object' && result !== null && 'error' in result;
  return { status: isMissing ? 404 : 200, body: JSON.stringify(result) };
}
