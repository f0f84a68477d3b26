// One endpoint of a simulated network: answers JSON-RPC requests and requests of TRON's HTTP API from its chain, and fails
// in at most one way at a time.

import { createHash } from 'node:crypto';
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
  /** Whether it was false at any time. */
  hasLied: boolean;
  /** Whether it had any fault at any time. */
  hasFailed: boolean;
  /** The newest final block that it has shown to the product. */
  shown: number;
  /** Begins a fault, or ends all with null. */
  readonly set: (fault: EndpointFaultName | null) => void;
  readonly answer: (body: string, path: string) => EndpointAnswer;
};

/** TRON's paths, which are the names of its methods. */
const HTTP_API = /^\/(wallet(?:solidity)?\/\w+)$/;
const NOT_FOUND = 404;

/** Whether a fault of a part of the requests meets this one. It depends on the request only, whatever came before it. */
const isMeant = ({ percent = 100 }: EndpointFault, request: string): boolean =>
  percent === 100 ||
  createHash('sha256')
    .update(request.replace(/"id":\d+/g, ''))
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
    ...{ hasLied: false, hasFailed: false, shown: 0 },
    set: (name) => {
      const fault: EndpointFault | null = name && ENDPOINT_FAULTS[name];
      endpoint.fault = name;
      if (fault) endpoint.hasFailed = true;
      if (fault?.isFalse) endpoint.hasLied = true;
      changed = fault?.view?.({ height: chain.height(), final: chain.final() }) ?? {};
    },
    answer: (body, path) => {
      const fault: EndpointFault | null = endpoint.fault && ENDPOINT_FAULTS[endpoint.fault];
      const tamper = endpoint.fault && tamperOf(chain.spec.family, endpoint.fault);
      if (fault?.seconds) delay(fault.seconds);
      if (fault?.http && isMeant(fault, `${path} ${body}`)) return fault.http;
      const view: View = {
        // A reorganisation may have made the chain shorter than what the endpoint saw.
        ...{ ...changed, height: Math.min(changed.height ?? Number.POSITIVE_INFINITY, chain.height()) },
        ...(tamper ? { tamper } : {}),
      };
      endpoint.shown = Math.max(endpoint.shown, Math.min(view.height, chain.final()));
      const api = HTTP_API.exec(path)?.[1];
      return api === undefined
        ? rpcAnswer(chain, view, { body, isWrongId: fault?.wrongId === true })
        : httpAnswer(chain, view, { api, body, isOther: fault?.wrongId === true });
    },
  };
  return endpoint;
}

const errorIn = (result: unknown): { readonly code: number; readonly message: string } | null =>
  typeof result === 'object' && result !== null && 'error' in result
    ? (result.error as { readonly code: number; readonly message: string })
    : null;

function rpcAnswer(
  chain: SimulatedChain,
  view: View,
  { body, isWrongId }: { readonly body: string; readonly isWrongId: boolean },
): EndpointAnswer {
  const calls = JSON.parse(body) as Call | Call[];
  const one = ({ id, method, params }: Call) => {
    const result = chain.answer(view, method, params);
    const error = errorIn(result);
    return { jsonrpc: '2.0', id: isWrongId ? id + 1000 : id, ...(error ? { error } : { result }) };
  };
  return { status: 200, body: JSON.stringify(Array.isArray(calls) ? calls.map(one) : one(calls)) };
}

/** java-tron reports most errors with status 200. */
function httpAnswer(
  chain: SimulatedChain,
  view: View,
  { api, body, isOther }: { readonly api: string; readonly body: string; readonly isOther: boolean },
): EndpointAnswer {
  const given = JSON.parse(body) as Readonly<Record<string, unknown>>;
  const result = chain.answer(view, api, [isOther ? otherRequest(given) : given]);
  const error = errorIn(result);
  const isMissing = error?.code === NOT_FOUND;
  return { status: isMissing ? NOT_FOUND : 200, body: JSON.stringify(error ? { Error: error.message } : result) };
}
